/* SPDX-License-Identifier: Apache-2.0 */
/* A handler of signals in a library that is loaded late (unchanged.c). */
#include <semaphore.h>
#include <string.h>
#include <unistd.h>

__attribute__((visibility("default"))) void late_handler(int number);

void late_handler(int number)
{
    static sem_t posted;
    char text[1024]; /* as it is written into by who says what happened */

    memset(text, number, sizeof text);
    sem_post(&posted);
    (void)!write(-1, text, sizeof text);
}
