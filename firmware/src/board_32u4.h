/* ATmega32U4 (Leonardo, Micro): which pin and which register is what. The net list in ../README.md has the same names. */
#ifndef BOARD_H
#define BOARD_H

#include <avr/io.h>

enum { BOARD_CHIP = 2 };

/* ---- Serial line: USART1 (D0, D1) to a USB adapter of its own; the chip's USB is for flashing only */
#define LINE_UDR UDR1
#define LINE_UCSRA UCSR1A
#define LINE_UCSRB UCSR1B
#define LINE_UCSRC UCSR1C
#define LINE_UBRR UBRR1
#define LINE_RX_vect USART1_RX_vect
#define LINE_UDRE_vect USART1_UDRE_vect

/* ---- Contact: comparator output, low when closed, to input capture ICP1 = PD4 (D4) */
#define CONTACT_IS_LOW() (!(PIND & _BV(PD4)))

/* ---- Resting hands: comparator outputs, low when laid: INT0 = PD0 (D3), INT1 = PD1 (D2) */
#define REST_1_IS_LOW() (!(PIND & _BV(PD0)))
#define REST_2_IS_LOW() (!(PIND & _BV(PD1)))
#define REST_1_vect INT0_vect
#define REST_2_vect INT1_vect
#define REST_1_MASK _BV(INT0)
#define REST_2_MASK _BV(INT1)

/* ---- Knock: this chip's comparator shares the converter's inputs, so a fifth comparator pulls INT6 = PE6 (D7) low */
#define KNOCK_vect INT6_vect

static inline void board_start_knock(void)
{
    EICRB = _BV(ISC61); /* falling */
}

static inline void board_watch_knock(bool watched)
{
    if (watched) {
        EIFR = _BV(INTF6); /* an edge that came while nobody watched is forgotten */
        EIMSK |= _BV(INT6);
    } else {
        EIMSK &= (uint8_t)~_BV(INT6);
    }
}

/* ---- Levels: PWM through 10 kOhm and 47 nF: OC4A = PC7 (D13), OC4B = PB6 (D10), OC4D = PD7 (D6), 62.5 kHz */
static inline void board_start_levels(void)
{
    TC4H = 0;
    OCR4C = 255; /* top */
    OCR4A = OCR4B = OCR4D = 255;
    TCCR4A = _BV(COM4A1) | _BV(COM4B1) | _BV(PWM4A) | _BV(PWM4B);
    TCCR4C = _BV(COM4A1S) | _BV(COM4B1S) | _BV(COM4D1) | _BV(PWM4D);
    TCCR4D = 0;
    TCCR4B = _BV(CS40);
    DDRC |= _BV(PC7);
    DDRB |= _BV(PB6);
    DDRD |= _BV(PD7);
}

#define SHARE_CONTACT_1 OCR4A
#define SHARE_CONTACT_2 OCR4B
#define SHARE_REST OCR4D

/* ---- Drives PB4 (D8), PB5 (D9); test resistors PC6 (D5), PB7 (D11): high, or cut off as an input without pull-up */
#define DRIVE_1_PORT PORTB
#define DRIVE_1_DDR DDRB
#define DRIVE_1_MASK _BV(PB4)
#define DRIVE_2_PORT PORTB
#define DRIVE_2_DDR DDRB
#define DRIVE_2_MASK _BV(PB5)
#define TEST_1_PORT PORTC
#define TEST_1_DDR DDRC
#define TEST_1_MASK _BV(PC6)
#define TEST_2_PORT PORTB
#define TEST_2_DDR DDRB
#define TEST_2_MASK _BV(PB7)

/* ---- Lights PF0 (A5) link, PF1 (A4) touch, PF4 (A3) fault */
#define LIGHT_PORT PORTF
#define LIGHT_DDR DDRF
#define LIGHT_MASKS {_BV(PF0), _BV(PF1), _BV(PF4)}

/* ---- Converter: sense 1 = ADC7 (A0), sense 2 = ADC6 (A1), piezo = ADC5 (A2), the chip's own reference */
#define ADC_SENSE_1 7
#define ADC_SENSE_2 6
#define ADC_PIEZO 5
#define ADC_REFERENCE 30

static inline void board_select(uint8_t channel)
{
    ADMUX = _BV(REFS0) | channel;
}

static inline void board_start_inputs(void)
{
    USBCON = 0; /* the boot loader's USB may still be on, and would interrupt a program that does not know it */
    /* The chip's debugging port lies on these pins until it is switched off, twice within four cycles. */
    MCUCR = _BV(JTD);
    MCUCR = _BV(JTD);
    DIDR0 = _BV(ADC7D) | _BV(ADC6D) | _BV(ADC5D);
}

#endif
