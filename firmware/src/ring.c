/* The ring of events that the host has not acknowledged yet, in RAM that a warm reset leaves alone. */
#include "ring.h"

#include <stddef.h>
#include <string.h>

#include "bytes.h"
#include "flash.h"
#include "frame.h"

/* Nothing written before may be put off to after: a reset may strike between any two instructions. */
#define BARRIER() __asm__ volatile("" ::: "memory")

enum { PAD_NIBBLE = 15, WITHIN_STEPS = 16 };

/* A slot keeps four bits of how sure an onset is: the next of these, us. */
static const uint16_t WITHIN[WITHIN_STEPS] IN_FLASH = {WITHIN_STAMP, 70,   100,  140,  200,   280,   400, 700,
                                                       900,          1300, 2000, 4000, 7000, 21000, 40000, WITHIN_UNKNOWN};

static uint8_t step_of(uint16_t within)
{
    uint8_t step = 0;
    while (step < WITHIN_STEPS - 1 && within > flash_u16(&WITHIN[step]))
        step++;
    return step;
}

static uint16_t head_crc(const struct ring_head *head)
{
    return crc16((const uint8_t *)head, offsetof(struct ring_head, crc));
}

static bool head_is_whole(const struct ring_head *head)
{
    return head->crc == head_crc(head) && head->oldest >= 1 && head->next - head->oldest <= RING_SLOTS;
}

static void commit(struct ring *ring)
{
    ring->head.turn++;
    ring->head.crc = head_crc(&ring->head);
    BARRIER();
    ring->store->heads[ring->head.turn & 1] = ring->head;
    BARRIER();
}

static bool take_up(struct ring *ring)
{
    const struct ring_head *first = &ring->store->heads[0], *second = &ring->store->heads[1];
    bool first_whole = head_is_whole(first), second_whole = head_is_whole(second);
    if (!first_whole && !second_whole)
        return false;
    bool second_newer = second_whole && (!first_whole || (int16_t)(second->turn - first->turn) > 0);
    ring->head = second_newer ? *second : *first;
    /* Slots keep their boot as a distance from the ring's beginning, in 16 bits. */
    return ring->boot > ring->head.id && ring->boot - ring->head.id <= UINT16_MAX;
}

void ring_open(struct ring *ring, struct ring_store *store, uint32_t boot, bool warm)
{
    ring->store = store;
    ring->boot = boot;
    if (warm && take_up(ring))
        return;
    memset(&ring->head, 0, sizeof ring->head);
    ring->head.id = boot;
    ring->head.oldest = 1;
    ring->head.next = 1;
    commit(ring);
    commit(ring); /* both copies: none of an older ring may be taken up later */
}

/* The slot's last byte checks the others; the sequence number goes in, so that a slot of an earlier turn is not whole. */
static uint8_t slot_check(const uint8_t *slot, uint32_t seq)
{
    uint16_t crc = crc16(slot, SLOT_BYTES - 1);
    return (uint8_t)(crc16_byte(crc, (uint8_t)(seq / RING_SLOTS)));
}

static void write(struct ring *ring, const struct event *event)
{
    uint32_t seq = ring->head.next;
    uint8_t *slot = ring->store->slots[seq % RING_SLOTS], *at = slot;
    at = put_u48(at, event->onset_us);
    at = put_u24(at, event->after_us > 0xFFFFFF ? 0xFFFFFF : event->after_us);
    at = put_u16(at, event->strength);
    at = put_u8(at, (uint8_t)(step_of(event->within) << 4 | event->kind));
    at = put_u8(at, (uint8_t)((event->flags << 4) | (event->channel == CHANNEL_PAD ? PAD_NIBBLE : event->channel)));
    at = put_u16(at, (uint16_t)(event->boot - ring->head.id));
    put_u8(at, slot_check(slot, seq));
    BARRIER();
    ring->head.next = seq + 1;
}

/* Puts down what was lost, before anything newer: the order of events is the order of their numbers. */
static void tell_lost(struct ring *ring)
{
    struct ring_head *head = &ring->head;
    write(ring, &(struct event){
        .kind = OVERFLOWED,
        .channel = CHANNEL_PAD,
        .flags = ONSET_UNCERTAIN, /* what it was that is lost, that is lost too */
        .within = WITHIN_UNKNOWN,
        .boot = head->lost_boot,
        .strength = head->lost,
        .onset_us = head->lost_first_us,
        .after_us = (uint32_t)((head->lost_last_us - head->lost_first_us) / 1000),
    });
    head->lost = 0;
}

static void count_lost(struct ring *ring, const struct event *event)
{
    struct ring_head *head = &ring->head;
    /* Over a reset the clock begins anew: the span then is that of the later boot. */
    if (head->lost == 0 || head->lost_boot != event->boot) {
        head->lost_first_us = event->onset_us;
        head->lost_boot = event->boot;
    }
    head->lost_last_us = event->onset_us > head->lost_first_us ? event->onset_us : head->lost_first_us;
    if (head->lost < UINT16_MAX)
        head->lost++;
}

void ring_push(struct ring *ring, const struct event *event)
{
    /* Something is lost only while the ring is full: the first place that comes free tells of it. */
    if (ring_kept(ring) == RING_SLOTS)
        count_lost(ring, event);
    else
        write(ring, event);
    commit(ring);
}

struct event ring_read(const struct ring *ring, uint32_t seq)
{
    const uint8_t *slot = ring->store->slots[seq % RING_SLOTS];
    if (slot[SLOT_BYTES - 1] != slot_check(slot, seq))
        return (struct event){.kind = OVERFLOWED, .channel = CHANNEL_PAD, .flags = ONSET_UNCERTAIN, .within = WITHIN_UNKNOWN,
                              .boot = ring->boot, .strength = 1};
    uint8_t channel = slot[12] & 0x0F;
    return (struct event){
        .onset_us = get_u32(slot) | ((uint64_t)get_u16(slot + 4) << 32),
        .after_us = get_u16(slot + 6) | ((uint32_t)slot[8] << 16),
        .strength = get_u16(slot + 9),
        .within = flash_u16(&WITHIN[slot[11] >> 4]),
        .kind = slot[11] & 0x0F,
        .channel = channel == PAD_NIBBLE ? CHANNEL_PAD : channel,
        .flags = slot[12] >> 4,
        .boot = ring->head.id + get_u16(slot + 13),
    };
}

bool ring_free(struct ring *ring, uint32_t next)
{
    uint32_t freed = next - ring->head.oldest;
    if (freed == 0 || freed > ring_kept(ring))
        return false;
    ring->head.oldest = next;
    if (ring->head.lost)
        tell_lost(ring);
    commit(ring);
    return true;
}
