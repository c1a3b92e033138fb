/* The ring: order, overflow, and what a reset leaves. */
#include <stddef.h>
#include <string.h>

#include "check.h"
#include "ring.h"

static struct ring_store store;
static struct ring ring;

static void cold(uint32_t boot)
{
    memset(&store, 0xA5, sizeof store);
    ring_open(&ring, &store, boot, false);
}

static void push(uint64_t us)
{
    ring_push(&ring, &(struct event){
        .kind = CONTACT_MADE, .channel = CHANNEL_CONTACT, .flags = HUM_PRESENT, .boot = ring.boot, .onset_us = us,
        .after_us = 5123, .strength = 1650});
}

static void an_event_comes_out_as_it_went_in(void)
{
    cold(70000);
    struct event wanted = {.kind = STARTED, .channel = CHANNEL_PAD, .flags = FOUND_AT_START | ONSET_UNCERTAIN, .boot = 70000,
                           .onset_us = 0xFEDCBA987654, .after_us = 0xABCDEF, .within = 700, .strength = 0x8001};
    ring_push(&ring, &wanted);
    struct event found = ring_read(&ring, 1);
    CHECK_EQUAL(found.kind, wanted.kind);
    CHECK_EQUAL(found.channel, wanted.channel);
    CHECK_EQUAL(found.flags, wanted.flags);
    CHECK_EQUAL(found.boot, wanted.boot);
    CHECK_EQUAL(found.onset_us, wanted.onset_us);
    CHECK_EQUAL(found.after_us, wanted.after_us);
    CHECK_EQUAL(found.strength, wanted.strength);
    CHECK_EQUAL(found.within, wanted.within);
}

static void how_sure_an_onset_is_is_rounded_up_and_never_down(void)
{
    cold(1);
    for (uint32_t within = 1; within <= UINT16_MAX; within += within / 50 + 1) {
        struct event event = {.kind = SELF_TEST_FAILED, .channel = CHANNEL_PAD, .boot = 1, .within = (uint16_t)within};
        ring_push(&ring, &event);
        uint32_t seq = ring.head.next - 1;
        struct event found = ring_read(&ring, seq);
        CHECK_EQUAL(found.kind, SELF_TEST_FAILED);
        CHECK(found.within >= within);
        CHECK(found.within <= 50 || found.within == WITHIN_UNKNOWN || found.within <= 4 * within);
        CHECK(ring_free(&ring, seq + 1));
    }
    ring_push(&ring, &(struct event){.kind = REST_LAID, .boot = 1, .within = WITHIN_FOUND});
    CHECK_EQUAL(ring_read(&ring, ring.head.next - 1).within, WITHIN_UNKNOWN);
}

static void three_seconds_of_ten_touches_fit(void)
{
    cold(1);
    for (int i = 0; i < 2 * 10 * 3; i++) /* each is made and released */
        push(1000 * (uint64_t)i);
    CHECK_EQUAL(ring_kept(&ring), 60);
    CHECK_EQUAL(ring.head.lost, 0);
}

static void a_full_ring_counts_the_newest_and_says_so_in_its_place(void)
{
    cold(1);
    for (uint64_t i = 1; i <= RING_SLOTS + 5; i++)
        push(1000000 * i);
    CHECK_EQUAL(ring_kept(&ring), RING_SLOTS);
    for (uint32_t seq = 1; seq <= RING_SLOTS; seq++)
        CHECK_EQUAL(ring_read(&ring, seq).onset_us, 1000000ULL * seq);
    CHECK(ring_free(&ring, 3));
    struct event told = ring_read(&ring, RING_SLOTS + 1);
    CHECK_EQUAL(told.kind, OVERFLOWED);
    CHECK_EQUAL(told.channel, CHANNEL_PAD);
    CHECK_EQUAL(told.strength, 5);
    CHECK_EQUAL(told.onset_us, 1000000ULL * (RING_SLOTS + 1));
    CHECK_EQUAL(told.after_us, 4000);
    push(7);
    CHECK_EQUAL(ring_read(&ring, RING_SLOTS + 2).onset_us, 7);
    push(8); /* full again */
    CHECK_EQUAL(ring.head.lost, 1);
}

static void nonsense_frees_nothing(void)
{
    cold(1);
    push(1);
    push(2);
    CHECK(!ring_free(&ring, 1));
    CHECK(!ring_free(&ring, 0));
    CHECK(!ring_free(&ring, 4));
    CHECK(!ring_free(&ring, 0xFFFFFFFF));
    CHECK(ring_free(&ring, 2));
    CHECK(!ring_free(&ring, 2));
    CHECK_EQUAL(ring_kept(&ring), 1);
}

static void a_warm_start_finds_everything(void)
{
    cold(5);
    for (int i = 0; i < 100; i++) {
        push(10 * (uint64_t)i);
        if (i < 60)
            ring_free(&ring, (uint32_t)i + 2);
    }
    struct ring again;
    ring_open(&again, &store, 6, true);
    CHECK_EQUAL(again.head.id, 5);
    CHECK_EQUAL(ring_kept(&again), 40);
    CHECK_EQUAL(ring_read(&again, 61).onset_us, 600);
    CHECK_EQUAL(ring_read(&again, 61).boot, 5);
    ring_push(&again, &(struct event){.kind = STARTED, .channel = CHANNEL_PAD, .boot = 6});
    CHECK_EQUAL(ring_read(&again, 101).boot, 6);
}

static void a_cold_start_or_spoilt_heads_begin_a_new_ring(void)
{
    cold(5);
    push(1);
    struct ring again;
    ring_open(&again, &store, 6, false);
    CHECK_EQUAL(again.head.id, 6);
    CHECK_EQUAL(ring_kept(&again), 0);
    cold(5);
    push(1);
    store.heads[0].oldest ^= 4;
    store.heads[1].next ^= 4;
    ring_open(&again, &store, 6, true);
    CHECK_EQUAL(again.head.id, 6);
}

static void a_ring_before_the_last_loss_of_supply_never_comes_back(void)
{
    cold(5);
    for (int i = 0; i < 40; i++)
        push(1);
    ring_open(&ring, &store, 6, false);
    struct ring again;
    ring_open(&again, &store, 7, true); /* before anything was pushed */
    CHECK_EQUAL(again.head.id, 6);
    CHECK_EQUAL(ring_kept(&again), 0);
}

/* A reset at any byte that is written: what was kept before is kept, and the event under way is there whole or not at all. */
static void a_reset_in_the_middle_of_a_write_costs_at_most_the_event_being_written(void)
{
    cold(5);
    for (int i = 1; i <= 10; i++)
        push(10 * (uint64_t)i);
    struct ring_store before = store, after;
    push(110);
    after = store;
    uint8_t *old = (uint8_t *)&before, *new = (uint8_t *)&after;
    /* The slot first, byte by byte, then the head: as ring.c writes them. */
    size_t slot = offsetof(struct ring_store, slots) + 11 * SLOT_BYTES;
    struct ring_store torn = before;
    uint8_t *now = (uint8_t *)&torn;
    for (int part = 0; part < 2; part++) {
        size_t from = part ? 0 : slot, to = part ? offsetof(struct ring_store, slots) : slot + SLOT_BYTES;
        for (size_t at = from; at < to; at++) {
            if (old[at] == new[at])
                continue;
            now[at] = new[at];
            struct ring again;
            struct ring_store copy = torn;
            ring_open(&again, &copy, 6, true);
            CHECK_EQUAL(again.head.id, 5);
            CHECK(ring_kept(&again) == 10 || ring_kept(&again) == 11);
            for (uint32_t seq = 1; seq < again.head.next; seq++)
                CHECK_EQUAL(ring_read(&again, seq).onset_us, 10ULL * seq);
        }
    }
}

static void a_damaged_event_is_declared_lost(void)
{
    cold(5);
    push(1);
    push(2);
    store.slots[1][2] ^= 0x10;
    CHECK_EQUAL(ring_read(&ring, 1).kind, OVERFLOWED);
    CHECK_EQUAL(ring_read(&ring, 1).strength, 1);
    CHECK_EQUAL(ring_read(&ring, 2).onset_us, 2);
}

static void a_million_events_pass(void)
{
    cold(1);
    for (uint32_t i = 1; i <= 1000000; i++) {
        push(i);
        CHECK_EQUAL(ring_read(&ring, i).onset_us, i);
        CHECK(ring_free(&ring, i + 1));
    }
}

int main(void)
{
    RUN(an_event_comes_out_as_it_went_in);
    RUN(how_sure_an_onset_is_is_rounded_up_and_never_down);
    RUN(three_seconds_of_ten_touches_fit);
    RUN(a_full_ring_counts_the_newest_and_says_so_in_its_place);
    RUN(nonsense_frees_nothing);
    RUN(a_warm_start_finds_everything);
    RUN(a_cold_start_or_spoilt_heads_begin_a_new_ring);
    RUN(a_ring_before_the_last_loss_of_supply_never_comes_back);
    RUN(a_reset_in_the_middle_of_a_write_costs_at_most_the_event_being_written);
    RUN(a_damaged_event_is_declared_lost);
    RUN(a_million_events_pass);
    return 0;
}
