/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Heat in a plate, cut into strips, one thread a strip; the strips tell each other that their
 * edge is ready and meet at a barrier after each step.  Annotated with weft.h: a region for
 * each part of a step, messages for the edges, a counter for how much still changes.  The
 * first strip is twice as high as the others: the picture shows them waiting for it.
 *
 *   weft record -o heat.weft -- ./stencil && weft render space-time heat.weft -o heat.svg
 */
#define _GNU_SOURCE
#include <math.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

#include <weft/weft.h>

enum { STRIPS = 4, STEPS = 60, WIDTH = 400, HEIGHT = 500 };

static double plate[2][HEIGHT][WIDTH];
static double change[STRIPS];
static pthread_barrier_t step_end;

/* The rows of a strip: two shares of five for the first, one for each other. */
static int first_row(int strip)
{
    return strip == 0 ? 1 : 1 + (HEIGHT - 2) * (strip + 1) / (STRIPS + 1);
}

static uint64_t message(int step, int from, int to)
{
    return ((uint64_t)step * STRIPS + (uint64_t)from) * STRIPS + (uint64_t)to;
}

static double relax(double (*from)[WIDTH], double (*to)[WIDTH], int begin, int end)
{
    double most = 0;
    for (int y = begin; y < end; y++)
        for (int x = 1; x < WIDTH - 1; x++) {
            to[y][x] =
                0.25 * (from[y - 1][x] + from[y + 1][x] + from[y][x - 1] + from[y][x + 1]);
            most = fmax(most, fabs(to[y][x] - from[y][x]));
        }
    return most;
}

static void *work(void *user)
{
    int strip = (int)(intptr_t)user;
    char name[16];
    snprintf(name, sizeof name, "strip %d", strip);
    weft_thread_name(name);
    for (int step = 0; step < STEPS; step++) {
        weft_begin("relax");
        change[strip] = relax(plate[step % 2], plate[1 - step % 2], first_row(strip),
                              first_row(strip + 1));
        weft_end();
        for (int to = strip - 1; to <= strip + 1; to += 2)
            if (to >= 0 && to < STRIPS)
                weft_send("edge", message(step, strip, to), WIDTH * sizeof(double));
        pthread_barrier_wait(&step_end);
        for (int from = strip - 1; from <= strip + 1; from += 2)
            if (from >= 0 && from < STRIPS)
                weft_receive("edge", message(step, from, strip), WIDTH * sizeof(double));
        if (strip == 0)
            weft_counter("largest change", change[0]);
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[STRIPS];
    for (int x = 0; x < WIDTH; x++)
        plate[0][0][x] = plate[1][0][x] = 100;
    pthread_barrier_init(&step_end, NULL, STRIPS);
    for (int i = 0; i < STRIPS; i++)
        pthread_create(&threads[i], NULL, work, (void *)(intptr_t)i);
    for (int i = 0; i < STRIPS; i++)
        pthread_join(threads[i], NULL);
    pthread_barrier_destroy(&step_end);
    printf("after %d steps the largest change is %.3f degrees\n", STEPS, change[0]);
    return 0;
}
