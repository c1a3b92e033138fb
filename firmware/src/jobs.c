/* What takes longer than a round: saving the settings, the self-test, calibration. One at a time. */
#include "jobs.h"

#include "drive.h"
#include "link.h"
#include "store.h"

void jobs_begin(struct pad *pad, uint8_t kind, uint8_t tag, uint8_t what, ticks_t now)
{
    pad->job = (struct job){.kind = kind, .tag = tag, .what = what, .since = now};
    if (kind == JOB_SAVE)
        store_save(&pad->settings);
}

static void finish(struct pad *pad, uint8_t status)
{
    pad->job.status = status;
    pad->job.done = true;
}

void jobs_measure(struct pad *pad, uint16_t *measures)
{
    measures[MEASURE_SENSE_1] = pad_level(INPUT_SENSE_1);
    measures[MEASURE_SENSE_2] = pad_level(INPUT_SENSE_2);
    measures[MEASURE_PIEZO] = pad_level(INPUT_PIEZO);
    measures[MEASURE_SUPPLY] = pad->supply;
    measures[MEASURE_LINES] = 0;
    for (uint8_t line = 0; line < SENSED_LINES; line++)
        if (hal_closed(line))
            measures[MEASURE_LINES] |= 1 << line;
    measures[MEASURE_DRIVEN] = pad->drive.side;
}

/* ---- Self-test: each side's sense input is lifted by a resistor of its own, and everything behind it must notice */

/* The test resistor and the pull-down halve the supply; a hand that rests takes some of it, by its way to the bias. */
enum { FED_LEAST = 1800, FED_MOST = 2800, QUIET_MOST = 600, SUPPLY_LEAST = 4400, SUPPLY_MOST = 5600 };

static const ticks_t TEST_SETTLE = MS(6), TEST_WAITS = MS(70);
enum { TEST_TAKES = 40000 }; /* us at most, and what settles after it */

enum step { STEP_BEGIN, STEP_FED_1, STEP_PARKED_1, STEP_FED_2, STEP_PARKED_2 };

static void check(struct pad *pad, uint8_t bit, bool passed)
{
    if (!passed)
        pad->job.found |= (uint16_t)(1 << bit);
}

static void feed_side(struct pad *pad, uint8_t side)
{
    uint8_t level = drive_share(pad->settings.values[CONTACT_LEVEL]);
    hal_set_level(LEVEL_CONTACT_1, side == SIDE_1 ? level : LEVEL_PARKED);
    hal_set_level(LEVEL_CONTACT_2, side == SIDE_2 ? level : LEVEL_PARKED);
    hal_feed_test(side);
}

static void check_fed(struct pad *pad, uint8_t side)
{
    uint8_t first = side == SIDE_1 ? CHECK_SENSE_1 : CHECK_SENSE_2;
    uint16_t level = pad_level(side == SIDE_1 ? INPUT_SENSE_1 : INPUT_SENSE_2);
    check(pad, first, level >= FED_LEAST && level <= FED_MOST);
    check(pad, first + 1, hal_closed(LINE_CONTACT));
    check(pad, first + 2, hal_closed(side == SIDE_1 ? LINE_REST_1 : LINE_REST_2));
    hal_set_level(side == SIDE_1 ? LEVEL_CONTACT_1 : LEVEL_CONTACT_2, LEVEL_PARKED);
}

static void tell_failed(struct pad *pad, ticks_t now)
{
    struct moment found = pad_just(now);
    pad_tell(pad, SELF_TEST_FAILED, CHANNEL_PAD, pad->job.found, &found);
}

static void end_self_test(struct pad *pad, ticks_t now)
{
    hal_feed_test(SIDE_NONE);
    check(pad, CHECK_PIEZO, pad_level(INPUT_PIEZO) <= QUIET_MOST);
    check(pad, CHECK_SUPPLY, pad->supply >= SUPPLY_LEAST && pad->supply <= SUPPLY_MOST);
    check(pad, CHECK_EEPROM, !pad->settings_unreadable);
    drive_set_levels(pad);
    drive_blank(pad, ALL_LINES, TEST_TAKES, now);
    pad->self_test_failed = pad->job.found != 0;
    if (pad->self_test_failed)
        tell_failed(pad, now);
    finish(pad, STATUS_DONE);
}

/* A change under way is waited for, or nobody would see how it ends; but hum that closes a line again and again is not. */
static bool is_held_back(const struct pad *pad, ticks_t now)
{
    bool changes = false;
    for (uint8_t line = 0; line < SENSED_LINES; line++)
        changes |= pad->lines[line].changing;
    return changes && now - pad->job.since < TEST_WAITS;
}

static void work_self_test(struct pad *pad, ticks_t now)
{
    struct job *job = &pad->job;
    if (job->step == STEP_BEGIN && is_held_back(pad, now))
        return;
    if (job->step != STEP_BEGIN && now - job->since < TEST_SETTLE)
        return;
    switch (job->step) {
    case STEP_BEGIN:
        drive_blank(pad, ALL_LINES, TEST_TAKES, now);
        hal_drive(SIDE_NONE);
        feed_side(pad, SIDE_1);
        break;
    case STEP_FED_1:
        check_fed(pad, SIDE_1);
        break;
    case STEP_PARKED_1:
        check(pad, CHECK_CONTACT_1, !hal_closed(LINE_CONTACT));
        feed_side(pad, SIDE_2);
        break;
    case STEP_FED_2:
        check_fed(pad, SIDE_2);
        break;
    default:
        check(pad, CHECK_CONTACT_2, !hal_closed(LINE_CONTACT));
        end_self_test(pad, now);
        break;
    }
    job->step++;
    job->since = now;
}

/* ---- Calibration: the contact level is put between what resting hands and touching hands show */

/*
 * Five periods of 50 Hz and six of 60 are looked at. By its resistors a resting hand alone can show 460 mV at most; above
 * what was seen some room is left, and touching hands are met half way.
 */
enum { CALIBRATION_MS = 100, REST_MOST = 460, ROOM = 150 };

static bool hands_are_laid(const struct pad *pad)
{
    return pad->lines[LINE_REST_1].believed && pad->lines[LINE_REST_2].believed;
}

static void use_level(struct pad *pad, uint16_t level)
{
    if (!setting_allows(CONTACT_LEVEL, level)) {
        finish(pad, STATUS_FAILED);
        return;
    }
    pad->settings.values[CONTACT_LEVEL] = level;
    pad_use_settings(pad);
    pad->job.found = level;
    finish(pad, STATUS_DONE);
}

static void work_calibration(struct pad *pad, ticks_t now)
{
    struct job *job = &pad->job;
    bool touching = job->what == CALIBRATE_TOUCHING;
    if (!hands_are_laid(pad)) {
        finish(pad, STATUS_FAILED);
        return;
    }
    uint16_t level = pad_level(pad->drive.side == SIDE_1 ? INPUT_SENSE_2 : INPUT_SENSE_1);
    if (job->step == 0 || (touching ? level < job->found : level > job->found))
        job->found = level;
    job->step = 1;
    if (now - job->since < MS(CALIBRATION_MS))
        return;
    uint16_t found = job->found;
    if (!touching)
        use_level(pad, (found > REST_MOST ? found : REST_MOST) + ROOM);
    else if (found > REST_MOST + ROOM / 2)
        use_level(pad, (uint16_t)((found + REST_MOST) / 2));
    else
        finish(pad, STATUS_FAILED);
}

void jobs_work(struct pad *pad, ticks_t now)
{
    struct job *job = &pad->job;
    if (job->done)
        return;
    switch (job->kind) {
    case JOB_SAVE:
        if (store_work()) {
            pad->settings_unreadable = false;
            finish(pad, STATUS_DONE);
        }
        break;
    case JOB_SELF_TEST:
        work_self_test(pad, now);
        break;
    case JOB_CALIBRATE:
        work_calibration(pad, now);
        break;
    default:
        break;
    }
}
