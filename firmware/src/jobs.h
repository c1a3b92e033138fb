/* What takes longer than a round: saving the settings, the self-test, calibration. One at a time. */
#ifndef JOBS_H
#define JOBS_H

#include "dictionary.h"
#include "pad.h"

enum calibration { CALIBRATE_APART, CALIBRATE_TOUCHING };

/* Begins; the command with this tag is answered when the job is done. Only while none is under way. */
void jobs_begin(struct pad *pad, uint8_t kind, uint8_t tag, uint8_t what, ticks_t now);
void jobs_work(struct pad *pad, ticks_t now);

/* The measures in the dictionary's order, MEASURES of them. */
void jobs_measure(struct pad *pad, uint16_t *measures);

#endif
