/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Four threads count the brightness of the pixels of many pictures, and are hardly faster than
 * one.  doc/exploring follows them with Weft to the line that is to blame.
 *
 *     histogram [THREADS [private]]
 *
 * "private" is the cure: each thread counts for itself and adds what it has at the end.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PICTURES = 800, LINES = 120, PIXELS = 640, LEVELS = 256, MAX_THREADS = 64 };

static pthread_mutex_t histogram_lock = PTHREAD_MUTEX_INITIALIZER;
static long histogram[LEVELS];
static atomic_int next_picture;
static int is_private;

/* One line of a picture that nobody has seen: noise with a slope, always the same. */
static void load_line(int picture, int line, unsigned char *pixels)
{
    unsigned noise = (unsigned)(picture * LINES + line) * 2654435761u + 1;
    for (int i = 0; i < PIXELS; i++) {
        noise = noise * 1664525u + 1013904223u;
        pixels[i] = (unsigned char)((noise >> 26) + (unsigned)(i * 192 / PIXELS));
    }
}

static void count_line(const unsigned char *pixels, long *levels)
{
    for (int i = 0; i < PIXELS; i++)
        levels[pixels[i]]++;
}

/* What is wrong: the lock is held while counting, so only one thread counts at a time. */
static void count_together(const unsigned char *pixels)
{
    pthread_mutex_lock(&histogram_lock);
    for (int again = 0; again < 12; again++) /* twelve features, say */
        count_line(pixels, histogram);
    pthread_mutex_unlock(&histogram_lock);
}

static void add_up(const long *levels)
{
    pthread_mutex_lock(&histogram_lock);
    for (int i = 0; i < LEVELS; i++)
        histogram[i] += levels[i];
    pthread_mutex_unlock(&histogram_lock);
}

static void *work(void *unused)
{
    unsigned char pixels[PIXELS];
    long own[LEVELS] = { 0 };
    (void)unused;
    for (int picture; (picture = atomic_fetch_add(&next_picture, 1)) < PICTURES;)
        for (int line = 0; line < LINES; line++) {
            load_line(picture, line, pixels);
            if (!is_private)
                count_together(pixels);
            else
                for (int again = 0; again < 12; again++)
                    count_line(pixels, own);
        }
    if (is_private)
        add_up(own);
    return NULL;
}

int main(int argc, char **argv)
{
    int threads = argc > 1 ? atoi(argv[1]) : 4;
    pthread_t id[MAX_THREADS];
    if (threads < 1 || threads > MAX_THREADS)
        return 2;
    is_private = argc > 2 && strcmp(argv[2], "private") == 0;
    for (int i = 0; i < threads; i++)
        if (pthread_create(&id[i], NULL, work, NULL) != 0)
            return 1;
    for (int i = 0; i < threads; i++)
        pthread_join(id[i], NULL);
    long all = 0;
    for (int i = 0; i < LEVELS; i++)
        all += histogram[i];
    printf("%ld pixels counted\n", all);
    return all == 12L * PICTURES * LINES * PIXELS ? 0 : 1;
}
