/* What the pad tells: kinds, channels and flags, by the numbers of docs/pad-protocol.md. */
#ifndef EVENT_H
#define EVENT_H

#include <stdbool.h>
#include <stdint.h>

#include "clock.h"

enum kind {
    CONTACT_MADE = 1,
    CONTACT_RELEASED = 2,
    REST_LIFTED = 3,
    REST_LAID = 4,
    KNOCK = 5,
    OVERFLOWED = 6,
    STARTED = 7,
    SELF_TEST_FAILED = 8,
};

enum channel { CHANNEL_CONTACT, CHANNEL_REST_1, CHANNEL_REST_2, CHANNEL_KNOCK, CHANNEL_PAD = 255 };

enum flag {
    ONSET_UNCERTAIN = 1, /* it may be further off than a good stamp is: `within` says how far */
    HUM_PRESENT = 2,
    RESENT = 4, /* set as it is sent, never kept */
    FOUND_AT_START = 8,
};

/* In how many us of its onset an event's truth lies. */
enum {
    WITHIN_STAMP = 50, /* what a good stamp keeps to, and an event without ONSET_UNCERTAIN */
    WITHIN_FOUND = UINT16_MAX - 1, /* nothing bounds it: it was so when the boot began */
    WITHIN_UNKNOWN = UINT16_MAX,   /* nothing bounds it */
};

/* When something happened, by the stamps of this boot. */
struct moment {
    ticks_t onset;
    ticks_t after;   /* from the onset until it was believed */
    uint16_t within; /* us */
    bool hums;       /* mains hum moved the line */
};

struct event {
    uint64_t onset_us;  /* since the start of its boot */
    uint32_t after_us;  /* from the onset until it was believed; OVERFLOWED: ms from the first lost to the last */
    uint32_t boot;
    uint16_t strength;
    uint16_t within;    /* us; the ring keeps it rounded up to a step of its own */
    uint8_t kind;
    uint8_t channel;
    uint8_t flags;
};

#endif
