/*
 * The simulated ATmega328P with the circuit at its pins, its serial line as bytes with times, and gauges for interrupts and stack.
 *
 * Part of a test tool that links libsimavr and is therefore under the GNU General Public License, version 3 or later; it is
 * built for the tests and never packaged with Hoshiban.
 */
#ifndef CHIP_H
#define CHIP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "circuit.h"

enum { CYCLES_PER_US = 16, EEPROM_BYTES = 1024 };

struct chip;

/* Told as they happen; `cycle` is exact. */
struct chip_listener {
    void (*byte_sent)(void *context, uint64_t cycle, uint8_t byte);      /* its last bit has left the wire */
    void (*line_changed)(void *context, uint64_t cycle, int line, bool closed);
    void (*light_changed)(void *context, uint64_t cycle, int light, bool on);
    void (*started)(void *context, uint64_t cycle, const char *why);
    void (*clock_started)(void *context, uint64_t cycle);                /* the firmware's timer counts from here */
    void *context;
};

struct chip *chip_new(const char *elf, const struct chip_listener *listener);

/* Runs until the cycle is reached; false when the program has died. */
bool chip_run(struct chip *chip, uint64_t until);
uint64_t chip_cycle(const struct chip *chip);

/* The circuit, to be changed by what the world does; then say so. */
struct circuit *chip_circuit(struct chip *chip);
void chip_circuit_changed(struct chip *chip);
void chip_knock(struct chip *chip, double volts);

/* Bytes for the pad; they enter its wire one after the other, none before now. False: there is no room for so many. */
bool chip_send(struct chip *chip, const uint8_t *bytes, size_t count);

void chip_press_reset(struct chip *chip);
void chip_power_cycle(struct chip *chip, unsigned seed); /* RAM comes back as noise */
void chip_hang(struct chip *chip);                       /* the main loop stops: the watchdog must notice */

void chip_read_eeprom(struct chip *chip, uint8_t *bytes);
void chip_write_eeprom(struct chip *chip, const uint8_t *bytes);

struct chip_gauges {
    unsigned longest_interrupt, longest_vector; /* cycles from entry to return */
    unsigned longest_wait, waiting_vector;      /* cycles from an edge's flag to its interrupt's entry */
    unsigned stack_left;                        /* bytes never touched between the variables and the stack */
    double highest_current;                     /* A through an electrode */
};
struct chip_gauges chip_gauges(const struct chip *chip);

#endif
