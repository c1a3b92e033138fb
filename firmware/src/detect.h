/* From edges to events: contact, resting hands, knocks. */
#ifndef DETECT_H
#define DETECT_H

#include "pad.h"

/* Takes all edges that were stamped and tells what is now believed. */
void detect_work(struct pad *pad);

/* Compares a line with what its edges said; a change that nobody stamped happened in the `within` us up to `now`. */
void detect_look(struct pad *pad, uint8_t line, ticks_t now, uint16_t within);

/* The sense input that a line is decided by. */
uint8_t detect_sense(const struct pad *pad, uint8_t line);

#endif
