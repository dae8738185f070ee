/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads in functions that write no element: dot() is for the element that the caller writes next,
 * get() for that which put() writes, and norm() for nobody.
 */
#include <math.h>
#include <stdio.h>

#include "weft/weft_array.h"

enum { N = 20, SWEEPS = 5 };

static double A[N][N], x[N], y[N];

/* Nothing is kept in a register for the next round of a loop, nor left out. */
#define FORGET() __asm__ volatile("" : : : "memory")

__attribute__((noinline)) static double dot(int i)
{
    double sum = 0;

    for (int j = 0; j < N; j++) {
        sum += A[i][j] * x[j];
        FORGET();
    }
    return sum;
}

__attribute__((noinline)) static double norm(void)
{
    double sum = 0;

    for (int j = 0; j < N; j++) {
        double value = x[j];
        sum += value * value;
        FORGET();
    }
    return sum;
}

__attribute__((noinline)) static double get(int i, int j)
{
    FORGET();
    return A[i][j];
}

__attribute__((noinline)) static void put(int i, int j, double value)
{
    A[i][j] = value;
    FORGET();
}

int main(void)
{
    double sum = 0;

    for (int i = 0; i < N; i++) {
        x[i] = i;
        for (int j = 0; j < N; j++)
            A[i][j] = i + j;
    }
    weft_array("A", 2, (const size_t[]){ N, N });
    weft_array_at(A, sizeof A[0][0]);
    weft_array("x", 1, (const size_t[]){ N });
    weft_array_at(x, sizeof x[0]);
    weft_array("y", 1, (const size_t[]){ N });
    weft_array_at(y, sizeof y[0]);
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        for (int i = 0; i < N; i++)
            y[i] = dot(i);
        sum += norm();
        for (int i = 0; i < N; i++) {
            double value = y[i];
            x[i] = value / (1 + fabs(value));
            FORGET();
        }
        weft_array_step();
        for (int i = 1; i < N; i++)
            for (int j = 1; j < N; j++)
                put(i, j, 0.5 * (get(i - 1, j) + get(i, j - 1)));
        weft_array_step();
    }
    weft_array_at(NULL, 0);
    printf("%g\n", sum);
    return 0;
}
