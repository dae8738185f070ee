/* SPDX-License-Identifier: Apache-2.0 */
/* Calls the allocator of own_allocator.c, and prints what that counted. */
#include <stdio.h>
#include <stdlib.h>

unsigned own_calls(void);

__attribute__((noinline, noclone)) static void *make(void)
{
    static void *volatile keep;
    keep = malloc(100);
    return keep;
}

int main(void)
{
    void *blocks[500];

    for (int i = 0; i < 500; i++)
        blocks[i] = make();
    for (int i = 0; i < 250; i++)
        free(blocks[i]);
    printf("%u\n", own_calls());
    return 0;
}
