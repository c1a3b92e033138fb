/* Frames of the line: COBS with a CRC inside, a zero before and after (docs/pad-protocol.md). */
#include "frame.h"

#include "bytes.h"

uint16_t crc16_byte(uint16_t crc, uint8_t byte)
{
    /* Eight steps of the polynomial 0x1021 at once: no table, some 40 cycles on an AVR. */
    uint8_t x = (uint8_t)((crc >> 8) ^ byte);
    x ^= x >> 4;
    return (uint16_t)((crc << 8) ^ ((uint16_t)x << 12) ^ ((uint16_t)x << 5) ^ x);
}

uint16_t crc16(const uint8_t *bytes, uint8_t length)
{
    uint16_t crc = CRC_START;
    while (length--)
        crc = crc16_byte(crc, *bytes++);
    return crc;
}

uint8_t frame_close(uint8_t *buffer, uint8_t length)
{
    put_u16(buffer + 1 + length, crc16(buffer + 1, length));
    uint8_t end = (uint8_t)(length + 3);
    buffer[end] = 0;
    /* Below 254 bytes COBS is a chain: each zero becomes the way to the next, and the first code the way to the first. */
    uint8_t next = end;
    for (uint8_t at = end; at-- > 0;) {
        if (at == 0 || buffer[at] == 0) {
            buffer[at] = (uint8_t)(next - at);
            next = at;
        }
    }
    return (uint8_t)(end + 1);
}

uint8_t frame_open(uint8_t *buffer, uint8_t length)
{
    if (length < 4 || length > FRAME_CONTENT + 1)
        return 0;
    uint8_t zero = 0; /* where the chain stands: a code, in the content a zero */
    while (zero < length) {
        uint8_t step = buffer[zero];
        if (step == 0 || step > length - zero)
            return 0;
        buffer[zero] = 0;
        zero = (uint8_t)(zero + step);
    }
    uint8_t content = (uint8_t)(length - 3);
    if (crc16(buffer + 1, content) != get_u16(buffer + 1 + content))
        return 0;
    for (uint8_t i = 0; i < content; i++)
        buffer[i] = buffer[i + 1];
    return content;
}
