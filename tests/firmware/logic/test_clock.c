/* The clock over its wraps: 16 bits every 33 ms, 32 bits every 36 minutes. */
#include "check.h"
#include "clock.h"

static void a_stamp_around_an_overflow_that_still_waits_counts_it_once(void)
{
    CHECK_EQUAL(clock_join(7, 0xFFFE, 0), 0x7FFFE);
    CHECK_EQUAL(clock_join(7, 0xFFFE, 1), 0x7FFFE); /* taken before it, the flag read after it */
    CHECK_EQUAL(clock_join(7, 0x0003, 1), 0x80003);
    CHECK_EQUAL(clock_join(8, 0x0003, 0), 0x80003);
    CHECK_EQUAL(clock_join(0xFFFF, 0x0003, 1), 0x00003);
}

static void days_pass_without_a_jump(void)
{
    struct clock clock = {0};
    uint64_t tick = 0;
    for (int step = 0; step < 500; step++) {
        tick += 0x10000000; /* two minutes and a bit: 18 hours in all, 30 wraps */
        clock_follow(&clock, (ticks_t)tick);
        CHECK_EQUAL(clock_us(&clock, (ticks_t)tick), tick / 2);
        CHECK_EQUAL(clock_us(&clock, (ticks_t)(tick - 100000)), (tick - 100000) / 2); /* a stamp from just before */
        CHECK_EQUAL(clock_us(&clock, (ticks_t)(tick + 7)), (tick + 7) / 2);           /* or a moment after */
    }
}

static void nothing_is_before_the_start(void)
{
    struct clock clock = {.latest = 10};
    CHECK_EQUAL(clock_us(&clock, (ticks_t)-50), 0); /* an onset less its lag */
}

int main(void)
{
    RUN(a_stamp_around_an_overflow_that_still_waits_counts_it_once);
    RUN(days_pass_without_a_jump);
    RUN(nothing_is_before_the_start);
    return 0;
}
