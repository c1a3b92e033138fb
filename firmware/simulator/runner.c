/*
 * Runs the pad's firmware in a simulated chip: a script moves the hands, the serial line is a pseudo-terminal or part of the script.
 *
 * Usage: runner FIRMWARE.elf [--pty LINK] [--pace FACTOR] [--eeprom FILE]
 *
 * Commands come on stdin, a line each; what happens goes to stdout as JSON, a line each, with exact simulated times. With --pace
 * time follows the monotonic clock, FACTOR times as fast, and never runs ahead of it; otherwise it stands still until a command
 * `run` moves it. With --pty the serial line is a pseudo-terminal and LINK a symbolic link to it. See README.md.
 *
 * Part of a test tool that links libsimavr and is therefore under the GNU General Public License, version 3 or later; it is
 * built for the tests and never packaged with Hoshiban.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "chip.h"

enum { HERTZ = 16000000, SCRIPT_LINE = 16384, WAITING = 65536, TERMINAL_BYTES = 1024 };

/* A command that waits for its time. */
struct order {
    uint64_t cycle;
    unsigned number; /* in which it was given: keeps the order of equal times */
    char *text;
};

static struct runner {
    struct chip *chip;
    const char *eeprom_file, *link;
    double pace; /* 0: time stands still between `run`s */
    struct timespec began;
    int terminal, keeper; /* the pseudo-terminal's two ends; -1: unplugged */
    struct order orders[WAITING]; /* a heap, the next one first */
    size_t order_count;
    unsigned order_number;
    char line[SCRIPT_LINE];
    size_t line_length;
    double corruption; /* share of bytes */
    unsigned seed;
    char sent[SCRIPT_LINE]; /* bytes of the pad as hexadecimal digits, since the last report */
    size_t sent_length;
    uint64_t sent_cycle;
    bool over;
} the;

/* ---- What happens, as JSON */

static double microseconds(uint64_t cycle) { return (double)cycle / CYCLES_PER_US; }

__attribute__((format(printf, 2, 3))) static void tell(uint64_t cycle, const char *format, ...)
{
    va_list arguments;
    printf("{\"t_us\": %.4f, ", microseconds(cycle));
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
    puts("}");
}

static void flush_sent(void)
{
    if (!the.sent_length)
        return;
    tell(the.sent_cycle, "\"bytes\": \"%s\"", the.sent);
    the.sent_length = 0;
}

static bool is_corrupted(void) { return the.corruption > 0 && rand_r(&the.seed) < the.corruption * RAND_MAX; }

static uint8_t through_noise(uint8_t byte) { return is_corrupted() ? (uint8_t)(byte ^ (1u << rand_r(&the.seed) % 8)) : byte; }

static void byte_sent(void *context, uint64_t cycle, uint8_t byte)
{
    (void)context;
    byte = through_noise(byte);
    if (the.link) {
        /* Nobody reads: the terminal's buffer is full and the byte is gone, as on any serial line. */
        if (the.terminal >= 0 && write(the.terminal, &byte, 1) != 1 && errno != EAGAIN && errno != EIO)
            perror("the pseudo-terminal");
        return;
    }
    if (the.sent_length + 3 > sizeof the.sent)
        flush_sent();
    the.sent_length += (size_t)sprintf(the.sent + the.sent_length, "%02x", byte);
    the.sent_cycle = cycle;
}

static void line_changed(void *context, uint64_t cycle, int line, bool closed)
{
    static const char *const NAMES[CIRCUIT_LINES] = {"contact", "rest-1", "rest-2"};
    (void)context;
    tell(cycle, "\"line\": \"%s\", \"closed\": %s", NAMES[line], closed ? "true" : "false");
}

static void light_changed(void *context, uint64_t cycle, int light, bool on)
{
    static const char *const NAMES[] = {"link", "touch", "fault"};
    (void)context;
    tell(cycle, "\"light\": \"%s\", \"on\": %s", NAMES[light], on ? "true" : "false");
}

static void started(void *context, uint64_t cycle, const char *why)
{
    (void)context;
    tell(cycle, "\"started\": \"%s\"", why);
}

static void clock_started(void *context, uint64_t cycle)
{
    (void)context;
    tell(cycle, "\"clock\": 0");
}

static void tell_gauges(void)
{
    struct chip_gauges gauges = chip_gauges(the.chip);
    tell(chip_cycle(the.chip),
         "\"gauges\": {\"longest_interrupt_cycles\": %u, \"longest_vector\": %u, \"longest_wait_cycles\": %u, "
         "\"waiting_vector\": %u, \"stack_left\": %u, \"highest_current_ua\": %.3f}",
         gauges.longest_interrupt, gauges.longest_vector, gauges.longest_wait, gauges.waiting_vector, gauges.stack_left,
         gauges.highest_current * 1e6);
}

/* ---- The pseudo-terminal */

static void plug(void)
{
    if (the.terminal >= 0)
        return;
    the.terminal = posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK);
    if (the.terminal < 0 || grantpt(the.terminal) || unlockpt(the.terminal)) {
        perror("no pseudo-terminal");
        exit(1);
    }
    const char *name = ptsname(the.terminal);
    /* Raw before anyone opens it; and held open, or each leaving host would hang the line up. */
    the.keeper = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
    struct termios raw;
    tcgetattr(the.keeper, &raw);
    cfmakeraw(&raw);
    tcsetattr(the.keeper, TCSANOW, &raw);
    unlink(the.link);
    if (symlink(name, the.link)) {
        perror(the.link);
        exit(1);
    }
    tell(chip_cycle(the.chip), "\"plugged\": \"%s\"", the.link);
}

static void unplug(void)
{
    if (the.terminal < 0)
        return;
    unlink(the.link);
    close(the.keeper);
    close(the.terminal);
    the.terminal = the.keeper = -1;
    tell(chip_cycle(the.chip), "\"unplugged\": true");
}

static ssize_t read_terminal(uint8_t bytes[TERMINAL_BYTES])
{
    return the.terminal >= 0 ? read(the.terminal, bytes, TERMINAL_BYTES) : 0;
}

static void send_on(uint8_t *bytes, ssize_t count)
{
    for (ssize_t i = 0; i < count; i++)
        bytes[i] = through_noise(bytes[i]);
    if (count > 0 && !chip_send(the.chip, bytes, (size_t)count))
        fputs("the line to the pad is overrun: bytes are lost\n", stderr);
}

/* ---- EEPROM over runs */

static void load_eeprom(void)
{
    uint8_t bytes[EEPROM_BYTES];
    FILE *file = the.eeprom_file ? fopen(the.eeprom_file, "rb") : NULL;
    if (!file)
        return;
    if (fread(bytes, 1, sizeof bytes, file) == sizeof bytes)
        chip_write_eeprom(the.chip, bytes);
    fclose(file);
}

static void save_eeprom(void)
{
    uint8_t bytes[EEPROM_BYTES];
    FILE *file = the.eeprom_file ? fopen(the.eeprom_file, "wb") : NULL;
    if (!file)
        return;
    chip_read_eeprom(the.chip, bytes);
    fwrite(bytes, 1, sizeof bytes, file);
    fclose(file);
}

/* ---- Commands */

static double ohms_of(const char *word)
{
    return !strcmp(word, "open") || !strcmp(word, "off") ? -1 : strtod(word, NULL);
}

static bool send_hex(const char *digits)
{
    uint8_t bytes[SCRIPT_LINE / 2];
    size_t count = strlen(digits) / 2;
    for (size_t i = 0; i < count; i++) {
        unsigned byte;
        if (sscanf(digits + 2 * i, "%2x", &byte) != 1)
            return false;
        bytes[i] = through_noise((uint8_t)byte);
    }
    return chip_send(the.chip, bytes, count);
}

/* The world: each returns false for words that mean nothing. */
static bool move_world(const char *verb, const char *first, const char *second)
{
    struct circuit *circuit = chip_circuit(the.chip);
    if (!strcmp(verb, "contact")) {
        circuit->contact = ohms_of(first);
    } else if (!strcmp(verb, "rest") && (*first == '1' || *first == '2')) {
        circuit->rest[*first - '1'] = ohms_of(second);
    } else if (!strcmp(verb, "hum")) {
        circuit->hum_hz = strtod(first, NULL);
        circuit->hum_amps = strtod(second, NULL) * 1e-6;
    } else if (!strcmp(verb, "body")) {
        circuit->body_farads = strtod(first, NULL) * 1e-12;
    } else if (!strcmp(verb, "supply")) {
        circuit->supply = strtod(first, NULL);
    } else {
        return false;
    }
    chip_circuit_changed(the.chip);
    return true;
}

static bool treat_chip(const char *verb, const char *first)
{
    if (!strcmp(verb, "knock"))
        chip_knock(the.chip, strtod(first, NULL));
    else if (!strcmp(verb, "reset"))
        chip_press_reset(the.chip);
    else if (!strcmp(verb, "power"))
        chip_power_cycle(the.chip, (unsigned)atoi(first));
    else if (!strcmp(verb, "hang"))
        chip_hang(the.chip);
    else
        return false;
    return true;
}

static bool treat_line(const char *verb, const char *first, const char *second)
{
    if (!strcmp(verb, "plug") && the.link) {
        plug();
    } else if (!strcmp(verb, "unplug") && the.link) {
        unplug();
    } else if (!strcmp(verb, "corrupt")) {
        the.corruption = strtod(first, NULL);
        the.seed = (unsigned)atoi(second);
    } else if (!strcmp(verb, "send")) {
        return send_hex(first);
    } else {
        return false;
    }
    return true;
}

static void obey(char *text)
{
    static char verb[16], first[SCRIPT_LINE], second[64];
    *verb = *first = *second = 0;
    sscanf(text, "%15s %16383s %63s", verb, first, second);
    bool known = true;
    if (!*verb || *verb == '#')
        return;
    if (!strcmp(verb, "end"))
        the.over = true;
    else if (!strcmp(verb, "gauges"))
        tell_gauges();
    else
        known = move_world(verb, first, second) || treat_chip(verb, first) || treat_line(verb, first, second);
    if (!known)
        fprintf(stderr, "means nothing: %s\n", text);
    else if (strcmp(verb, "send") && strcmp(verb, "gauges"))
        tell(chip_cycle(the.chip), "\"done\": \"%s\"", text);
}

/* ---- Orders by time: a heap */

static bool is_before(const struct order *a, const struct order *b)
{
    return a->cycle != b->cycle ? a->cycle < b->cycle : a->number < b->number;
}

static void exchange(size_t a, size_t b)
{
    struct order kept = the.orders[a];
    the.orders[a] = the.orders[b];
    the.orders[b] = kept;
}

static void put_order(uint64_t cycle, const char *text)
{
    if (the.order_count == WAITING) {
        fputs("too many orders wait\n", stderr);
        exit(1);
    }
    size_t at = the.order_count++;
    the.orders[at] = (struct order){.cycle = cycle, .number = the.order_number++, .text = strdup(text)};
    for (; at > 0 && is_before(&the.orders[at], &the.orders[(at - 1) / 2]); at = (at - 1) / 2)
        exchange(at, (at - 1) / 2);
}

static struct order take_order(void)
{
    struct order first = the.orders[0];
    the.orders[0] = the.orders[--the.order_count];
    for (size_t at = 0;;) {
        size_t least = at;
        for (size_t child = 2 * at + 1; child <= 2 * at + 2 && child < the.order_count; child++)
            if (is_before(&the.orders[child], &the.orders[least]))
                least = child;
        if (least == at)
            return first;
        exchange(at, least);
        at = least;
    }
}

/* ---- Time */

static void run_to(uint64_t until)
{
    while (!the.over) {
        uint64_t stop = the.order_count && the.orders[0].cycle < until ? the.orders[0].cycle : until;
        if (!chip_run(the.chip, stop)) {
            fputs("the firmware has died\n", stderr);
            exit(1);
        }
        if (!the.order_count || the.orders[0].cycle > stop)
            return;
        struct order order = take_order();
        obey(order.text);
        free(order.text);
    }
}

static void hear(char *text)
{
    double at;
    int used = 0;
    if (sscanf(text, "at %lf %n", &at, &used) == 1 && used) {
        put_order((uint64_t)(at * CYCLES_PER_US), text + used);
    } else if (sscanf(text, "run %lf", &at) == 1 && !the.pace) {
        uint8_t bytes[TERMINAL_BYTES];
        send_on(bytes, read_terminal(bytes));
        run_to((uint64_t)(at * CYCLES_PER_US));
        flush_sent();
        tell(chip_cycle(the.chip), "\"ran\": true");
        fflush(stdout);
    } else {
        obey(text);
    }
}

/* Returns false at the end of the script. */
static bool read_script(void)
{
    ssize_t count = read(STDIN_FILENO, the.line + the.line_length, sizeof the.line - the.line_length - 1);
    if (count <= 0)
        return false;
    the.line_length += (size_t)count;
    the.line[the.line_length] = 0;
    char *begin = the.line, *end;
    while ((end = strchr(begin, '\n'))) {
        *end = 0;
        hear(begin);
        begin = end + 1;
    }
    the.line_length -= (size_t)(begin - the.line);
    memmove(the.line, begin, the.line_length);
    return true;
}

static uint64_t cycle_of_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    double seconds = (double)(now.tv_sec - the.began.tv_sec) + (double)(now.tv_nsec - the.began.tv_nsec) * 1e-9;
    return (uint64_t)(seconds * the.pace * HERTZ);
}

/* Time follows the clock and is never ahead of it: a byte enters the pad's wire no earlier than the host wrote it. */
static void follow_clock(void)
{
    clock_gettime(CLOCK_MONOTONIC, &the.began);
    printf("{\"start_ns\": %lld, \"port\": \"%s\"}\n", (long long)the.began.tv_sec * 1000000000LL + the.began.tv_nsec, the.link);
    fflush(stdout);
    bool script = true;
    struct timespec nap = {.tv_nsec = 200000};
    while (!the.over) {
        run_to(cycle_of_now());
        fflush(stdout);
        struct pollfd sources[2] = {{.fd = script ? STDIN_FILENO : -1, .events = POLLIN}, {.fd = the.terminal, .events = POLLIN}};
        if (ppoll(sources, 2, &nap, NULL) <= 0)
            continue;
        if (sources[1].revents & POLLIN) {
            /* The clock is looked at after the reading: what was read had been written by then. */
            uint8_t bytes[TERMINAL_BYTES];
            ssize_t length = read_terminal(bytes);
            run_to(cycle_of_now());
            send_on(bytes, length);
        }
        if (sources[0].revents && !read_script())
            the.over = true; /* whoever started us is gone */
    }
}

static void usage(void)
{
    fputs("usage: runner FIRMWARE.elf [--pty LINK] [--pace FACTOR] [--eeprom FILE]\n", stderr);
    exit(2);
}

int main(int count, char **words)
{
    const char *elf = NULL;
    the.terminal = the.keeper = -1;
    for (int i = 1; i < count; i++) {
        if (words[i][0] != '-')
            elf = words[i];
        else if (i + 1 == count)
            usage();
        else if (!strcmp(words[i], "--pty"))
            the.link = words[++i];
        else if (!strcmp(words[i], "--pace"))
            the.pace = strtod(words[++i], NULL);
        else if (!strcmp(words[i], "--eeprom"))
            the.eeprom_file = words[++i];
        else
            usage();
    }
    if (!elf || the.pace < 0 || (the.pace && !the.link))
        usage();
    const struct chip_listener listener = {byte_sent, line_changed, light_changed, started, clock_started, NULL};
    the.chip = chip_new(elf, &listener);
    if (!the.chip) {
        fprintf(stderr, "%s: no firmware that can be loaded\n", elf);
        return 1;
    }
    load_eeprom();
    if (the.link)
        plug();
    if (the.pace) {
        follow_clock();
    } else {
        while (!the.over && read_script())
            continue;
    }
    unplug();
    tell_gauges();
    save_eeprom();
    return 0;
}
