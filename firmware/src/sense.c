/* What the level of a sense input says of an edge: how late it came, how sure that is, and when the step was that hum hides. */
#include "sense.h"

/* What is no hum: a step is at least so much, and so much more as hum is steep. */
enum { LEAST_STEP = 120, MOST_STEP = 2500 };
/* A level has settled so long after a step. */
static const uint16_t SETTLED_US = 200;
/* The converter may take the level as late as this after its stamp. */
enum { LOOK_TAKES_US = 60 };
/* Looks nearer to an edge may show part of its step already. */
static const uint16_t CLEAR = US(250);
/* Steps nearer to each other are the chatter of one. */
static const uint16_t CHATTER = US(2500);
/* A step is forgotten before 16 bits of time come round; looks further apart say nothing of each other. */
static const uint16_t OLD = MS(26), FAR = MS(3);
/* From end to end hum moves a level as far as its steepest slope would in so many ms. */
enum { SWINGS_MS = 8 };
/* Of a shorter time between two looks the converter's steps would make a slope. */
enum { SLOPE_US = 600 };
/* Hum's slope changes its sign each half period, and grows from look to look by no more than this and half of itself. */
enum { SUDDEN = 8 };
/* What goes on for so many looks is no step. */
enum { STALEST = 3 };
/* The converter's steps, the comparator's offset; hum that came with the hand whose level was flat before. */
enum { BLUR = 6, BLUR_ON_ARRIVAL = 32, NOBODY = 24 };
/* Of what the constants do not know: other skins, the edge's own wait for its interrupt. */
enum { SPARE_US = 18, SPARE_SHARE = 8 };
/* Hum this steep, mV a ms, may make edges of its own; hold back that of a hand that is laid; be all that is seen. */
enum { STEEP = 30, HIDES_A_HAND = 80, TOO_STEEP = 150 };
/* Of hum, with what it may be off; and for how many ms it holds a line at most. */
enum { PERIOD_US = 21000, LONGEST_HELD = 20 };

enum { NO_TIME = 12000 }; /* us: longer than anything here */
/* As late as any edge without hum, by the slowest charge that can be set. */
enum { UNSEEN_US = 2300 };
static const struct lateness UNRESOLVED = {.within = WITHIN_UNRESOLVED};

static void begin_anew(struct sense *sense)
{
    sense->looks = 0;
    sense->slope = 0;
    sense->stale = 0;
    sense->anew = 0;
}

void sense_forget(struct sense *sense)
{
    begin_anew(sense);
    sense->way = WAY_NONE;
}

static int16_t us_of(uint16_t ticks) { return (int16_t)(ticks / TICKS_PER_US); }

static int16_t moved(int16_t slope, int16_t us) { return (int16_t)((int32_t)slope * us / 1000); }

static int16_t least_step(const struct sense *sense) { return (int16_t)(LEAST_STEP + sense->unrest * 3 / 4); }

static int16_t size(int16_t value) { return value < 0 ? (int16_t)-value : value; }

static void step(struct sense *sense, bool up, uint16_t at)
{
    bool goes_on = sense->way != WAY_NONE && (uint16_t)(at - sense->to) < CHATTER && (uint16_t)(at - sense->from) < OLD / 2;
    if (!goes_on)
        sense->from = sense->at - US(SETTLED_US); /* it may have begun under the look before */
    sense->to = at;
    sense->way = up ? WAY_UP : WAY_DOWN;
}

/* What is steeper all at once is the end of a step, or chatter: only the next look can tell, and hum is as steep there. */
static int16_t steepness(int16_t slope, int16_t slope_before)
{
    bool goes_on = (slope < 0) == (slope_before < 0);
    int16_t steep = size(slope), most = (int16_t)(SUDDEN + (goes_on ? size(slope_before) / 2 * 3 : 0));
    steep = steep > most ? most : steep;
    return steep > UINT8_MAX ? UINT8_MAX : steep;
}

/* Between the two looks that are kept. */
static int16_t slope_of_looks(const struct sense *sense)
{
    int16_t us = us_of(sense->at - sense->before_at);
    return us < SLOPE_US ? 0 : (int16_t)((int32_t)(int16_t)(sense->level - sense->before) * 1000 / us);
}

static void learn_slope(struct sense *sense, uint16_t level, uint16_t at)
{
    bool further_back = us_of(at - sense->at) < SLOPE_US;
    if (further_back && (sense->looks < 2 || sense->stale))
        return;
    int16_t us = us_of(at - (further_back ? sense->before_at : sense->at));
    if (us < SLOPE_US)
        return;
    int16_t gone = (int16_t)(level - (further_back ? sense->before : sense->level));
    int16_t slope = (int16_t)((int32_t)gone * 1000 / us);
    bool went_on = sense->stale == STALEST && sense->looks == 2; /* too long for a step, and maybe chatter */
    uint8_t steep = (uint8_t)steepness(slope, went_on ? slope_of_looks(sense) : sense->slope);
    sense->slope = slope;
    sense->stale = 0;
    sense->unrest -= (sense->unrest + 31) / 32;
    if (steep > sense->unrest)
        sense->unrest = steep;
}

/* A part of a step is no slope either. What goes on one way for long is, and what goes to and fro is chatter. */
static bool goes_stale(struct sense *sense, bool up)
{
    if (sense->stale && sense->stale_up != up)
        sense->stale = 0;
    if (sense->stale == STALEST)
        return false;
    sense->stale++;
    sense->stale_up = up;
    return true;
}

static void follow(struct sense *sense, uint16_t level, uint16_t at)
{
    int16_t by_slope = moved(sense->slope, us_of(at - sense->at));
    int16_t off = (int16_t)(level - sense->level - by_slope);
    int16_t least = (int16_t)(least_step(sense) + (sense->stale ? sense->unrest : 0));
    bool knows_slope = sense->looks == 2;
    if (!knows_slope && size(off) >= least / 2 + sense->unrest && sense->anew < STALEST) {
        if (size(off) >= least + moved(sense->unrest, us_of(at - sense->at)))
            step(sense, off > 0, at);
        sense->anew++; /* a touch so soon: its step is no slope, and this look is the first again */
        sense->looks = 0;
        return;
    }
    if (knows_slope && size(off) >= least)
        step(sense, off > 0, at);
    if (!knows_slope || size(off) < least / 2 || !goes_stale(sense, off > 0))
        learn_slope(sense, level, at);
}

/* Hum has swung to and fro meanwhile: what is more than all of its swing is a step nevertheless. */
static void look_far(struct sense *sense, uint16_t level, uint16_t at)
{
    int16_t off = (int16_t)(level - sense->level);
    if ((uint16_t)(at - sense->at) < OLD / 2 && size(off) >= least_step(sense) + sense->unrest * SWINGS_MS)
        step(sense, off > 0, at);
    begin_anew(sense);
}

void sense_look(struct sense *sense, uint16_t level, ticks_t stamp)
{
    uint16_t at = (uint16_t)stamp;
    if (sense->looks && (uint16_t)(at - sense->at) > FAR)
        look_far(sense, level, at);
    if (sense->looks)
        follow(sense, level, at);
    if (sense->way != WAY_NONE && (uint16_t)(at - sense->from) > OLD)
        sense->way = WAY_NONE;
    sense->before = sense->level;
    sense->before_at = sense->at;
    sense->level = level;
    sense->at = at;
    if (sense->looks < 2)
        sense->looks++;
}

struct past {
    uint16_t level;
    int16_t us; /* before the edge */
};

/* The newest look that no part of the edge's step shows in. False: there is none. */
static bool look_before(const struct sense *sense, uint16_t edge_at, struct past *past)
{
    for (uint8_t back = 0; back < sense->looks; back++) {
        int16_t ahead = (int16_t)(edge_at - (back ? sense->before_at : sense->at));
        if (ahead < (int16_t)CLEAR || ahead > (int16_t)FAR)
            continue;
        if (sense->stale > back) { /* a step began before it, and may be the edge's; how hum went on since is not known */
            if (sense->unrest >= STEEP)
                return false;
            continue;
        }
        *past = (struct past){
            .level = back ? sense->before : sense->level,
            .us = us_of((uint16_t)ahead),
        };
        return true;
    }
    return false;
}

/* 256 times the binary logarithm, within 2. */
static uint16_t log_256(uint16_t value)
{
    uint16_t whole = 15 * 256;
    while (!(value & 0x8000)) {
        value = (uint16_t)(value << 1);
        whole -= 256;
    }
    uint16_t part = (value >> 7) & 0xFF;
    return whole + part + (uint16_t)(((uint32_t)part * (256 - part) * 88) >> 16);
}

/* How long a level that steps by `step` takes to come within `left` of where it settles. */
static int16_t charging(const struct charge *charge, int16_t step, int16_t left)
{
    if (left < 1)
        left = 1;
    if (step < left)
        step = left;
    uint16_t octaves = log_256((uint16_t)step) - log_256((uint16_t)left);
    /* ln 2 / 256 is 177 / 65,536 */
    int16_t us = (int16_t)(((uint32_t)octaves * charge->constant * 177) >> 16) + charge->more;
    return us < 2 ? 2 : us;
}

static struct lateness between(int16_t least, int16_t most)
{
    return (struct lateness){.late = (int16_t)((least + most) / 2), .within = (uint16_t)((most - least + 1) / 2)};
}

static int16_t greater(int16_t a, int16_t b) { return a > b ? a : b; }

static int16_t lesser(int16_t a, int16_t b) { return a < b ? a : b; }

/* All that an edge's lateness is reckoned from: the step, what it goes beyond the threshold and by how much that may be off. */
struct swing {
    int16_t step_least, step_most, beyond, blur; /* mV */
    int16_t span;  /* us: not later than this, for then a look would have shown the step */
    int16_t until; /* us: the step may have come so long after the edge */
};

static struct lateness lateness_of(const struct swing *swing, const struct charge *charge)
{
    int16_t clear = swing->beyond - swing->blur;
    int16_t most = clear > 0 ? charging(charge, swing->step_most, clear) : NO_TIME;
    int16_t least = charging(charge, swing->step_least, swing->beyond + swing->blur);
    most += (int16_t)(SPARE_US + most / SPARE_SHARE);
    least -= (int16_t)(SPARE_US + least / SPARE_SHARE);
    if (most > swing->span)
        most = swing->span;
    if (swing->until)
        least = (int16_t)-swing->until;
    if (most >= NO_TIME)
        return UNRESOLVED;
    if (least > most)
        least = most;
    if (clear > 0) {
        int16_t likely = charging(charge, swing->step_least, swing->beyond);
        int16_t within = greater(most - likely, likely - least);
        if (within >= 0 && within <= WITHIN_STAMP)
            return (struct lateness){.late = likely, .within = WITHIN_STAMP};
    }
    return between(least, most);
}

/* Whatever it was that crossed took no longer to. */
static int16_t slowest(const struct charge *charge)
{
    int16_t most = charging(charge, MOST_STEP, 1);
    return (int16_t)(most + most / SPARE_SHARE + SPARE_US);
}

/* What an edge tells whose own level was never seen: where no hum is, that something had stepped. */
static struct lateness unsettled(const struct sense *sense, const struct charge *charge)
{
    return sense->unrest >= STEEP ? UNRESOLVED : between(-SPARE_US, slowest(charge));
}

/* The hum's: what was steep at one look only may have been the end of a step. */
static int16_t slope_of_hum(const struct sense *sense)
{
    int16_t most = sense->unrest;
    return sense->slope > most ? most : sense->slope < -most ? (int16_t)-most : sense->slope;
}

struct lateness sense_judge(const struct sense *sense, const struct edge_seen *edge, const struct charge *charge)
{
    int8_t sign = edge->closed ? 1 : -1;
    int16_t since = us_of((uint16_t)(edge->settled_at - edge->at));
    int16_t slope = slope_of_hum(sense);
    int16_t settled = (int16_t)edge->settled - moved(slope, since); /* as of the edge */
    struct swing swing = {
        .beyond = (int16_t)(settled - edge->threshold) * sign,
        /* Bodies apart sway more than joined ones. */
        .blur = (int16_t)(BLUR + (int32_t)sense->unrest * since / (edge->closed ? 1000 : 550)),
        .span = NO_TIME,
    };
    struct past past;
    bool knows_past = look_before(sense, (uint16_t)edge->at, &past);
    if (edge->chattered)
        return !knows_past && sense->stale ? UNRESOLVED : unsettled(sense, charge);
    if (knows_past) {
        int16_t by_hum = (int16_t)past.level + moved(slope, past.us); /* as it would have been at the edge */
        swing.step_least = swing.step_most = (int16_t)(settled - by_hum) * sign;
        if (swing.step_least < least_step(sense))
            return UNRESOLVED;
        if (past.level < NOBODY)
            swing.blur += BLUR_ON_ARRIVAL;
        int16_t room = (int16_t)(edge->threshold - by_hum) * sign;
        if (room < BLUR + moved(sense->unrest, (int16_t)(past.us + past.us / 4)))
            swing.until = since + LOOK_TAKES_US; /* hum may have made the edge, and the step came until this look */
        swing.span = (int16_t)(past.us + SETTLED_US);
    } else {
        if (sense->unrest >= STEEP || sense->stale)
            return UNRESOLVED;
        swing.step_least = swing.beyond;
        swing.step_most = MOST_STEP;
    }
    return lateness_of(&swing, charge);
}

struct lateness sense_resolve(const struct sense *sense, const struct edge_seen *edge, const struct charge *charge, ticks_t now)
{
    if (sense->way != (edge->closed ? WAY_UP : WAY_DOWN) || sense->unrest >= TOO_STEEP)
        return UNRESOLVED;
    int32_t edge_ago = (int32_t)(now - edge->at);
    int32_t first = (uint16_t)((uint16_t)now - sense->from) - edge_ago;
    int32_t last = (uint16_t)((uint16_t)now - sense->to) - edge_ago;
    if (last < -(int32_t)MS(LONGEST_HELD))
        return UNRESOLVED;
    int32_t ticks_a_us = TICKS_PER_US;
    int16_t least = (int16_t)(last / ticks_a_us - LOOK_TAKES_US), most = (int16_t)(first / ticks_a_us + SPARE_US);
    if (edge->chattered) { /* the edge may be that of a step before, which no look met */
        least = lesser(least, -SPARE_US);
        most = greater(most, slowest(charge));
    }
    return between(least, most);
}

uint16_t sense_bound(const struct sense *sense, uint16_t within, bool closed, bool touch)
{
    if (within == WITHIN_FOUND)
        return within;
    if (sense->unrest >= TOO_STEEP)
        return WITHIN_UNKNOWN;
    if (within == WITHIN_AWAITED && sense->unrest < STEEP)
        return UNSEEN_US;
    bool resolved = within != WITHIN_AWAITED && within != WITHIN_UNRESOLVED;
    if (touch)
        return resolved ? within : WITHIN_UNKNOWN;
    /* A hand brings its hum with it: how much was not known when its edge was judged. */
    return resolved && !(closed && sense->unrest >= HIDES_A_HAND) ? within : PERIOD_US;
}
