/* SPDX-License-Identifier: Apache-2.0 */
/*
 * join_mutants ROUNDS SEED [FOLDER...]: recordings that are damaged by who knows their layout
 * are joined, and of each trace that comes of it much is asked.  The recordings are those of
 * join_seeds.h, and those in the FOLDERs.  The same ROUNDS and SEED do the same.
 *
 * A mutant may be refused, but not kill, work for 20 s, hang or take a gigabyte; what it becomes
 * must open, and be whole.  join_mutants 1 SEED runs the one that was found, whose number is said.
 */
#define _GNU_SOURCE
#include <inttypes.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/time.h>

#include "join_mutate.h"
#include "join_seeds.h"
#include "read/recording/recording_to_store.h"
#include "store/trace/trace.h"
#include "tests/test.h"
#include "tests/unit/recording/synthetic.h"
#include "view/prepare.h"
#include "view/table.h"
#include "view/view.h"
#include "write/dump_and_paje.h"

enum {
    CHANGES_MAX = 6,
    SEEDS_MAX = 512,
    SECONDS = 20,
    WAITS = 6,
    KILOBYTES_MORE = 1 << 20
};

struct seeds {
    struct join_folder folders[SEEDS_MAX];
    size_t n;
};

static void add_description(struct seeds *seeds, const char *description)
{
    struct synthetic synthetic = synthetic_write(description);

    join_folder_load_parts(&seeds->folders[seeds->n++], synthetic.path);
    synthetic_remove(&synthetic);
}

/* A recording, or the folders "0", "1", ... of one in several. */
static void add_folder(struct seeds *seeds, const char *path)
{
    struct join_folder *folder = &seeds->folders[seeds->n++];

    join_folder_load_parts(folder, path);
    if (folder->n_parts == 0)
        join_folder_load(folder, path, 0);
}

/* Pictures and tables of every view that it fills. */
static void ask_views(const struct weft_source *source, uint64_t *dice)
{
    const struct weft_source *sources[] = { source };
    struct weft_set set = { sources, 1 };
    struct weft_span span = source->schema->span;

    for (size_t i = 0; i < weft_view_count(); i++) {
        const struct weft_view *view = weft_view_at(i);
        struct weft_request request = { .set = &set,
                                        .window = span,
                                        .width = 40 + (double)(join_roll(dice) % 600),
                                        .height = 30 + (double)(join_roll(dice) % 400),
                                        .theme = weft_theme_get(WEFT_THEME_LIGHT) };
        struct weft_arena arena = { 0 };
        struct weft_scene scene = { 0 };
        struct weft_err err = { 0 };
        FILE *sink;
        if (view->compares || !view->fills(&set) || span.end <= span.begin)
            continue;
        if (!weft_view_scene(view, &request, &arena, &scene, &err) && !err.message[0])
            abort(); /* a refusal says why */
        sink = fopen("/dev/null", "w");
        if (view->table) {
            struct weft_table *table = weft_table_csv(sink);
            (void)!weft_view_table(view, &request, table, &err);
            weft_table_free(table);
        }
        fclose(sink);
        weft_arena_free(&arena);
    }
}

/* What the join has written must open and be whole. */
static void ask(const char *store, uint64_t *dice)
{
    struct weft_err err = { 0 };
    struct weft_trace *trace = weft_trace_open(store, &err);
    FILE *sink = fopen("/dev/null", "w");

    if (!trace) {
        fprintf(stderr, "the joined trace does not open: %s\n", err.message);
        abort();
    }
    if (weft_trace_verify(trace, NULL) != 0) {
        fprintf(stderr, "the joined trace is damaged\n");
        abort();
    }
    if (!weft_write_dump(weft_trace_source(trace), sink, NULL, &err)
        || !weft_write_paje(weft_trace_source(trace), sink, NULL, NULL, &err)) {
        fprintf(stderr, "the joined trace cannot be written: %s\n", err.message);
        abort();
    }
    fclose(sink);
    ask_views(weft_trace_source(trace), dice);
    weft_trace_close(trace);
}

static bool join(const char *path, unsigned n_parts, uint64_t *dice)
{
    char parts[8][128], store[128];
    const char *folders[8];
    struct weft_recording_report report = { 0 };
    struct weft_err err = { 0 };
    bool joined;

    for (unsigned i = 0; i < n_parts && i < 8; i++) {
        snprintf(parts[i], sizeof parts[i], "%s/%u", path, i);
        folders[i] = parts[i];
    }
    snprintf(store, sizeof store, "%s/t.weft", path);
    joined = weft_recording_join(folders, n_parts, store, &report, NULL, &err);
    if (joined)
        ask(store, dice);
    else if (!err.message[0])
        abort(); /* a refusal says why */
    remove(store);
    return joined;
}

static long peak_kilobytes(void)
{
    struct rusage usage;

    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

static uint64_t
    current; /* the seed of the mutant that is being asked, for who finds a fault */

static void say_which(void)
{
    char text[80];
    int n = snprintf(text, sizeof text, "join_mutants: mutant %" PRIu64 "\n", current);

    if (n > 0 && write(2, text, (size_t)n) != n)
        _exit(98);
}

static void at_fault(int number)
{
    say_which();
    signal(number, SIG_DFL);
    raise(number);
}

/* Called by the sanitizers before they end the process. */
void __asan_on_error(void);
void __asan_on_error(void)
{
    say_which();
}

/* So many seconds of work, or more of waiting: others may use the processors, too. */
static void watch(unsigned seconds)
{
    struct itimerval limit = { .it_value = { .tv_sec = seconds } };

    setitimer(ITIMER_PROF, &limit, NULL);
    alarm(WAITS * seconds);
}

static bool run_mutant(const struct seeds *seeds, uint64_t seed, const char *path)
{
    uint64_t dice = seed * UINT64_C(0x2545f4914f6cdd1d) + 1;
    size_t base = (size_t)(join_roll(&dice) % seeds->n);
    unsigned changes = 1 + (unsigned)(join_roll(&dice) % CHANGES_MAX);
    struct join_folder *folder = weft_alloc(sizeof *folder), *whole;
    char place[96];
    bool joined;

    current = seed;
    snprintf(place, sizeof place, "%s/%zu", path, base);
    join_folder_copy(folder, &seeds->folders[base]);
    for (unsigned i = 0; i < changes; i++)
        join_mutate(folder, &dice);
    join_folder_write(folder, place, false);
    watch(SECONDS);
    joined = join(place, folder->n_parts, &dice);
    watch(0);
    whole = weft_alloc(sizeof *whole);
    *whole = seeds->folders[base];
    for (size_t i = 0; i < whole->n; i++)
        whole->files[i].changed = folder->files[i].changed;
    join_folder_write(whole, place, false);
    free(whole);
    join_folder_free(folder);
    free(folder);
    return joined;
}

int main(int n_arguments, char **arguments)
{
    static struct seeds seeds;
    char path[64] = "/dev/shm/weft-join-XXXXXX";
    uint64_t rounds, seed, joined = 0;
    long before;

    if (n_arguments < 3)
        return 2;
    rounds = strtoull(arguments[1], NULL, 10);
    seed = strtoull(arguments[2], NULL, 10);
    if (!mkdtemp(path) && (strcpy(path, "/tmp/weft-join-XXXXXX"), !mkdtemp(path)))
        return 99;
    for (size_t i = 0; i < JOIN_SEEDS; i++)
        add_description(&seeds, join_seeds[i]);
    for (int i = 3; i < n_arguments && seeds.n < SEEDS_MAX; i++)
        add_folder(&seeds, arguments[i]);
    for (size_t i = 0; i < seeds.n; i++) {
        char place[96];
        snprintf(place, sizeof place, "%s/%zu", path, i);
        join_folder_write(&seeds.folders[i], place, true);
    }
    signal(SIGALRM, at_fault);
    signal(SIGPROF, at_fault);
    signal(SIGABRT, at_fault);
#if !defined(__SANITIZE_ADDRESS__)
    signal(SIGSEGV, at_fault);
#endif
    before = peak_kilobytes();
    for (uint64_t i = 0; i < rounds; i++) {
        joined += run_mutant(&seeds, seed + i, path);
        if (peak_kilobytes() > before + KILOBYTES_MORE) {
            fprintf(stderr, "it took %ld kB\n", peak_kilobytes());
            abort();
        }
    }
    for (size_t i = 0; i < seeds.n; i++)
        join_folder_free(&seeds.folders[i]);
    join_folder_remove(path);
    printf("%" PRIu64 " mutants of %zu recordings, %" PRIu64 " joined\n", rounds, seeds.n,
           joined);
    return joined > 0 ? 0 : 1;
}
