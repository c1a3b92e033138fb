/* A chip that does what the test says: hal.h on the host. */
#ifndef FAKE_HAL_H
#define FAKE_HAL_H

#include "frame.h"
#include "hal.h"

extern struct fake {
    ticks_t now;
    struct edge edges[64];
    int edges_in, edges_out;
    bool lost_edges;
    bool closed[LINES], watched[LINES];
    uint8_t driven, tested, shares[3];
    uint16_t inputs[4];
    bool lights[3];
    uint8_t frames[8][HAL_FRAME + 1], lengths[8]; /* to the pad */
    int frames_in, frames_out;
    uint8_t dropped;
    uint8_t buffer[FRAME_BUFFER];
    uint8_t sent[4096][FRAME_CONTENT], sent_length[4096]; /* contents from the pad, opened */
    int sent_count;
    uint8_t eeprom[HAL_EEPROM_BYTES];
    int writes, power_left; /* EEPROM bytes written; how many more the supply lasts (negative: for ever) */
    uint8_t cause;
    bool reset;
} fake;

/* What goes on while the pad works; without it time and inputs stand still until the test moves them. */
struct world {
    void (*pass)(void);                /* the pad has looked at the time */
    uint16_t (*convert)(uint8_t input);
    void (*wake_in)(ticks_t ticks);
    void (*drive)(uint8_t side);
    void (*send)(uint8_t length);
};
extern const struct world *fake_world;

void fake_fresh(void);
void fake_edge(uint8_t line, bool closed, ticks_t at);
void fake_command(const uint8_t *content, uint8_t length); /* type and body */

#endif
