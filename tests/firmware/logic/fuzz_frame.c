/*
 * Noise into the frame reader: it never reads or writes outside its buffer, and what it takes for a frame is one.
 *
 * With clang: clang -fsanitize=fuzzer,address. Otherwise it makes its own noise: fuzz_frame ROUNDS SEED.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "frame.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > UINT8_MAX)
        return 0;
    uint8_t *exact = malloc(size ? size : 1); /* of just this size, so that a byte too far is noticed */
    memcpy(exact, data, size);
    uint8_t length = frame_open(exact, (uint8_t)size);
    if (length && !memchr(data, 0, size)) { /* between two zeros there is none */
        uint8_t again[FRAME_BUFFER];
        memcpy(again + 1, exact, length);
        CHECK_EQUAL(frame_close(again, length), size + 1);
        CHECK(memcmp(again, data, size) == 0);
    }
    free(exact);
    return 0;
}

#ifndef FUZZER
static unsigned noise(unsigned long long *state)
{
    *state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
    return (unsigned)(*state >> 33);
}

int main(int count, char **words)
{
    long rounds = count > 1 ? atol(words[1]) : 100000;
    unsigned long long state = count > 2 ? strtoull(words[2], NULL, 10) : 1;
    running = "noise";
    long taken = 0;
    for (long round = 0; round < rounds; round++) {
        uint8_t bytes[UINT8_MAX];
        uint8_t size = (uint8_t)(noise(&state) % 80);
        for (uint8_t i = 0; i < size; i++)
            bytes[i] = (uint8_t)(noise(&state) % (round & 1 ? 256 : 12));
        if (round % 4 == 0 && size >= 1 && size <= FRAME_CONTENT - 2) {
            uint8_t frame[FRAME_BUFFER]; /* a good frame, hit now and then */
            memcpy(frame + 1, bytes, size);
            size = (uint8_t)(frame_close(frame, size) - 1);
            memcpy(bytes, frame, size);
            if (noise(&state) % 2)
                bytes[noise(&state) % size] = (uint8_t)noise(&state);
            else
                taken++;
        }
        LLVMFuzzerTestOneInput(bytes, size);
    }
    CHECK(taken > rounds / 16);
    return 0;
}
#endif
