/*
 * One line from raw edges to what is believed: made or released, each at its first raw edge and after its own dwell.
 *
 * Contact and resting hands are lines. A change is believed once the line has kept its new level for the dwell; chatter
 * is bridged as long as no single look back is longer than `bridge`. The onset is the first raw edge, whatever followed.
 * Mains hum is told by its rhythm, after the stamp: for a second after it was heard a change must last longer than the
 * part of a period for which hum alone can hold the line. A touch silences the rhythm, and the hum is still there after it.
 */
#ifndef LINE_H
#define LINE_H

#include <stdbool.h>
#include <stdint.h>

#include "clock.h"

struct line_times {
    ticks_t make;    /* how long closed until it is believed */
    ticks_t release; /* how long open */
    ticks_t bridge;  /* the longest look back that a change outlives */
    ticks_t hum;     /* while hum is there: the dwell of a closing at least, and that of an opening */
};

struct line {
    ticks_t onset;      /* first raw edge of the change that is under way */
    ticks_t since;      /* latest raw edge */
    ticks_t kept;       /* how long the new level was held before that edge, bridged looks back left out */
    ticks_t beat;       /* latest edge that hum may have made */
    ticks_t wary_until; /* until then every change must last `hum`: hum is there, or might be and isn't known yet */
    uint8_t beats;      /* intervals of a mains period in a row */
    bool believed;      /* closed? as told */
    bool level;         /* closed? as it is */
    bool changing;      /* a change from `believed` is under way */
    uint8_t flags;      /* of event.h, about its onset */
    bool wary;
    bool hums;          /* wary, because hum was heard */
};

struct change {
    ticks_t onset;
    ticks_t after; /* from the onset to now */
    bool closed;
    uint8_t flags; /* of event.h */
};

/*
 * A raw edge to `closed` at `at`, with flags of event.h about that time; edges come in the order of time. Returns whether
 * a change became certain before it.
 */
bool line_edge(struct line *line, const struct line_times *times, bool closed, ticks_t at, uint8_t flags,
               struct change *change);

/* Time has passed to `now`, without a further edge. Returns whether a change is now believed. */
bool line_settle(struct line *line, const struct line_times *times, ticks_t now, struct change *change);

/* Be wary of hum until then: it might be there and isn't known yet. */
void line_beware(struct line *line, ticks_t until);

#endif
