/* The host's commands (docs/pad-protocol.md): each is carried out and answered, and harmless when it comes again. */
#ifndef COMMANDS_H
#define COMMANDS_H

#include "pad.h"

/* Takes up what just came into the inbox: an acknowledgement, or what begins a job, is done with. True: it awaits its answer. */
bool commands_take_up(struct pad *pad, ticks_t now);

/* Carries out the command in the inbox and writes its answer at `at`; returns the place after it. */
uint8_t *commands_answer(struct pad *pad, uint8_t *at, ticks_t sent, ticks_t now);

uint8_t *commands_put_measures(struct pad *pad, uint8_t *at);

#endif
