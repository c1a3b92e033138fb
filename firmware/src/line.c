/* One line from raw edges to what is believed: made or released, each at its first raw edge and after its own dwell. */
#include "line.h"

/* A period of the mains, 60 and 50 Hz, with what they and the crystal are off and some chatter at the crossing. */
static const ticks_t SHORTEST_BEAT = MS(16), LONGEST_BEAT = US(20700);
/* Closings nearer than this to the last beat are its chatter. */
static const ticks_t CHATTER = MS(5);
/* How long hum is minded after it was heard. */
static const ticks_t MEMORY = MS(1000);

enum { BEATS_TO_TELL = 2 };

/* Edges so soon after the level was judged by may have been on their way in it already. */
static const uint16_t DOUBTFUL = US(150);

static void hear_beat(struct line *line, ticks_t at)
{
    ticks_t interval = at - line->beat;
    if (interval < CHATTER)
        return;
    line->beat = at;
    if (interval < SHORTEST_BEAT || interval > LONGEST_BEAT) {
        line->beats = 0;
    } else if (++line->beats == BEATS_TO_TELL) {
        line->beats--; /* the next one will do to tell it again */
        line->hums = line->wary = true;
        line->wary_until = at + MEMORY;
    }
}

void line_beware(struct line *line, ticks_t until)
{
    if (line->hums)
        return; /* wary already, and for longer */
    line->wary = true;
    line->wary_until = until;
}

static ticks_t dwell(const struct line *line, const struct line_times *times)
{
    /* Hum alone never lets go for longer than that either, so that a longer release would never come. */
    if (line->hums && line->believed)
        return times->hum;
    ticks_t least = line->believed ? times->release : times->make;
    bool might_hum = line->wary || line->beats; /* a single period so far is a suspicion */
    return might_hum && times->hum > least ? times->hum : least;
}

bool line_settle(struct line *line, const struct line_times *times, ticks_t now, struct change *change)
{
    if (line->wary && (int32_t)(now - line->wary_until) >= 0)
        line->wary = line->hums = false;
    if (!line->changing)
        return false;
    ticks_t held = now - line->since;
    if (line->level == line->believed) {
        if (held > times->bridge)
            line->changing = false;
        return false;
    }
    if (line->kept + held < dwell(line, times))
        return false;
    line->changing = false;
    line->believed = line->level;
    ticks_t onset = line->onset - (ticks_t)((int32_t)line->lateness.late * (int32_t)TICKS_PER_US);
    *change = (struct change){
        .moment = {.onset = onset, .after = now - onset, .within = line->lateness.within, .hums = line->hums},
        .closed = line->believed,
    };
    return true;
}

bool line_edge(struct line *line, const struct line_times *times, bool closed, ticks_t at, uint16_t within,
               struct change *change)
{
    bool believed = line_settle(line, times, at, change);
    if (closed == line->level)
        return believed;
    if (closed)
        hear_beat(line, at);
    if (line->changing) {
        if (line->level != line->believed)
            line->kept += at - line->since;
        if (line->judged && (int16_t)((uint16_t)at - line->judged_at) < (int16_t)DOUBTFUL)
            line->lateness.within = WITHIN_AWAITED;
    } else if (closed != line->believed) {
        line->changing = true;
        line->onset = at;
        line->kept = 0;
        line->lateness = (struct lateness){.within = within};
        line->judged = false;
    }
    line->level = closed;
    line->since = at;
    return believed;
}
