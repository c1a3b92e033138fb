/* A chip that does what the test says: hal.h on the host. */
#include "fake_hal.h"

#include <string.h>

struct fake fake;
const struct world *fake_world;

void fake_fresh(void)
{
    memset(&fake, 0, sizeof fake);
    memset(fake.eeprom, 0xFF, sizeof fake.eeprom);
    fake.power_left = -1;
    fake.cause = CAUSE_POWER_ON;
    fake.inputs[INPUT_REFERENCE] = 225; /* 1,100 mV of 5 V */
}

void fake_edge(uint8_t line, bool closed, ticks_t at)
{
    fake.closed[line] = closed;
    if (fake.watched[line])
        fake.edges[fake.edges_in++ % 64] = (struct edge){.at = at, .line = line, .closed = closed};
}

void fake_command(const uint8_t *content, uint8_t length)
{
    uint8_t frame[FRAME_BUFFER];
    memcpy(frame + 1, content, length);
    int place = fake.frames_in++ % 8;
    fake.lengths[place] = (uint8_t)(frame_close(frame, length) - 1);
    memcpy(fake.frames[place], frame, fake.lengths[place]);
}

ticks_t hal_now(void)
{
    if (fake_world)
        fake_world->pass();
    return fake.now;
}

bool hal_take_edge(struct edge *edge)
{
    if (fake.edges_out == fake.edges_in)
        return false;
    *edge = fake.edges[fake.edges_out++ % 64];
    return true;
}

bool hal_take_lost_edges(void)
{
    bool lost = fake.lost_edges;
    fake.lost_edges = false;
    return lost;
}

void hal_watch(uint8_t line, bool watched) { fake.watched[line] = watched; }
bool hal_closed(uint8_t line) { return fake.closed[line]; }
void hal_drive(uint8_t side)
{
    fake.driven = side;
    if (fake_world)
        fake_world->drive(side);
}
void hal_feed_test(uint8_t side) { fake.tested = side; }
void hal_set_level(uint8_t level, uint8_t share) { fake.shares[level] = share; }
uint16_t hal_convert(uint8_t input) { return fake_world ? fake_world->convert(input) : fake.inputs[input]; }
void hal_light(uint8_t light, bool on) { fake.lights[light] = on; }

bool hal_receive(uint8_t frame[HAL_FRAME], uint8_t *length, ticks_t *received)
{
    if (fake.frames_out == fake.frames_in)
        return false;
    int place = fake.frames_out++ % 8;
    *length = fake.lengths[place];
    *received = fake.now;
    memcpy(frame, fake.frames[place], *length);
    return true;
}

uint8_t hal_take_dropped_frames(void)
{
    uint8_t dropped = fake.dropped;
    fake.dropped = 0;
    return dropped;
}

bool hal_begin_frame(ticks_t *sent)
{
    *sent = fake.now;
    return true;
}

uint8_t *hal_frame(void) { return fake.buffer; }

void hal_send(uint8_t length)
{
    int place = fake.sent_count++ % 4096;
    uint8_t opened = frame_open(fake.buffer, (uint8_t)(length - 1));
    fake.sent_length[place] = opened;
    memcpy(fake.sent[place], fake.buffer, opened);
    if (fake_world)
        fake_world->send(length);
}

bool hal_sent(void) { return true; }
bool hal_eeprom_ready(void) { return true; }
uint8_t hal_eeprom_read(uint16_t at) { return fake.eeprom[at]; }

void hal_eeprom_write(uint16_t at, uint8_t byte)
{
    if (fake.power_left == 0)
        return;
    if (fake.power_left > 0)
        fake.power_left--;
    fake.eeprom[at] = byte;
    fake.writes++;
}

uint8_t hal_chip(void) { return 1; }
uint8_t hal_reset_cause(void) { return fake.cause; }
void hal_feed_watchdog(void) {}
void hal_reset(void) { fake.reset = true; }
void hal_wake_in(ticks_t ticks)
{
    if (fake_world)
        fake_world->wake_in(ticks);
}
