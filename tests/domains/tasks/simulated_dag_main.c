/* SPDX-License-Identifier: Apache-2.0 */
/* simulate_dag fib|sort|loop|nest SIZE WORKERS CONTRACTED OUT.weft: DAGs to look at and measure. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "simulated_dag.h"

int main(int argc, char **argv)
{
    static const char *const names[] = { "fib", "sort", "loop", "nest" };
    struct simulated_dag what = { 0 };
    if (argc != 6) {
        fprintf(stderr, "usage: %s fib|sort|loop|nest SIZE WORKERS CONTRACTED OUT.weft\n",
                argv[0]);
        return 2;
    }
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(argv[1], names[i]) == 0)
            what.program = (enum simulated_program)i;
    what.size = (uint32_t)strtoul(argv[2], NULL, 10);
    what.workers = (uint32_t)strtoul(argv[3], NULL, 10);
    what.contracted = (uint32_t)strtoul(argv[4], NULL, 10);
    printf("%u nodes\n", simulated_dag_write(argv[5], &what));
    return 0;
}
