/*
 * The simulated ATmega328P with the circuit at its pins, its serial line as bytes with times, and gauges for interrupts and stack.
 *
 * Part of a test tool that links libsimavr and is therefore under the GNU General Public License, version 3 or later; it is
 * built for the tests and never packaged with Hoshiban.
 */
#include "chip.h"

#include <math.h>
#include <simavr/avr_acomp.h>
#include <simavr/avr_adc.h>
#include <simavr/avr_eeprom.h>
#include <simavr/avr_ioport.h>
#include <simavr/avr_timer.h>
#include <simavr/avr_uart.h>
#include <simavr/sim_avr.h>
#include <simavr/sim_elf.h>
#include <simavr/sim_time.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mend.h"

/* A byte is 11 bits long in simavr's UART (10 on the chip): the wire to the pad keeps its pace, so that nothing piles up. */
enum { CYCLES_IN = 704, CYCLES_OUT = 640, INCOMING = 8192, OUTGOING = 256 };

/* The circuit is stepped finely after a change, coarsely while only levels settle or hum swings, and not when all is still. */
enum { FINE = 16, COARSE = 320, FINE_FOR = 400 * CYCLES_PER_US };
enum { TCCR1B_ADDRESS = 0x81, CLOCK_SELECT = 7 };
enum { SLICE = 20000 * CYCLES_PER_US };
static const double STILL = 20e-6, SETTLED = 1e-3; /* V a step */

/* A piezo disc under a mat: a burst that rings at 4 kHz and dies in milliseconds. */
static const double KNOCK_HZ = 4000, KNOCK_FADE = 1.5e-3, KNOCK_OVER = 60e-3;
/* The peak is held by a Schottky diode into 4.7 nF and 2.2 MOhm. */
static const double PEAK_DIODE = 0.2, PEAK_FADE = 10e-3;
enum { KNOCK_STEP = 80 };

enum { VECTORS = 26 };

struct vector {
    struct chip *chip;
    uint64_t entered, pended; /* cycles; 0: is not */
    uint8_t number;
    bool stamps; /* an edge's time depends on how soon it runs */
};

struct chip {
    avr_t *avr;
    struct chip_listener listener;
    struct circuit circuit;
    void (*usual_reset)(avr_t *avr);
    uint64_t changed_at, stepped_at; /* cycles */
    double knock_volts, peak_volts;
    uint64_t knock_at;
    uint8_t lights;
    bool clock_runs;
    struct pulse_timers pulse_timers;
    const char *why;
    /* bytes to the pad */
    uint8_t incoming[INCOMING];
    size_t in_first, in_count;
    uint64_t in_next;
    /* bytes from the pad */
    uint8_t outgoing[OUTGOING];
    uint64_t outgoing_due[OUTGOING], out_free;
    size_t out_first, out_count;
    /* the hung main loop */
    uint32_t hung_at;
    uint8_t hung_code[2];
    bool hung;
    struct vector vectors[VECTORS];
    struct chip_gauges gauges;
    uint16_t ram_used_to;
};

static struct chip *the_chip; /* libsimavr's reset and sleep callbacks carry nothing of ours */

static const uint8_t CANARY = 0xC5;

/* ---- The circuit at the pins */

static void raise(struct chip *chip, uint32_t ioctl, int index, uint32_t value)
{
    avr_raise_irq(avr_io_getirq(chip->avr, ioctl, index), value);
}

static uint32_t millivolts(double volts) { return volts <= 0 ? 0 : (uint32_t)lround(volts * 1000); }

static void show_line(struct chip *chip, int line)
{
    static const struct {
        char port;
        int pin;
    } PLACES[CIRCUIT_LINES] = {{'B', 0}, {'D', 2}, {'D', 3}}; /* low when closed */
    raise(chip, AVR_IOCTL_IOPORT_GETIRQ(PLACES[line].port), PLACES[line].pin, !chip->circuit.closed[line]);
}

static void show_levels(struct chip *chip)
{
    for (int side = 0; side < SIDES; side++)
        raise(chip, AVR_IOCTL_ADC_GETIRQ, ADC_IRQ_ADC0 + side, millivolts(circuit_sense(&chip->circuit, side)));
}

static avr_cycle_count_t step_circuit(avr_t *avr, avr_cycle_count_t when, void *parameter)
{
    struct chip *chip = parameter;
    bool before[CIRCUIT_LINES];
    memcpy(before, chip->circuit.closed, sizeof before);
    double dt = (double)(when - chip->stepped_at) / avr->frequency;
    double moved = dt > 0 ? circuit_step(&chip->circuit, dt, (double)when / avr->frequency) : 1;
    chip->stepped_at = when;
    show_levels(chip);
    for (int line = 0; line < CIRCUIT_LINES; line++)
        if (chip->circuit.closed[line] != before[line]) {
            show_line(chip, line);
            chip->listener.line_changed(chip->listener.context, when, line, chip->circuit.closed[line]);
        }
    double current = circuit_electrode_current(&chip->circuit);
    /* Not while charges move: the bodies' own capacitance is no supply. */
    if (moved < SETTLED && current > chip->gauges.highest_current)
        chip->gauges.highest_current = current;
    if (when - chip->changed_at < FINE_FOR)
        return when + FINE;
    bool hums = chip->circuit.hum_amps > 0 && (chip->circuit.rest[0] >= 0 || chip->circuit.rest[1] >= 0);
    return hums || moved > STILL ? when + COARSE : 0;
}

void chip_circuit_changed(struct chip *chip)
{
    avr_t *avr = chip->avr;
    /* What was still is brought up to now as it was, in one step: its voltages no longer move. */
    chip->changed_at = avr->cycle;
    if (avr->cycle - chip->stepped_at > COARSE)
        chip->stepped_at = avr->cycle;
    avr_cycle_timer_cancel(avr, step_circuit, chip);
    avr_cycle_timer_register(avr, 1, step_circuit, chip);
}

struct circuit *chip_circuit(struct chip *chip) { return &chip->circuit; }

static void pins_changed(struct avr_irq_t *irq, uint32_t value, void *parameter)
{
    (void)irq, (void)value;
    struct chip *chip = parameter;
    avr_ioport_state_t b, c, d;
    avr_ioctl(chip->avr, AVR_IOCTL_IOPORT_GETSTATE('B'), &b);
    avr_ioctl(chip->avr, AVR_IOCTL_IOPORT_GETSTATE('C'), &c);
    avr_ioctl(chip->avr, AVR_IOCTL_IOPORT_GETSTATE('D'), &d);
    unsigned high_b = b.port & b.ddr, high_c = c.port & c.ddr, high_d = d.port & d.ddr;
    bool driven[SIDES] = {high_d >> 4 & 1, high_b >> 1 & 1}, tested[SIDES] = {high_b >> 2 & 1, high_b >> 4 & 1};
    struct circuit *circuit = &chip->circuit;
    if (memcmp(driven, circuit->driven, sizeof driven) || memcmp(tested, circuit->tested, sizeof tested)) {
        memcpy(circuit->driven, driven, sizeof driven);
        memcpy(circuit->tested, tested, sizeof tested);
        chip_circuit_changed(chip);
    }
    for (int light = 0; light < 3; light++) {
        bool on = high_c >> (3 + light) & 1;
        if (on == (chip->lights >> light & 1))
            continue;
        chip->lights ^= 1 << light;
        chip->listener.light_changed(chip->listener.context, chip->avr->cycle, light, on);
    }
}

static void level_changed(struct chip *chip, int level, uint32_t value)
{
    double share = (value + 1) / 256.0;
    if (share == chip->circuit.share[level])
        return;
    chip->circuit.share[level] = share;
    chip_circuit_changed(chip);
}

static void pwm_0a(struct avr_irq_t *irq, uint32_t value, void *chip) { (void)irq, level_changed(chip, CONTACT_1, value); }
static void pwm_0b(struct avr_irq_t *irq, uint32_t value, void *chip) { (void)irq, level_changed(chip, CONTACT_2, value); }
static void pwm_2a(struct avr_irq_t *irq, uint32_t value, void *chip) { (void)irq, level_changed(chip, REST, value); }

static void timer_set(struct avr_irq_t *irq, uint32_t value, void *parameter)
{
    (void)irq;
    struct chip *chip = parameter;
    if (value & CLOCK_SELECT && !chip->clock_runs) {
        chip->clock_runs = true;
        chip->listener.clock_started(chip->listener.context, chip->avr->cycle);
    }
}

static avr_cycle_count_t step_knock(avr_t *avr, avr_cycle_count_t when, void *parameter)
{
    struct chip *chip = parameter;
    double t = (double)(when - chip->knock_at) / avr->frequency;
    bool over = t > KNOCK_OVER;
    double volts = over ? 0 : chip->knock_volts * exp(-t / KNOCK_FADE) * sin(2 * M_PI * KNOCK_HZ * t);
    double faded = chip->peak_volts * exp(-(double)KNOCK_STEP / avr->frequency / PEAK_FADE);
    chip->peak_volts = over ? 0 : fmax(faded, volts - PEAK_DIODE);
    raise(chip, AVR_IOCTL_ADC_GETIRQ, ADC_IRQ_ADC2, millivolts(chip->peak_volts));
    raise(chip, AVR_IOCTL_ACOMP_GETIRQ, ACOMP_IRQ_AIN1, millivolts(volts));
    return over ? 0 : when + KNOCK_STEP;
}

void chip_knock(struct chip *chip, double volts)
{
    /* The fade over the first quarter of a swing is made good: `volts` is the peak. */
    chip->knock_volts = volts * exp(1 / (4 * KNOCK_HZ) / KNOCK_FADE);
    chip->knock_at = chip->avr->cycle;
    avr_cycle_timer_cancel(chip->avr, step_knock, chip);
    avr_cycle_timer_register(chip->avr, 1, step_knock, chip);
}

/* ---- The serial line */

static avr_cycle_count_t feed_byte(avr_t *avr, avr_cycle_count_t when, void *parameter)
{
    struct chip *chip = parameter;
    uint8_t byte = chip->incoming[chip->in_first];
    chip->in_first = (chip->in_first + 1) % INCOMING;
    chip->in_count--;
    raise(chip, AVR_IOCTL_UART_GETIRQ('0'), UART_IRQ_INPUT, byte);
    chip->in_next = when + CYCLES_IN;
    (void)avr;
    return chip->in_count ? chip->in_next : 0;
}

bool chip_send(struct chip *chip, const uint8_t *bytes, size_t count)
{
    if (chip->in_count + count > INCOMING)
        return false;
    bool idle = chip->in_count == 0;
    for (size_t i = 0; i < count; i++)
        chip->incoming[(chip->in_first + chip->in_count++) % INCOMING] = bytes[i];
    if (idle && count) {
        uint64_t now = chip->avr->cycle;
        avr_cycle_timer_register(chip->avr, chip->in_next > now ? chip->in_next - now : 1, feed_byte, chip);
    }
    return true;
}

static avr_cycle_count_t byte_is_out(avr_t *avr, avr_cycle_count_t when, void *parameter)
{
    struct chip *chip = parameter;
    (void)avr;
    chip->listener.byte_sent(chip->listener.context, when, chip->outgoing[chip->out_first]);
    chip->out_first = (chip->out_first + 1) % OUTGOING;
    chip->out_count--;
    return chip->out_count ? chip->outgoing_due[chip->out_first] : 0;
}

static void byte_begins(struct avr_irq_t *irq, uint32_t value, void *parameter)
{
    (void)irq;
    struct chip *chip = parameter;
    uint64_t now = chip->avr->cycle, begins = chip->out_free > now ? chip->out_free : now;
    size_t place = (chip->out_first + chip->out_count) % OUTGOING;
    chip->outgoing[place] = (uint8_t)value;
    chip->outgoing_due[place] = chip->out_free = begins + CYCLES_OUT;
    if (chip->out_count++ == 0)
        avr_cycle_timer_register(chip->avr, chip->out_free - now, byte_is_out, chip);
}

/* ---- Gauges */

static void interrupt_pends(struct avr_irq_t *irq, uint32_t value, void *parameter)
{
    (void)irq;
    struct vector *vector = parameter;
    if (value)
        vector->pended = vector->chip->avr->cycle;
}

static void interrupt_runs(struct avr_irq_t *irq, uint32_t value, void *parameter)
{
    (void)irq;
    struct vector *vector = parameter;
    struct chip_gauges *gauges = &vector->chip->gauges;
    uint64_t now = vector->chip->avr->cycle;
    if (value) {
        unsigned wait = vector->pended ? (unsigned)(now - vector->pended) : 0;
        if (vector->stamps && wait > gauges->longest_wait) {
            gauges->longest_wait = wait;
            gauges->waiting_vector = vector->number;
        }
        vector->pended = 0;
        vector->entered = now;
    } else if (vector->entered) {
        unsigned took = (unsigned)(now - vector->entered);
        if (took > gauges->longest_interrupt) {
            gauges->longest_interrupt = took;
            gauges->longest_vector = vector->number;
        }
        vector->entered = 0;
    }
}

static void watch_interrupts(struct chip *chip)
{
    static const uint8_t STAMPING[] = {1, 2, 10, 23}; /* INT0, INT1, TIMER1_CAPT, ANALOG_COMP */
    for (uint8_t number = 1; number < VECTORS; number++) {
        struct vector *vector = &chip->vectors[number];
        avr_irq_t *irq = avr_get_interrupt_irq(chip->avr, number);
        *vector = (struct vector){.chip = chip, .number = number, .stamps = memchr(STAMPING, number, sizeof STAMPING)};
        if (!irq)
            continue;
        avr_irq_register_notify(irq + AVR_INT_IRQ_PENDING, interrupt_pends, vector);
        avr_irq_register_notify(irq + AVR_INT_IRQ_RUNNING, interrupt_runs, vector);
    }
}

struct chip_gauges chip_gauges(const struct chip *chip)
{
    struct chip_gauges gauges = chip->gauges;
    uint16_t at = chip->ram_used_to;
    while (at < chip->avr->ramend && chip->avr->data[at] == CANARY)
        at++;
    gauges.stack_left = at - chip->ram_used_to;
    return gauges;
}

/* ---- Resets */

static void lay_canaries(struct chip *chip)
{
    memset(chip->avr->data + chip->ram_used_to, CANARY, chip->avr->ramend + 1u - chip->ram_used_to);
}

static avr_cycle_count_t show_all(avr_t *avr, avr_cycle_count_t when, void *parameter)
{
    struct chip *chip = parameter;
    (void)avr, (void)when;
    for (int line = 0; line < CIRCUIT_LINES; line++)
        show_line(chip, line);
    show_levels(chip);
    raise(chip, AVR_IOCTL_ADC_GETIRQ, ADC_IRQ_ADC2, 0);
    raise(chip, AVR_IOCTL_ACOMP_GETIRQ, ACOMP_IRQ_AIN1, 0);
    return 0;
}

/* Inside avr_reset, when every register and every timer of the simulator was cleared, ours among them. */
static void after_reset(avr_t *avr)
{
    struct chip *chip = the_chip;
    if (chip->usual_reset)
        chip->usual_reset(avr);
    if (chip->hung) {
        memcpy(avr->flash + chip->hung_at, chip->hung_code, sizeof chip->hung_code);
        chip->hung = false;
    }
    chip->clock_runs = false;
    chip->in_count = chip->out_count = 0;
    chip->out_free = chip->in_next = avr->cycle;
    memset(chip->circuit.driven, 0, sizeof chip->circuit.driven);
    memset(chip->circuit.tested, 0, sizeof chip->circuit.tested);
    for (int level = 0; level < CIRCUIT_LEVELS; level++)
        chip->circuit.share[level] = 0;
    chip->listener.started(chip->listener.context, avr->cycle, chip->why);
    chip->why = "watchdog"; /* the only reset that we don't make */
    avr_cycle_timer_register(avr, 2, show_all, chip);
    chip_circuit_changed(chip);
}

static void restart(struct chip *chip, const char *why, bool power)
{
    avr_t *avr = chip->avr;
    chip->why = why;
    avr_reset(avr);
    avr_regbit_setto(avr, avr->reset_flags.porf, power);
    avr_regbit_setto(avr, avr->reset_flags.extrf, !power);
    avr_regbit_setto(avr, avr->reset_flags.wdrf, 0);
}

void chip_press_reset(struct chip *chip) { restart(chip, "reset", false); }

void chip_power_cycle(struct chip *chip, unsigned seed)
{
    avr_t *avr = chip->avr;
    for (unsigned at = 0x100; at <= avr->ramend; at++)
        avr->data[at] = (uint8_t)(rand_r(&seed) >> 7);
    lay_canaries(chip);
    restart(chip, "power", true);
}

void chip_hang(struct chip *chip)
{
    static const uint8_t JUMP_TO_SELF[2] = {0xFF, 0xCF};
    avr_t *avr = chip->avr;
    if (chip->hung)
        return;
    chip->hung = true;
    chip->hung_at = avr->pc;
    memcpy(chip->hung_code, avr->flash + avr->pc, sizeof chip->hung_code);
    memcpy(avr->flash + avr->pc, JUMP_TO_SELF, sizeof JUMP_TO_SELF);
}

/* ---- EEPROM */

void chip_read_eeprom(struct chip *chip, uint8_t *bytes)
{
    avr_eeprom_desc_t all = {.ee = NULL, .offset = 0, .size = EEPROM_BYTES};
    avr_ioctl(chip->avr, AVR_IOCTL_EEPROM_GET, &all);
    memcpy(bytes, all.ee, EEPROM_BYTES);
}

void chip_write_eeprom(struct chip *chip, const uint8_t *bytes)
{
    avr_eeprom_desc_t all = {.ee = (uint8_t *)bytes, .offset = 0, .size = EEPROM_BYTES};
    avr_ioctl(chip->avr, AVR_IOCTL_EEPROM_SET, &all);
}

/* ---- The simulator */

static void no_sleep(avr_t *avr, avr_cycle_count_t how_long) { (void)avr, (void)how_long; }

static void connect_pins(struct chip *chip)
{
    avr_t *avr = chip->avr;
    for (char port = 'B'; port <= 'D'; port++) {
        avr_irq_t *irq = avr_io_getirq(avr, AVR_IOCTL_IOPORT_GETIRQ(port), 0);
        avr_irq_register_notify(irq + IOPORT_IRQ_DIRECTION_ALL, pins_changed, chip);
        avr_irq_register_notify(irq + IOPORT_IRQ_REG_PORT, pins_changed, chip);
    }
    avr_irq_register_notify(avr_io_getirq(avr, AVR_IOCTL_TIMER_GETIRQ('0'), TIMER_IRQ_OUT_PWM0), pwm_0a, chip);
    avr_irq_register_notify(avr_io_getirq(avr, AVR_IOCTL_TIMER_GETIRQ('0'), TIMER_IRQ_OUT_PWM1), pwm_0b, chip);
    avr_irq_register_notify(avr_io_getirq(avr, AVR_IOCTL_TIMER_GETIRQ('2'), TIMER_IRQ_OUT_PWM0), pwm_2a, chip);
    avr_irq_register_notify(avr_iomem_getirq(avr, TCCR1B_ADDRESS, NULL, AVR_IOMEM_IRQ_ALL), timer_set, chip);
    avr_irq_register_notify(avr_io_getirq(avr, AVR_IOCTL_UART_GETIRQ('0'), UART_IRQ_OUTPUT), byte_begins, chip);
    uint32_t flags = 0; /* neither lines on our stdout nor naps while the firmware polls */
    avr_ioctl(avr, AVR_IOCTL_UART_SET_FLAGS('0'), &flags);
}

struct chip *chip_new(const char *elf, const struct chip_listener *listener)
{
    elf_firmware_t firmware = {0};
    mend_noise();
    if (elf_read_firmware(elf, &firmware) != 0)
        return NULL;
    struct chip *chip = calloc(1, sizeof *chip);
    avr_t *avr = avr_make_mcu_by_name("atmega328p");
    if (!chip || !avr)
        return NULL;
    the_chip = chip;
    chip->avr = avr;
    chip->listener = *listener;
    circuit_start(&chip->circuit);
    avr_init(avr);
    avr->frequency = 16000000;
    avr->sleep = no_sleep;
    avr_load_firmware(avr, &firmware);
    avr->vcc = avr->avcc = avr->aref = 5000;
    chip->ram_used_to = mend_ram_used_to(elf);
    chip->pulse_timers = mend_find_pulses(avr);
    mend_flags(avr);
    connect_pins(chip);
    watch_interrupts(chip);
    chip->usual_reset = avr->reset;
    avr->reset = after_reset;
    chip_power_cycle(chip, 1);
    return chip;
}

static avr_cycle_count_t stop_here(avr_t *avr, avr_cycle_count_t when, void *parameter)
{
    (void)avr, (void)parameter;
    /* Once more in the next cycle: an instruction that sends the core to sleep just now would leap to the timer after us. */
    return when + 1;
}

bool chip_run(struct chip *chip, uint64_t until)
{
    avr_t *avr = chip->avr;
    while (avr->cycle < until) {
        mend_quiet_pulses(avr, &chip->pulse_timers); /* again and again: a reset of the chip starts them anew */
        uint64_t stop = until - avr->cycle > SLICE ? avr->cycle + SLICE : until;
        /* A sleep leaps to the next timer: this one stops it in time. */
        avr_cycle_timer_register(avr, stop - avr->cycle, stop_here, chip);
        while (avr->cycle < stop) {
            int state = avr_run(avr);
            if (state == cpu_Done || state == cpu_Crashed)
                return false;
        }
        avr_cycle_timer_cancel(avr, stop_here, chip);
    }
    return true;
}

uint64_t chip_cycle(const struct chip *chip) { return chip->avr->cycle; }
