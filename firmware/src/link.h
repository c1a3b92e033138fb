/* The link: what is sent when, and what stays until the host has it (docs/pad-protocol.md). */
#ifndef LINK_H
#define LINK_H

#include "pad.h"

enum status { STATUS_DONE, STATUS_UNKNOWN, STATUS_BAD, STATUS_BUSY, STATUS_FAILED, STATUS_VERSION };

enum message {
    HELLO = 0x01,
    DICTIONARY = 0x02,
    TIME = 0x03,
    ACK = 0x04,
    GET = 0x05,
    SET = 0x06,
    SAVE = 0x07,
    DEFAULTS = 0x08,
    SELF_TEST = 0x09,
    LIGHTS_SET = 0x0A,
    RESET = 0x0B,
    MEASURE = 0x0C,
    CALIBRATE = 0x0D,
    RESUME = 0x0E,
    REPLY = 0x80,
    TIME_REPLY = 0x83,
    EVENT = 0xC0,
    HEARTBEAT = 0xC1,
};

void link_start(struct pad *pad, ticks_t now);
void link_work(struct pad *pad, ticks_t now);

/* Frees what the host has, if the ring is ours. */
void link_acknowledge(struct pad *pad, uint32_t ring, uint32_t next, ticks_t now);

/* Sends everything that is kept again, from the oldest on. */
void link_rewind(struct pad *pad, ticks_t now);

#endif
