/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store_mutants N [SEED [FIRST [FILE...]]]: damage the stores of store_seeds.c, or the FILEs, in
 * N ways, and ask each everything.  Mutant I of a SEED is the same in every run, so what fails is
 * found again with "store_mutants 1 SEED I".  A mutant that takes longer than MAX_SECONDS of
 * processor time, or an allocation or process larger than the limits below, is a failure.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/memory.h"
#include "store_ask.h"
#include "store_mutate.h"
#include "store_seeds.h"
#include "tests/random.h"

enum {
    MAX_SECONDS = 5 /* of processor time, of all threads, under sanitizers */
};

/* Where it is: "seed 1 mutant 7", for whoever looks at what is left of the process. */
static char place[64];

static void take_too_long(int signal)
{
    (void)signal;
    static const char text[] = "store_mutants: this mutant takes too long: ";
    (void)!write(STDERR_FILENO, text, sizeof text - 1);
    (void)!write(STDERR_FILENO, place, strlen(place));
    (void)!write(STDERR_FILENO, "\n", 1);
    abort();
}

static void watch(void)
{
    struct itimerval limit = { .it_value = { .tv_sec = MAX_SECONDS } };
    setitimer(ITIMER_PROF, &limit, NULL);
}

int main(int argc, char **argv)
{
    uint64_t n = argc > 1 ? strtoull(argv[1], NULL, 10) : 0;
    uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    uint64_t first = argc > 3 ? strtoull(argv[3], NULL, 10) : 0;
    unsigned n_seeds = argc > 4 ? (unsigned)argc - 4 : STORE_SEEDS;
    uint8_t **seeds = weft_alloc(n_seeds * sizeof *seeds);
    size_t *sizes = weft_alloc(n_seeds * sizeof *sizes), most = 0;
    uint64_t opened = 0;
    signal(SIGPROF, take_too_long);
    for (unsigned i = 0; i < n_seeds; i++) {
        seeds[i] = argc > 4 ? store_file_bytes(argv[i + 4], &sizes[i])
                            : store_seed_bytes(i, &sizes[i]);
        most = sizes[i] > most ? sizes[i] : most;
    }
    uint8_t *bytes = weft_alloc(most);
    for (uint64_t i = first; i < first + n; i++) {
        snprintf(place, sizeof place, "seed %llu mutant %llu", (unsigned long long)seed,
                 (unsigned long long)i);
        if (getenv("STORE_MUTANTS_TELL"))
            fprintf(stderr, "%s\n", place);
        roll_from(seed << 32 ^ i);
        unsigned of = (unsigned)roll(n_seeds);
        memcpy(bytes, seeds[of], sizes[of]);
        store_mutate(bytes, sizes[of]);
        watch();
        opened += (uint64_t)store_ask(bytes, sizes[of]);
    }
    printf("%llu mutants, %llu of them opened\n", (unsigned long long)n,
           (unsigned long long)opened);
    for (unsigned i = 0; i < n_seeds; i++)
        free(seeds[i]);
    free(seeds);
    free(sizes);
    free(bytes);
    return n && !opened;
}
