/* A line from raw edges to belief. Times in the tests are microseconds. */
#include "check.h"
#include "event.h"
#include "line.h"

static const struct line_times TIMES = {.make = US(5000), .release = US(15000), .bridge = US(1500), .hum = US(10500)};

static struct line line;
static struct change change;
static int changes;

static void fresh(void)
{
    line = (struct line){0};
    changes = 0;
}

static void edge(long us, bool closed)
{
    changes += line_edge(&line, &TIMES, closed, US(us), WITHIN_STAMP, &change);
}

static void settle(long us) { changes += line_settle(&line, &TIMES, US(us), &change); }

static void a_touch_is_believed_after_its_dwell_at_its_first_edge(void)
{
    fresh();
    edge(100000, true);
    settle(104999);
    CHECK_EQUAL(changes, 0);
    settle(105000);
    CHECK_EQUAL(changes, 1);
    CHECK(change.closed);
    CHECK_EQUAL(change.moment.onset, US(100000));
    CHECK_EQUAL(change.moment.after, US(5000));
    CHECK(!change.moment.hums);
    settle(200000);
    CHECK_EQUAL(changes, 1);
}

static void what_lasts_a_little_less_than_the_dwell_is_nothing(void)
{
    fresh();
    edge(100000, true);
    edge(104999, false);
    settle(400000);
    CHECK_EQUAL(changes, 0);
}

static void a_late_look_believes_what_had_lasted(void)
{
    fresh();
    edge(100000, true);
    edge(105001, false); /* nobody looked between the two */
    CHECK_EQUAL(changes, 1);
    CHECK_EQUAL(change.moment.after, US(5001));
    settle(121000);
    CHECK_EQUAL(changes, 2);
    CHECK(!change.closed);
    CHECK_EQUAL(change.moment.onset, US(105001));
}

static void chatter_keeps_the_first_edge(void)
{
    fresh();
    for (long t = 100000; t < 103000; t += 500) {
        edge(t, true);
        edge(t + 200, false);
    }
    edge(103000, true);
    settle(112000);
    CHECK_EQUAL(changes, 1);
    CHECK_EQUAL(change.moment.onset, US(100000));
}

static void chatter_counts_only_closed_time(void)
{
    fresh();
    edge(100000, true); /* 200 us closed, 1,400 open, again and again: 5 ms of it hold 0.7 */
    for (int i = 0; i < 10; i++) {
        edge(100200 + 1600 * i, false);
        edge(101600 + 1600 * i, true);
    }
    edge(116200, false);
    settle(300000);
    CHECK_EQUAL(changes, 0);
}

static void a_look_back_longer_than_the_bridge_begins_anew(void)
{
    fresh();
    edge(100000, true);
    edge(103000, false);
    edge(104501, true);
    settle(109500);
    CHECK_EQUAL(changes, 0);
    settle(109501);
    CHECK_EQUAL(changes, 1);
    CHECK_EQUAL(change.moment.onset, US(104501));
}

static void two_contacts_nearer_than_the_release_dwell_are_one(void)
{
    fresh();
    edge(100000, true);
    settle(110000);
    edge(120000, false);
    edge(134999, true); /* open for less than the release dwell */
    edge(160000, false);
    settle(175000);
    CHECK_EQUAL(changes, 2);
    CHECK_EQUAL(change.moment.onset, US(160000));
}

static void two_contacts_further_apart_are_two(void)
{
    fresh();
    edge(100000, true);
    settle(110000);
    edge(120000, false);
    edge(135000, true);
    CHECK_EQUAL(changes, 2);
    settle(140000);
    CHECK_EQUAL(changes, 3);
    CHECK_EQUAL(change.moment.onset, US(135000));
}

static void a_second_touch_shorter_than_its_dwell_does_not_hold_up_the_release(void)
{
    fresh();
    edge(100000, true);
    settle(110000);
    edge(120000, false);
    edge(125000, true); /* looks back for a millisecond: bridged */
    edge(126000, false);
    settle(135999);
    CHECK_EQUAL(changes, 1);
    settle(136000); /* 15 ms open, the look back left out */
    CHECK_EQUAL(changes, 2);
    CHECK_EQUAL(change.moment.onset, US(120000));
}

/* Hum alone closes the line for a part of each period. */
static long hum_alone(long from, int periods, long period, long closed)
{
    for (int i = 0; i < periods; i++, from += period) {
        edge(from, true);
        edge(from + closed, false);
    }
    return from;
}

static void hum_that_grows_is_known_by_its_rhythm(void)
{
    for (int mains = 0; mains < 2; mains++) {
        long period = mains ? 16667 : 20000;
        fresh();
        long t = hum_alone(100000, 3, period, 3000); /* a hand comes near: short at first */
        CHECK(line.hums);
        t = hum_alone(t, 200, period, period / 2 - 200);
        settle(t + 900000);
        CHECK_EQUAL(changes, 0);
        CHECK(line.hums);
        settle(t + 1100000);
        CHECK(!line.hums);
    }
}

static void a_touch_in_hum_is_believed_and_says_so(void)
{
    fresh();
    long t = hum_alone(100000, 5, 20000, 4000);
    edge(t, true);
    edge(t + 17000, false); /* hum still pulls a touch open for 3 ms in 20 */
    edge(t + 20000, true);
    edge(t + 37000, false);
    edge(t + 40000, true);
    CHECK_EQUAL(changes, 1);
    CHECK_EQUAL(change.moment.onset, US(t));
    CHECK(change.moment.hums);
    edge(t + 57000, false);
    settle(t + 73000);
    CHECK_EQUAL(changes, 2);
}

static void hum_that_starts_at_full_size_feigns_one_touch_at_most(void)
{
    fresh();
    long t = hum_alone(100000, 200, 20000, 9000);
    settle(t);
    CHECK_EQUAL(changes, 2); /* made and released */
}

static void hum_is_minded_over_a_touch_that_silences_its_rhythm(void)
{
    fresh();
    long t = hum_alone(100000, 5, 20000, 4000);
    edge(t + 7000, true);
    edge(t + 87000, false);
    t = hum_alone(t + 100000, 3, 20000, 9000); /* longer than a touch's dwell, and open for less than a release's */
    settle(t);
    CHECK_EQUAL(changes, 2);
}

static void steady_play_is_no_hum(void)
{
    fresh();
    long t = 100000;
    for (int touch = 0; touch < 50; touch++, t += 100000) {
        edge(t, true);
        edge(t + 6000, false);
    }
    CHECK(!line.hums);
    settle(t);
    CHECK_EQUAL(changes, 100);
}

static void after_a_hand_was_laid_a_touch_must_outlast_a_half_period(void)
{
    fresh();
    line_beware(&line, US(160000));
    edge(100000, true);
    settle(110400);
    CHECK_EQUAL(changes, 0);
    settle(110500);
    CHECK_EQUAL(changes, 1);
}

static void ticks_may_wrap_in_the_middle_of_a_touch(void)
{
    fresh();
    ticks_t onset = (ticks_t)-US(2000);
    CHECK(!line_edge(&line, &TIMES, true, onset, WITHIN_STAMP, &change));
    CHECK(!line_settle(&line, &TIMES, onset + US(4999), &change));
    CHECK(line_settle(&line, &TIMES, onset + US(5000), &change));
    CHECK_EQUAL(change.moment.onset, onset);
}

static void what_the_edge_was_late_is_taken_off_its_onset(void)
{
    fresh();
    CHECK(!line_edge(&line, &TIMES, true, US(100000), WITHIN_AWAITED, &change));
    line.lateness = (struct lateness){.late = 700, .within = 280};
    settle(104999);
    CHECK_EQUAL(changes, 0); /* the dwell counts from the edge */
    settle(105000);
    CHECK_EQUAL(changes, 1);
    CHECK_EQUAL(change.moment.onset, US(99300));
    CHECK_EQUAL(change.moment.after, US(5700));
    CHECK_EQUAL(change.moment.within, 280);
    CHECK(!line_edge(&line, &TIMES, false, US(200000), WITHIN_AWAITED, &change));
    CHECK_EQUAL(line.lateness.late, 0); /* the next edge is judged anew */
    CHECK_EQUAL(line.lateness.within, WITHIN_AWAITED);
}

int main(void)
{
    RUN(a_touch_is_believed_after_its_dwell_at_its_first_edge);
    RUN(what_lasts_a_little_less_than_the_dwell_is_nothing);
    RUN(a_late_look_believes_what_had_lasted);
    RUN(chatter_keeps_the_first_edge);
    RUN(chatter_counts_only_closed_time);
    RUN(a_look_back_longer_than_the_bridge_begins_anew);
    RUN(two_contacts_nearer_than_the_release_dwell_are_one);
    RUN(two_contacts_further_apart_are_two);
    RUN(a_second_touch_shorter_than_its_dwell_does_not_hold_up_the_release);
    RUN(hum_that_grows_is_known_by_its_rhythm);
    RUN(a_touch_in_hum_is_believed_and_says_so);
    RUN(hum_that_starts_at_full_size_feigns_one_touch_at_most);
    RUN(hum_is_minded_over_a_touch_that_silences_its_rhythm);
    RUN(steady_play_is_no_hum);
    RUN(after_a_hand_was_laid_a_touch_must_outlast_a_half_period);
    RUN(what_the_edge_was_late_is_taken_off_its_onset);
    RUN(ticks_may_wrap_in_the_middle_of_a_touch);
    return 0;
}
