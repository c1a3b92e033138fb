/*
 * What the logic asks of the chip. avr.c answers with the registers that the chip's own header names; in the tests of the
 * logic a program on the host answers.
 */
#ifndef HAL_H
#define HAL_H

#include <stdbool.h>
#include <stdint.h>

#include "clock.h"

/* ---- Time */

ticks_t hal_now(void);

/* The main loop's next round begins in so long, or earlier. */
void hal_wake_in(ticks_t ticks);

/* ---- Lines: raw edges, stamped by capture or interrupt, in the order of time for each line */

enum line_name { LINE_CONTACT, LINE_REST_1, LINE_REST_2, LINE_KNOCK, LINES };

struct edge {
    ticks_t at;
    uint8_t line : 7;
    bool closed : 1; /* LINE_KNOCK: always */
};

bool hal_take_edge(struct edge *edge);

/* Whether edges were lost since the last call because nobody took them: the lines' levels must be looked at. */
bool hal_take_lost_edges(void);

/* Stops or begins, maybe anew, to stamp a line's edges. LINE_KNOCK stops by itself after each edge, for the mat rings on. */
void hal_watch(uint8_t line, bool watched);

/* The line as it is now. Not for LINE_KNOCK. */
bool hal_closed(uint8_t line);

/* ---- The circuit */

enum side { SIDE_NONE, SIDE_1, SIDE_2 };

/* Drives the drive halves of one side's electrodes, or none. */
void hal_drive(uint8_t side);

/* Feeds the test resistor of one side, or none. */
void hal_feed_test(uint8_t side);

enum level { LEVEL_CONTACT_1, LEVEL_CONTACT_2, LEVEL_REST };

/* Sets a comparator's level to (share + 1)/256 of the supply; 255 parks it above all that can be. */
void hal_set_level(uint8_t level, uint8_t share);

enum input { INPUT_SENSE_1, INPUT_SENSE_2, INPUT_PIEZO, INPUT_REFERENCE };

/* Converts one input now: 1/1024 of the supply. INPUT_REFERENCE is the chip's own 1,100 mV, give or take a tenth. */
uint16_t hal_convert(uint8_t input);

void hal_light(uint8_t light, bool on);

/* ---- The serial line */

enum { HAL_FRAME = 18 }; /* the longest frame from the host, bytes between two zeros */

/* A frame as it came, without its zeros, and when the interrupt of its closing zero ran. False: none is there. */
bool hal_receive(uint8_t frame[HAL_FRAME], uint8_t *length, ticks_t *received);

/* Frames that were dropped as they came, overlong or without a place to go, since the last call. */
uint8_t hal_take_dropped_frames(void);

/*
 * Begins a frame: puts its opening zero into the transmitter if that is idle, and says when. The rest is written into
 * hal_frame() while the zero is on the wire, and sent off by hal_send.
 */
bool hal_begin_frame(ticks_t *sent);
uint8_t *hal_frame(void); /* FRAME_BUFFER bytes */
void hal_send(uint8_t length);

/* The frame begun last has left the wire. */
bool hal_sent(void);

/* ---- EEPROM */

enum { HAL_EEPROM_BYTES = 1024 };

bool hal_eeprom_ready(void); /* no byte is being written: 3.4 ms each */
uint8_t hal_eeprom_read(uint16_t at);
void hal_eeprom_write(uint16_t at, uint8_t byte);

/* ---- The chip */

uint8_t hal_chip(void);        /* 1 ATmega328P, 2 ATmega32U4 */
enum { CAUSE_POWER_ON = 1, CAUSE_PIN = 2, CAUSE_BROWN_OUT = 4, CAUSE_WATCHDOG = 8 };
uint8_t hal_reset_cause(void); /* as the start found it */
void hal_feed_watchdog(void);
void hal_reset(void);          /* by the watchdog; does not return on a chip */

#endif
