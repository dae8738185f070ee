/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes a Paje trace of a given number of event lines: machine > node (16 threads) > thread,
 * states pushed and popped to depth 6, states set, a variable, links and point events; the
 * same for the same seed.
 *
 * usage: paje_generate LINES CONTAINERS [SEED]
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { MAX_DEPTH = 6, N_VALUES = 8, THREADS_PER_NODE = 16 };

struct thread {
    int depth;
    uint64_t sent; /* key of a message under way from here, plus 1 */
};

static uint64_t seed = 42;

/* splitmix64 (Steele, Lea, Flood 2014) */
static uint64_t next_random(void)
{
    uint64_t z = seed += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static const char header[] =
    "%EventDef PajeDefineContainerType 0\n% Alias string\n% Type string\n% Name string\n"
    "%EndEventDef\n"
    "%EventDef PajeDefineStateType 1\n% Alias string\n% Type string\n% Name string\n"
    "%EndEventDef\n"
    "%EventDef PajeDefineVariableType 2\n% Alias string\n% Type string\n% Name string\n"
    "%EndEventDef\n"
    "%EventDef PajeDefineEventType 3\n% Alias string\n% Type string\n% Name string\n"
    "%EndEventDef\n"
    "%EventDef PajeDefineLinkType 4\n% Alias string\n% Type string\n"
    "% StartContainerType string\n% EndContainerType string\n% Name string\n%EndEventDef\n"
    "%EventDef PajeDefineEntityValue 5\n% Alias string\n% Type string\n% Name string\n"
    "%EndEventDef\n"
    "%EventDef PajeCreateContainer 6\n% Time date\n% Alias string\n% Type string\n"
    "% Container string\n% Name string\n%EndEventDef\n"
    "%EventDef PajePushState 10\n% Time date\n% Type string\n% Container string\n"
    "% Value string\n%EndEventDef\n"
    "%EventDef PajePopState 11\n% Time date\n% Type string\n% Container string\n"
    "%EndEventDef\n"
    "%EventDef PajeSetState 12\n% Time date\n% Type string\n% Container string\n"
    "% Value string\n%EndEventDef\n"
    "%EventDef PajeSetVariable 13\n% Time date\n% Type string\n% Container string\n"
    "% Value double\n%EndEventDef\n"
    "%EventDef PajeNewEvent 14\n% Time date\n% Type string\n% Container string\n"
    "% Value string\n%EndEventDef\n"
    "%EventDef PajeStartLink 15\n% Time date\n% Type string\n% Container string\n"
    "% StartContainer string\n% Value string\n% Key string\n%EndEventDef\n"
    "%EventDef PajeEndLink 16\n% Time date\n% Type string\n% Container string\n"
    "% EndContainer string\n% Value string\n% Key string\n%EndEventDef\n"
    "0 M 0 Machine\n0 N M Node\n0 T N Thread\n1 F T Function\n1 S T Status\n2 V T Load\n"
    "3 E T Mark\n4 L 0 T T Message\n6 0 m M 0 machine\n";

static void put_tables(unsigned n_threads)
{
    fputs(header, stdout);
    for (unsigned i = 0; i < N_VALUES; i++)
        printf("5 f%u F function_%u\n5 s%u S status_%u\n", i, i, i, i);
    for (unsigned i = 0; i < n_threads; i++) {
        if (i % THREADS_PER_NODE == 0)
            printf("6 0 n%u N m node%u\n", i / THREADS_PER_NODE, i / THREADS_PER_NODE);
        printf("6 0 t%u T n%u thread%u\n", i, i / THREADS_PER_NODE, i);
    }
}

/* One line; of ten lines about eight push and pop, the rest is shared by the others. */
static void put_event(struct thread *threads, unsigned n_threads, uint64_t ns,
                      uint64_t line)
{
    uint64_t random = next_random();
    unsigned who = (unsigned)(random % n_threads), what = (unsigned)(random >> 40) % 100;
    unsigned value = (unsigned)(random >> 50) % N_VALUES;
    struct thread *thread = &threads[who];
    char time[32];
    snprintf(time, sizeof time, "%" PRIu64 ".%09" PRIu64, ns / 1000000000, ns % 1000000000);
    if (what < 76) {
        bool push = thread->depth == 0 || (thread->depth < MAX_DEPTH && (random >> 32 & 1));
        thread->depth += push ? 1 : -1;
        if (push)
            printf("10 %s F t%u f%u\n", time, who, value);
        else
            printf("11 %s F t%u\n", time, who);
    } else if (what < 82) {
        printf("12 %s S t%u s%u\n", time, who, value);
    } else if (what < 88) {
        printf("13 %s V t%u %u.%u\n", time, who, value * 13, (unsigned)(random >> 56) % 10);
    } else if (what < 94) {
        printf("14 %s E t%u mark%u\n", time, who, value);
    } else if (thread->sent) {
        printf("16 %s L 0 t%u msg %" PRIu64 "\n", time, (who + 1) % n_threads,
               thread->sent - 1);
        thread->sent = 0;
    } else {
        printf("15 %s L 0 t%u msg %" PRIu64 "\n", time, who, line);
        thread->sent = line + 1;
    }
}

int main(int argc, char **argv)
{
    if (argc < 3) {
        fputs("usage: paje_generate LINES CONTAINERS [SEED]\n", stderr);
        return 2;
    }
    uint64_t lines = strtoull(argv[1], NULL, 10);
    unsigned n_threads = (unsigned)strtoul(argv[2], NULL, 10);
    if (argc > 3)
        seed = strtoull(argv[3], NULL, 10);
    if (!n_threads)
        return 2;
    static char buffer[1 << 16];
    setvbuf(stdout, buffer, _IOFBF, sizeof buffer);
    struct thread *threads = calloc(n_threads, sizeof *threads);
    if (!threads)
        return 1;
    put_tables(n_threads);
    uint64_t ns = 0;
    for (uint64_t i = 0; i < lines; i++) {
        ns += next_random() % 200;
        put_event(threads, n_threads, ns, i);
    }
    /* What is under way arrives: no half links. */
    for (unsigned i = 0; i < n_threads; i++)
        if (threads[i].sent)
            printf("16 %" PRIu64 ".%09" PRIu64 " L 0 t%u msg %" PRIu64 "\n",
                   ns / 1000000000, ns % 1000000000, (i + 1) % n_threads,
                   threads[i].sent - 1);
    free(threads);
    return fflush(stdout) == 0 ? 0 : 1;
}
