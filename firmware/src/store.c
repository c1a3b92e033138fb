/* What the EEPROM keeps: the counter of starts, spread over many cells, and two copies of the settings. */
#include "store.h"

#include "bytes.h"
#include "frame.h"
#include "hal.h"

/*
 * 0    32 cells of start counters: number u32, CRC u16. Each start takes the next cell: 3 million starts.
 * 256  settings, copy 0: form u8, turn u8, values, CRC u16
 * 384  settings, copy 1. A save overwrites the older copy, so that a save cut short leaves the newer.
 */
enum {
    CELLS = 32,
    CELL_BYTES = 6,
    COPIES_AT = 256,
    COPY_STRIDE = 128,
    COPY_HEAD = 2,
    COPY_BODY = COPY_HEAD + 2 * SETTINGS,
    COPY_BYTES = COPY_BODY + 2,
    FORM = 2, /* raised when the list of settings changes its meaning: an older copy then counts as none */
    BLANK = 0xFF,
};

_Static_assert(CELLS * CELL_BYTES <= COPIES_AT && COPY_BYTES <= COPY_STRIDE, "the EEPROM's parts overlap");
_Static_assert(COPIES_AT + 2 * COPY_STRIDE <= HAL_EEPROM_BYTES, "the EEPROM is too small");

static void write_now(uint16_t at, uint8_t byte)
{
    while (!hal_eeprom_ready())
        hal_feed_watchdog();
    hal_eeprom_write(at, byte);
}

static bool read_checked(uint16_t at, uint8_t *bytes, uint8_t length)
{
    for (uint8_t i = 0; i < length; i++)
        bytes[i] = hal_eeprom_read(at + i);
    return crc16(bytes, (uint8_t)(length - 2)) == get_u16(bytes + length - 2);
}

uint32_t store_count_start(void)
{
    uint32_t latest = 0;
    uint8_t cell[CELL_BYTES];
    for (uint8_t i = 0; i < CELLS; i++) {
        if (!read_checked((uint16_t)(i * CELL_BYTES), cell, CELL_BYTES))
            continue;
        uint32_t number = get_u32(cell);
        /* A number in a cell that isn't its own was not written by this code. */
        if (number % CELLS == i && number > latest && number != UINT32_MAX)
            latest = number;
    }
    uint32_t start = latest + 1;
    put_u32(cell, start);
    put_u16(cell + 4, crc16(cell, 4));
    uint16_t at = (uint16_t)(start % CELLS * CELL_BYTES);
    for (uint8_t i = 0; i < CELL_BYTES; i++)
        write_now(at + i, cell[i]);
    while (!hal_eeprom_ready()) /* nothing is told under this number before it is kept */
        hal_feed_watchdog();
    return start;
}

/* ---- Settings */

static uint8_t save[COPY_BYTES];
static uint16_t save_at;
static uint8_t saved = COPY_BYTES;
static uint8_t turn; /* of the newest whole copy; its lowest bit names it */

static uint16_t copy_at(uint8_t copy)
{
    return (uint16_t)(COPIES_AT + (copy & 1) * COPY_STRIDE);
}

static bool read_copy(uint8_t copy, uint8_t bytes[COPY_BYTES])
{
    return read_checked(copy_at(copy), bytes, COPY_BYTES) && bytes[0] == FORM && (bytes[1] & 1) == copy;
}

bool store_load(struct settings *settings)
{
    uint8_t *bytes = save; /* nothing is being saved at a start */
    bool first = read_copy(0, bytes);
    uint8_t first_turn = bytes[1];
    bool second = read_copy(1, bytes);
    settings_defaults(settings);
    if (!first && !second) {
        turn = 1;
        /* A new chip's EEPROM is all ones: no settings, and nothing wrong with that. */
        return hal_eeprom_read(COPIES_AT) == BLANK && hal_eeprom_read(COPIES_AT + COPY_STRIDE) == BLANK;
    }
    turn = second && (!first || (int8_t)(bytes[1] - first_turn) > 0) ? bytes[1] : first_turn;
    read_copy(turn & 1, bytes);
    for (uint8_t i = 0; i < SETTINGS; i++) {
        uint16_t value = get_u16(bytes + COPY_HEAD + 2 * i);
        if (setting_allows(i, value))
            settings->values[i] = value;
    }
    return true;
}

void store_save(const struct settings *settings)
{
    save[0] = FORM;
    save[1] = (uint8_t)(turn + 1);
    for (uint8_t i = 0; i < SETTINGS; i++)
        put_u16(save + COPY_HEAD + 2 * i, settings->values[i]);
    put_u16(save + COPY_BODY, crc16(save, COPY_BODY));
    save_at = copy_at(save[1]);
    saved = 0;
}

bool store_work(void)
{
    if (saved == COPY_BYTES || !hal_eeprom_ready())
        return false;
    if (saved < COPY_BYTES && hal_eeprom_read(save_at + saved) != save[saved]) {
        hal_eeprom_write(save_at + saved, save[saved]);
        return false;
    }
    saved++;
    if (saved < COPY_BYTES)
        return false;
    turn = save[1];
    return true;
}
