/* The pad's settings: one line each, from which the dictionary, the bounds and the defaults are made. */
#ifndef SETTINGS_H
#define SETTINGS_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Levels are millivolts at a supply of 5,000 mV: everything they are compared with follows the supply alike. A charge is the
 * time constant with which bodies and leads follow a touch, a release, a hand that is laid or lifted (sense.h).
 */
#define EACH_SETTING(X)                                          \
    X( 0, CONTACT_DWELL, "contact-dwell", "us", 500, 50000, 5000)       \
    X( 1, RELEASE_DWELL, "release-dwell", "us", 500, 60000, 15000)      \
    X( 2, REST_DWELL, "rest-dwell", "us", 1000, 60000, 20000)           \
    X( 3, LIFT_DWELL, "lift-dwell", "us", 1000, 60000, 20000)           \
    X( 4, BRIDGE, "bridge", "us", 0, 5000, 1500)                        \
    X( 5, HUM_DWELL, "hum-dwell", "us", 0, 30000, 10500)                \
    X( 6, CONTACT_LEVEL, "contact-level", "mV", 500, 4000, 684)         \
    X( 7, REST_LEVEL, "rest-level", "mV", 100, 2000, 215)               \
    X( 8, KNOCK_LEVEL, "knock-level", "mV", 1100, 5000, 1200)           \
    X( 9, KNOCK_WINDOW, "knock-window", "us", 1000, 20000, 4000)        \
    X(10, KNOCK_PAUSE, "knock-pause", "us", 5000, 60000, 50000)         \
    X(11, SWAP_PERIOD, "swap-period", "ms", 0, 60000, 1000)             \
    X(12, CONTACT_CHARGE, "contact-charge", "us", 5, 250, 47)           \
    X(13, RELEASE_CHARGE, "release-charge", "us", 5, 250, 52)           \
    X(14, REST_CHARGE, "rest-charge", "us", 5, 250, 32)                 \
    X(15, LIFT_CHARGE, "lift-charge", "us", 5, 250, 26)

enum setting {
#define X(index, id, name, unit, least, most, usual) id = (index),
    EACH_SETTING(X)
#undef X
    SETTINGS
};

struct settings {
    uint16_t values[SETTINGS];
};

void settings_defaults(struct settings *settings);

/* Whether `value` lies within the bounds of the setting with this index. */
bool setting_allows(uint8_t index, uint16_t value);

#endif
