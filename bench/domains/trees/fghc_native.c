/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The limit that FGHC runs are measured against: naive reverse of N elements as a C programmer
 * would write it, on lists of two words that are taken from a buffer of 32 MB, over and over.
 * Prints how many calls of append were made, and the seconds.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

struct pair {
    int64_t head;
    struct pair *tail;
};

enum { PAIRS = (32 << 20) / sizeof(struct pair) };

static struct pair *buffer;
static uint64_t used, calls;

/* One list is in use at a time, and it is far shorter than the buffer. */
static struct pair *new_pair(int64_t head, struct pair *tail)
{
    struct pair *p = &buffer[used++ % PAIRS];
    *p = (struct pair){ head, tail };
    return p;
}

static struct pair *append(const struct pair *a, struct pair *b)
{
    struct pair *first = NULL, **end = &first;
    for (calls++; a; a = a->tail, calls++) {
        *end = new_pair(a->head, NULL);
        end = &(*end)->tail;
    }
    *end = b;
    return first;
}

static struct pair *reverse(const struct pair *list)
{
    if (!list)
        return NULL;
    const struct pair *rest = reverse(list->tail);
    return append(rest, new_pair(list->head, NULL));
}

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 3000;
    buffer = calloc(PAIRS, sizeof *buffer);
    struct pair *elements = calloc((size_t)n, sizeof *elements), *list = NULL;
    if (!buffer || !elements)
        return 1;
    for (int i = 0; i < n; i++) { /* not from the buffer: it is needed to the end */
        elements[i] = (struct pair){ i, list };
        list = &elements[i];
    }
    double began = seconds();
    const struct pair *reversed = reverse(list);
    double took = seconds() - began;
    printf("%llu %.6f %lld\n", (unsigned long long)calls, took, (long long)reversed->head);
    free(elements);
    free(buffer);
    return 0;
}
