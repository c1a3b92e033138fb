/*
 * What the level of a sense input says of an edge: how late it came, how sure that is, and where hum made it, when the step
 * was that it hides.
 *
 * Hands that touch, part, lie down or lift make the level step, and the level follows as fast as bodies and leads charge.
 * The comparator's edge comes when it crosses: by how much late, the step and what it goes beyond the threshold tell. Hum
 * moves the level too, slowly: it makes an edge where there is no step, or holds one back. So every input is looked at each
 * millisecond, and once more when the level has settled after an edge.
 */
#ifndef SENSE_H
#define SENSE_H

#include <stdbool.h>
#include <stdint.h>

#include "clock.h"
#include "event.h"

enum { SENSES = 2 };

/* Of an edge whose onset is not known yet; else `within` is as in event.h. */
enum {
    WITHIN_AWAITED = 0,                 /* nobody has looked at the level since */
    WITHIN_UNRESOLVED = UINT16_MAX - 2, /* hum made it, and no step was seen so far */
};

enum way { WAY_NONE, WAY_UP, WAY_DOWN };

/* One input. Levels in mV at a supply of 5,000 mV, times the lowest 16 bits of a stamp. */
struct sense {
    uint16_t level, at;         /* the newest look */
    uint16_t before, before_at; /* the one before it */
    uint16_t from, to;          /* the latest step, or steps in quick succession, happened between */
    int16_t slope;              /* mV a ms, steps left out */
    uint8_t unrest;             /* the steepest slope of late: what hum there is */
    uint8_t way : 2;            /* of the latest step */
    uint8_t looks : 2;          /* that count: 0, 1, 2 or more */
    uint8_t stale : 2;          /* so many looks ago a step began, and the slope is that of before */
    bool stale_up : 1;          /* which way it goes on */
    uint8_t anew : 2;           /* so often a first look was followed by a step */
};

/* How an edge's line charges: its time constant and what adds to it, us. */
struct charge {
    uint8_t constant;
    int8_t more;
};

/* An edge whose level has settled, or that is followed by others before it does. */
struct edge_seen {
    ticks_t at, settled_at;
    uint16_t threshold, settled; /* mV; what was crossed, and what is there now */
    bool closed;
    bool chattered; /* the line looked back since: what is there now is not what crossed */
};

/* How far the truth lies before an edge, us (negative: after it), and within what. */
struct lateness {
    int16_t late;
    uint16_t within;
};

/* The levels have another meaning from now on. */
void sense_forget(struct sense *sense);

/* A look at the level. */
void sense_look(struct sense *sense, uint16_t level, ticks_t at);

/* How late an edge was; the look at the settled level is not among the input's looks yet. */
struct lateness sense_judge(const struct sense *sense, const struct edge_seen *edge, const struct charge *charge);

/*
 * The latest step taken for what an edge without one tells of; WITHIN_UNRESOLVED where it can't be. Nothing is asked of the
 * edge's level.
 */
struct lateness sense_resolve(const struct sense *sense, const struct edge_seen *edge, const struct charge *charge, ticks_t now);

/*
 * In what the onset of a change that is now believed surely is, us, if it was judged to lie within `within`: hum may have grown
 * too strong since, and what was never judged or resolved has its bound too. Of an edge that may be the hum's a touch has none;
 * a hand is laid or lifted within a period of it.
 */
uint16_t sense_bound(const struct sense *sense, uint16_t within, bool closed, bool touch);

#endif
