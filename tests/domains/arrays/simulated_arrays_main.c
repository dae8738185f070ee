/* SPDX-License-Identifier: Apache-2.0 */
/* simulate_arrays PROGRAM SIZE STEPS FILE: a profile of references (simulated_arrays.h). */
#include <stdio.h>
#include <stdlib.h>

#include "simulated_arrays.h"

int main(int argc, char **argv)
{
    if (argc != 5
        || !simulated_arrays_write(argv[4], argv[1], (uint32_t)strtoul(argv[2], NULL, 10),
                                   (uint32_t)strtoul(argv[3], NULL, 10))) {
        fprintf(stderr,
                "use: simulate_arrays gauss|stencil|tensor|rows|found SIZE STEPS FILE\n");
        return 2;
    }
    return 0;
}
