/* From edges to events: contact, resting hands, knocks. */
#ifndef DETECT_H
#define DETECT_H

#include "pad.h"

/* Takes all edges that were stamped and tells what is now believed. */
void detect_work(struct pad *pad);

/* Compares a line with what its edges said; a change that nobody stamped happened up to `now`, as the flags say. */
void detect_look(struct pad *pad, uint8_t line, ticks_t now, uint8_t flags);

#endif
