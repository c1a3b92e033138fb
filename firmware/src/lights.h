/* Three lights: link, touch, fault. Each follows the pad by itself until the host gives it a pattern. */
#ifndef LIGHTS_H
#define LIGHTS_H

#include "pad.h"

void lights_start(struct pad *pad);
void lights_work(struct pad *pad, ticks_t now);

#endif
