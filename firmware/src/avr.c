/* The chip: timer, interrupts, converter, serial line, EEPROM. Pins and registers have their names in the board's header. */
#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/sleep.h>
#include <avr/wdt.h>
#include <stdbool.h>
#include <util/atomic.h>

#include "avr.h"
#include "event.h"
#include "frame.h"
#include "hal.h"

#if defined __AVR_ATmega328P__
#include "board_328p.h"
#elif defined __AVR_ATmega32U4__
#include "board_32u4.h"
#else
#error "no board header for this chip"
#endif

_Static_assert(F_CPU == 16000000UL, "ticks and baud rate are those of a 16 MHz crystal");

/* ---- Start: why, before anything clears it. A boot loader that cleared it first hands it over in r2 */

static uint8_t start_cause __attribute__((section(".noinit")));
static uint8_t loader_cause __attribute__((section(".noinit")));

void keep_loader_cause(void) __attribute__((naked, used, section(".init0")));
void keep_loader_cause(void)
{
    __asm__ volatile("sts %0, r2" : : "i"(&loader_cause));
}

void keep_start_cause(void) __attribute__((naked, used, section(".init3")));
void keep_start_cause(void)
{
    start_cause = MCUSR;
    if (start_cause == 0)
        start_cause = loader_cause;
    MCUSR = 0;
    wdt_disable(); /* it runs on over its own reset, at its shortest */
}

uint8_t hal_chip(void) { return BOARD_CHIP; }

uint8_t hal_reset_cause(void) { return start_cause & (CAUSE_POWER_ON | CAUSE_PIN | CAUSE_BROWN_OUT | CAUSE_WATCHDOG); }

void hal_feed_watchdog(void) { wdt_reset(); }

void hal_reset(void)
{
    cli();
    wdt_enable(WDTO_15MS);
    for (;;)
        continue;
}

/* ---- Time: timer 1 counts half microseconds, its overflows extend it to 32 bits; compare A wakes the main loop each ms */

static volatile uint16_t overflows;

enum { TICKS_A_ROUND = 2000 };

ISR(TIMER1_OVF_vect) { overflows++; }

ISR(TIMER1_COMPA_vect) { OCR1A += TICKS_A_ROUND; }

/* Only with interrupts off. */
static ticks_t stamp(void)
{
    uint16_t count = TCNT1;
    return clock_join(overflows, count, TIFR1 & _BV(TOV1));
}

ticks_t hal_now(void)
{
    ticks_t now;
    ATOMIC_BLOCK(ATOMIC_RESTORESTATE) { now = stamp(); }
    return now;
}

void hal_wake_in(ticks_t ticks)
{
    enum { SOONEST = 40 }; /* the counter must not have passed it before it is set */
    uint16_t wait = ticks < SOONEST ? SOONEST : ticks > TICKS_A_ROUND ? TICKS_A_ROUND : (uint16_t)ticks;
    ATOMIC_BLOCK(ATOMIC_RESTORESTATE)
    {
        if (!(TIFR1 & _BV(OCF1A)) && (uint16_t)(OCR1A - TCNT1) > wait)
            OCR1A = TCNT1 + wait;
    }
}

/* ---- Edges: interrupts put them into a queue, the main loop takes them out */

enum { EDGES = 20, TURNS = 3 };

static struct edge edges[EDGES];
static volatile uint8_t edges_in, edges_out;
static volatile bool edges_lost;

static uint8_t after(uint8_t place) { return place + 1 == EDGES ? 0 : place + 1; }

static inline void put_edge(uint8_t line, bool closed, ticks_t at)
{
    uint8_t next = after(edges_in);
    if (next == edges_out) {
        edges_lost = true;
        return;
    }
    edges[edges_in] = (struct edge){.at = at, .line = line, .closed = closed};
    edges_in = next;
}

bool hal_take_edge(struct edge *edge)
{
    uint8_t place = edges_out;
    if (place == edges_in)
        return false;
    *edge = edges[place];
    edges_out = after(place);
    return true;
}

bool hal_take_lost_edges(void)
{
    bool lost;
    ATOMIC_BLOCK(ATOMIC_RESTORESTATE)
    {
        lost = edges_lost;
        edges_lost = false;
    }
    return lost;
}

ISR(TIMER1_CAPT_vect)
{
    uint16_t count = ICR1;
    ticks_t at = clock_join(overflows, count, TIFR1 & _BV(TOV1));
    bool closed = !(TCCR1B & _BV(ICES1)); /* closing pulls the line low */
    put_edge(LINE_CONTACT, closed, at);
    for (uint8_t turns = 0; turns < TURNS; turns++) {
        TCCR1B ^= _BV(ICES1);
        TIFR1 = _BV(ICF1); /* turning the detector round may set the flag */
        if (CONTACT_IS_LOW() == closed)
            return;
        /* The line turned back before the detector was ready for it. */
        closed = !closed;
        put_edge(LINE_CONTACT, closed, stamp());
    }
    edges_lost = true; /* it chatters faster than can be followed: the main loop looks, and sets the detector anew */
}

ISR(REST_1_vect)
{
    ticks_t at = stamp();
    put_edge(LINE_REST_1, REST_1_IS_LOW(), at);
}

ISR(REST_2_vect)
{
    ticks_t at = stamp();
    put_edge(LINE_REST_2, REST_2_IS_LOW(), at);
}

ISR(KNOCK_vect)
{
    ticks_t at = stamp();
    board_watch_knock(false);
    put_edge(LINE_KNOCK, true, at);
}

static void watch_contact(bool watched)
{
    TIMSK1 &= (uint8_t)~_BV(ICIE1);
    if (!watched)
        return;
    if (CONTACT_IS_LOW())
        TCCR1B |= _BV(ICES1); /* the next edge is an opening */
    else
        TCCR1B &= (uint8_t)~_BV(ICES1);
    TIFR1 = _BV(ICF1);
    TIMSK1 |= _BV(ICIE1);
}

static void watch_rest(uint8_t mask, bool watched)
{
    if (watched) {
        EIFR = mask; /* the flags have the bits of the masks */
        EIMSK |= mask;
    } else {
        EIMSK &= (uint8_t)~mask;
    }
}

void hal_watch(uint8_t line, bool watched)
{
    ATOMIC_BLOCK(ATOMIC_RESTORESTATE)
    {
        switch (line) {
        case LINE_CONTACT:
            watch_contact(watched);
            break;
        case LINE_REST_1:
            watch_rest(REST_1_MASK, watched);
            break;
        case LINE_REST_2:
            watch_rest(REST_2_MASK, watched);
            break;
        default:
            board_watch_knock(watched);
            break;
        }
    }
}

bool hal_closed(uint8_t line)
{
    switch (line) {
    case LINE_CONTACT:
        return CONTACT_IS_LOW();
    case LINE_REST_1:
        return REST_1_IS_LOW();
    default:
        return REST_2_IS_LOW();
    }
}

/* ---- The circuit */

static void drive_pin(volatile uint8_t *port, volatile uint8_t *ddr, uint8_t mask, bool high)
{
    ATOMIC_BLOCK(ATOMIC_RESTORESTATE)
    {
        if (high) {
            *ddr |= mask;
            *port |= mask;
        } else { /* low first: between an output and an input the pin must not become a pull-up */
            *port &= (uint8_t)~mask;
            *ddr &= (uint8_t)~mask;
        }
    }
}

void hal_drive(uint8_t side)
{
    drive_pin(&DRIVE_1_PORT, &DRIVE_1_DDR, DRIVE_1_MASK, side == SIDE_1);
    drive_pin(&DRIVE_2_PORT, &DRIVE_2_DDR, DRIVE_2_MASK, side == SIDE_2);
}

void hal_feed_test(uint8_t side)
{
    drive_pin(&TEST_1_PORT, &TEST_1_DDR, TEST_1_MASK, side == SIDE_1);
    drive_pin(&TEST_2_PORT, &TEST_2_DDR, TEST_2_MASK, side == SIDE_2);
}

void hal_set_level(uint8_t level, uint8_t share)
{
    switch (level) {
    case LEVEL_CONTACT_1:
        SHARE_CONTACT_1 = share;
        break;
    case LEVEL_CONTACT_2:
        SHARE_CONTACT_2 = share;
        break;
    default:
        SHARE_REST = share;
        break;
    }
}

static const uint8_t CHANNELS[] = {
    [INPUT_SENSE_1] = ADC_SENSE_1,
    [INPUT_SENSE_2] = ADC_SENSE_2,
    [INPUT_PIEZO] = ADC_PIEZO,
    [INPUT_REFERENCE] = ADC_REFERENCE,
};

static uint16_t convert(void)
{
    ADCSRA |= _BV(ADSC);
    while (ADCSRA & _BV(ADSC))
        continue;
    return ADC;
}

uint16_t hal_convert(uint8_t input)
{
    board_select(CHANNELS[input]);
    if (input == INPUT_REFERENCE)
        convert(); /* the reference wakes up slowly, and a first conversion through it is off */
    return convert();
}

void hal_light(uint8_t light, bool on)
{
    static const uint8_t MASKS[] = LIGHT_MASKS;
    if (on)
        LIGHT_PORT |= MASKS[light];
    else
        LIGHT_PORT &= (uint8_t)~MASKS[light];
}

/* ---- The serial line: bits have the same places in every USART of these chips */

enum { BIT_RXEN = 4, BIT_TXEN = 3, BIT_RXCIE = 7, BIT_UDRIE = 5, BIT_UDRE = 5, BIT_TXC = 6, BITS_8N1 = 6 };

enum { INBOXES = 4 };

struct arrival {
    ticks_t at;
    uint8_t length;
    uint8_t bytes[HAL_FRAME];
};

static struct arrival arrivals[INBOXES];
static volatile uint8_t arrived, taken; /* counts; their lowest bits name the place */
static volatile uint8_t dropped;

/* A byte more than fits marks the frame as overlong. */
static inline void begin_arrival(void) { arrivals[arrived % INBOXES].length = 0; }

ISR(LINE_RX_vect)
{
    uint8_t byte = LINE_UDR;
    struct arrival *arrival = &arrivals[arrived % INBOXES];
    if (byte != 0) {
        if (arrival->length < HAL_FRAME)
            arrival->bytes[arrival->length] = byte;
        if (arrival->length <= HAL_FRAME)
            arrival->length++;
        return;
    }
    if (arrival->length == 0)
        return;
    /* One place stays free for what is coming in. */
    if (arrival->length > HAL_FRAME || (uint8_t)(arrived - taken) >= INBOXES - 1) {
        dropped++;
    } else {
        arrival->at = stamp();
        arrived++;
    }
    begin_arrival();
}

bool hal_receive(uint8_t frame[HAL_FRAME], uint8_t *length, ticks_t *received)
{
    if (taken == arrived)
        return false;
    const struct arrival *arrival = &arrivals[taken % INBOXES];
    *received = arrival->at;
    *length = arrival->length;
    for (uint8_t i = 0; i < arrival->length; i++)
        frame[i] = arrival->bytes[i];
    taken++;
    return true;
}

uint8_t hal_take_dropped_frames(void)
{
    uint8_t count;
    ATOMIC_BLOCK(ATOMIC_RESTORESTATE)
    {
        count = dropped;
        dropped = 0;
    }
    return count;
}

static uint8_t outgoing[FRAME_BUFFER];
static volatile uint8_t sent_bytes, outgoing_length;
static bool anything_sent;

ISR(LINE_UDRE_vect)
{
    uint8_t at = sent_bytes;
    if (at + 1 == outgoing_length) {
        LINE_UCSRB &= (uint8_t)~_BV(BIT_UDRIE);
        LINE_UCSRA = _BV(BIT_TXC); /* set by any byte that left a gap behind it: now it shall mean this one */
    }
    LINE_UDR = outgoing[at];
    sent_bytes = at + 1;
}

bool hal_sent(void)
{
    return !anything_sent || (sent_bytes == outgoing_length && (LINE_UCSRA & _BV(BIT_TXC)));
}

bool hal_begin_frame(ticks_t *sent)
{
    if (!hal_sent() || !(LINE_UCSRA & _BV(BIT_UDRE)))
        return false;
    outgoing_length = 1; /* hal_sent is false until hal_send says how much there is, and that is gone */
    sent_bytes = 0;
    anything_sent = true;
    ATOMIC_BLOCK(ATOMIC_RESTORESTATE)
    {
        *sent = stamp();
        LINE_UDR = 0;
    }
    return true;
}

uint8_t *hal_frame(void) { return outgoing; }

void hal_send(uint8_t length)
{
    outgoing_length = length;
    LINE_UCSRB |= _BV(BIT_UDRIE);
}

/* ---- EEPROM */

bool hal_eeprom_ready(void) { return !(EECR & _BV(EEPE)); }

uint8_t hal_eeprom_read(uint16_t at)
{
    EEAR = at;
    EECR |= _BV(EERE);
    return EEDR;
}

void hal_eeprom_write(uint16_t at, uint8_t byte)
{
    EEAR = at;
    EEDR = byte;
    ATOMIC_BLOCK(ATOMIC_RESTORESTATE)
    {
        EECR = _BV(EEMPE); /* and within four cycles */
        EECR = _BV(EEMPE) | _BV(EEPE);
    }
}

/* ---- Start and rest */

void avr_start(void)
{
    static const uint8_t MASKS[] = LIGHT_MASKS;
    board_start_inputs();
    for (uint8_t i = 0; i < sizeof MASKS; i++)
        LIGHT_DDR |= MASKS[i];
    board_start_levels();
    board_start_knock();
    ADCSRA = _BV(ADEN) | _BV(ADPS2) | _BV(ADPS1); /* 250 kHz: a conversion takes 52 us */
    EICRA = _BV(ISC00) | _BV(ISC10);              /* both edges */
    TCCR1A = 0;
    TCCR1B = _BV(ICNC1) | _BV(CS11); /* capture after four equal samples; 2 MHz */
    OCR1A = TCNT1 + TICKS_A_ROUND;
    TIFR1 = _BV(TOV1) | _BV(ICF1) | _BV(OCF1A); /* a boot loader may have used the timer */
    TIMSK1 = _BV(TOIE1) | _BV(OCIE1A);
    LINE_UCSRA = 0;
    LINE_UBRR = F_CPU / 16 / 250000 - 1;
    LINE_UCSRC = BITS_8N1;
    LINE_UCSRB = _BV(BIT_RXEN) | _BV(BIT_TXEN) | _BV(BIT_RXCIE);
    set_sleep_mode(SLEEP_MODE_IDLE);
    wdt_enable(WDTO_250MS);
    sei();
}

void avr_rest(void)
{
    cli();
    if (edges_in == edges_out && arrived == taken) {
        sleep_enable();
        sei(); /* takes hold one instruction later: nothing can come between it and the sleep */
        sleep_cpu();
        sleep_disable();
    }
    sei();
}
