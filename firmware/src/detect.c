/* From edges to events: contact, resting hands, knocks. */
#include "detect.h"

#include "witness.h"

/* After a hand was laid the contact is wary of hum this long: three periods, by which hum is known by its rhythm. */
static const ticks_t WARY = MS(60);
/* Edges that were lost came since the round before, us. */
enum { ROUND_TAKES = 7000 };

static const struct line_times *times_of(const struct pad *pad, uint8_t line)
{
    return line == LINE_CONTACT ? &pad->contact_times : &pad->rest_times;
}

static uint8_t kind_of(uint8_t line, bool closed)
{
    if (line == LINE_CONTACT)
        return closed ? CONTACT_MADE : CONTACT_RELEASED;
    return closed ? REST_LAID : REST_LIFTED;
}

uint8_t detect_sense(const struct pad *pad, uint8_t line)
{
    if (line == LINE_CONTACT)
        return pad->drive.side == SIDE_1 ? INPUT_SENSE_2 : INPUT_SENSE_1;
    return line == LINE_REST_1 ? INPUT_SENSE_1 : INPUT_SENSE_2;
}

static uint16_t lasted(struct pad *pad, uint8_t line, uint32_t onset_ms)
{
    uint32_t ms = onset_ms - pad->believed_ms[line];
    pad->believed_ms[line] = onset_ms;
    return ms > UINT16_MAX ? UINT16_MAX : (uint16_t)ms;
}

static void believe(struct pad *pad, uint8_t line, const struct change *change)
{
    uint8_t input = detect_sense(pad, line);
    struct moment moment = change->moment;
    moment.within = sense_bound(&pad->senses[input], moment.within, change->closed, line == LINE_CONTACT);
    uint16_t ms = lasted(pad, line, (uint32_t)(clock_us(&pad->clock, moment.onset) / 1000));
    uint16_t strength = change->closed ? pad_level(input) : ms;
    pad_tell(pad, kind_of(line, change->closed), line, strength, &moment);
    if (line == LINE_CONTACT)
        pad->drive.chance = !change->closed;
    else if (change->closed)
        line_beware(&pad->lines[LINE_CONTACT], moment.onset + moment.after + WARY);
}

static void feed(struct pad *pad, uint8_t line, bool closed, ticks_t at, uint16_t within)
{
    struct change change;
    if (line_edge(&pad->lines[line], times_of(pad, line), closed, at, within, &change))
        believe(pad, line, &change);
}

void detect_look(struct pad *pad, uint8_t line, ticks_t now, uint16_t within)
{
    feed(pad, line, hal_closed(line), now, within);
}

static void tell_knock(struct pad *pad, ticks_t now)
{
    const struct knock *knock = &pad->knock;
    struct moment moment = {.onset = knock->onset, .after = now - knock->onset, .within = WITHIN_STAMP};
    pad_tell(pad, KNOCK, CHANNEL_KNOCK, knock->peak, &moment);
}

static void work_knock(struct pad *pad, ticks_t now)
{
    struct knock *knock = &pad->knock;
    if (knock->phase == KNOCK_LISTENS)
        return;
    if (knock->phase == KNOCK_PEAKS)
        knock_sample(knock, pad_level(INPUT_PIEZO));
    if (knock_settle(knock, &pad->knock_times, now)) {
        if (knock->peak >= pad->settings.values[KNOCK_LEVEL])
            tell_knock(pad, now);
    } else if (knock->phase == KNOCK_LISTENS) {
        hal_watch(LINE_KNOCK, true);
    }
}

void detect_work(struct pad *pad)
{
    bool lost = hal_take_lost_edges();
    struct edge edge;
    while (hal_take_edge(&edge)) {
        if (edge.line == LINE_KNOCK)
            knock_edge(&pad->knock, edge.at);
        else
            feed(pad, edge.line, edge.closed, edge.at, WITHIN_AWAITED);
    }
    /* Taken after the edges: none of them lies ahead of it, so that no dwell is measured backwards. */
    ticks_t now = hal_now();
    witness_work(pad, now);
    for (uint8_t line = 0; line < SENSED_LINES; line++) {
        struct change change;
        if (lost && !(pad->drive.blank & (1 << line))) {
            hal_watch(line, true);
            detect_look(pad, line, now, ROUND_TAKES);
        }
        if (line_settle(&pad->lines[line], times_of(pad, line), now, &change))
            believe(pad, line, &change);
    }
    work_knock(pad, now);
}
