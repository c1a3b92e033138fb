/* What only the program on the chip does: start it and let it rest. */
#ifndef AVR_H
#define AVR_H

void avr_start(void);

/* Sleeps until the next interrupt, a millisecond at most, unless something waits already. */
void avr_rest(void);

#endif
