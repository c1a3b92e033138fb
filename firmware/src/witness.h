/* Looks at the sense inputs each millisecond, and when a level has settled after an edge, and judges how late the edge was. */
#ifndef WITNESS_H
#define WITNESS_H

#include "pad.h"

void witness_work(struct pad *pad, ticks_t now);

#endif
