/* SPDX-License-Identifier: Apache-2.0 */
/* Children that are forked while another thread says steps; each says one, too, and ends. */
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "weft/weft_array.h"

static int stop;

static void *work(void *unused)
{
    (void)unused;
    while (!__atomic_load_n(&stop, __ATOMIC_RELAXED))
        weft_array_step();
    return NULL;
}

int main(void)
{
    pthread_t thread;

    weft_array("a", 2, (const size_t[]){ 8, 8 });
    pthread_create(&thread, NULL, work, NULL);
    for (int i = 0; i < 300; i++) {
        pid_t child = fork();
        if (child == 0) {
            weft_array_step();
            _exit(0);
        }
        waitpid(child, NULL, 0);
    }
    __atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
    pthread_join(thread, NULL);
    puts("all ended");
    return 0;
}
