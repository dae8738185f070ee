/* SPDX-License-Identifier: Apache-2.0 */
/* A program that uses MPI where there is some, and else does without. */
#include <stddef.h>
#include <stdio.h>

extern int MPI_Init(int *n_arguments, char ***arguments) __attribute__((weak));

int main(int n_arguments, char **arguments)
{
    puts(MPI_Init && MPI_Init(&n_arguments, &arguments) == 0 ? "with MPI" : "without MPI");
    return 0;
}
