/* ATmega328P (Nano, Uno): which pin and which register is what. The net list in ../README.md has the same names. */
#ifndef BOARD_H
#define BOARD_H

#include <avr/io.h>

enum { BOARD_CHIP = 1 };

/* ---- Serial line: USART0, to the board's own USB adapter */
#define LINE_UDR UDR0
#define LINE_UCSRA UCSR0A
#define LINE_UCSRB UCSR0B
#define LINE_UCSRC UCSR0C
#define LINE_UBRR UBRR0
#define LINE_RX_vect USART_RX_vect
#define LINE_UDRE_vect USART_UDRE_vect

/* ---- Contact: comparator output, low when closed, to input capture ICP1 = PB0 (D8) */
#define CONTACT_IS_LOW() (!(PINB & _BV(PB0)))

/* ---- Resting hands: comparator outputs, low when laid: INT0 = PD2 (D2), INT1 = PD3 (D3) */
#define REST_1_IS_LOW() (!(PIND & _BV(PD2)))
#define REST_2_IS_LOW() (!(PIND & _BV(PD3)))
#define REST_1_vect INT0_vect
#define REST_2_vect INT1_vect
#define REST_1_MASK _BV(INT0)
#define REST_2_MASK _BV(INT1)

/* ---- Knock: the piezo at AIN1 = PD7 (D7) against the chip's own 1,100 mV; its output falls when the piezo rises */
#define KNOCK_vect ANALOG_COMP_vect

static inline void board_start_knock(void)
{
    DIDR1 = _BV(AIN1D);
    ACSR = _BV(ACBG) | _BV(ACIS1);
}

static inline void board_watch_knock(bool watched)
{
    if (watched)
        ACSR = _BV(ACBG) | _BV(ACIS1) | _BV(ACI) | _BV(ACIE); /* an edge that came while nobody watched is forgotten */
    else
        ACSR = _BV(ACBG) | _BV(ACIS1);
}

/* ---- Levels: fast PWM at 62.5 kHz through 10 kOhm and 47 nF: OC0A = PD6 (D6), OC0B = PD5 (D5), OC2A = PB3 (D11) */
static inline void board_start_levels(void)
{
    OCR0A = OCR0B = OCR2A = 255;
    TCCR0A = _BV(COM0A1) | _BV(COM0B1) | _BV(WGM01) | _BV(WGM00);
    TCCR0B = _BV(CS00);
    TCCR2A = _BV(COM2A1) | _BV(WGM21) | _BV(WGM20);
    TCCR2B = _BV(CS20);
    DDRD |= _BV(PD6) | _BV(PD5);
    DDRB |= _BV(PB3);
}

#define SHARE_CONTACT_1 OCR0A
#define SHARE_CONTACT_2 OCR0B
#define SHARE_REST OCR2A

/* ---- Drives PD4 (D4), PB1 (D9); test resistors PB2 (D10), PB4 (D12): high, or cut off as an input without pull-up */
#define DRIVE_1_PORT PORTD
#define DRIVE_1_DDR DDRD
#define DRIVE_1_MASK _BV(PD4)
#define DRIVE_2_PORT PORTB
#define DRIVE_2_DDR DDRB
#define DRIVE_2_MASK _BV(PB1)
#define TEST_1_PORT PORTB
#define TEST_1_DDR DDRB
#define TEST_1_MASK _BV(PB2)
#define TEST_2_PORT PORTB
#define TEST_2_DDR DDRB
#define TEST_2_MASK _BV(PB4)

/* ---- Lights PC3 (A3) link, PC4 (A4) touch, PC5 (A5) fault */
#define LIGHT_PORT PORTC
#define LIGHT_DDR DDRC
#define LIGHT_MASKS {_BV(PC3), _BV(PC4), _BV(PC5)}

/* ---- Converter: sense 1 = ADC0 (A0), sense 2 = ADC1 (A1), piezo = ADC2 (A2), the chip's own reference */
#define ADC_SENSE_1 0
#define ADC_SENSE_2 1
#define ADC_PIEZO 2
#define ADC_REFERENCE 14

static inline void board_select(uint8_t channel)
{
    ADMUX = _BV(REFS0) | channel;
}

static inline void board_start_inputs(void)
{
    DIDR0 = _BV(ADC0D) | _BV(ADC1D) | _BV(ADC2D);
}

#endif
