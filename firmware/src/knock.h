/* A knock on the mat: its onset from the comparator's first edge, its strength the peak that the circuit holds for some ms. */
#ifndef KNOCK_H
#define KNOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "clock.h"

enum knock_phase { KNOCK_LISTENS, KNOCK_PEAKS, KNOCK_RINGS };

struct knock {
    ticks_t onset;
    uint16_t peak; /* mV */
    uint8_t phase;
};

struct knock_times {
    ticks_t window; /* the peak is awaited this long */
    ticks_t pause;  /* from the onset until the next knock is listened for: the mat rings on */
};

/* The comparator saw the piezo rise. */
static inline void knock_edge(struct knock *knock, ticks_t at)
{
    if (knock->phase == KNOCK_LISTENS)
        *knock = (struct knock){.onset = at, .phase = KNOCK_PEAKS};
}

static inline void knock_sample(struct knock *knock, uint16_t level)
{
    if (level > knock->peak)
        knock->peak = level;
}

/* True once, when the peak is known. The next phase change, to KNOCK_LISTENS, is the caller's to arm the comparator for. */
static inline bool knock_settle(struct knock *knock, const struct knock_times *times, ticks_t now)
{
    ticks_t since = now - knock->onset;
    if (knock->phase == KNOCK_PEAKS && since >= times->window) {
        knock->phase = KNOCK_RINGS;
        return true;
    }
    if (knock->phase == KNOCK_RINGS && since >= times->pause)
        knock->phase = KNOCK_LISTENS;
    return false;
}

#endif
