/*
 * The pad's electrodes, bodies and comparators as a network of resistors and capacitors, stepped through time.
 *
 * Part of a test tool that links libsimavr and is therefore under the GNU General Public License, version 3 or later; it is
 * built for the tests and never packaged with Hoshiban.
 */
#include "circuit.h"

#include <math.h>
#include <string.h>

/* The parts list of ../README.md, in ohms and farads. */
static const double R_ELECTRODE = 100e3, R_DRIVE = 470e3, R_BIAS = 1e6, R_PULL = 1e6, R_TEST = 1e6;
static const double BIAS_SHARE = 10.0 / 49.0;
static const double R_FILTER = 10e3, C_FILTER = 47e-9;
/* The comparators' feedback: 2.2 MOhm from the output, pulled up to the supply, into the level behind its 10 kOhm. */
static const double R_FEEDBACK = 2.2e6;

enum { NODES = 6 };
enum { DRIVE_NODE, SENSE_NODE, BODY_NODE, NODES_A_SIDE };

static int node(int side, int which) { return side * NODES_A_SIDE + which; }

void circuit_start(struct circuit *circuit)
{
    memset(circuit, 0, sizeof *circuit);
    circuit->supply = 5.0;
    circuit->rest[0] = circuit->rest[1] = circuit->contact = -1;
    circuit->node_farads = 25e-12;
    circuit->body_farads = 50e-12;
}

struct network {
    double g[NODES][NODES]; /* siemens, and farads over the step's time on the diagonal */
    double i[NODES];        /* amperes */
};

static void join(struct network *net, int a, int b, double ohms)
{
    double g = 1 / ohms;
    net->g[a][a] += g;
    net->g[b][b] += g;
    net->g[a][b] -= g;
    net->g[b][a] -= g;
}

static void tie(struct network *net, int a, double volts, double ohms)
{
    net->g[a][a] += 1 / ohms;
    net->i[a] += volts / ohms;
}

static void hold(struct network *net, int a, double volts, double farads, double dt)
{
    tie(net, a, volts, dt / farads);
}

/* Gauss without pivoting: the diagonal of such a network always leads. */
static void solve(struct network *net, double *volts)
{
    for (int k = 0; k < NODES; k++)
        for (int row = k + 1; row < NODES; row++) {
            double factor = net->g[row][k] / net->g[k][k];
            if (factor == 0)
                continue;
            for (int column = k; column < NODES; column++)
                net->g[row][column] -= factor * net->g[k][column];
            net->i[row] -= factor * net->i[k];
        }
    for (int row = NODES - 1; row >= 0; row--) {
        double rest = net->i[row];
        for (int column = row + 1; column < NODES; column++)
            rest -= net->g[row][column] * volts[column];
        volts[row] = rest / net->g[row][row];
    }
}

static void lay_out(const struct circuit *circuit, struct network *net, double dt, double hum)
{
    memset(net, 0, sizeof *net);
    for (int side = 0; side < SIDES; side++) {
        int drive = node(side, DRIVE_NODE), sense = node(side, SENSE_NODE), body = node(side, BODY_NODE);
        tie(net, drive, circuit->supply * BIAS_SHARE, R_BIAS);
        tie(net, sense, 0, R_PULL);
        if (circuit->driven[side])
            tie(net, drive, circuit->supply, R_DRIVE);
        if (circuit->tested[side])
            tie(net, sense, circuit->supply, R_TEST);
        if (circuit->rest[side] >= 0) {
            join(net, drive, body, R_ELECTRODE + circuit->rest[side] / 2);
            join(net, sense, body, R_ELECTRODE + circuit->rest[side] / 2);
            net->i[body] += hum;
        } else {
            tie(net, body, 0, 1e9);
        }
        hold(net, drive, circuit->volts[drive], circuit->node_farads, dt);
        hold(net, sense, circuit->volts[sense], circuit->node_farads, dt);
        hold(net, body, circuit->volts[body], circuit->body_farads, dt);
    }
    if (circuit->contact >= 0)
        join(net, node(0, BODY_NODE), node(1, BODY_NODE), circuit->contact + 1);
}

static bool compares(double sense, double level, double supply, bool closed)
{
    double output = closed ? 0 : supply;
    return sense > level + (output - level) * R_FILTER / (R_FEEDBACK + R_FILTER);
}

static void compare(struct circuit *circuit)
{
    double first = circuit_sense(circuit, 0), second = circuit_sense(circuit, 1);
    bool contact = circuit->closed[LINE_CONTACT];
    const double *level = circuit->levels;
    circuit->closed[LINE_CONTACT] = compares(first, level[CONTACT_1], circuit->supply, contact) ||
                                    compares(second, level[CONTACT_2], circuit->supply, contact);
    circuit->closed[LINE_REST_1] = compares(first, level[REST], circuit->supply, circuit->closed[LINE_REST_1]);
    circuit->closed[LINE_REST_2] = compares(second, level[REST], circuit->supply, circuit->closed[LINE_REST_2]);
}

double circuit_step(struct circuit *circuit, double dt, double t)
{
    struct network net;
    double before[NODES], moved = 0;
    memcpy(before, circuit->volts, sizeof before);
    lay_out(circuit, &net, dt, circuit->hum_amps * sin(2 * M_PI * circuit->hum_hz * t));
    solve(&net, circuit->volts);
    for (int i = 0; i < NODES; i++)
        moved = fmax(moved, fabs(circuit->volts[i] - before[i]));
    for (int i = 0; i < CIRCUIT_LEVELS; i++) {
        double gap = circuit->share[i] * circuit->supply - circuit->levels[i];
        double step = gap * (1 - exp(-dt / (R_FILTER * C_FILTER)));
        circuit->levels[i] += step;
        moved = fmax(moved, fabs(step));
    }
    compare(circuit);
    return moved;
}

double circuit_sense(const struct circuit *circuit, int side)
{
    /* The inputs' own protection lets nothing through far above the supply or below ground. */
    return fmin(fmax(circuit->volts[node(side, SENSE_NODE)], -0.3), circuit->supply + 0.3);
}

double circuit_electrode_current(const struct circuit *circuit)
{
    double most = 0;
    for (int side = 0; side < SIDES; side++) {
        if (circuit->rest[side] < 0)
            continue;
        double ohms = R_ELECTRODE + circuit->rest[side] / 2;
        for (int which = DRIVE_NODE; which <= SENSE_NODE; which++) {
            double across = circuit->volts[node(side, which)] - circuit->volts[node(side, BODY_NODE)];
            most = fmax(most, fabs(across) / ohms);
        }
    }
    return most;
}
