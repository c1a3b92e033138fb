/* Frames: published vectors, every length, and noise. */
#include <string.h>

#include "bytes.h"
#include "check.h"
#include "frame.h"

static void the_checksum_has_its_published_check_value(void)
{
    CHECK_EQUAL(crc16((const uint8_t *)"123456789", 9), 0x29B1);
}

/* The stuffing as Cheshire and Baker define it, written the slow way. */
static int slow_cobs(const uint8_t *in, int length, uint8_t *out)
{
    int end = 0;
    for (int at = 0; at <= length;) {
        int run = 0;
        while (at + run < length && in[at + run])
            run++;
        out[end++] = (uint8_t)(run + 1);
        memcpy(out + end, in + at, (size_t)run);
        end += run;
        at += run + 1;
    }
    return end;
}

static void every_length_and_place_of_a_zero_is_stuffed_as_defined(void)
{
    for (int length = 1; length <= FRAME_CONTENT - 2; length++)
        for (int zero = -1; zero < length; zero++) {
            uint8_t buffer[FRAME_BUFFER], content[FRAME_CONTENT], stuffed[FRAME_BUFFER];
            for (int i = 0; i < length; i++)
                content[i] = buffer[1 + i] = (uint8_t)(i == zero || i == length - 1 - zero / 2 ? 0 : i + 1);
            put_u16(content + length, crc16(content, (uint8_t)length));
            int wanted = slow_cobs(content, length + 2, stuffed);
            uint8_t found = frame_close(buffer, (uint8_t)length);
            CHECK_EQUAL(found, wanted + 1);
            CHECK_EQUAL(buffer[found - 1], 0);
            CHECK(memcmp(buffer, stuffed, (size_t)wanted) == 0);
            CHECK_EQUAL(frame_open(buffer, (uint8_t)(found - 1)), length);
            CHECK(memcmp(buffer, content, (size_t)length) == 0);
        }
}

static void one_wrong_bit_is_always_noticed(void)
{
    uint8_t frame[FRAME_BUFFER], hit[FRAME_BUFFER];
    for (uint8_t i = 0; i < 40; i++)
        frame[1 + i] = i % 7;
    uint8_t length = (uint8_t)(frame_close(frame, 40) - 1);
    for (int bit = 0; bit < length * 8; bit++) {
        memcpy(hit, frame, sizeof hit);
        hit[bit / 8] ^= (uint8_t)(1 << bit % 8);
        CHECK_EQUAL(frame_open(hit, length), 0);
    }
}

static void too_short_and_too_long_are_no_frames(void)
{
    uint8_t bytes[256] = {1, 1, 1};
    for (int length = 0; length < 4; length++)
        CHECK_EQUAL(frame_open(bytes, (uint8_t)length), 0);
    CHECK_EQUAL(frame_open(bytes, FRAME_CONTENT + 2), 0);
}

int main(void)
{
    RUN(the_checksum_has_its_published_check_value);
    RUN(every_length_and_place_of_a_zero_is_stuffed_as_defined);
    RUN(one_wrong_bit_is_always_noticed);
    RUN(too_short_and_too_long_are_no_frames);
    return 0;
}
