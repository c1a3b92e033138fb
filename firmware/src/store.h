/* What the EEPROM keeps: the counter of starts, spread over many cells, and two copies of the settings. */
#ifndef STORE_H
#define STORE_H

#include <stdbool.h>
#include <stdint.h>

#include "settings.h"

/* The number of this start, one more than the highest that is kept; written before it is returned. */
uint32_t store_count_start(void);

/* Reads the newest whole copy of the settings; false, and the defaults, where there is none and the EEPROM isn't blank. */
bool store_load(struct settings *settings);

/* Begins to save; store_work writes a byte whenever the EEPROM is ready, and is true once, when all is kept. */
void store_save(const struct settings *settings);
bool store_work(void);

#endif
