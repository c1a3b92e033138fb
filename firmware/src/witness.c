/* Looks at the sense inputs each millisecond, and when a level has settled after an edge, and judges how late the edge was. */
#include "witness.h"

#include "detect.h"
#include "drive.h"

/* A level has settled so long after the edge. */
static const ticks_t SETTLED = US(300);
static const uint16_t PERIOD = US(900); /* a round is a little longer */

/* The comparators' feedback moves a level by a 221st of what lies between it and the output: the supply, or ground. */
enum { FEEDBACK = 221, SUPPLY = 5000 };

static uint16_t threshold(const struct pad *pad, uint8_t line, bool closed)
{
    uint16_t set = pad->settings.values[line == LINE_CONTACT ? CONTACT_LEVEL : REST_LEVEL];
    uint16_t level = (uint16_t)((drive_share(set) + 1) * (uint32_t)SUPPLY / 256);
    return closed ? level + (SUPPLY - level) / FEEDBACK : level - level / FEEDBACK;
}

static struct charge charge(const struct pad *pad, uint8_t line, bool closed)
{
    const uint16_t *value = pad->settings.values;
    if (line == LINE_CONTACT)
        return closed ? (struct charge){(uint8_t)value[CONTACT_CHARGE], -9} : (struct charge){(uint8_t)value[RELEASE_CHARGE], 4};
    return closed ? (struct charge){(uint8_t)value[REST_CHARGE], 0} : (struct charge){(uint8_t)value[LIFT_CHARGE], 2};
}

static struct edge_seen edge_of(const struct line *changing)
{
    return (struct edge_seen){
        .at = changing->onset,
        .closed = !changing->believed,
    };
}

static void judge(struct pad *pad, uint8_t line)
{
    struct line *changing = &pad->lines[line];
    uint8_t input = detect_sense(pad, line);
    struct edge_seen edge = edge_of(changing);
    edge.chattered = changing->since != changing->onset;
    struct charge by = charge(pad, line, edge.closed);
    ticks_t at = hal_now();
    edge.settled_at = at;
    edge.threshold = threshold(pad, line, edge.closed);
    edge.settled = pad_level(input);
    changing->judged = !edge.chattered;
    changing->judged_at = (uint16_t)at;
    changing->lateness = sense_judge(&pad->senses[input], &edge, &by);
    if (!pad->drive.blank)
        sense_look(&pad->senses[input], edge.settled, at);
}

/* Ticks until an edge's level has settled; none where it won't, for the line chatters. */
static ticks_t left(const struct line *line, ticks_t now)
{
    ticks_t since = now - line->onset;
    return since >= SETTLED || line->since != line->onset ? 0 : SETTLED - since;
}

/* Returns whether a level is waited for: no other look may come between it and the edge. */
static bool judge_edges(struct pad *pad, ticks_t now)
{
    bool waits = false;
    for (uint8_t line = 0; line < SENSED_LINES; line++) {
        const struct line *changing = &pad->lines[line];
        if (!changing->changing || changing->lateness.within != WITHIN_AWAITED)
            continue;
        ticks_t ticks = left(changing, now);
        if (ticks) {
            waits = true;
            hal_wake_in(ticks);
        } else {
            judge(pad, line);
        }
    }
    return waits;
}

static void look(struct pad *pad)
{
    for (uint8_t input = 0; input < SENSES; input++) {
        ticks_t at = hal_now();
        if ((uint16_t)((uint16_t)at - pad->senses[input].at) >= PERIOD)
            sense_look(&pad->senses[input], pad_level(input), at);
    }
}

static void resolve(struct pad *pad)
{
    for (uint8_t line = 0; line < SENSED_LINES; line++) {
        struct line *changing = &pad->lines[line];
        if (!changing->changing || changing->lateness.within != WITHIN_UNRESOLVED)
            continue;
        struct edge_seen edge = edge_of(changing);
        edge.chattered = !changing->judged;
        struct charge by = charge(pad, line, edge.closed);
        changing->lateness = sense_resolve(&pad->senses[detect_sense(pad, line)], &edge, &by, hal_now());
    }
}

void witness_work(struct pad *pad, ticks_t now)
{
    if (pad->drive.blank == ALL_LINES)
        return; /* the levels are the self-test's, or settle still */
    bool waits = judge_edges(pad, now);
    if (!waits && !pad->drive.blank) /* levels that change sides are as steep as hum, and would be taken for it long after */
        look(pad);
    resolve(pad);
}
