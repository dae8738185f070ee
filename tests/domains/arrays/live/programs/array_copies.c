/* SPDX-License-Identifier: Apache-2.0 */
/* A function that copies to memory which is an array in one call, and none in others. */
#include <stdlib.h>

#include "weft/weft_array.h"

enum { N = 30 };

static double a[N], b[N];

__attribute__((noinline)) static void copy(double *to, const double *from)
{
    for (int i = 0; i < N; i++) {
        to[i] = from[i] + 1;
        __asm__ volatile("" : : : "memory");
    }
}

int main(void)
{
    double *other = malloc(sizeof a);

    weft_array("a", 1, (const size_t[]){ N });
    weft_array_at(a, sizeof a[0]);
    weft_array("b", 1, (const size_t[]){ N });
    weft_array_at(b, sizeof b[0]);
    copy(other, a); /* for nobody */
    weft_array_step();
    copy(b, a); /* for the elements of b */
    weft_array_step();
    copy(other, a);
    weft_array_step();
    copy(a, other);
    weft_array_step();
    free(other);
    return 0;
}
