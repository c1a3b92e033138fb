/* The contact pad's program: work a round, rest until something happens. */
#include "avr.h"
#include "pad.h"

static struct pad pad;

/* What a warm reset must not touch. */
static struct ring_store store __attribute__((section(".noinit")));

int main(void)
{
    avr_start();
    pad_start(&pad, &store);
    for (;;) {
        pad_work(&pad);
        avr_rest();
    }
}
