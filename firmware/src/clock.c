/* The pad's clock: ticks of half a microsecond as interrupts stamp them, extended to a clock that never wraps. */
#include "clock.h"

static uint64_t extended(uint64_t latest, ticks_t stamp)
{
    /* The difference taken as signed: stamps come from a little before the newest look at the clock or a little after. */
    int64_t tick = (int64_t)latest + (int32_t)(stamp - (ticks_t)latest);
    return tick < 0 ? 0 : (uint64_t)tick;
}

void clock_follow(struct clock *clock, ticks_t now)
{
    clock->latest = extended(clock->latest, now);
}

uint64_t clock_us(const struct clock *clock, ticks_t stamp)
{
    return extended(clock->latest, stamp) / TICKS_PER_US;
}
