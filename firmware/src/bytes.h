/* Little-endian integers in byte strings: the only order on the line, in EEPROM and in the ring. */
#ifndef BYTES_H
#define BYTES_H

#include <stdint.h>

static inline uint16_t get_u16(const uint8_t *at) { return (uint16_t)(at[0] | (uint16_t)(at[1] << 8)); }

static inline uint32_t get_u32(const uint8_t *at) { return get_u16(at) | ((uint32_t)get_u16(at + 2) << 16); }

/* Each put returns the place after what it wrote, so that a body is written from top to bottom. */
static inline uint8_t *put_u8(uint8_t *at, uint8_t value)
{
    *at = value;
    return at + 1;
}

static inline uint8_t *put_u16(uint8_t *at, uint16_t value)
{
    at[0] = (uint8_t)value;
    at[1] = (uint8_t)(value >> 8);
    return at + 2;
}

static inline uint8_t *put_u24(uint8_t *at, uint32_t value)
{
    put_u16(at, (uint16_t)value);
    at[2] = (uint8_t)(value >> 16);
    return at + 3;
}

static inline uint8_t *put_u32(uint8_t *at, uint32_t value)
{
    put_u16(at, (uint16_t)value);
    return put_u16(at + 2, (uint16_t)(value >> 16));
}

static inline uint8_t *put_u48(uint8_t *at, uint64_t value)
{
    put_u32(at, (uint32_t)value);
    return put_u16(at + 4, (uint16_t)(value >> 32));
}

#endif
