/*
 * One line from raw edges to what is believed: made or released, each at its first raw edge and after its own dwell.
 *
 * Contact and resting hands are lines. A change is believed once the line has kept its new level for the dwell; chatter
 * is bridged as long as no single look back is longer than `bridge`. The onset is the first raw edge, whatever followed, less
 * what that edge was late.
 * Mains hum is told by its rhythm, after the stamp: for a second after it was heard a change must last longer than the
 * part of a period for which hum alone can hold the line. A touch silences the rhythm, and the hum is still there after it.
 */
#ifndef LINE_H
#define LINE_H

#include <stdbool.h>
#include <stdint.h>

#include "clock.h"
#include "sense.h"

struct line_times {
    ticks_t make;    /* how long closed until it is believed */
    ticks_t release; /* how long open */
    ticks_t bridge;  /* the longest look back that a change outlives */
    ticks_t hum;     /* while hum is there: the dwell of a closing at least, and that of an opening */
};

struct line {
    ticks_t onset;      /* first raw edge of the change that is under way, as it was stamped */
    ticks_t since;      /* latest raw edge */
    ticks_t kept;       /* how long the new level was held before that edge, bridged looks back left out */
    ticks_t beat;       /* latest edge that hum may have made */
    ticks_t wary_until; /* until then every change must last `hum`: hum is there, or might be and isn't known yet */
    struct lateness lateness; /* of that onset */
    uint16_t judged_at; /* lowest bits of a stamp */
    uint8_t beats : 2;  /* intervals of a mains period in a row */
    bool believed : 1;  /* closed? as told */
    bool level : 1;     /* closed? as it is */
    bool changing : 1;  /* a change from `believed` is under way */
    bool wary : 1;
    bool judged : 1;    /* the onset, by a level that had settled */
    bool hums : 1;      /* wary, because hum was heard */
};

struct change {
    struct moment moment;
    bool closed;
};

/*
 * A raw edge to `closed` at `at`; edges come in the order of time. `within`: WITHIN_AWAITED for a stamp, whose lateness is
 * still to be judged, or how much earlier it may have been. Returns whether a change became certain before it.
 */
bool line_edge(struct line *line, const struct line_times *times, bool closed, ticks_t at, uint16_t within,
               struct change *change);

/* Time has passed to `now`, without a further edge. Returns whether a change is now believed. */
bool line_settle(struct line *line, const struct line_times *times, ticks_t now, struct change *change);

/* Be wary of hum until then: it might be there and isn't known yet. */
void line_beware(struct line *line, ticks_t until);

#endif
