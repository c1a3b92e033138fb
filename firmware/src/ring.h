/* The ring of events that the host has not acknowledged yet, in RAM that a warm reset leaves alone. */
#ifndef RING_H
#define RING_H

#include <stdbool.h>
#include <stdint.h>

#include "event.h"

enum { RING_SLOTS = 64, SLOT_BYTES = 16 };

/* What of the ring must outlive a reset besides its slots. */
struct ring_head {
    uint64_t lost_first_us;
    uint64_t lost_last_us;
    uint32_t lost_boot;
    uint32_t id;          /* boot of the cold start at which the ring began */
    uint32_t oldest;      /* sequence number of the oldest event kept */
    uint32_t next;        /* of the next one to come; equal: the ring is empty */
    uint16_t lost;        /* events that found no place and that no OVERFLOWED tells of yet; 65535: that or more */
    uint16_t turn;        /* counts the writings; its lowest bit names the copy */
    uint16_t crc;         /* over everything above, which the order of the fields keeps free of gaps */
};

/* Lies in .noinit. Two copies of the head are written in turn, so that a reset in the middle of one leaves the other. */
struct ring_store {
    struct ring_head heads[2];
    uint8_t slots[RING_SLOTS][SLOT_BYTES];
};

struct ring {
    struct ring_store *store;
    struct ring_head head;
    uint32_t boot;
};

/* Takes up the ring in the store where it is whole and `warm`; else begins a new one named after this boot. */
void ring_open(struct ring *ring, struct ring_store *store, uint32_t boot, bool warm);

/* Adds an event of this boot, or counts it as lost where the ring is full. */
void ring_push(struct ring *ring, const struct event *event);

/* The kept event with this sequence number; one whose slot was damaged reads as an OVERFLOWED of one. */
struct event ring_read(const struct ring *ring, uint32_t seq);

/* Frees every event before `next`; numbers that can't be are ignored. Returns whether anything was freed. */
bool ring_free(struct ring *ring, uint32_t next);

static inline uint32_t ring_kept(const struct ring *ring) { return ring->head.next - ring->head.oldest; }

#endif
