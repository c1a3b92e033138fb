/* The dictionary: names, units and bounds of all that the pad numbers, as text for the host (docs/pad-protocol.md). */
#ifndef DICTIONARY_H
#define DICTIONARY_H

#include <stdint.h>

/* The measures' order in MEASURE's and SELF_TEST's answers. */
enum measure { MEASURE_SENSE_1, MEASURE_SENSE_2, MEASURE_PIEZO, MEASURE_SUPPLY, MEASURE_LINES, MEASURE_DRIVEN, MEASURES };

/* Bits of a self-test: set where the check failed. */
enum check {
    CHECK_SENSE_1,   /* the test resistor lifts the sense input to where the divider says */
    CHECK_CONTACT_1, /* the contact comparator sees it, and no longer with its level parked */
    CHECK_REST_1,
    CHECK_SENSE_2,
    CHECK_CONTACT_2,
    CHECK_REST_2,
    CHECK_PIEZO,     /* quiet */
    CHECK_SUPPLY,    /* 4.4 to 5.6 V, as well as the chip's own reference can tell */
    CHECK_EEPROM,    /* settings were readable at the start */
};

uint16_t dictionary_length(void);
uint8_t dictionary_byte(uint16_t offset);

/* Takes 5 ms on the chip. */
uint16_t dictionary_crc(void);

#endif
