/* Which side is driven: one player's electrode is driven and the other's is read. */
#include "drive.h"

#include "detect.h"

/* Ten time constants of a level's filter: 10 kOhm and 47 nF. */
static const ticks_t SETTLE = US(4700);
enum { SWAP_TAKES = 7000 }; /* us at most, with rounds that come late */

uint8_t drive_share(uint16_t level)
{
    /* A pulse of n/256 is set as n - 1. */
    return (uint8_t)(((uint32_t)level * 256 + 2500) / 5000 - 1);
}

void drive_set_levels(struct pad *pad)
{
    uint8_t contact = drive_share(pad->settings.values[CONTACT_LEVEL]);
    /* The driven side's own input lies high while its hand rests: its contact comparator is parked. */
    hal_set_level(LEVEL_CONTACT_1, pad->drive.side == SIDE_2 ? contact : LEVEL_PARKED);
    hal_set_level(LEVEL_CONTACT_2, pad->drive.side == SIDE_1 ? contact : LEVEL_PARKED);
    hal_set_level(LEVEL_REST, drive_share(pad->settings.values[REST_LEVEL]));
    hal_drive(pad->drive.side);
}

void drive_blank(struct pad *pad, uint8_t lines, uint16_t within, ticks_t now)
{
    for (uint8_t line = 0; line < SENSED_LINES; line++)
        if (lines & (1 << line))
            hal_watch(line, false);
    pad->drive.blank |= lines;
    pad->drive.within = within;
    pad->drive.since = now;
    for (uint8_t side = 0; side < SENSES; side++)
        sense_forget(&pad->senses[side]);
}

static void end_blank(struct pad *pad, ticks_t now)
{
    for (uint8_t line = 0; line < SENSED_LINES; line++) {
        if (!(pad->drive.blank & (1 << line)))
            continue;
        hal_watch(line, true); /* before the look: an edge just then is seen twice rather than not at all */
        detect_look(pad, line, now, pad->drive.within);
    }
    pad->drive.blank = 0;
    pad->drive.since = now;
}

/* A touch needs both hands at rest, and none follows within milliseconds of the last one's release. */
static bool no_touch_comes(const struct pad *pad)
{
    const struct line *contact = &pad->lines[LINE_CONTACT];
    if (contact->believed || contact->level || contact->changing || hal_closed(LINE_CONTACT))
        return false;
    return pad->drive.chance || !pad->lines[LINE_REST_1].believed || !pad->lines[LINE_REST_2].believed;
}

static bool swap_is_due(const struct pad *pad, ticks_t now)
{
    uint16_t period = pad->settings.values[SWAP_PERIOD];
    return period && pad->job.kind == JOB_NONE && now - pad->drive.since >= MS(period) && no_touch_comes(pad);
}

void drive_start(struct pad *pad, ticks_t now)
{
    pad->drive.side = SIDE_1;
    drive_set_levels(pad);
    drive_blank(pad, ALL_LINES, WITHIN_FOUND, now);
}

void drive_work(struct pad *pad, ticks_t now)
{
    if (pad->drive.blank) {
        if (pad->job.kind != JOB_SELF_TEST && now - pad->drive.since >= SETTLE)
            end_blank(pad, now);
    } else if (swap_is_due(pad, now)) {
        pad->drive.side = pad->drive.side == SIDE_1 ? SIDE_2 : SIDE_1;
        drive_set_levels(pad);
        drive_blank(pad, 1 << LINE_CONTACT, SWAP_TAKES, now);
    }
    pad->drive.chance = false;
}
