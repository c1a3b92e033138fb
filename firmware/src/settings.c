/* The pad's settings: one line each, from which the dictionary, the bounds and the defaults are made. */
#include "settings.h"

#include "flash.h"

static const uint16_t LEAST[SETTINGS] IN_FLASH = {
#define X(index, id, name, unit, least, most, usual) [index] = (least),
    EACH_SETTING(X)
#undef X
};

static const uint16_t MOST[SETTINGS] IN_FLASH = {
#define X(index, id, name, unit, least, most, usual) [index] = (most),
    EACH_SETTING(X)
#undef X
};

static const uint16_t USUAL[SETTINGS] IN_FLASH = {
#define X(index, id, name, unit, least, most, usual) [index] = (usual),
    EACH_SETTING(X)
#undef X
};

void settings_defaults(struct settings *settings)
{
    for (uint8_t i = 0; i < SETTINGS; i++)
        settings->values[i] = flash_u16(&USUAL[i]);
}

bool setting_allows(uint8_t index, uint16_t value)
{
    return index < SETTINGS && value >= flash_u16(&LEAST[index]) && value <= flash_u16(&MOST[index]);
}
