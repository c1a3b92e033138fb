/* The whole pad on a chip that does what the test says: commands, events, resending, and any rubbish. */
#include <math.h>
#include <string.h>

#include "bytes.h"
#include "check.h"
#include "dictionary.h"
#include "fake_hal.h"
#include "link.h"
#include "pad.h"

static struct pad pad;
static struct ring_store store;

static void work_until(ticks_t until)
{
    for (; (int32_t)(fake.now - until) < 0; fake.now += MS(1))
        pad_work(&pad);
}

static void work(unsigned ms) { work_until(fake.now + MS(ms)); }

static void start(void)
{
    fake_fresh();
    memset(&store, 0x5A, sizeof store);
    pad_start(&pad, &store);
    work(20);
}

static const uint8_t *latest(uint8_t type)
{
    for (int i = fake.sent_count - 1; i >= 0; i--)
        if (fake.sent[i % 4096][0] == type)
            return fake.sent[i % 4096];
    return NULL;
}

static int count_of(uint8_t type)
{
    int count = 0;
    for (int i = 0; i < fake.sent_count; i++)
        count += fake.sent[i % 4096][0] == type;
    return count;
}

static const uint8_t *ask(const uint8_t *content, uint8_t length)
{
    int before = count_of(REPLY);
    fake_command(content, length);
    work(10);
    CHECK_EQUAL(count_of(REPLY), before + 1);
    CHECK_EQUAL(latest(REPLY)[1], content[1]);
    return latest(REPLY);
}

#define ASK(...) ask((const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}))

/* What the inputs show, mV: side 1 is driven. */
static void show(unsigned first, unsigned second)
{
    fake.inputs[INPUT_SENSE_1] = (uint16_t)(first * 1024 / 5000);
    fake.inputs[INPUT_SENSE_2] = (uint16_t)(second * 1024 / 5000);
}

static void lay_hands(void)
{
    show(2000, 440);
    fake_edge(LINE_REST_1, true, fake.now);
    fake_edge(LINE_REST_2, true, fake.now);
    work(200);
}

static void the_first_event_tells_why_it_started(void)
{
    start();
    const uint8_t *event = latest(EVENT);
    CHECK_EQUAL(get_u32(event + 9), 1);
    CHECK_EQUAL(event[13], STARTED);
    CHECK_EQUAL(get_u16(event + 25), CAUSE_POWER_ON);
}

static void hello_is_answered_in_every_version(void)
{
    start();
    CHECK_EQUAL(ASK(HELLO, 9, 2)[2], STATUS_DONE);
    CHECK_EQUAL(latest(REPLY)[8], 1); /* the chip */
    const uint8_t *answer = ASK(HELLO, 10, 77);
    CHECK_EQUAL(answer[2], STATUS_VERSION);
    CHECK_EQUAL(answer[3], PROTOCOL_VERSION);
    CHECK_EQUAL(answer[4], OLDEST_VERSION);
}

static void the_dictionary_comes_whole(void)
{
    start();
    uint8_t text[2048];
    uint16_t length = 0;
    for (;;) {
        const uint8_t *answer = ASK(DICTIONARY, 1, (uint8_t)length, (uint8_t)(length >> 8));
        uint8_t part = (uint8_t)(fake.sent_length[(fake.sent_count - 1) % 4096] - 5);
        for (int i = fake.sent_count - 1; fake.sent[i % 4096] != answer; i--)
            part = (uint8_t)(fake.sent_length[(i - 1) % 4096] - 5);
        if (part == 0)
            break;
        memcpy(text + length, answer + 5, part);
        length = (uint16_t)(length + part);
    }
    CHECK_EQUAL(length, dictionary_length());
    text[length] = 0;
    CHECK(strstr((char *)text, "setting 0 contact-dwell us 500 50000 5000\n") == (char *)text);
    CHECK(strstr((char *)text, "check 8 eeprom\n") != NULL);
}

static void settings_keep_to_their_bounds(void)
{
    start();
    CHECK_EQUAL(ASK(SET, 1, CONTACT_DWELL, 0x10, 0x27)[2], STATUS_DONE); /* 10,000 us */
    CHECK_EQUAL(get_u16(ASK(GET, 2, CONTACT_DWELL) + 3), 10000);
    CHECK_EQUAL(ASK(SET, 3, CONTACT_DWELL, 1, 0)[2], STATUS_BAD);
    CHECK_EQUAL(ASK(SET, 4, 200, 1, 0)[2], STATUS_BAD);
    CHECK_EQUAL(ASK(GET, 5, 200)[2], STATUS_BAD);
    CHECK_EQUAL(get_u16(ASK(GET, 6, CONTACT_DWELL) + 3), 10000);
    CHECK_EQUAL(ASK(DEFAULTS, 7)[2], STATUS_DONE);
    CHECK_EQUAL(get_u16(ASK(GET, 8, CONTACT_DWELL) + 3), 5000);
}

static void saved_settings_are_there_after_a_start(void)
{
    start();
    ASK(SET, 1, CONTACT_DWELL, 0x10, 0x27);
    fake_command((const uint8_t[]){SAVE, 2}, 2);
    work(100);
    CHECK_EQUAL(latest(REPLY)[1], 2);
    pad_start(&pad, &store);
    CHECK_EQUAL(pad.settings.values[CONTACT_DWELL], 10000);
}

static void what_is_unknown_or_misshapen_is_refused(void)
{
    start();
    CHECK_EQUAL(ASK(0x7F, 1)[2], STATUS_UNKNOWN);
    CHECK_EQUAL(ASK(GET, 2)[2], STATUS_BAD);
    CHECK_EQUAL(ASK(GET, 3, 0, 0)[2], STATUS_BAD);
    CHECK_EQUAL(ASK(TIME, 4, 0)[2], STATUS_BAD);
    CHECK_EQUAL(ASK(CALIBRATE, 5, 9)[2], STATUS_BAD);
    CHECK_EQUAL(ASK(LIGHTS_SET, 6, 3, 0)[2], STATUS_BAD);
}

static void a_reset_names_its_boot_so_that_twice_is_once(void)
{
    start();
    ASK(RESET, 1, 99, 0, 0, 0);
    CHECK(!fake.reset);
    ASK(RESET, 2, 1, 0, 0, 0);
    CHECK(fake.reset);
}

static void a_touch_is_told_and_sent_again_until_it_is_acknowledged(void)
{
    start();
    fake_command((const uint8_t[]){ACK, 1, 0, 0, 0, 2, 0, 0, 0}, 9);
    lay_hands();
    fake_command((const uint8_t[]){ACK, 1, 0, 0, 0, 4, 0, 0, 0}, 9);
    work(10);
    ticks_t onset = fake.now - US(600);
    fake_edge(LINE_CONTACT, true, onset);
    show(2000, 900);
    int before = count_of(EVENT);
    work(30);
    CHECK_EQUAL(count_of(EVENT), before + 1);
    const uint8_t *event = latest(EVENT);
    CHECK_EQUAL(event[13], CONTACT_MADE);
    CHECK_EQUAL(event[15], 0);
    /* The level went from 440 to 900 mV and made the edge at 703: 47 us times ln(460 / 197), less 9. */
    CHECK(labs((long)get_u32(event + 16) - ((long)onset / 2 - 31)) <= 2);
    CHECK_EQUAL(get_u16(event + 27), WITHIN_STAMP);
    work(300);
    CHECK(count_of(EVENT) >= before + 4);
    CHECK_EQUAL(latest(EVENT)[15], RESENT);
    fake_command((const uint8_t[]){ACK, 1, 0, 0, 0, 5, 0, 0, 0}, 9);
    work(5);
    int after = count_of(EVENT);
    work(300);
    CHECK_EQUAL(count_of(EVENT), after);
}

static void an_acknowledgement_of_another_ring_frees_nothing(void)
{
    start();
    fake_command((const uint8_t[]){ACK, 2, 0, 0, 0, 2, 0, 0, 0}, 9);
    work(10);
    CHECK_EQUAL(ring_kept(&pad.ring), 1);
}

static void a_silent_host_gets_a_window_and_no_more(void)
{
    start();
    for (int i = 0; i < 30; i++) {
        fake_edge(LINE_REST_1, !(i & 1), fake.now);
        work(100);
    }
    work(200);
    uint32_t highest = 0;
    for (int i = 0; i < fake.sent_count; i++)
        if (fake.sent[i % 4096][0] == EVENT && get_u32(fake.sent[i % 4096] + 9) > highest)
            highest = get_u32(fake.sent[i % 4096] + 9);
    CHECK_EQUAL(highest, 8);
    CHECK_EQUAL(ring_kept(&pad.ring), 31);
    fake_command((const uint8_t[]){ACK, 1, 0, 0, 0, 20, 0, 0, 0}, 9); /* it had more of them than the pad remembers to have sent */
    work(2);
    CHECK_EQUAL(ring_kept(&pad.ring), 12);
    work(20);
    CHECK_EQUAL(get_u32(latest(EVENT) + 9), 27);
}

static void a_resume_says_what_is_there_and_sends_it_again(void)
{
    start();
    lay_hands();
    while (pad.link.progress != fake.now - MS(1)) /* just sent again */
        work(1);
    work(10);
    int before = count_of(EVENT);
    const uint8_t *answer = ASK(RESUME, 1, 1, 0, 0, 0, 2, 0, 0, 0);
    CHECK_EQUAL(get_u32(answer + 3), 1);
    CHECK_EQUAL(get_u32(answer + 7), 2);
    CHECK_EQUAL(get_u32(answer + 11), 4);
    CHECK_EQUAL(get_u32(latest(EVENT) + 9), 3); /* within milliseconds, not when the patience with the old flight is over */
    CHECK_EQUAL(count_of(EVENT), before + 2);
    answer = ASK(RESUME, 2, 77, 0, 0, 0, 4, 0, 0, 0); /* another ring */
    CHECK_EQUAL(get_u32(answer + 3), 1);
    CHECK_EQUAL(get_u32(answer + 7), 2);
}

static void a_warm_start_keeps_what_nobody_acknowledged(void)
{
    start();
    lay_hands();
    CHECK_EQUAL(ring_kept(&pad.ring), 3);
    fake.cause = CAUSE_WATCHDOG;
    pad_start(&pad, &store);
    CHECK_EQUAL(pad.boot, 2);
    CHECK_EQUAL(pad.ring.head.id, 1);
    CHECK_EQUAL(ring_kept(&pad.ring), 4);
    fake.cause = CAUSE_POWER_ON;
    pad_start(&pad, &store);
    CHECK_EQUAL(pad.ring.head.id, 3);
    CHECK_EQUAL(ring_kept(&pad.ring), 1);
}

static void hands_that_lie_at_the_start_are_found_and_marked(void)
{
    fake_fresh();
    fake.closed[LINE_REST_1] = true;
    pad_start(&pad, &store);
    work(100);
    struct event event = ring_read(&pad.ring, 2);
    CHECK_EQUAL(event.kind, REST_LAID);
    CHECK_EQUAL(event.flags, FOUND_AT_START);
    CHECK_EQUAL(event.within, WITHIN_UNKNOWN);
}

static void lost_edges_make_the_change_uncertain(void)
{
    start();
    lay_hands();
    fake.closed[LINE_CONTACT] = true; /* nobody stamped it */
    fake.lost_edges = true;
    work(30);
    struct event event = ring_read(&pad.ring, 4);
    CHECK_EQUAL(event.kind, CONTACT_MADE);
    CHECK_EQUAL(event.flags, ONSET_UNCERTAIN);
    CHECK_EQUAL(event.within, 7000); /* a round and more */
}

static void an_edge_without_a_step_is_told_with_the_step_that_it_hides(void)
{
    start();
    lay_hands();
    fake_edge(LINE_CONTACT, true, fake.now); /* hum did it: the level is what it was */
    work(4);
    show(2000, 1200);
    work(30);
    struct event event = ring_read(&pad.ring, 4);
    CHECK_EQUAL(event.kind, CONTACT_MADE);
    CHECK_EQUAL(event.flags, ONSET_UNCERTAIN);
    ticks_t seen = fake.now - MS(30);
    CHECK(event.within <= 700);
    CHECK(llabs((long long)event.onset_us - (long long)seen / 2) <= event.within + 1000); /* rounds are a ms apart here */
}

static void an_edge_without_any_step_is_bounded_by_nothing(void)
{
    start();
    lay_hands();
    fake_edge(LINE_CONTACT, true, fake.now);
    work(30);
    struct event event = ring_read(&pad.ring, 4);
    CHECK_EQUAL(event.kind, CONTACT_MADE);
    CHECK_EQUAL(event.flags, ONSET_UNCERTAIN);
    CHECK_EQUAL(event.within, WITHIN_UNKNOWN);
}

static void a_knock_is_as_strong_as_its_peak(void)
{
    start();
    fake_edge(LINE_KNOCK, true, fake.now);
    fake.inputs[INPUT_PIEZO] = 300;
    work(2);
    fake.inputs[INPUT_PIEZO] = 512;
    work(2);
    fake.inputs[INPUT_PIEZO] = 20;
    work(100);
    struct event event = ring_read(&pad.ring, 2);
    CHECK_EQUAL(event.kind, KNOCK);
    CHECK_EQUAL(event.strength, 2500);
}

static void a_knock_below_its_level_is_none(void)
{
    start();
    ASK(SET, 1, KNOCK_LEVEL, 0xB8, 0x0B); /* 3,000 mV */
    fake.inputs[INPUT_PIEZO] = 512;
    fake_edge(LINE_KNOCK, true, fake.now);
    work(100);
    CHECK_EQUAL(ring_kept(&pad.ring), 1);
    CHECK(fake.watched[LINE_KNOCK]);
}

static void sides_change_only_when_no_touch_can_come(void)
{
    start();
    CHECK_EQUAL(fake.driven, SIDE_1);
    work(1100);
    CHECK_EQUAL(fake.driven, SIDE_2); /* nobody is there */
    lay_hands();
    uint8_t side = fake.driven;
    work(5000);
    CHECK_EQUAL(fake.driven, side); /* both rest: a touch may come at any time */
    fake_edge(LINE_CONTACT, true, fake.now);
    work(50);
    CHECK_EQUAL(fake.driven, side);
    fake_edge(LINE_CONTACT, false, fake.now);
    work(50);
    CHECK(fake.driven != side); /* just released */
}

/* A round each tenth of a millisecond, as bytes of the host may wake the pad; the levels change sides within microseconds. */
static void work_closely(unsigned us, unsigned first, unsigned second, double *settling)
{
    double was[2] = {settling[0], settling[1]};
    for (unsigned since = 0; since < us; since += 100, fake.now += US(100)) {
        double left = exp(-(since + 50.0) / 60);
        settling[0] = first + (was[0] - first) * left;
        settling[1] = second + (was[1] - second) * left;
        show((unsigned)settling[0], (unsigned)settling[1]);
        pad_work(&pad);
    }
}

static void what_settles_when_the_sides_change_is_no_hum(void)
{
    for (unsigned phase = 0; phase < 10; phase++) {
        start();
        fake_command((const uint8_t[]){ACK, 1, 0, 0, 0, 2, 0, 0, 0}, 9);
        lay_hands();
        fake_edge(LINE_CONTACT, true, fake.now);
        work(1000);
        double levels[2] = {2000, 440};
        fake_edge(LINE_CONTACT, false, fake.now);
        work_closely(5600, 2000, 440, levels);
        fake.now += US(100 * phase); /* looks come at another time before the change */
        while (fake.driven == SIDE_1)
            work_closely(100, 2000, 440, levels);
        work_closely(8000, 440, 2000, levels);
        CHECK(pad.senses[0].unrest < 10 && pad.senses[1].unrest < 10);
        fake_edge(LINE_CONTACT, true, fake.now);
        work_closely(20000, 900, 2000, levels);
        struct event event = ring_read(&pad.ring, pad.ring.head.next - 1);
        CHECK_EQUAL(event.kind, CONTACT_MADE);
        CHECK_EQUAL(event.within, WITHIN_STAMP);
    }
}

static void the_self_test_names_what_fails(void)
{
    start();
    fake_command((const uint8_t[]){SELF_TEST, 1}, 2);
    work(200); /* this chip's inputs never move: every check of a side fails, the quiet ones pass */
    CHECK_EQUAL(latest(REPLY)[1], 1);
    CHECK_EQUAL(get_u16(latest(REPLY) + 3), 0x3F);
    CHECK_EQUAL(ring_read(&pad.ring, 2).kind, SELF_TEST_FAILED);
    CHECK_EQUAL(fake.driven, SIDE_1);
    CHECK_EQUAL(fake.tested, SIDE_NONE);
}

static void the_self_test_waits_for_a_change_under_way(void)
{
    start();
    lay_hands();
    fake_edge(LINE_CONTACT, true, fake.now);
    show(2000, 900);
    fake_command((const uint8_t[]){SELF_TEST, 1}, 2);
    work(4);
    CHECK_EQUAL(fake.driven, SIDE_1); /* not yet: the hands might part while nobody watches */
    work(200);
    CHECK_EQUAL(latest(REPLY)[1], 1);
    struct event event = ring_read(&pad.ring, 4);
    CHECK_EQUAL(event.kind, CONTACT_MADE);
    CHECK(event.within < WITHIN_UNKNOWN);

    start();
    fake_command((const uint8_t[]){SELF_TEST, 1}, 2);
    for (int turn = 0; turn < 100; turn++) { /* hum closes the line again and again */
        fake_edge(LINE_CONTACT, turn % 2, fake.now);
        work(2);
    }
    CHECK_EQUAL(latest(REPLY)[1], 1);
}

static void a_job_answers_once_and_holds_others_up(void)
{
    start();
    int before = count_of(REPLY);
    fake_command((const uint8_t[]){SELF_TEST, 1}, 2);
    work(2);
    fake_command((const uint8_t[]){SELF_TEST, 1}, 2); /* the host is impatient */
    work(2);
    CHECK_EQUAL(count_of(REPLY), before);
    CHECK_EQUAL(ASK(MEASURE, 2)[2], STATUS_BUSY);
    work(200);
    CHECK_EQUAL(count_of(REPLY), before + 2);
    CHECK_EQUAL(latest(REPLY)[1], 1);
}

static void rubbish_in_good_frames_does_no_harm(void)
{
    unsigned seed = 5;
    start();
    for (int round = 0; round < 200000; round++) {
        uint8_t content[HAL_FRAME];
        uint8_t length = (uint8_t)(1 + rand_r(&seed) % (HAL_FRAME - 3));
        for (uint8_t i = 0; i < length; i++)
            content[i] = (uint8_t)(rand_r(&seed) % (i < 2 ? 24 : 256));
        if (content[0] == RESET)
            continue;
        fake_command(content, length);
        if (rand_r(&seed) % 8 == 0)
            fake_edge((uint8_t)(rand_r(&seed) % LINES), rand_r(&seed) % 2, fake.now);
        work(1 + (unsigned)rand_r(&seed) % 3);
        if (round % 1000 == 0)
            fake.sent_count = 0;
        CHECK(ring_kept(&pad.ring) <= RING_SLOTS);
        for (uint8_t i = 0; i < SETTINGS; i++)
            CHECK(setting_allows(i, pad.settings.values[i]));
    }
    CHECK_EQUAL(pad.link.errors, 0); /* every one was read */
    CHECK(pad.ring.head.lost > 1000); /* and the edges between them told of something */
}

int main(void)
{
    RUN(the_first_event_tells_why_it_started);
    RUN(hello_is_answered_in_every_version);
    RUN(the_dictionary_comes_whole);
    RUN(settings_keep_to_their_bounds);
    RUN(saved_settings_are_there_after_a_start);
    RUN(what_is_unknown_or_misshapen_is_refused);
    RUN(a_reset_names_its_boot_so_that_twice_is_once);
    RUN(a_touch_is_told_and_sent_again_until_it_is_acknowledged);
    RUN(an_acknowledgement_of_another_ring_frees_nothing);
    RUN(a_silent_host_gets_a_window_and_no_more);
    RUN(a_resume_says_what_is_there_and_sends_it_again);
    RUN(a_warm_start_keeps_what_nobody_acknowledged);
    RUN(hands_that_lie_at_the_start_are_found_and_marked);
    RUN(lost_edges_make_the_change_uncertain);
    RUN(an_edge_without_a_step_is_told_with_the_step_that_it_hides);
    RUN(an_edge_without_any_step_is_bounded_by_nothing);
    RUN(a_knock_is_as_strong_as_its_peak);
    RUN(a_knock_below_its_level_is_none);
    RUN(sides_change_only_when_no_touch_can_come);
    RUN(what_settles_when_the_sides_change_is_no_hum);
    RUN(the_self_test_names_what_fails);
    RUN(the_self_test_waits_for_a_change_under_way);
    RUN(a_job_answers_once_and_holds_others_up);
    RUN(rubbish_in_good_frames_does_no_harm);
    return 0;
}
