/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Heat on a plate: each point becomes the mean of its four neighbours, back and forth between two
 * arrays, a step each.  Nothing in it says what it reads and writes: it is compiled with hooks.
 *
 *     cc -O1 -g -fsanitize=thread -c heat.c
 *     cc heat.o -lweft-array -o heat
 *     weft record --with arrays -o heat.weft -- ./heat
 *     weft distribute heat.weft --processors 16
 *
 * heat.hpf deals rows like cards, the worst that one can do: each point has two neighbours
 * elsewhere.
 */
#include <stdio.h>
#include <stdlib.h>

#include "weft/weft_array.h"

enum { SIDE = 100, STEPS = 10 };

static double old[SIDE][SIDE], new[SIDE][SIDE];

static void relax(double (*restrict to)[SIDE], double (*restrict from)[SIDE])
{
    for (int i = 1; i < SIDE - 1; i++)
        for (int j = 1; j < SIDE - 1; j++)
            to[i][j] =
                0.25 * (from[i - 1][j] + from[i + 1][j] + from[i][j - 1] + from[i][j + 1]);
}

int main(int argc, char **argv)
{
    int steps = argc > 1 ? atoi(argv[1]) : STEPS, number;

    for (int i = 0; i < SIDE; i++)
        old[i][0] = new[i][0] = 100; /* before the arrays are declared: not recorded */
    number = weft_array("old", 2, (const size_t[]){ SIDE, SIDE });
    weft_array_at(old, sizeof old[0][0]);
    weft_array("new", 2, (const size_t[]){ SIDE, SIDE });
    weft_array_at(new, sizeof new[0][0]);
    for (int step = 0; step < steps; step++) {
        if (step % 2 == 0)
            relax(new, old);
        else
            relax(old, new);
        weft_array_step();
    }
    weft_array_use(number);
    weft_array_at(NULL, 0); /* what follows is no matter of the distribution */
    printf("%d steps, %.2f degrees beside the edge\n", steps, old[SIDE / 2][1]);
    return 0;
}
