/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A thread that works and polls, and never waits for a lock: 40 ms of processor time, twice, the
 * second behind the last call.
 */
#include <poll.h>
#include <time.h>

static double used_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

int main(void)
{
    while (used_ms() < 40)
        poll(NULL, 0, 0);
    while (used_ms() < 80)
        ;
    return 0;
}
