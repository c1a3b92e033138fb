/* The EEPROM: starts are counted through wear, tears and rubbish; settings survive a save cut short. */
#include <string.h>

#include "bytes.h"
#include "check.h"
#include "fake_hal.h"
#include "store.h"

static void starts_are_counted_from_one(void)
{
    fake_fresh();
    for (uint32_t start = 1; start <= 100; start++)
        CHECK_EQUAL(store_count_start(), start);
}

static void no_cell_is_written_much_more_than_another(void)
{
    fake_fresh();
    int wear[HAL_EEPROM_BYTES] = {0};
    for (int start = 0; start < 3200; start++) {
        uint8_t before[HAL_EEPROM_BYTES];
        memcpy(before, fake.eeprom, sizeof before);
        store_count_start();
        for (int at = 0; at < HAL_EEPROM_BYTES; at++)
            wear[at] += before[at] != fake.eeprom[at];
    }
    for (int at = 0; at < HAL_EEPROM_BYTES; at++)
        CHECK(wear[at] <= 101);
}

static void a_torn_count_gives_no_number_twice_that_was_told(void)
{
    for (int bytes = 0; bytes < 6; bytes++) {
        fake_fresh();
        uint32_t told = 0;
        for (int i = 0; i < 40; i++)
            told = store_count_start();
        fake.power_left = bytes; /* the supply goes in the middle of the next count: nothing is told under it */
        store_count_start();
        fake.power_left = -1;
        CHECK(store_count_start() > told);
    }
}

static void rubbish_in_the_counters_is_passed_over(void)
{
    fake_fresh();
    for (int i = 0; i < 10; i++)
        store_count_start();
    for (int at = 6 * 20; at < 6 * 32; at++)
        fake.eeprom[at] = (uint8_t)(at * 37);
    CHECK_EQUAL(store_count_start(), 11);
}

static void a_number_in_a_cell_that_is_not_its_own_counts_for_nothing(void)
{
    fake_fresh();
    for (int i = 0; i < 10; i++)
        store_count_start();
    put_u32(fake.eeprom + 6 * 20, 1000);
    put_u16(fake.eeprom + 6 * 20 + 4, crc16(fake.eeprom + 6 * 20, 4));
    CHECK_EQUAL(store_count_start(), 11);
}

static void save(struct settings *settings)
{
    store_save(settings);
    for (int i = 0; i < 1000; i++)
        if (store_work())
            return;
    CHECK(fake.power_left == 0);
}

static void a_blank_chip_has_its_defaults_and_nothing_is_wrong(void)
{
    fake_fresh();
    struct settings settings, usual;
    settings_defaults(&usual);
    CHECK(store_load(&settings));
    CHECK(memcmp(&settings, &usual, sizeof usual) == 0);
}

static void what_was_saved_is_read(void)
{
    fake_fresh();
    struct settings settings, found;
    CHECK(store_load(&settings));
    for (uint16_t value = 600; value < 640; value++) {
        settings.values[CONTACT_LEVEL] = value;
        save(&settings);
        CHECK(store_load(&found));
        CHECK_EQUAL(found.values[CONTACT_LEVEL], value);
    }
}

static void a_save_cut_short_anywhere_leaves_the_old_or_the_new(void)
{
    for (int bytes = 0; bytes < 40; bytes++) {
        fake_fresh();
        struct settings settings, found;
        store_load(&settings);
        settings.values[CONTACT_DWELL] = 7000;
        save(&settings);
        settings.values[CONTACT_DWELL] = 8000;
        fake.power_left = bytes;
        save(&settings);
        fake.power_left = -1;
        CHECK(store_load(&found));
        CHECK(found.values[CONTACT_DWELL] == 7000 || found.values[CONTACT_DWELL] == 8000);
    }
}

static void a_value_out_of_its_bounds_is_the_default(void)
{
    fake_fresh();
    struct settings settings, found;
    store_load(&settings);
    settings.values[CONTACT_DWELL] = 60000; /* by another firmware, with other bounds */
    settings.values[CONTACT_LEVEL] = 900;
    save(&settings);
    CHECK(store_load(&found));
    CHECK_EQUAL(found.values[CONTACT_DWELL], 5000);
    CHECK_EQUAL(found.values[CONTACT_LEVEL], 900);
}

static void rubbish_is_told_and_the_defaults_stand_in(void)
{
    fake_fresh();
    struct settings settings, usual;
    settings_defaults(&usual);
    memset(fake.eeprom + 256, 0x42, 256);
    CHECK(!store_load(&settings));
    CHECK(memcmp(&settings, &usual, sizeof usual) == 0);
}

static void every_default_lies_within_its_own_bounds(void)
{
    struct settings usual;
    settings_defaults(&usual);
    for (uint8_t i = 0; i < SETTINGS; i++)
        CHECK(setting_allows(i, usual.values[i]));
    CHECK(!setting_allows(SETTINGS, 0));
    CHECK(!setting_allows(CONTACT_DWELL, 499));
    CHECK(!setting_allows(CONTACT_DWELL, 50001));
}

int main(void)
{
    RUN(starts_are_counted_from_one);
    RUN(no_cell_is_written_much_more_than_another);
    RUN(a_torn_count_gives_no_number_twice_that_was_told);
    RUN(rubbish_in_the_counters_is_passed_over);
    RUN(a_number_in_a_cell_that_is_not_its_own_counts_for_nothing);
    RUN(a_blank_chip_has_its_defaults_and_nothing_is_wrong);
    RUN(what_was_saved_is_read);
    RUN(a_save_cut_short_anywhere_leaves_the_old_or_the_new);
    RUN(a_value_out_of_its_bounds_is_the_default);
    RUN(rubbish_is_told_and_the_defaults_stand_in);
    RUN(every_default_lies_within_its_own_bounds);
    return 0;
}
