/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Product of two matrices (Strassen 1969): seven products of quarters, each by a task, and sums
 * of them.  The size is a power of two.
 */
#include <math.h>
#include <string.h>

#include "tasks.h"

enum { ALONE = 32 };

/* A part of a matrix whose rows are STRIDE apart. */
struct part {
    double *at;
    size_t stride;
};

static struct part quarter(struct part whole, size_t half, int row, int column)
{
    return (struct part){
        whole.at + (size_t)row * half * whole.stride + (size_t)column * half, whole.stride
    };
}

/* TO = A + SIGN * B. */
static void add(struct part to, struct part a, double sign, struct part b, size_t n)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            to.at[i * to.stride + j] =
                a.at[i * a.stride + j] + sign * b.at[i * b.stride + j];
}

static void multiply_alone(struct part to, struct part a, struct part b, size_t n)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            double sum = 0;
            for (size_t k = 0; k < n; k++)
                sum += a.at[i * a.stride + k] * b.at[k * b.stride + j];
            to.at[i * to.stride + j] = sum;
        }
}

static void multiply(struct part to, struct part a, struct part b, size_t n);

/* The product of two sums of quarters of A and of B; SIGN 0: only the first. */
static void product(struct part to, struct part a1, double sign_a, struct part a2,
                    struct part b1, double sign_b, struct part b2, size_t n)
{
    double *room = malloc(2 * n * n * sizeof *room);
    struct part left = { room, n }, right = { room + n * n, n };

    if (!room)
        abort();
    add(left, a1, sign_a, a2, n);
    add(right, b1, sign_b, b2, n);
    multiply(to, left, right, n);
    free(room);
}

static void multiply(struct part to, struct part a, struct part b, size_t n)
{
    size_t h = n / 2;
    struct part a11 = quarter(a, h, 0, 0), a12 = quarter(a, h, 0, 1),
                a21 = quarter(a, h, 1, 0), a22 = quarter(a, h, 1, 1),
                b11 = quarter(b, h, 0, 0), b12 = quarter(b, h, 0, 1),
                b21 = quarter(b, h, 1, 0), b22 = quarter(b, h, 1, 1);
    struct part m[7], c11 = quarter(to, h, 0, 0), c12 = quarter(to, h, 0, 1),
                      c21 = quarter(to, h, 1, 0), c22 = quarter(to, h, 1, 1);
    double *room;

    if (n <= ALONE) {
        multiply_alone(to, a, b, n);
        return;
    }
    room = malloc(7 * h * h * sizeof *room);
    if (!room)
        abort();
    for (size_t i = 0; i < 7; i++) {
        m[i] = (struct part){ room + i * h * h, h };
        count_task();
    }
#pragma omp task
    product(m[0], a11, 1, a22, b11, 1, b22, h);
#pragma omp task
    product(m[1], a21, 1, a22, b11, 0, b11, h);
#pragma omp task
    product(m[2], a11, 0, a11, b12, -1, b22, h);
#pragma omp task
    product(m[3], a22, 0, a22, b21, -1, b11, h);
#pragma omp task
    product(m[4], a11, 1, a12, b22, 0, b22, h);
#pragma omp task
    product(m[5], a21, -1, a11, b11, 1, b12, h);
#pragma omp task
    product(m[6], a12, -1, a22, b21, 1, b22, h);
#pragma omp taskwait
    add(c11, m[0], 1, m[3], h);
    add(c11, c11, -1, m[4], h);
    add(c11, c11, 1, m[6], h);
    add(c12, m[2], 1, m[4], h);
    add(c21, m[1], 1, m[3], h);
    add(c22, m[0], -1, m[1], h);
    add(c22, c22, 1, m[2], h);
    add(c22, c22, 1, m[5], h);
    free(room);
}

int main(int argc, char **argv)
{
    int size = size_of(argc, argv, 256);
    size_t n = 1, cells;
    double *all, worst = 0;

    while (n < (size_t)size)
        n *= 2;
    cells = n * n;
    all = malloc(4 * cells * sizeof *all);
    if (!all)
        return 1;
    for (size_t i = 0; i < 2 * cells; i++)
        all[i] = fraction(i) - 0.5;
    {
        struct part a = { all, n }, b = { all + cells, n }, c = { all + 2 * cells, n },
                    plain = { all + 3 * cells, n };
#pragma omp parallel
#pragma omp single
        multiply(c, a, b, n);
        multiply_alone(plain, a, b, n);
    }
    for (size_t i = 0; i < cells; i++)
        worst = fmax(worst, fabs(all[2 * cells + i] - all[3 * cells + i]));
    size = report("strassen", (int)n, all[2 * cells], worst < 1e-9 * (double)n);
    free(all);
    return size;
}
