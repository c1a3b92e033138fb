/* The dictionary: names, units and bounds of all that the pad numbers, as text for the host (docs/pad-protocol.md). */
#include "dictionary.h"

#include "flash.h"
#include "frame.h"
#include "settings.h"

static const char TEXT[] IN_FLASH =
#define X(index, id, name, unit, least, most, usual) \
    "setting " #index " " name " " unit " " #least " " #most " " #usual "\n"
    EACH_SETTING(X)
#undef X
    "channel 0 contact\n"
    "channel 1 rest-1\n"
    "channel 2 rest-2\n"
    "channel 3 knock\n"
    "channel 255 pad\n"
    "event 1 contact-made\n"
    "event 2 contact-released\n"
    "event 3 rest-lifted\n"
    "event 4 rest-laid\n"
    "event 5 knock\n"
    "event 6 overflow\n"
    "event 7 started\n"
    "event 8 self-test-failed\n"
    "light 0 link\n"
    "light 1 touch\n"
    "light 2 fault\n"
    "pattern 0 off\n"
    "pattern 1 on\n"
    "pattern 2 slow\n"
    "pattern 3 fast\n"
    "pattern 4 own\n"
    "measure 0 sense-1 mV\n"
    "measure 1 sense-2 mV\n"
    "measure 2 piezo mV\n"
    "measure 3 supply mV\n"
    "measure 4 lines bits\n"
    "measure 5 driven side\n"
    "check 0 sense-1\n"
    "check 1 contact-1\n"
    "check 2 rest-1\n"
    "check 3 sense-2\n"
    "check 4 contact-2\n"
    "check 5 rest-2\n"
    "check 6 piezo\n"
    "check 7 supply\n"
    "check 8 eeprom\n";

uint16_t dictionary_length(void)
{
    return sizeof TEXT - 1;
}

uint16_t dictionary_crc(void)
{
    uint16_t crc = CRC_START;
    for (uint16_t i = 0; i < dictionary_length(); i++)
        crc = crc16_byte(crc, dictionary_byte(i));
    return crc;
}

uint8_t dictionary_byte(uint16_t offset)
{
    return flash_u8(&TEXT[offset]);
}
