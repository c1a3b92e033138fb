/*
 * Which side is driven. One player's electrode is driven and the other's is read; from time to time the two change places,
 * so that no skin sits under a steady direct current and each side's wiring is used in both ways.
 */
#ifndef DRIVE_H
#define DRIVE_H

#include "pad.h"

enum { ALL_LINES = (1 << LINE_CONTACT) | (1 << LINE_REST_1) | (1 << LINE_REST_2) };

void drive_start(struct pad *pad, ticks_t now);

/* Changes sides when it is due and no touch can be on its way; ends a blank when the circuit has settled. */
void drive_work(struct pad *pad, ticks_t now);

/* Stops watching these lines until the circuit has settled; what they did meanwhile was up to so many us earlier. */
void drive_blank(struct pad *pad, uint8_t lines, uint16_t within, ticks_t now);

/* Drives the present side and sets every level by the settings. */
void drive_set_levels(struct pad *pad);

/* A level of the settings, at least 20 mV, as hal_set_level takes it. */
uint8_t drive_share(uint16_t level);

enum { LEVEL_PARKED = 255 };

#endif
