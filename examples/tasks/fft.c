/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fast Fourier transform (Cooley and Tukey 1965): the even and the odd elements by a task each,
 * then the two are put together by tasks, each for a part of them.  There and back again gives
 * what was there.
 */
#include <complex.h>
#include <math.h>
#include <string.h>

#include "tasks.h"

enum { ALONE = 64, PART = 256 }; /* elements */

/* Elements FROM to TO of the butterflies of N elements. */
static void butterflies(double complex *data, const double complex *room, size_t n,
                        size_t from, size_t to, double sign)
{
    for (size_t k = from; k < to; k++) {
        double angle = sign * 2 * acos(-1) * (double)k / (double)n;
        double complex odd = room[n / 2 + k] * (cos(angle) + sin(angle) * I);
        data[k] = room[k] + odd;
        data[n / 2 + k] = room[k] - odd;
    }
}

static void divide(const double complex *data, double complex *room, size_t n, size_t from,
                   size_t to)
{
    for (size_t k = from; k < to; k++) {
        room[k] = data[2 * k];
        room[n / 2 + k] = data[2 * k + 1];
    }
}

static void transform(double complex *data, double complex *room, size_t n, double sign)
{
    size_t half = n / 2;

    if (n == 1)
        return;
    if (n <= ALONE) {
        divide(data, room, n, 0, half);
        transform(room, data, half, sign);
        transform(room + half, data + half, half, sign);
        butterflies(data, room, n, 0, half, sign);
        return;
    }
    for (size_t from = 0; from < half; from += PART) {
        size_t to = from + PART < half ? from + PART : half;
        count_task();
#pragma omp task
        divide(data, room, n, from, to);
    }
#pragma omp taskwait
    count_task();
#pragma omp task
    transform(room, data, half, sign);
    count_task();
#pragma omp task
    transform(room + half, data + half, half, sign);
#pragma omp taskwait
    for (size_t from = 0; from < half; from += PART) {
        size_t to = from + PART < half ? from + PART : half;
        count_task();
#pragma omp task
        butterflies(data, room, n, from, to, sign);
    }
#pragma omp taskwait
}

int main(int argc, char **argv)
{
    int size = size_of(argc, argv, 65536);
    size_t n = 1;
    double complex *data, *room;
    double worst = 0, first = 0;

    while (n < (size_t)size)
        n *= 2;
    data = malloc(n * sizeof *data);
    room = malloc(n * sizeof *room);
    if (!data || !room)
        return 1;
    for (size_t i = 0; i < n; i++)
        data[i] = fraction(2 * i) + fraction(2 * i + 1) * I;
#pragma omp parallel
#pragma omp single
    {
        transform(data, room, n, -1);
        first = creal(data[0]);
        transform(data, room, n, 1);
    }
    for (size_t i = 0; i < n; i++)
        worst = fmax(
            worst, cabs(data[i] / (double)n - (fraction(2 * i) + fraction(2 * i + 1) * I)));
    free(data);
    free(room);
    return report("fft", (int)n, first, worst < 1e-9);
}
