/*
 * The pad's electrodes, bodies and comparators as a network of resistors and capacitors, stepped through time.
 *
 * Part of a test tool that links libsimavr and is therefore under the GNU General Public License, version 3 or later; it is
 * built for the tests and never packaged with Hoshiban.
 */
#ifndef CIRCUIT_H
#define CIRCUIT_H

#include <stdbool.h>

enum { SIDES = 2 };
enum circuit_level { CONTACT_1, CONTACT_2, REST, CIRCUIT_LEVELS };
enum circuit_line { LINE_CONTACT, LINE_REST_1, LINE_REST_2, CIRCUIT_LINES };

struct circuit {
    /* What the firmware does. */
    bool driven[SIDES], tested[SIDES];
    double share[CIRCUIT_LEVELS]; /* of the supply, 0 to 1 */
    /* What the world does. Ohms; negative: open. */
    double supply;              /* V */
    double rest[SIDES];         /* from one half of the electrode through the hand to the other */
    double contact;             /* between the two bodies */
    double hum_hz, hum_amps;    /* what the mains feed into each body, peak */
    double node_farads, body_farads;
    /* What follows. */
    double volts[6];            /* of each side: drive node, sense node, body */
    double levels[CIRCUIT_LEVELS]; /* V, behind their filters */
    bool closed[CIRCUIT_LINES]; /* comparator outputs */
};

void circuit_start(struct circuit *circuit);

/* Moves on by `dt` seconds to the time `t` (for the phase of the hum); returns the greatest change of a voltage. */
double circuit_step(struct circuit *circuit, double dt, double t);

/* Volts at a side's sense input. */
double circuit_sense(const struct circuit *circuit, int side);

/* The most current, in A, that flows through any electrode now. */
double circuit_electrode_current(const struct circuit *circuit);

#endif
