/* Frames of the line: COBS with a CRC inside, a zero before and after (docs/pad-protocol.md). */
#ifndef FRAME_H
#define FRAME_H

#include <stdint.h>

enum {
    FRAME_CONTENT = 64,                /* type, body and CRC at most, bytes */
    FRAME_BUFFER = FRAME_CONTENT + 2,  /* with COBS's first code and the closing zero */
};

/* CRC-16/CCITT-FALSE of one more byte; start with CRC_START. */
enum { CRC_START = 0xFFFF };
uint16_t crc16_byte(uint16_t crc, uint8_t byte);
uint16_t crc16(const uint8_t *bytes, uint8_t length);

/*
 * Closes a frame in its own buffer. The caller has put type and body at buffer + 1, `length` bytes of them, at most
 * FRAME_CONTENT - 2. Returns how many bytes from buffer[0] on follow the opening zero, the closing zero among them.
 */
uint8_t frame_close(uint8_t *buffer, uint8_t length);

/*
 * Opens what stood between two zeros, in place. Returns the length of type and body, which then begin at buffer[0],
 * or 0 where it is no whole frame.
 */
uint8_t frame_open(uint8_t *buffer, uint8_t length);

#endif
