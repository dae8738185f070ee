/* SPDX-License-Identifier: Apache-2.0 */
/* A body of an OpenMP construct, for which a compiler makes a function. */
#include <stdio.h>

static double sum(int n)
{
    double all = 0;

#pragma omp parallel num_threads(2) /* here */
    {
        double own = 0;
        for (volatile int i = 0; i < n; i++)
            own += i * 1e-9;
#pragma omp atomic
        all += own;
    }
    return all;
}

int main(void)
{
    printf("%g\n", sum(100000000));
    return 0;
}
