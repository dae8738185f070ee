/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fghc_mutants N [SEED [FIRST]]: recordings of FGHC runs are damaged by who knows their layout,
 * their checksums are made good again (mostly), and they are joined.  Each is refused with a
 * word, or becomes a trace that opens, is whole, and is asked much.  Mutant I of a SEED is the
 * same in every run, so what fails is found again with "fghc_mutants 1 SEED I".  One that takes
 * longer than MAX_SECONDS of processor time, or memory beyond the limits below, is a failure.
 */
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>

#include "base/hash.h"
#include "domains/trees/fghc/recording_convert.h"
#include "domains/trees/fghc/recording_priv.h"
#include "fuzz.h"
#include "store/trace/trace.h"
#include "store_ask.h"
#include "tests/random.h"

enum {
    MAX_SECONDS = 10, /* of processor time, under sanitizers */
    MAX_BLOCKS = 64,
    MAX_CHANGES = 6,
    SEEDS = 3,
    KILOBYTES_MORE = 1 << 20, /* than before the first mutant */
};

/* ---- A recording in memory ---- */

struct block {
    struct recording_block head;
    unsigned char *entries;
    uint32_t n; /* of them: what head.bytes is where it tells the truth */
};

struct layout {
    unsigned char *head;
    size_t n_head;
    struct block blocks[MAX_BLOCKS * 2];
    size_t n;
};

static const char source[] =
    "p(N,R) :- N > 0, M := N - 1 | p(M,R), q(M,[R]), (N > 5 -> q(N,N) ; q(N,[])).\n"
    "p(0,R) :- R = [].\nq(_,X) :- r(X).\nq([],_).\nr([A|_]) :- q(A,A).\nr([]).\nr(1).\n";

/* The run of SEED: some PEs that reduce, wait and idle; the second is one that was killed. */
static void record_run(const char *path, unsigned seed, unsigned pes)
{
    struct weft_err err;
    struct program program;
    struct query query = { 0 };
    struct recorder recorder;
    struct record_log logs[4];
    struct program_text text = { "p.fghc", source, sizeof source - 1 };
    uint64_t tick = 5000, counts[4] = { 0 };
    WEFT_REQUIRE(program_read_texts(&program, &text, 1, &err)
                     && program_read_goal(&program, "p(3,R)", &query, &err)
                     && recorder_open(&recorder, path, &program, &query, pes, &err),
                 "no recording");
    roll_from(seed);
    for (unsigned i = 0; i < pes; i++) {
        log_open(&logs[i], (uint16_t)i);
        WEFT_REQUIRE(recorder_flush(&recorder, &logs[i], tick, 0, false, &err),
                     "unwritten");
    }
    for (unsigned i = 0; i < 60 + 200 * seed; i++) {
        unsigned pe = i ? (unsigned)roll(pes) : 0, by = (unsigned)roll(pes);
        struct fghc_wait wait = { tick - 60,
                                  tick + 20,
                                  1 + (uint32_t)roll(3),
                                  (uint32_t)counts[by],
                                  (uint16_t)by,
                                  (uint16_t)roll(program.n_calls),
                                  (uint16_t)roll(4) };
        if (roll(8) == 0)
            log_idle(&logs[pe], tick + 5, tick + 30);
        tick += 40 + roll(500);
        log_reduction(&logs[pe], tick, (uint16_t)by, i ? (uint32_t)counts[by] : 0,
                      (uint16_t)(1 + roll(program.n_clauses)), roll(4) ? NULL : &wait);
        counts[pe]++;
        if (roll(12) == 0)
            (void)!recorder_flush(&recorder, &logs[pe], tick, tick / 3, false, &err);
    }
    for (unsigned i = 0; i < pes; i++) {
        if (seed != 1)
            (void)!recorder_flush(&recorder, &logs[i], tick + 9, tick / 3, true, &err);
        log_close(&logs[i]);
    }
    recorder_close(&recorder);
    program_free(&program);
}

static unsigned char *read_all(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    WEFT_REQUIRE(file && fseek(file, 0, SEEK_END) == 0, "no file");
    *size = (size_t)ftell(file);
    rewind(file);
    unsigned char *bytes = weft_alloc(*size + 1);
    WEFT_REQUIRE(fread(bytes, 1, *size, file) == *size, "an unreadable file");
    fclose(file);
    return bytes;
}

static void take_apart(struct layout *l, const char *path)
{
    size_t size, at;
    unsigned char *bytes = read_all(path, &size);
    struct recording_header header;
    memcpy(&header, bytes, sizeof header);
    *l = (struct layout){ .head = bytes, .n_head = header.bytes };
    for (at = header.bytes; at < size && l->n < MAX_BLOCKS; l->n++) {
        struct block *block = &l->blocks[l->n];
        memcpy(&block->head, bytes + at, sizeof block->head);
        block->n = block->head.bytes;
        block->entries = weft_alloc(block->n + 1);
        memcpy(block->entries, bytes + at + sizeof block->head, block->n);
        at += sizeof block->head + block->n;
    }
}

static void copy(struct layout *to, const struct layout *from)
{
    *to = *from;
    to->head = weft_alloc(from->n_head + 1);
    memcpy(to->head, from->head, from->n_head);
    for (size_t i = 0; i < to->n; i++) {
        to->blocks[i].entries = weft_alloc(from->blocks[i].n + 1);
        memcpy(to->blocks[i].entries, from->blocks[i].entries, from->blocks[i].n);
    }
}

static void free_layout(struct layout *l)
{
    free(l->head);
    for (size_t i = 0; i < l->n; i++)
        free(l->blocks[i].entries);
}

/* ---- Damage ---- */

static uint64_t odd_number(uint64_t now)
{
    static const uint64_t odd[] = { 0,          1,          2,         127,       128,
                                    255,        256,        65535,     65536,     LOG_BYTES,
                                    UINT32_MAX, 1ull << 32, INT64_MAX, UINT64_MAX };
    switch (roll(5)) {
    case 0: return now + 1;
    case 1: return now - 1;
    case 2: return now ^ 1ull << roll(64);
    case 3: return now + roll(2000) - 1000;
    default: return odd[roll(sizeof odd / sizeof *odd)];
    }
}

static void damage_field(struct recording_block *head)
{
    switch (roll(9)) {
    case 0: head->pe = (uint16_t)odd_number(head->pe); break;
    case 1: head->flags ^= BLOCK_LAST; break;
    case 2: head->bytes = (uint32_t)odd_number(head->bytes); break;
    case 3: head->n_records = (uint32_t)odd_number(head->n_records); break;
    case 4: head->begin = odd_number(head->begin); break;
    case 5: head->end = odd_number(head->end); break;
    case 6: head->ns = odd_number(head->ns); break;
    case 7: head->first_index = odd_number(head->first_index); break;
    default: head->pe = (uint16_t)roll(4); break;
    }
}

/* A byte, some bytes, or a number that is longer than any; some entries come twice or go. */
static void damage_entries(struct block *block)
{
    if (!block->n)
        return;
    uint32_t at = (uint32_t)roll(block->n), n = (uint32_t)roll(block->n - at) + 1;
    switch (roll(6)) {
    case 0: block->entries[at] = (unsigned char)roll(256); break;
    case 1: block->entries[at] ^= (unsigned char)(1 << roll(8)); break;
    case 2: memset(block->entries + at, 0xff, n < 10 ? n : 10); break;
    case 3: /* another kind, with all that follows */
        block->entries[at] =
            (unsigned char)((block->entries[at] & ~(ENTRY_KINDS - 1)) | roll(ENTRY_KINDS));
        break;
    case 4: /* the block is shorter */
        memmove(block->entries + at, block->entries + at + n, block->n - at - n);
        block->head.bytes = block->n -= n;
        break;
    default: /* longer */
        block->entries = weft_realloc(block->entries, block->n + n + 1);
        memmove(block->entries + at + n, block->entries + at, block->n - at);
        block->head.bytes = block->n += n;
        break;
    }
}

static void damage_order(struct layout *l)
{
    size_t i = roll(l->n), k = roll(l->n);
    struct block kept = l->blocks[i];
    switch (roll(3)) {
    case 0: /* two change places */
        l->blocks[i] = l->blocks[k];
        l->blocks[k] = kept;
        break;
    case 1: /* one goes */
        if (l->n < 2)
            break;
        free(kept.entries);
        memmove(&l->blocks[i], &l->blocks[i + 1], (l->n - i - 1) * sizeof kept);
        l->n--;
        break;
    default: /* one comes twice */
        if (l->n == MAX_BLOCKS * 2)
            break;
        kept.entries = weft_alloc(kept.n + 1);
        memcpy(kept.entries, l->blocks[i].entries, kept.n);
        l->blocks[l->n++] = kept;
        break;
    }
}

static void damage_head(struct layout *l)
{
    struct recording_header header;
    memcpy(&header, l->head, sizeof header);
    switch (roll(6)) {
    case 0: header.pes = (uint32_t)odd_number(header.pes); break;
    case 1: header.n_texts = (uint32_t)odd_number(header.n_texts); break;
    case 2: header.goal = (uint32_t)odd_number(header.goal); break;
    case 3: header.bytes = odd_number(header.bytes); break;
    default: {
        size_t at = sizeof header + roll(l->n_head - sizeof header);
        l->head[at] = (unsigned char)roll(256);
    }
    }
    memcpy(l->head, &header, sizeof header);
}

static void damage(struct layout *l)
{
    switch (roll(12)) {
    case 0: damage_head(l); break;
    case 1: damage_order(l); break;
    case 2:
    case 3:
    case 4: damage_field(&l->blocks[roll(l->n)].head); break;
    default: damage_entries(&l->blocks[roll(l->n)]); break;
    }
}

static void repair(struct layout *l)
{
    struct recording_header header;
    memcpy(&header, l->head, sizeof header);
    header.hash = weft_hash(l->head, offsetof(struct recording_header, hash))
                  ^ weft_hash(l->head + sizeof header, l->n_head - sizeof header);
    memcpy(l->head, &header, sizeof header);
    for (size_t i = 0; i < l->n; i++) {
        struct block *block = &l->blocks[i];
        block->head.hash = weft_hash(&block->head, offsetof(struct recording_block, hash))
                           ^ weft_hash(block->entries, block->n);
    }
}

/* As one file; what is behind the blocks, and single bits, once more. */
static void write_file(const struct layout *l, const char *path)
{
    size_t size;
    char *bytes;
    FILE *out = weft_text_begin(&bytes, &size);
    fwrite(l->head, 1, l->n_head, out);
    for (size_t i = 0; i < l->n; i++) {
        fwrite(&l->blocks[i].head, sizeof l->blocks[i].head, 1, out);
        fwrite(l->blocks[i].entries, 1, l->blocks[i].n, out);
    }
    for (uint64_t more = roll(10) ? 0 : roll(300), zeros = roll(2); more; more--)
        fputc(zeros ? 0 : (int)roll(256), out);
    weft_text_end(out);
    if (roll(10) == 0)
        bytes[roll(size)] ^= (char)(1 << roll(8));
    if (roll(10) == 0)
        size = roll(size);
    FILE *file = fopen(path, "wb");
    WEFT_REQUIRE(file && fwrite(bytes, 1, size, file) == size && fclose(file) == 0,
                 "an unwritable file");
    free(bytes);
}

/* ---- Joining ---- */

static void ask(const char *store)
{
    struct weft_err err = { 0 };
    struct weft_trace *trace = weft_trace_open(store, &err);
    size_t size;
    if (!trace)
        weft_abort(__FILE__, __LINE__, "the trace does not open: %s", err.message);
    WEFT_REQUIRE(weft_trace_verify(trace, NULL) == 0, "the trace is damaged");
    weft_trace_close(trace);
    unsigned char *bytes = read_all(store, &size);
    WEFT_REQUIRE(store_ask(bytes, size) == 1, "the trace opens once only");
    free(bytes);
}

/* Whether a trace came of it. */
static bool join(const char *path, const char *store)
{
    struct weft_err err = { 0 };
    char text[300] = "";
    struct fghc_recording *recording = fghc_recording_open(path, &err);
    if (!recording) {
        WEFT_REQUIRE(err.message[0], "a refusal says why");
        return false;
    }
    FILE *sink = fopen("/dev/null", "w");
    bool ok = fghc_write_store(recording, store, NULL, &err);
    WEFT_REQUIRE(ok || err.message[0], "a refusal says why");
    if (fghc_recording_loss(recording, text, sizeof text) != FGHC_WHOLE)
        WEFT_REQUIRE(text[0], "a loss is said");
    WEFT_REQUIRE(fghc_write_vista(recording, sink, NULL, &err),
                 "VISTA's file is not written");
    fghc_recording_close(recording);
    fclose(sink);
    if (ok)
        ask(store);
    remove(store);
    return ok;
}

/* Where it is, for whoever looks at what is left of the process. */
static char place[64];

static void take_too_long(int signal)
{
    (void)signal;
    static const char text[] = "fghc_mutants: this mutant takes too long: ";
    (void)!write(STDERR_FILENO, text, sizeof text - 1);
    (void)!write(STDERR_FILENO, place, strlen(place));
    abort();
}

static void at_fault(int number)
{
    (void)!write(STDERR_FILENO, place, strlen(place));
    signal(number, SIG_DFL);
    raise(number);
}

/* Called by the sanitizers before they end the process. */
void __asan_on_error(void);
void __asan_on_error(void)
{
    (void)!write(STDERR_FILENO, place, strlen(place));
}

static long peak_kilobytes(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

static bool run_mutant(const struct layout *seeds, uint64_t seed, uint64_t i,
                       const char *path, const char *store)
{
    struct itimerval limit = { .it_value = { .tv_sec = MAX_SECONDS } };
    struct layout mutant;
    snprintf(place, sizeof place, "seed %llu mutant %llu\n", (unsigned long long)seed,
             (unsigned long long)i);
    roll_from(seed << 32 ^ i);
    copy(&mutant, &seeds[roll(SEEDS)]);
    for (uint64_t changes = 1 + roll(MAX_CHANGES); changes; changes--)
        damage(&mutant);
    if (roll(16))
        repair(&mutant);
    write_file(&mutant, path);
    free_layout(&mutant);
    setitimer(ITIMER_PROF, &limit, NULL);
    return join(path, store);
}

int main(int argc, char **argv)
{
    static struct layout seeds[SEEDS];
    uint64_t n = argc > 1 ? strtoull(argv[1], NULL, 10) : 0;
    uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    uint64_t first = argc > 3 ? strtoull(argv[3], NULL, 10) : 0;
    char *path = fuzz_path("mutant"), *store = fuzz_path("mutant.weft");
    uint64_t joined = 0;
    for (unsigned i = 0; i < SEEDS; i++) {
        record_run(path, i, 1 + i);
        take_apart(&seeds[i], path);
    }
    signal(SIGPROF, take_too_long);
    signal(SIGABRT, at_fault);
    long before = peak_kilobytes();
    for (uint64_t i = first; i < first + n; i++) {
        joined += run_mutant(seeds, seed, i, path, store);
        WEFT_REQUIRE(peak_kilobytes() < before + KILOBYTES_MORE,
                     "it takes too much memory");
    }
    printf("%llu mutants, %llu of them joined\n", (unsigned long long)n,
           (unsigned long long)joined);
    for (unsigned i = 0; i < SEEDS; i++)
        free_layout(&seeds[i]);
    remove(path);
    free(path);
    free(store);
    return n && !joined;
}
