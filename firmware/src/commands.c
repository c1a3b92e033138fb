/* The host's commands (docs/pad-protocol.md): each is carried out and answered, and harmless when it comes again. */
#include "commands.h"

#include "bytes.h"
#include "dictionary.h"
#include "jobs.h"
#include "link.h"

enum { DICTIONARY_PART = 48 };

/* Bytes of body after the tag, by command: what a longer or shorter one means nobody can know. */
static bool has_body(const struct inbox *inbox, uint8_t length)
{
    return inbox->length == 2 + length;
}

static uint8_t job_of(uint8_t type)
{
    switch (type) {
    case SAVE:
        return JOB_SAVE;
    case SELF_TEST:
        return JOB_SELF_TEST;
    case CALIBRATE:
        return JOB_CALIBRATE;
    default:
        return JOB_NONE;
    }
}

/* A job's command is answered when the job is done; the same command again meanwhile is the same command. False: none of that. */
static bool take_up_job(struct pad *pad, ticks_t now)
{
    const uint8_t *bytes = pad->inbox.bytes;
    uint8_t kind = job_of(bytes[0]);
    if (kind == JOB_NONE)
        return false;
    if (pad->job.kind != JOB_NONE)
        return pad->job.kind == kind && pad->job.tag == bytes[1];
    uint8_t what = kind == JOB_CALIBRATE ? bytes[2] : 0;
    if (!has_body(&pad->inbox, kind == JOB_CALIBRATE) || what > CALIBRATE_TOUCHING)
        return false;
    jobs_begin(pad, kind, bytes[1], what, now);
    return true;
}

bool commands_take_up(struct pad *pad, ticks_t now)
{
    const struct inbox *inbox = &pad->inbox;
    if (inbox->bytes[0] == ACK) {
        if (inbox->length == 9)
            link_acknowledge(pad, get_u32(inbox->bytes + 1), get_u32(inbox->bytes + 5), now);
        return false;
    }
    if (inbox->length < 2 || take_up_job(pad, now))
        return false;
    return true;
}

uint8_t *commands_put_measures(struct pad *pad, uint8_t *at)
{
    uint16_t measures[MEASURES];
    jobs_measure(pad, measures);
    for (uint8_t i = 0; i < MEASURES; i++)
        at = put_u16(at, measures[i]);
    return at;
}

/* ---- The commands: each gets its body, writes its data behind the status, and returns where it ended, or a refusal */

struct answer {
    uint8_t *at;
    uint8_t status;
};

static struct answer done(uint8_t *at)
{
    return (struct answer){.at = at, .status = STATUS_DONE};
}

static struct answer refused(uint8_t *at, uint8_t status)
{
    return (struct answer){.at = at, .status = status};
}

static struct answer hello(struct pad *pad, const uint8_t *body, uint8_t *at)
{
    bool known = body[0] >= OLDEST_VERSION && body[0] <= PROTOCOL_VERSION;
    at = put_u8(at, PROTOCOL_VERSION);
    at = put_u8(at, OLDEST_VERSION);
    if (!known)
        return refused(at, STATUS_VERSION);
    at = put_u8(at, FIRMWARE_MAJOR);
    at = put_u8(at, FIRMWARE_MINOR);
    at = put_u8(at, FIRMWARE_PATCH);
    at = put_u8(at, hal_chip());
    at = put_u32(at, pad->boot);
    at = put_u32(at, pad->ring.head.id);
    at = put_u8(at, hal_reset_cause());
    at = put_u16(at, dictionary_length());
    return done(put_u16(at, pad->dictionary_crc));
}

static struct answer dictionary(const uint8_t *body, uint8_t *at)
{
    uint16_t offset = get_u16(body);
    at = put_u16(at, offset);
    for (uint8_t i = 0; i < DICTIONARY_PART && offset < dictionary_length(); i++)
        at = put_u8(at, dictionary_byte(offset++));
    return done(at);
}

static struct answer get(struct pad *pad, const uint8_t *body, uint8_t *at)
{
    if (body[0] >= SETTINGS)
        return refused(at, STATUS_BAD);
    return done(put_u16(at, pad->settings.values[body[0]]));
}

static struct answer set(struct pad *pad, const uint8_t *body, uint8_t *at)
{
    uint16_t value = get_u16(body + 1);
    if (!setting_allows(body[0], value))
        return refused(at, STATUS_BAD);
    pad->settings.values[body[0]] = value;
    pad_use_settings(pad);
    return done(put_u16(at, value));
}

static struct answer light(struct pad *pad, const uint8_t *body, uint8_t *at)
{
    if (body[0] >= LIGHTS || body[1] >= PATTERNS)
        return refused(at, STATUS_BAD);
    pad->patterns[body[0]] = body[1];
    return done(at);
}

static struct answer resume(struct pad *pad, const uint8_t *body, uint8_t *at, ticks_t now)
{
    link_acknowledge(pad, get_u32(body), get_u32(body + 4), now);
    link_rewind(pad, now);
    at = put_u32(at, pad->ring.head.id);
    at = put_u32(at, pad->ring.head.oldest);
    return done(put_u32(at, pad->ring.head.next));
}

/* While a job holds the circuit or the settings, what would touch them is refused. */
static bool is_held_up(const struct pad *pad, uint8_t type)
{
    return pad->job.kind != JOB_NONE && (type == SET || type == DEFAULTS || type == MEASURE || job_of(type) != JOB_NONE);
}

static struct answer carry_out(struct pad *pad, uint8_t *at, ticks_t now)
{
    const struct inbox *inbox = &pad->inbox;
    const uint8_t *body = inbox->bytes + 2;
    uint8_t type = inbox->bytes[0];
    if (is_held_up(pad, type))
        return refused(at, STATUS_BUSY);
    switch (type) {
    case HELLO:
        /* The only command that every version understands: what a newer host adds behind the version is passed over. */
        return inbox->length >= 3 ? hello(pad, body, at) : refused(at, STATUS_BAD);
    case DICTIONARY:
        return has_body(inbox, 2) ? dictionary(body, at) : refused(at, STATUS_BAD);
    case GET:
        return has_body(inbox, 1) ? get(pad, body, at) : refused(at, STATUS_BAD);
    case SET:
        return has_body(inbox, 3) ? set(pad, body, at) : refused(at, STATUS_BAD);
    case DEFAULTS:
        if (!has_body(inbox, 0))
            return refused(at, STATUS_BAD);
        settings_defaults(&pad->settings);
        pad_use_settings(pad);
        return done(at);
    case LIGHTS_SET:
        return has_body(inbox, 2) ? light(pad, body, at) : refused(at, STATUS_BAD);
    case RESET:
        if (!has_body(inbox, 4))
            return refused(at, STATUS_BAD);
        pad->reset_asked = get_u32(body) == pad->boot;
        return done(at);
    case MEASURE:
        return has_body(inbox, 0) ? done(commands_put_measures(pad, at)) : refused(at, STATUS_BAD);
    case RESUME:
        return has_body(inbox, 8) ? resume(pad, body, at, now) : refused(at, STATUS_BAD);
    case TIME:
    case SAVE:
    case SELF_TEST:
    case CALIBRATE:
        return refused(at, STATUS_BAD); /* a good one was taken up before */
    default:
        return refused(at, STATUS_UNKNOWN);
    }
}

uint8_t *commands_answer(struct pad *pad, uint8_t *at, ticks_t sent, ticks_t now)
{
    const uint8_t *bytes = pad->inbox.bytes;
    if (bytes[0] == TIME && has_body(&pad->inbox, 4)) {
        at = put_u8(at, TIME_REPLY);
        at = put_u8(at, bytes[1]);
        at = put_u32(at, get_u32(bytes + 2));
        at = put_u32(at, pad->boot);
        at = put_u48(at, clock_us(&pad->clock, pad->inbox.received));
        return put_u48(at, clock_us(&pad->clock, sent));
    }
    at = put_u8(at, REPLY);
    at = put_u8(at, bytes[1]);
    uint8_t *status = at;
    struct answer answer = carry_out(pad, at + 1, now);
    *status = answer.status;
    /* Refusals carry no data, but for the versions: a host must learn which ones there are. */
    return answer.status == STATUS_DONE || answer.status == STATUS_VERSION ? answer.at : status + 1;
}
