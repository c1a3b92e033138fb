/* What the pad tells: kinds, channels and flags, by the numbers of docs/pad-protocol.md. */
#ifndef EVENT_H
#define EVENT_H

#include <stdint.h>

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
    ONSET_UNCERTAIN = 1, /* up to 5 ms earlier: the line could not be watched when it changed */
    HUM_PRESENT = 2,
    RESENT = 4, /* set as it is sent, never kept */
    FOUND_AT_START = 8,
};

struct event {
    uint64_t onset_us;  /* since the start of its boot */
    uint32_t after_us;  /* from the onset until it was believed; OVERFLOWED: ms from the first lost to the last */
    uint32_t boot;
    uint16_t strength;
    uint8_t kind;
    uint8_t channel;
    uint8_t flags;
};

#endif
