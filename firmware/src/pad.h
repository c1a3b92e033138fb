/* The whole pad: what it knows, and one round of its work. Times are those of the round: `now` is taken once in each. */
#ifndef PAD_H
#define PAD_H

#include <stdbool.h>
#include <stdint.h>

#include "clock.h"
#include "hal.h"
#include "knock.h"
#include "line.h"
#include "ring.h"
#include "settings.h"

enum { PROTOCOL_VERSION = 2, OLDEST_VERSION = 2, FIRMWARE_MAJOR = 2, FIRMWARE_MINOR = 0, FIRMWARE_PATCH = 0 };

enum { SENSED_LINES = 3 }; /* contact and both rests; the knock is no line that stays */

enum light { LIGHT_LINK, LIGHT_TOUCH, LIGHT_FAULT, LIGHTS };
enum pattern { PATTERN_OFF, PATTERN_ON, PATTERN_SLOW, PATTERN_FAST, PATTERN_OWN, PATTERNS };

enum job_kind { JOB_NONE, JOB_SAVE, JOB_SELF_TEST, JOB_CALIBRATE };

/* What takes longer than one round, and whose command is answered when it is done. */
struct job {
    ticks_t since;  /* when the present step began */
    uint16_t found; /* self-test: failed checks; calibration: the extreme level seen */
    uint8_t kind;
    uint8_t tag;    /* of the command */
    uint8_t step;
    uint8_t what;
    uint8_t status; /* of the answer, once done */
    bool done;
};

/* Which side's electrodes are driven; the other side is read. */
struct drive {
    ticks_t since;  /* the drive or its blank began */
    uint8_t side;
    uint8_t blank;  /* lines, bit by bit, that are not watched until the circuit has settled */
    uint16_t within; /* how much earlier it may have been what a line is found to have done meanwhile */
    bool chance;    /* a contact was just released: no touch is on its way for some milliseconds */
};

struct link {
    ticks_t progress; /* when something was last freed, or the first of the flight was sent */
    ticks_t beat;     /* last heartbeat */
    ticks_t heard;    /* last whole frame from the host */
    uint32_t next;    /* sequence number to send next */
    uint32_t above;   /* one more than the highest ever sent in this boot: below it an event is sent again */
    uint16_t errors;  /* frames from the host that did not check */
    bool hears;       /* a whole frame came within the last second */
};

/* A command that waits for the transmitter. */
struct inbox {
    ticks_t received;
    uint8_t bytes[HAL_FRAME];
    uint8_t length; /* 0: none waits */
};

struct pad {
    struct clock clock;
    struct settings settings;
    struct line_times contact_times, rest_times;
    struct knock_times knock_times;
    struct ring ring;
    struct line lines[SENSED_LINES];
    struct sense senses[SENSES];
    uint32_t believed_ms[SENSED_LINES]; /* since when each line is what it is, for how long it was */
    struct knock knock;
    struct drive drive;
    struct job job;
    struct link link;
    struct inbox inbox;
    uint32_t boot;
    uint16_t supply; /* mV */
    uint16_t dictionary_crc;
    uint8_t patterns[LIGHTS];
    bool settings_unreadable;
    bool self_test_failed;
    bool reset_asked;
};

void pad_start(struct pad *pad, struct ring_store *store);
void pad_work(struct pad *pad);

/* Takes the settings into use. */
void pad_use_settings(struct pad *pad);

/* Keeps an event of this boot. */
void pad_tell(struct pad *pad, uint8_t kind, uint8_t channel, uint16_t strength, const struct moment *moment);

/* What just happened by the pad's own doing. */
struct moment pad_just(ticks_t now);

/* A level as the settings know it: mV at a supply of 5,000 mV. */
uint16_t pad_level(uint8_t input);

#endif
