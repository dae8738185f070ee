/* SPDX-License-Identifier: Apache-2.0 */
/*
 * array_kernels KERNEL [conditional]: a kernel whose references are recorded by hooks.  With
 * -DSIMULATE the same kernels are written once more, below, so that they print each reference with
 * its owner: "read ELEMENT OWNER" or "write ELEMENT ELEMENT", OWNER - if it is nobody.
 *
 * Floyd-Warshall, LU with pivoting, and red-black Gauss-Seidel; conditional ones write an
 * element only if it changes.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "weft/weft_array.h"

enum { N = 20 };

static double a[N][N];

/* Numbers that look random, but are the same everywhere. */
static double number(int i, int j)
{
    unsigned x = (unsigned)(i * 7919 + j * 104729 + 12345);

    x ^= x >> 7;
    x *= 2654435761u;
    return (double)(x >> 8 & 0xffff) / 65536;
}

static void fill(const char *kernel)
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            a[i][j] = 1 + 20 * number(i, j);
            if (strcmp(kernel, "floyd") == 0 && i == j)
                a[i][j] = 0;
            if (strcmp(kernel, "lu") == 0 && number(j, i) < 0.3)
                a[i][j] = 0;
            if (strcmp(kernel, "red") == 0 && i > N / 2)
                a[i][j] = 5;
        }
}

#ifndef SIMULATE

/* The next round of a loop reads memory again; no value stays in a register. */
# define FORGET() __asm__ volatile("" : : : "memory")

static void floyd(int conditional)
{
    for (int k = 0; k < N; k++) {
        if (conditional) {
            for (int i = 0; i < N; i++)
                for (int j = 0; j < N; j++) {
                    double sum = a[i][k] + a[k][j];
                    if (sum < a[i][j])
                        a[i][j] = sum;
                }
        } else {
            for (int i = 0; i < N; i++)
                for (int j = 0; j < N; j++) {
                    double sum = a[i][k] + a[k][j], now = a[i][j];
                    a[i][j] = sum < now ? sum : now;
                }
        }
        weft_array_step();
    }
}

static int find_pivot(int k)
{
    double most = -1;
    int pivot = k;

    for (int i = k; i < N; i++) {
        double size = fabs(a[i][k]);
        if (size > most) {
            most = size;
            pivot = i;
        }
    }
    return pivot;
}

static void lu(int conditional)
{
    for (int k = 0; k < N - 1; k++) {
        int pivot = find_pivot(k);
        if (pivot != k)
            for (int j = 0; j < N; j++) {
                double kept = a[k][j];
                a[k][j] = a[pivot][j];
                a[pivot][j] = kept;
            }
        weft_array_step();
        for (int i = k + 1; i < N; i++) {
            double factor = a[i][k];
            if (conditional && factor == 0)
                continue;
            factor /= a[k][k];
            a[i][k] = factor;
            for (int j = k + 1; j < N; j++)
                a[i][j] -= factor * a[k][j];
        }
        weft_array_step();
    }
}

static void red_black(int conditional)
{
    for (int sweep = 0; sweep < 8; sweep++) {
        for (int i = 1; i < N - 1; i++)
            for (int j = 1 + (i + sweep) % 2; j < N - 1; j += 2) {
                double mean =
                    0.25 * (a[i - 1][j] + a[i + 1][j] + a[i][j - 1] + a[i][j + 1]);
                if (!conditional || fabs(mean - a[i][j]) > 0.5)
                    a[i][j] = mean;
                FORGET();
            }
        weft_array_step();
    }
}

#else

static void refer(const char *what, int i, int j, int of_i, int of_j)
{
    if (of_i < 0)
        printf("%s %d -\n", what, i * N + j);
    else
        printf("%s %d %d\n", what, i * N + j, of_i * N + of_j);
}

static void floyd(int conditional)
{
    for (int k = 0; k < N; k++)
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++) {
                int less = a[i][k] + a[k][j] < a[i][j];
                refer("read", i, k, i, j);
                refer("read", k, j, i, j);
                refer("read", i, j, i, j);
                if (less || !conditional)
                    refer("write", i, j, i, j);
                if (less)
                    a[i][j] = a[i][k] + a[k][j];
            }
}

static void lu(int conditional)
{
    for (int k = 0; k < N - 1; k++) {
        int pivot = k;
        for (int i = k; i < N; i++) { /* for no element: what is found is no element */
            refer("read", i, k, -1, -1);
            if (fabs(a[i][k]) > fabs(a[pivot][k]))
                pivot = i;
        }
        for (int j = 0; j < N && pivot != k; j++) {
            double kept = a[k][j];
            refer("read", k, j, pivot, j); /* each is for where its value goes */
            refer("read", pivot, j, k, j);
            refer("write", k, j, k, j);
            refer("write", pivot, j, pivot, j);
            a[k][j] = a[pivot][j];
            a[pivot][j] = kept;
        }
        for (int i = k + 1; i < N; i++) {
            refer("read", i, k, i, k);
            if (conditional && a[i][k] == 0)
                continue;
            refer("read", k, k, i, k);
            refer("write", i, k, i, k);
            a[i][k] /= a[k][k];
            for (int j = k + 1; j < N; j++) {
                refer("read", i, j, i, j);
                refer("read", k, j, i, j);
                refer("write", i, j, i, j);
                a[i][j] -= a[i][k] * a[k][j];
            }
        }
    }
}

static void red_black(int conditional)
{
    for (int sweep = 0; sweep < 8; sweep++)
        for (int i = 1; i < N - 1; i++)
            for (int j = 1 + (i + sweep) % 2; j < N - 1; j += 2) {
                double mean =
                    0.25 * (a[i - 1][j] + a[i + 1][j] + a[i][j - 1] + a[i][j + 1]);
                refer("read", i - 1, j, i, j);
                refer("read", i + 1, j, i, j);
                refer("read", i, j - 1, i, j);
                refer("read", i, j + 1, i, j);
                if (conditional)
                    refer("read", i, j, i, j);
                if (conditional && fabs(mean - a[i][j]) <= 0.5)
                    continue;
                refer("write", i, j, i, j);
                a[i][j] = mean;
            }
}

#endif

int main(int argc, char **argv)
{
    const char *kernel = argc > 1 ? argv[1] : "";
    int conditional = argc > 2;
    double sum = 0;

    fill(kernel);
    weft_array("a", 2, (const size_t[]){ N, N });
    weft_array_at(a, sizeof a[0][0]);
    if (strcmp(kernel, "floyd") == 0)
        floyd(conditional);
    else if (strcmp(kernel, "lu") == 0)
        lu(conditional);
    else
        red_black(conditional);
    weft_array_at(NULL, 0);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            sum += a[i][j];
    fprintf(stderr, "%.6g\n", sum);
    return 0;
}
