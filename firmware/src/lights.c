/* Three lights: link, touch, fault. Each follows the pad by itself until the host gives it a pattern. */
#include "lights.h"

/* Ticks halve and halve again: bit 20 changes every half a second, bit 18 every eighth. */
enum { SLOW_BIT = 20, FAST_BIT = 18 };

void lights_start(struct pad *pad)
{
    for (uint8_t light = 0; light < LIGHTS; light++)
        pad->patterns[light] = PATTERN_OWN;
}

static uint8_t own_pattern(const struct pad *pad, uint8_t light)
{
    switch (light) {
    case LIGHT_LINK:
        return pad->link.hears ? PATTERN_ON : PATTERN_SLOW;
    case LIGHT_TOUCH:
        return pad->lines[LINE_CONTACT].believed ? PATTERN_ON : PATTERN_OFF;
    default:
        if (pad->self_test_failed || pad->settings_unreadable)
            return PATTERN_ON;
        return pad->ring.head.lost ? PATTERN_FAST : PATTERN_OFF;
    }
}

void lights_work(struct pad *pad, ticks_t now)
{
    for (uint8_t light = 0; light < LIGHTS; light++) {
        uint8_t pattern = pad->patterns[light];
        if (pattern == PATTERN_OWN)
            pattern = own_pattern(pad, light);
        bool on = pattern == PATTERN_ON || (pattern == PATTERN_SLOW && (now >> SLOW_BIT & 1)) ||
                  (pattern == PATTERN_FAST && (now >> FAST_BIT & 1));
        hal_light(light, on);
    }
}
