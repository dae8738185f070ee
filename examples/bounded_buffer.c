/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two producers, a small buffer, one slow consumer.  The picture shows the producers blocked
 * on the condition "not full" nearly all the time, and the arrow of each wake-up coming from
 * the consumer: it is the bottleneck, and a larger buffer would not help.
 *
 *   weft record -o buffer.weft -- ./bounded_buffer && weft render space-time buffer.weft -o b.svg
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>

enum { PLACES = 4, PRODUCERS = 2, EACH = 200 };

static struct {
    pthread_mutex_t lock;
    pthread_cond_t not_full, not_empty;
    long items[PLACES];
    int first, count;
} buffer = { .lock = PTHREAD_MUTEX_INITIALIZER,
             .not_full = PTHREAD_COND_INITIALIZER,
             .not_empty = PTHREAD_COND_INITIALIZER };

static long work(long amount)
{
    volatile long sum = 0;
    for (long i = 0; i < amount; i++)
        sum = sum + i % 7;
    return sum;
}

static void put(long item)
{
    pthread_mutex_lock(&buffer.lock);
    while (buffer.count == PLACES)
        pthread_cond_wait(&buffer.not_full, &buffer.lock);
    buffer.items[(buffer.first + buffer.count++) % PLACES] = item;
    pthread_cond_signal(&buffer.not_empty);
    pthread_mutex_unlock(&buffer.lock);
}

static long take(void)
{
    pthread_mutex_lock(&buffer.lock);
    while (buffer.count == 0)
        pthread_cond_wait(&buffer.not_empty, &buffer.lock);
    long item = buffer.items[buffer.first];
    buffer.first = (buffer.first + 1) % PLACES;
    buffer.count--;
    pthread_cond_signal(&buffer.not_full);
    pthread_mutex_unlock(&buffer.lock);
    return item;
}

static void *produce(void *number)
{
    char name[16];
    snprintf(name, sizeof name, "producer %ld", (long)number);
    pthread_setname_np(pthread_self(), name);
    for (int i = 0; i < EACH; i++) {
        work(20000);
        put(1);
    }
    return NULL;
}

static void *consume(void *sum)
{
    pthread_setname_np(pthread_self(), "consumer");
    for (int i = 0; i < PRODUCERS * EACH; i++) {
        *(long *)sum += take();
        work(100000);
    }
    return NULL;
}

int main(void)
{
    pthread_t producers[PRODUCERS], consumer;
    long sum = 0;
    pthread_create(&consumer, NULL, consume, &sum);
    for (long i = 0; i < PRODUCERS; i++)
        pthread_create(&producers[i], NULL, produce, (void *)(i + 1));
    for (int i = 0; i < PRODUCERS; i++)
        pthread_join(producers[i], NULL);
    pthread_join(consumer, NULL);
    printf("%ld items went through the buffer\n", sum);
    return sum == PRODUCERS * EACH ? 0 : 1;
}
