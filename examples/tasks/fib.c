/* SPDX-License-Identifier: Apache-2.0 */
/* The numbers of Fibonacci: the smallest tasks that there are. */
#include "tasks.h"

static long fib(int n)
{
    long x, y;

    if (n < 2)
        return n;
    count_task();
#pragma omp task shared(x) firstprivate(n)
    x = fib(n - 1);
    count_task();
#pragma omp task shared(y) firstprivate(n)
    y = fib(n - 2);
#pragma omp taskwait
    return x + y;
}

static long fib_in_a_loop(int n)
{
    long a = 0, b = 1;

    while (n-- > 0) {
        long c = a + b;
        a = b;
        b = c;
    }
    return a;
}

int main(int argc, char **argv)
{
    int n = size_of(argc, argv, 24);
    long result = 0;

#pragma omp parallel
#pragma omp single
    result = fib(n);
    return report("fib", n, (double)result, result == fib_in_a_loop(n));
}
