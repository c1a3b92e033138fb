/* What levels say of an edge. Times in the tests are microseconds, levels mV; the level charges as e to the -t / 50. */
#include <math.h>

#include "check.h"
#include "sense.h"

enum { TAU = 50, THRESHOLD = 700, SETTLED = 300, CONVERSION = 50 };

static const struct charge CHARGE = {.constant = TAU, .more = 0};

/* A body whose level steps at a moment, in hum. */
static struct world {
    double low, high; /* before and after the step */
    double step_at;   /* us */
    double amplitude, hertz, phase;
    double hum_from, hum_to; /* us */
} world;

static struct sense sense;
static double now;

static double level_at(double us)
{
    double since = us - world.step_at;
    double level = since <= 0 ? world.low : world.high + (world.low - world.high) * exp(-since / TAU);
    bool hums = us >= world.hum_from && us < world.hum_to;
    return level + (hums ? world.amplitude * sin(world.phase + 2 * M_PI * world.hertz * us / 1e6) : 0);
}

/* The converter takes the level a little after its stamp. */
static uint16_t measured(double us)
{
    double level = level_at(us + CONVERSION);
    return level <= 0 ? 0 : (uint16_t)(floor(level * 1024 / 5000) * 5000 / 1024);
}

static ticks_t ticks(double us) { return (ticks_t)(long long)(us * TICKS_PER_US); }

static void look(double us)
{
    now = us;
    sense_look(&sense, measured(us), ticks(us));
}

/* A pad that has looked each millisecond up to `until`; its rounds begin at a time of their own. */
static void look_on(double until, double round)
{
    for (double us = round; us < until; us += 1000)
        look(us);
}

static void fresh(double low, double high)
{
    world = (struct world){.low = low, .high = high, .step_at = 100000, .hertz = 50, .hum_to = 1e9};
    sense = (struct sense){0};
}

static double crossing(bool closed, double from)
{
    for (double us = from; us < from + 20000; us += 1)
        if (closed ? level_at(us) > THRESHOLD : level_at(us) < THRESHOLD)
            return us;
    return -1;
}

static struct lateness judged(double edge, bool closed)
{
    struct edge_seen seen = {
        .at = ticks(edge),
        .settled_at = ticks(edge + SETTLED),
        .threshold = THRESHOLD,
        .settled = measured(edge + SETTLED),
        .closed = closed,
    };
    struct lateness lateness = sense_judge(&sense, &seen, &CHARGE);
    look(edge + SETTLED);
    return lateness;
}

static struct lateness resolved(double edge, bool closed)
{
    return sense_resolve(&sense, &(struct edge_seen){.at = ticks(edge), .closed = closed}, &CHARGE, ticks(now));
}

static void a_quiet_edge_is_known_within_a_good_stamp(void)
{
    for (int high = 740; high < 2000; high += 37)
        for (int round = 0; round < 1000; round += 130) {
            fresh(430, high);
            double edge = crossing(true, 99000);
            look_on(edge, round);
            struct lateness lateness = judged(edge, true);
            CHECK_EQUAL(lateness.within, WITHIN_STAMP);
            CHECK(fabs(edge - lateness.late - world.step_at) < 20);
        }
}

static void a_level_that_hardly_crosses_says_how_wide_it_knows(void)
{
    int wide = 0;
    for (int high = 701; high < 735; high++)
        for (int round = 0; round < 1000; round += 130) {
            fresh(430, high);
            double edge = crossing(true, 99000);
            look_on(edge, round);
            struct lateness lateness = judged(edge, true);
            if (lateness.within == WITHIN_UNRESOLVED)
                lateness = resolved(edge, true);
            CHECK(lateness.within <= 1300); /* two looks and a half, either way */
            CHECK(fabs(edge - lateness.late - world.step_at) <= lateness.within);
            wide += lateness.within > WITHIN_STAMP;
        }
    CHECK(wide > 20);
}

static void a_release_is_known_as_well(void)
{
    for (int high = 760; high < 2000; high += 37) {
        fresh(high, 430);
        double edge = crossing(false, 99000);
        look_on(edge, 300);
        struct lateness lateness = judged(edge, false);
        CHECK_EQUAL(lateness.within, WITHIN_STAMP);
        CHECK(fabs(edge - lateness.late - world.step_at) < 20);
    }
}

/* Of all phases of the hum: the truth lies within what is said, whatever made the edge. Returns how many were without a bound. */
static int tried_in_hum(double amplitude, double hertz, double high, bool closed)
{
    int unbounded = 0;
    for (int turn = 0; turn < 1000; turn++) {
        fresh(closed ? 430 : high, closed ? high : 430);
        world.amplitude = amplitude;
        world.hertz = hertz;
        world.phase = turn * 2 * M_PI / 200;
        double edge = crossing(closed, world.step_at);
        bool held = edge == world.step_at; /* hum holds the line at the step: its edge came before */
        while (held && (closed ? level_at(edge) > THRESHOLD : level_at(edge) < THRESHOLD))
            edge -= 1;
        look_on(edge, turn * 137 % 1000);
        struct lateness lateness = judged(edge, closed);
        for (double us = edge + SETTLED + 700; us < edge + 10500; us += 1000) {
            if (lateness.within == WITHIN_UNRESOLVED)
                lateness = resolved(edge, closed);
            look(us);
        }
        uint16_t within = sense_bound(&sense, lateness.within, closed, true);
        if (within == WITHIN_UNKNOWN)
            unbounded++;
        else
            CHECK(fabs(edge - lateness.late - world.step_at) <= within);
    }
    return unbounded;
}

static void in_hum_the_truth_lies_within_what_is_said(void)
{
    for (int high = 760; high < 2000; high += 310)
        for (double hertz = 50; hertz <= 60; hertz += 10)
            for (double amplitude = 20; amplitude <= 350; amplitude += 55) {
                CHECK(tried_in_hum(amplitude, hertz, high, true) <= 60);
                CHECK(tried_in_hum(amplitude, hertz, high, false) <= 60);
            }
}

static void hum_that_is_all_there_is_to_see_bounds_nothing(void)
{
    for (int amplitude = 600; amplitude < 3000; amplitude += 200)
        for (int round = 0; round < 1000; round += 130) {
            fresh(430, 1500);
            world.amplitude = amplitude;
            look_on(crossing(true, 80000), round);
            CHECK_EQUAL(sense_bound(&sense, WITHIN_STAMP, true, true), WITHIN_UNKNOWN);
        }
    CHECK_EQUAL(sense_bound(&sense, WITHIN_FOUND, true, true), WITHIN_FOUND);
}

static void an_edge_of_hum_alone_is_none_of_a_step(void)
{
    for (int round = 0; round < 1000; round += 10)
        for (int amplitude = 280; amplitude < 400; amplitude += 20) {
            fresh(430, 430);
            world.amplitude = amplitude;
            world.hertz = 60;
            double edge = crossing(true, 60000);
            while (level_at(edge - 1) > THRESHOLD)
                edge -= 1;
            look_on(edge, round);
            CHECK_EQUAL(judged(edge, true).within, WITHIN_UNRESOLVED);
            CHECK_EQUAL(resolved(edge, true).within, WITHIN_UNRESOLVED);
        }
}

static void an_old_step_explains_nothing(void)
{
    fresh(430, 1500);
    look_on(150000, 0);
    CHECK_EQUAL(resolved(149000, true).within, WITHIN_UNRESOLVED);
}

static void what_was_before_another_drive_is_forgotten(void)
{
    fresh(430, 1500);
    look_on(110000, 500);
    CHECK(resolved(109000, true).within < 1000);
    sense_forget(&sense);
    CHECK_EQUAL(resolved(109000, true).within, WITHIN_UNRESOLVED);
    CHECK_EQUAL(resolved(109000, false).within, WITHIN_UNRESOLVED);
}

static void hum_that_is_over_blurs_nothing(void)
{
    fresh(430, 850);
    world.amplitude = 300;
    world.hum_to = 40000;
    world.step_at = 300000;
    double edge = crossing(true, 299000);
    look_on(edge, 0);
    struct lateness lateness = judged(edge, true);
    CHECK_EQUAL(lateness.within, WITHIN_STAMP);
    CHECK(fabs(edge - lateness.late - world.step_at) < 20);
}

static void a_hand_that_is_laid_brings_its_hum_and_the_truth_lies_within_what_is_said(void)
{
    int narrow = 0;
    for (int amplitude = 0; amplitude <= 330; amplitude += 30)
        for (int turn = 0; turn < 500; turn++) {
            fresh(0, 800);
            world.amplitude = amplitude;
            world.hertz = turn & 1 ? 50 : 60;
            world.phase = turn * 2 * M_PI / 100;
            world.hum_from = world.step_at;
            double edge = crossing(true, 99000);
            look_on(edge, turn * 137 % 1000);
            struct lateness lateness = judged(edge, true);
            for (double us = edge + SETTLED + 700; us < edge + 20000; us += 1000) {
                if (lateness.within == WITHIN_UNRESOLVED)
                    lateness = resolved(edge, true);
                look(us);
            }
            uint16_t within = sense_bound(&sense, lateness.within, true, false);
            CHECK(fabs(edge - lateness.late - world.step_at) <= within);
            narrow += within == WITHIN_STAMP;
        }
    CHECK(narrow > 500);
}

static void what_steps_when_hum_must_have_let_go_explains_no_edge_of_the_hum(void)
{
    fresh(430, 1500);
    look_on(101000, 500);
    CHECK(resolved(world.step_at - 10000, true).within < 1000);
    CHECK_EQUAL(resolved(world.step_at - 40000, true).within, WITHIN_UNRESOLVED);
}

static void without_an_earlier_look_a_quiet_edge_is_bounded_by_all_steps_that_can_be(void)
{
    fresh(430, 1500);
    double edge = crossing(true, 99000);
    struct lateness lateness = judged(edge, true);
    CHECK(lateness.within <= 100);
    CHECK(fabs(edge - lateness.late - world.step_at) <= lateness.within);

    fresh(430, 1500);
    world.amplitude = 200;
    look_on(90000, 0);
    sense_forget(&sense);
    CHECK_EQUAL(judged(crossing(true, 99000), true).within, WITHIN_UNRESOLVED); /* it may be the hum's */
}

static void a_touch_right_after_the_levels_were_forgotten_is_no_hum(void)
{
    for (int high = 760; high < 2000; high += 37)
        for (int begun = 0; begun < 4000; begun += 10) {
            fresh(430, high);
            double edge = crossing(true, 99000);
            look_on(edge, world.step_at - begun);
            struct lateness lateness = judged(edge, true);
            for (double us = edge + SETTLED + 700; us < edge + 5000; us += 1000) {
                if (lateness.within == WITHIN_UNRESOLVED)
                    lateness = resolved(edge, true);
                look(us);
            }
            uint16_t within = sense_bound(&sense, lateness.within, true, true);
            CHECK(within <= 1300);
            CHECK(fabs(edge - lateness.late - world.step_at) <= within);
        }
}

static void the_end_of_a_step_is_no_hum(void)
{
    for (int high = 760; high < 2400; high += 37)
        for (int phase = 0; phase < 1000; phase += 3) {
            fresh(430, high);
            look_on(103000, phase);
            CHECK(sense.unrest < 30);
        }
}

static void hum_is_known_as_steep_as_it_is(void)
{
    for (int amplitude = 100; amplitude <= 3000; amplitude += 100)
        for (int phase = 0; phase < 1000; phase += 70) {
            fresh(430, 430);
            world.low = world.high = 3500; /* the converter shows all of it */
            world.amplitude = amplitude / 2.0;
            look_on(80000, phase);
            double steepest = world.amplitude * 2 * M_PI * world.hertz / 1000;
            CHECK(sense.unrest >= fmin(0.7 * steepest, 150));
        }
}

static void hands_that_bounce_are_no_hum(void)
{
    for (int phase = 0; phase < 1000; phase += 50) {
        fresh(430, 430);
        look_on(99000, phase);
        for (int turn = 0; turn < 12; turn++) {
            world.low = world.high = turn % 2 ? 430 : 1300;
            look(99000 + phase + 1000 * turn);
        }
        CHECK(sense.unrest < 30);
    }
}

static void a_step_while_nobody_looked_for_milliseconds_is_seen(void)
{
    for (int away = 3100; away < 12000; away += 100)
        for (int gone = 50; gone < away - 400; gone += 100) {
            fresh(430, 900);
            double left = world.step_at - gone;
            look_on(left + 1, fmod(left, 1000));
            double edge = crossing(true, 99000);
            look(left + away);
            look(left + away + 1000);
            struct lateness lateness = resolved(edge, true);
            CHECK(lateness.within <= away);
            CHECK(fabs(edge - lateness.late - world.step_at) <= lateness.within);
        }
}

static void an_edge_with_others_close_behind_may_be_as_late_as_any_but_is_bounded(void)
{
    for (int high = 702; high < 2400; high += 17) {
        fresh(430, high);
        double edge = crossing(true, 99000);
        look_on(edge, 300);
        struct edge_seen seen = {.at = ticks(edge), .settled_at = ticks(edge + 100), .closed = true, .chattered = true};
        struct lateness lateness = sense_judge(&sense, &seen, &CHARGE);
        CHECK(lateness.within <= 280);
        CHECK(fabs(edge - lateness.late - world.step_at) <= lateness.within);
    }
    fresh(430, 1300);
    world.amplitude = 200;
    look_on(99000, 0);
    struct edge_seen seen = {.at = ticks(99500), .settled_at = ticks(99600), .closed = true, .chattered = true};
    CHECK_EQUAL(sense_judge(&sense, &seen, &CHARGE).within, WITHIN_UNRESOLVED); /* it may be the hum's */
    look_on(103000, 500);
    struct lateness lateness = sense_resolve(&sense, &seen, &CHARGE, ticks(now));
    CHECK(lateness.within < 1300);
    CHECK(abs(99500 - lateness.late - 99400) <= lateness.within);          /* that edge was a touch's */
    CHECK(fabs(99500 - lateness.late - world.step_at) <= lateness.within); /* or the step that was seen is the first */
}

static void an_edge_that_nobody_judged_is_bounded_where_no_hum_is(void)
{
    fresh(430, 1300);
    look_on(99000, 0);
    CHECK(sense_bound(&sense, WITHIN_AWAITED, true, true) <= 4000);
    world.amplitude = 200;
    look_on(140000, 100);
    CHECK_EQUAL(sense_bound(&sense, WITHIN_AWAITED, true, true), WITHIN_UNKNOWN);
}

int main(void)
{
    RUN(a_quiet_edge_is_known_within_a_good_stamp);
    RUN(a_level_that_hardly_crosses_says_how_wide_it_knows);
    RUN(a_release_is_known_as_well);
    RUN(in_hum_the_truth_lies_within_what_is_said);
    RUN(hum_that_is_all_there_is_to_see_bounds_nothing);
    RUN(an_edge_of_hum_alone_is_none_of_a_step);
    RUN(hum_that_is_over_blurs_nothing);
    RUN(a_hand_that_is_laid_brings_its_hum_and_the_truth_lies_within_what_is_said);
    RUN(what_steps_when_hum_must_have_let_go_explains_no_edge_of_the_hum);
    RUN(without_an_earlier_look_a_quiet_edge_is_bounded_by_all_steps_that_can_be);
    RUN(a_touch_right_after_the_levels_were_forgotten_is_no_hum);
    RUN(an_old_step_explains_nothing);
    RUN(what_was_before_another_drive_is_forgotten);
    RUN(the_end_of_a_step_is_no_hum);
    RUN(hum_is_known_as_steep_as_it_is);
    RUN(hands_that_bounce_are_no_hum);
    RUN(a_step_while_nobody_looked_for_milliseconds_is_seen);
    RUN(an_edge_with_others_close_behind_may_be_as_late_as_any_but_is_bounded);
    RUN(an_edge_that_nobody_judged_is_bounded_where_no_hum_is);
    return 0;
}
