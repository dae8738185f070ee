/* SPDX-License-Identifier: Apache-2.0 */
/* Waits of 0.1 s through libuv; a mark at the end of a line says that a thread waits there. */
#include <unistd.h>
#include <uv.h>

enum { LONG_MS = 100 };

static uv_mutex_t mutex;
static uv_cond_t cond;
static uv_sem_t semaphore;
static uv_barrier_t barrier;
static int flag;

static void other(void *unused)
{
    (void)unused;
    uv_mutex_lock(&mutex); /* held */
    uv_sleep(LONG_MS);     /* waits */
    uv_mutex_unlock(&mutex);
    uv_sleep(LONG_MS);     /* waits */
    uv_mutex_lock(&mutex); /* held */
    flag = 1;
    uv_cond_signal(&cond);
    uv_mutex_unlock(&mutex);
    uv_sleep(LONG_MS); /* waits */
    uv_sem_post(&semaphore);
    uv_sleep(LONG_MS); /* waits */
    uv_barrier_wait(&barrier);
    uv_sleep(LONG_MS); /* waits */
    flag = 2;
}

static void tick(uv_timer_t *timer)
{
    uv_timer_stop(timer);
}

int main(void)
{
    uv_thread_t thread;
    uv_timer_t timer;

    uv_mutex_init(&mutex);
    uv_cond_init(&cond);
    uv_sem_init(&semaphore, 0);
    uv_barrier_init(&barrier, 2);
    uv_thread_create(&thread, other, NULL);
    uv_sleep(LONG_MS / 4); /* waits */
    uv_mutex_lock(&mutex); /* waits held */
    while (!flag)
        uv_cond_wait(&cond, &mutex); /* waits */
    uv_mutex_unlock(&mutex);
    uv_sem_wait(&semaphore);   /* waits */
    uv_barrier_wait(&barrier); /* waits */
    uv_thread_join(&thread);   /* waits */
    uv_timer_init(uv_default_loop(), &timer);
    uv_timer_start(&timer, tick, LONG_MS, 0);
    uv_run(uv_default_loop(), UV_RUN_DEFAULT); /* waits */
    return 0;
}
