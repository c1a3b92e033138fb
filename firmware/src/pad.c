/* The whole pad: what it knows, and one round of its work. */
#include "pad.h"

#include <string.h>

#include "detect.h"
#include "dictionary.h"
#include "drive.h"
#include "jobs.h"
#include "lights.h"
#include "link.h"
#include "store.h"

enum { LEVEL_FULL = 5000, CONVERSION_FULL = 1024, REFERENCE = 1100 };

uint16_t pad_level(uint8_t input)
{
    return (uint16_t)((uint32_t)hal_convert(input) * LEVEL_FULL / CONVERSION_FULL);
}

static uint16_t measured_supply(void)
{
    uint16_t share = hal_convert(INPUT_REFERENCE);
    return share ? (uint16_t)((uint32_t)REFERENCE * CONVERSION_FULL / share) : 0;
}

static uint8_t flags_of(const struct moment *moment)
{
    uint8_t flags = moment->hums ? HUM_PRESENT : 0;
    if (moment->within == WITHIN_FOUND)
        flags |= FOUND_AT_START;
    else if (moment->within > WITHIN_STAMP)
        flags |= ONSET_UNCERTAIN;
    return flags;
}

void pad_tell(struct pad *pad, uint8_t kind, uint8_t channel, uint16_t strength, const struct moment *moment)
{
    ring_push(&pad->ring, &(struct event){
        .kind = kind,
        .channel = channel,
        .flags = flags_of(moment),
        .boot = pad->boot,
        .onset_us = clock_us(&pad->clock, moment->onset),
        .after_us = moment->after / TICKS_PER_US,
        .within = moment->within,
        .strength = strength,
    });
}

struct moment pad_just(ticks_t now) { return (struct moment){.onset = now, .within = WITHIN_STAMP}; }

void pad_use_settings(struct pad *pad)
{
    const uint16_t *value = pad->settings.values;
    pad->contact_times = (struct line_times){
        .make = US(value[CONTACT_DWELL]),
        .release = US(value[RELEASE_DWELL]),
        .bridge = US(value[BRIDGE]),
        .hum = US(value[HUM_DWELL]),
    };
    pad->rest_times = (struct line_times){
        .make = US(value[REST_DWELL]),
        .release = US(value[LIFT_DWELL]),
        .bridge = US(value[BRIDGE]),
        .hum = US(value[HUM_DWELL]),
    };
    pad->knock_times = (struct knock_times){.window = US(value[KNOCK_WINDOW]), .pause = US(value[KNOCK_PAUSE])};
    drive_set_levels(pad);
}

void pad_start(struct pad *pad, struct ring_store *store)
{
    memset(pad, 0, sizeof *pad);
    pad->boot = store_count_start();
    pad->settings_unreadable = !store_load(&pad->settings);
    uint8_t cause = hal_reset_cause();
    ring_open(&pad->ring, store, pad->boot, !(cause & (CAUSE_POWER_ON | CAUSE_BROWN_OUT)));
    ticks_t now = hal_now();
    clock_follow(&pad->clock, now);
    link_start(pad, now);
    lights_start(pad);
    pad_use_settings(pad);
    pad->supply = measured_supply();
    struct moment started = pad_just(now);
    pad_tell(pad, STARTED, CHANNEL_PAD, cause, &started);
    drive_start(pad, now);
    pad->dictionary_crc = dictionary_crc(); /* while the circuit settles: no round may take that long */
    hal_watch(LINE_KNOCK, true);
}

void pad_work(struct pad *pad)
{
    hal_feed_watchdog();
    clock_follow(&pad->clock, hal_now());
    detect_work(pad);
    ticks_t now = hal_now();
    drive_work(pad, now);
    jobs_work(pad, now);
    link_work(pad, now);
    lights_work(pad, now);
    if (pad->reset_asked && hal_sent())
        hal_reset();
}
