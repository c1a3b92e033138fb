/*
 * Touches at every phase of what the pad does of its own: its rounds and looks, the change of the driven side, bytes of the host,
 * rounds that take long. Levels charge as e to the -t / 50, and go on while the pad works. Without hum each touch has a bound.
 */
#include <math.h>

#include "check.h"
#include "drive.h"
#include "fake_hal.h"
#include "pad.h"

enum { TAU = 50, NEVER = -1, CONTACT_MV = 684, IDLE_READ = 440, IDLE_DRIVEN = 2000, SWAP_GARBAGE = 170 };
enum { MOST_MOVES = 16 };

static struct pad pad;
static struct ring_store store;
static unsigned seed;

static double between(double least, double most) { return least + (most - least) * rand_r(&seed) / (RAND_MAX + 1.0); }

static double sooner(double a, double b) { return b < 0 || (a >= 0 && a < b) ? a : b; }

/* ---- The world: us since the start; NEVER: nothing of the kind is to come */

static struct {
    double now;
    double wakes, crosses, byte_in, byte_out; /* the timer, the comparator, the serial line */
    int bytes_in, bytes_out;
    double was[SENSES], target[SENSES], since[SENSES];  /* levels, mV */
    double touched_read, touched_driven;                /* levels of hands that touch */
    double moves[MOST_MOVES];                           /* hands touch, part, touch ...; from the middle on they part for good */
    int move_count, moved;
    double garbage_until; /* comparators' levels settle */
    bool closed, woken;
    double long_round; /* one begins then */
    double touched_at, parted_at, closed_at, opened_at; /* the latest moves, and edges */
    double made, released;                              /* the truth: moves that the first edges tell of */
} world;

static bool touching(void) { return world.moved % 2; }

static double level_at(int input, double us)
{
    double gone = us - world.since[input];
    return world.target[input] + (world.was[input] - world.target[input]) * exp(-gone / TAU);
}

static double threshold(bool closing)
{
    double level = (drive_share(CONTACT_MV) + 1) * 5000.0 / 256;
    return closing ? level + (5000 - level) / 221 : level - level / 221;
}

/* When the comparator changes next as the levels go now. */
static void foresee_edge(void)
{
    int input = fake.driven == SIDE_1 ? INPUT_SENSE_2 : INPUT_SENSE_1;
    double crossed = threshold(!world.closed), target = world.target[input], level = level_at(input, world.now);
    world.crosses = NEVER;
    if ((target > crossed) == world.closed)
        return;
    bool beyond = (level > crossed) != world.closed;
    world.crosses = world.now + (beyond ? 0 : TAU * log((level - target) / (crossed - target)));
}

static void aim(void)
{
    for (int input = 0; input < SENSES; input++) {
        bool driven = fake.driven == (input == INPUT_SENSE_1 ? SIDE_1 : SIDE_2);
        double idle = driven ? IDLE_DRIVEN : IDLE_READ, touched = driven ? world.touched_driven : world.touched_read;
        world.was[input] = level_at(input, world.now);
        world.since[input] = world.now;
        world.target[input] = touching() ? touched : idle;
    }
    foresee_edge();
}

/* The move behind an edge is the truth; an edge after a look back that is longer than the bridge begins anew. */
static void note_truth(void)
{
    double bridge = pad.settings.values[BRIDGE], parting = world.moves[world.move_count / 2];
    if (world.closed && world.now < parting && (world.made < 0 || world.now - world.opened_at > bridge))
        world.made = world.touched_at;
    if (!world.closed && world.parted_at >= parting && (world.released < 0 || world.now - world.closed_at > bridge))
        world.released = world.parted_at;
    *(world.closed ? &world.closed_at : &world.opened_at) = world.now;
}

static void cross(void)
{
    world.closed = !world.closed;
    note_truth();
    fake_edge(LINE_CONTACT, world.closed, (ticks_t)(long long)(world.now * TICKS_PER_US));
    world.woken = true;
    foresee_edge();
}

static void move_hands(void)
{
    world.moved++;
    *(touching() ? &world.touched_at : &world.parted_at) = world.now;
    aim();
}

static double next_move(void) { return world.moved < world.move_count ? world.moves[world.moved] : NEVER; }

static double next_of_all(void)
{
    double serial = sooner(world.byte_in, world.byte_out);
    return sooner(sooner(world.wakes, serial), sooner(world.crosses, next_move()));
}

static void interrupt(void)
{
    world.woken = true;
    if (world.now >= world.wakes)
        world.wakes += 1000;
    if (world.byte_in >= 0 && world.now >= world.byte_in)
        world.byte_in = --world.bytes_in > 0 ? world.byte_in + 44 : NEVER;
    if (world.byte_out >= 0 && world.now >= world.byte_out)
        world.byte_out = --world.bytes_out > 0 ? world.byte_out + 40 : NEVER;
}

static void go_on(double until)
{
    for (double next = next_of_all(); next <= until; next = next_of_all()) {
        world.now = next > world.now ? next : world.now;
        if (next == world.crosses)
            cross();
        else if (next == next_move())
            move_hands();
        else
            interrupt();
    }
    world.now = until > world.now ? until : world.now;
    fake.now = (ticks_t)(long long)(world.now * TICKS_PER_US);
    fake.closed[LINE_CONTACT] = world.closed || world.now < world.garbage_until;
}

/* ---- What the pad asks of it */

static void pass(void) { go_on(world.now + between(0.5, 8)); }

static uint16_t convert(uint8_t input)
{
    double taken = between(6, 54);
    go_on(world.now + taken);
    double level = input < SENSES ? level_at(input, world.now) : 0;
    go_on(world.now + 56 - taken);
    return (uint16_t)(level * 1024 / 5000);
}

static void wake_in(ticks_t ticks)
{
    double us = fmax(20, (double)ticks / TICKS_PER_US);
    world.wakes = fmin(world.wakes, world.now + us);
}

static void drive(uint8_t side)
{
    static uint8_t driven;
    if (side == driven)
        return;
    driven = side;
    world.garbage_until = world.now + SWAP_GARBAGE;
    world.closed = false;
    aim();
}

static void send_bytes(uint8_t length)
{
    world.bytes_out = length;
    world.byte_out = world.now + 40;
}

static const struct world WORLD = {pass, convert, wake_in, drive, send_bytes};

/* ---- The pad in it */

static void work_a_round(void)
{
    pad_work(&pad);
    bool busy = between(0, 1) < 0.1, long_one = world.long_round >= 0 && world.now >= world.long_round;
    go_on(world.now + (long_one ? between(3500, 6100) : between(20, busy ? 1600 : 150)));
    if (long_one)
        world.long_round = NEVER;
    if (world.byte_in < 0 && between(0, 1) < 0.02) {
        world.bytes_in = (int)between(1, 40);
        world.byte_in = world.now + between(1, 100);
    }
    for (world.woken = fake.edges_in != fake.edges_out; !world.woken;)
        go_on(next_of_all());
}

static void work_until(double us)
{
    while (world.now < us)
        work_a_round();
    ring_free(&pad.ring, pad.ring.head.next > 8 ? pad.ring.head.next - 8 : 0);
}

static void sit_down(unsigned random)
{
    seed = random;
    fake_fresh();
    world = (typeof(world)){.now = 1000, .wakes = 2000, .crosses = NEVER, .byte_in = NEVER, .byte_out = NEVER, .long_round = NEVER};
    fake.now = US(1000);
    fake_world = &WORLD;
    drive(SIDE_NONE);
    pad_start(&pad, &store);
    fake.closed[LINE_REST_1] = fake.closed[LINE_REST_2] = true;
    work_until(500000);
    fake.sent_count = 0;
}

/* The hands move so, us from now on, and then nothing more until `end`. */
static void play(const double *moves, int count, double end)
{
    double begun = world.now;
    world.touched_read = between(900, 1740);
    world.touched_driven = between(1250, 2230);
    world.made = world.released = world.opened_at = world.closed_at = NEVER;
    world.moved = 0;
    world.move_count = count;
    for (int i = 0; i < count; i++)
        world.moves[i] = begun + moves[i];
    work_until(begun + end);
    fake.sent_count = 0;
}

static struct event told(uint32_t ago) { return ring_read(&pad.ring, pad.ring.head.next - 1 - ago); }

/* Of the latest event of a kind; its onset is some us off the truth. */
static double error_of(struct event event, double truth) { return (double)event.onset_us - truth; }

/* `lead` us from now on; the next one may be `gap` us later. Returns how many of its two events are as sure as a good stamp is. */
static int touch(double lead, double gap)
{
    uint32_t before = pad.ring.head.next;
    double held = between(15000, 40000);
    play((double[]){lead, lead + held}, 2, lead + held + gap);
    struct event made = told(1), released = told(0);
    CHECK_EQUAL(pad.ring.head.next, before + 2);
    CHECK_EQUAL(made.kind, CONTACT_MADE);
    CHECK_EQUAL(released.kind, CONTACT_RELEASED);
    CHECK(fabs(error_of(made, world.made)) <= made.within);
    CHECK(fabs(error_of(released, world.released)) <= released.within);
    CHECK(made.within < WITHIN_UNKNOWN && released.within < WITHIN_UNKNOWN);
    return (made.within == WITHIN_STAMP) + (released.within == WITHIN_STAMP);
}

static void a_touch_at_any_phase_has_a_bound_that_holds(void)
{
    int clear = 0, all = 0;
    sit_down(11);
    for (double gap = 17000; gap < 200000; gap += 37, all += 2)
        clear += touch(between(3000, 4000), gap);
    CHECK(clear > all * 0.995);
}

static void so_has_one_while_nobody_looks_for_milliseconds(void)
{
    int clear = 0, all = 0;
    sit_down(12);
    for (double gap = 24000; gap < 60000; gap += 2, all += 2) {
        world.long_round = world.now + between(3000, 10000);
        clear += touch(between(9000, 10000), gap);
    }
    CHECK(clear > all * 0.6);
}

/* Hands touch so often for a moment before they stay, and part so often. Returns how many moves that are. */
static int bounce(double *moves, double lead, int times, double held)
{
    int count = 0;
    for (int turn = 0; turn < 2; turn++, lead += held) {
        for (int i = 0; i < times; i++) {
            moves[count++] = lead;
            lead += between(60, 1300);
            moves[count++] = lead;
            lead += between(60, 1300);
        }
        moves[count++] = lead;
    }
    return count;
}

static void hands_that_bounce_are_told_by_their_first_edge(void)
{
    int unbounded = 0, all = 0;
    sit_down(13);
    for (int round = 0; round < 6000; round++, all += 2) {
        double moves[MOST_MOVES];
        int count = bounce(moves, between(3000, 4000), round % 4, between(20000, 40000));
        play(moves, count, moves[count - 1] + between(20000, 60000));
        struct event made = told(1), released = told(0);
        CHECK_EQUAL(made.kind, CONTACT_MADE);
        CHECK_EQUAL(released.kind, CONTACT_RELEASED);
        CHECK(fabs(error_of(made, world.made)) <= made.within);
        CHECK(fabs(error_of(released, world.released)) <= released.within);
        unbounded += (made.within == WITHIN_UNKNOWN) + (released.within == WITHIN_UNKNOWN);
    }
    CHECK(unbounded < all / 400); /* bounces that look like hum, a millisecond apart */
}

int main(void)
{
    RUN(a_touch_at_any_phase_has_a_bound_that_holds);
    RUN(so_has_one_while_nobody_looks_for_milliseconds);
    RUN(hands_that_bounce_are_told_by_their_first_edge);
    return 0;
}
