/*
 * Where libsimavr 1.6 is not as the chip is, or slower or louder than it need be.
 *
 * Part of a test tool that links libsimavr and is therefore under the GNU General Public License, version 3 or later; it is
 * built for the tests and never packaged with Hoshiban.
 */
#ifndef MEND_H
#define MEND_H

#include <simavr/sim_avr.h>
#include <stdint.h>

/* Timers 0 and 2, which only make pulses. */
struct pulse_timers {
    void *io[2];
};

struct pulse_timers mend_find_pulses(avr_t *avr);
void mend_quiet_pulses(avr_t *avr, const struct pulse_timers *timers);

/* Lets a write to a flag register clear the flags that it names and no others. */
void mend_flags(avr_t *avr);

/* Errors only. */
void mend_noise(void);

/* The first byte behind all variables, by the linker's own symbol in the image; 0 where it has none. */
uint16_t mend_ram_used_to(const char *path);

#endif
