/* The pad's clock: ticks of half a microsecond as interrupts stamp them, extended to a clock that never wraps. */
#ifndef CLOCK_H
#define CLOCK_H

#include <stdint.h>

typedef uint32_t ticks_t; /* 2 MHz, wraps after 35 minutes: good for differences below half of that */

#define TICKS_PER_US 2UL
#define US(n) ((ticks_t)(n) * TICKS_PER_US)
#define MS(n) US((n) * 1000UL)

struct clock {
    uint64_t latest; /* the newest tick that was asked about, from the start of the boot */
};

/* Moves the clock on; must be called at least every 17 minutes, and is in every round of the main loop. */
void clock_follow(struct clock *clock, ticks_t now);

/* Microseconds since the start of this boot of a stamp within 17 minutes of the clock, before or after. */
uint64_t clock_us(const struct clock *clock, ticks_t stamp);

/* A stamp made of the timer's 16 bits and its overflows so far, where an overflow may still await its interrupt. */
static inline ticks_t clock_join(uint16_t overflows, uint16_t count, uint8_t overflow_waits)
{
    /* A low count with the flag up was taken after the overflow, a high one before it. */
    if (overflow_waits && count < 0x8000)
        overflows++;
    return ((ticks_t)overflows << 16) | count;
}

#endif
