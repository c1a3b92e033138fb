/* The link: what is sent when, and what stays until the host has it (docs/pad-protocol.md). */
#include "link.h"

#include "bytes.h"
#include "commands.h"
#include "frame.h"
#include "jobs.h"

enum { WINDOW = 8 };

static const ticks_t RESEND = MS(60), BEAT = MS(250), DEAF = MS(1000);

/* ---- Sending: the content of a frame begins behind COBS's first code */

static void send(const uint8_t *end)
{
    uint8_t *frame = hal_frame();
    hal_send(frame_close(frame, (uint8_t)(end - frame - 1)));
}

static uint8_t *content(void)
{
    return hal_frame() + 1;
}

static void send_event(struct pad *pad, ticks_t now)
{
    struct link *link = &pad->link;
    uint32_t seq = link->next;
    struct event event = ring_read(&pad->ring, seq);
    uint8_t flags = event.flags;
    if ((int32_t)(seq - link->above) < 0)
        flags |= RESENT;
    else
        link->above = seq + 1;
    uint8_t *at = put_u8(content(), EVENT);
    at = put_u32(at, pad->ring.head.id);
    at = put_u32(at, event.boot);
    at = put_u32(at, seq);
    at = put_u8(at, event.kind);
    at = put_u8(at, event.channel);
    at = put_u8(at, flags);
    at = put_u48(at, event.onset_us);
    at = put_u24(at, event.after_us);
    at = put_u16(at, event.strength);
    at = put_u16(at, event.within);
    send(at);
    if (seq == pad->ring.head.oldest)
        link->progress = now;
    link->next = seq + 1;
}

static uint8_t heartbeat_flags(const struct pad *pad)
{
    uint8_t flags = pad->settings_unreadable ? 1 : 0;
    for (uint8_t line = 0; line < SENSED_LINES; line++)
        if (pad->lines[line].hums)
            flags |= 2;
    if (pad->drive.side == SIDE_2)
        flags |= 4;
    if (pad->self_test_failed)
        flags |= 8;
    return flags;
}

static void send_heartbeat(struct pad *pad, ticks_t now)
{
    uint8_t lines = 0;
    for (uint8_t line = 0; line < SENSED_LINES; line++)
        if (pad->lines[line].believed)
            lines |= (uint8_t)(1 << line);
    uint8_t *at = put_u8(content(), HEARTBEAT);
    at = put_u32(at, pad->boot);
    at = put_u48(at, clock_us(&pad->clock, now));
    at = put_u32(at, pad->ring.head.id);
    at = put_u32(at, pad->ring.head.next);
    at = put_u32(at, pad->ring.head.oldest);
    at = put_u8(at, lines);
    at = put_u16(at, pad->link.errors);
    at = put_u16(at, pad->supply);
    at = put_u8(at, heartbeat_flags(pad));
    send(at);
    pad->link.beat = now;
}

static void send_job_answer(struct pad *pad)
{
    struct job *job = &pad->job;
    uint8_t *at = put_u8(content(), REPLY);
    at = put_u8(at, job->tag);
    at = put_u8(at, job->status);
    if (job->status == STATUS_DONE && job->kind != JOB_SAVE)
        at = put_u16(at, job->found);
    if (job->kind == JOB_SELF_TEST)
        at = commands_put_measures(pad, at);
    job->kind = JOB_NONE;
    job->done = false;
    send(at);
}

/* ---- What is kept */

void link_acknowledge(struct pad *pad, uint32_t ring, uint32_t next, ticks_t now)
{
    struct link *link = &pad->link;
    if (ring != pad->ring.head.id || !ring_free(&pad->ring, next))
        return;
    link->progress = now;
    if ((int32_t)(link->next - pad->ring.head.oldest) < 0)
        link->next = pad->ring.head.oldest;
}

void link_rewind(struct pad *pad, ticks_t now)
{
    pad->link.next = pad->ring.head.oldest;
    pad->link.progress = now;
}

static bool event_waits(const struct pad *pad)
{
    const struct ring_head *head = &pad->ring.head;
    return pad->link.next != head->next && pad->link.next - head->oldest < WINDOW;
}

static void give_up_waiting(struct pad *pad, ticks_t now)
{
    bool flies = pad->link.next != pad->ring.head.oldest;
    if (flies && now - pad->link.progress >= RESEND)
        link_rewind(pad, now);
}

/* ---- Receiving */

static void receive(struct pad *pad, ticks_t now)
{
    struct inbox *inbox = &pad->inbox;
    pad->link.errors += hal_take_dropped_frames();
    uint8_t length;
    if (inbox->length || !hal_receive(inbox->bytes, &length, &inbox->received))
        return;
    inbox->length = frame_open(inbox->bytes, length);
    if (inbox->length == 0) {
        pad->link.errors++;
        return;
    }
    pad->link.hears = true;
    pad->link.heard = now;
    if (!commands_take_up(pad, now))
        inbox->length = 0; /* done with */
}

void link_start(struct pad *pad, ticks_t now)
{
    pad->link.next = pad->ring.head.oldest;
    pad->link.above = pad->ring.head.oldest;
    pad->link.progress = now;
    pad->link.beat = now;
}

void link_work(struct pad *pad, ticks_t now)
{
    receive(pad, now);
    if (pad->link.hears && now - pad->link.heard >= DEAF)
        pad->link.hears = false;
    give_up_waiting(pad, now);
    bool beat_due = now - pad->link.beat >= BEAT;
    ticks_t sent;
    if (!(pad->inbox.length || pad->job.done || beat_due || event_waits(pad)) || !hal_begin_frame(&sent))
        return;
    if (pad->inbox.length) {
        send(commands_answer(pad, content(), sent, now));
        pad->inbox.length = 0;
    } else if (pad->job.done) {
        send_job_answer(pad);
    } else if (beat_due) {
        send_heartbeat(pad, now);
    } else {
        send_event(pad, now);
    }
}
