/* A test program is a list of TESTs and RUN lines in main; the first CHECK that fails names itself and ends the program. */
#ifndef CHECK_H
#define CHECK_H

#include <stdio.h>
#include <stdlib.h>

static const char *running;

#define CHECK(condition)                                                                                  \
    do {                                                                                                  \
        if (!(condition)) {                                                                               \
            fprintf(stderr, "%s:%d: %s: not so: %s\n", __FILE__, __LINE__, running, #condition);          \
            exit(1);                                                                                      \
        }                                                                                                 \
    } while (0)

#define CHECK_EQUAL(found, wanted)                                                                        \
    do {                                                                                                  \
        long long found_ = (long long)(found), wanted_ = (long long)(wanted);                             \
        if (found_ != wanted_) {                                                                          \
            fprintf(stderr, "%s:%d: %s: %s is %lld, not %lld\n", __FILE__, __LINE__, running, #found, found_, wanted_); \
            exit(1);                                                                                      \
        }                                                                                                 \
    } while (0)

#define RUN(test) (running = #test, test(), printf("%s\n", #test))

#endif
