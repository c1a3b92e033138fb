/* Constants that an AVR keeps in flash, where it must fetch them with an instruction of its own; elsewhere plain memory. */
#ifndef FLASH_H
#define FLASH_H

#include <stdint.h>

#ifdef __AVR__
#include <avr/pgmspace.h>
#define IN_FLASH PROGMEM
static inline uint8_t flash_u8(const void *at) { return pgm_read_byte(at); }
static inline uint16_t flash_u16(const void *at) { return pgm_read_word(at); }
#else
#define IN_FLASH
static inline uint8_t flash_u8(const void *at) { return *(const uint8_t *)at; }
static inline uint16_t flash_u16(const void *at) { return *(const uint16_t *)at; }
#endif

#endif
