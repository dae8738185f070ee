/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fghc_mutants N [SEED [FIRST]]: recordings of FGHC runs that are damaged by who knows their
 * layout, N of them, their hashes mostly made good again.  Each is refused, or becomes VISTA's
 * text and a store, which opens and is asked everything.  Mutant I of a SEED is the same in
 * every run: what fails is found again with "fghc_mutants 1 SEED I".  One that takes longer
 * than MOST_SECONDS of processor time, or more memory than the limits below, is a failure.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/map.h"
#include "fghc/machine.h"
#include "fghc/recording_priv.h"
#include "fghc/trace.h"
#include "store_ask.h"
#include "tests/sweep/roll.h"

enum {
    MOST_SECONDS = 5, /* of processor time, under sanitizers */
    PES = 3,
    RECORDS = 300,
    BLOCKS_MOST = 200, /* of a mutant */
    CHANGES_MOST = 5,
};

/* MiB: of one allocation, and of the process with what the sanitizer keeps. */
__attribute__((visibility("default"))) const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "max_allocation_size_mb=512:hard_rss_limit_mb=1024:quarantine_size_mb=16";
}
__attribute__((visibility("default"))) const char *__ubsan_default_options(void);
const char *__ubsan_default_options(void)
{
    return "halt_on_error=1:print_stacktrace=1";
}
/* fontconfig keeps its configuration for the life of the process. */
__attribute__((visibility("default"))) const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libfontconfig\nleak:libpango\n";
}

static char place[64];

static void take_too_long(int signal)
{
    (void)signal;
    static const char text[] = "fghc_mutants: this mutant takes too long: ";
    (void)!write(STDERR_FILENO, text, sizeof text - 1);
    (void)!write(STDERR_FILENO, place, strlen(place));
    (void)!write(STDERR_FILENO, "\n", 1);
    abort();
}

/* ---- A recording ---- */

/* A whole one in PATH: entries of all kinds, on all PEs, in blocks of any size. */
static void make_recording(const char *path, uint64_t seed)
{
    static const char source[] =
        "p(X) :- q(X,Y), q(Y,X), p(Y).\nq(X,Y) :- X > 1 | Y = f(X).\nq(_,_).\n";
    struct weft_err err;
    struct program program;
    struct query query = { 0 };
    struct recorder recorder;
    struct record_log logs[PES];
    struct program_text text = { "p.fghc", source, sizeof source - 1 };
    uint64_t tick = 1000, counts[PES] = { 0 };
    roll_from(seed);
    WEFT_REQUIRE(program_read_texts(&program, &text, 1, &err)
                     && program_read_goal(&program, "p(1)", &query, &err)
                     && recorder_open(&recorder, path, &program, &query, PES, &err),
                 "%s", err.message);
    for (uint16_t i = 0; i < PES; i++)
        log_open(&logs[i], i);
    for (unsigned i = 0; i < RECORDS; i++) {
        unsigned pe = i ? (unsigned)roll(PES) : 0, of = (unsigned)roll(PES);
        struct fghc_wait wait = { .suspended = tick,
                                  .woken = tick + roll(90),
                                  .count = 1 + (uint32_t)roll(9),
                                  .by_index = (uint32_t)roll(counts[of] + 1),
                                  .by_pe = (uint16_t)of,
                                  .site = (uint16_t)roll(3),
                                  .argument = (uint16_t)roll(3) };
        tick += 1 + roll(roll(5) ? 100 : 100000);
        if (roll(9) == 0)
            log_idle(&logs[pe], tick, tick + 5);
        tick += 5;
        log_reduction(&logs[pe], tick, (uint16_t)of, (uint32_t)roll(counts[of] + 1),
                      (uint16_t)(1 + roll(3)), roll(4) ? NULL : &wait);
        counts[pe]++;
        if (roll(20) == 0)
            WEFT_REQUIRE(recorder_flush(&recorder, &logs[pe], tick, tick / 2, false, &err),
                         "%s", err.message);
    }
    for (unsigned i = 0; i < PES; i++) {
        WEFT_REQUIRE(
            recorder_flush(&recorder, &logs[i], tick + 1000, tick / 2 + 500, true, &err),
            "%s", err.message);
        log_close(&logs[i]);
    }
    recorder_close(&recorder);
    program_free(&program);
}

struct piece { /* a block */
    struct recording_block head;
    const uint8_t *entries;
    size_t n; /* bytes of them, whatever the head says */
};

struct parts {
    struct recording_header header;
    uint8_t *rest; /* [header.bytes of the whole one - sizeof header]: texts and goal */
    size_t n_rest;
    struct piece pieces[BLOCKS_MOST];
    size_t n;
};

static void take_apart(const uint8_t *bytes, size_t size, struct parts *parts)
{
    memcpy(&parts->header, bytes, sizeof parts->header);
    parts->n_rest = parts->header.bytes - sizeof parts->header;
    parts->rest = weft_alloc(parts->n_rest);
    memcpy(parts->rest, bytes + sizeof parts->header, parts->n_rest);
    parts->n = 0;
    for (size_t at = parts->header.bytes; at < size;) {
        struct piece *piece = &parts->pieces[parts->n++];
        WEFT_REQUIRE(parts->n < BLOCKS_MOST, "a recording of too many blocks");
        memcpy(&piece->head, bytes + at, sizeof piece->head);
        piece->entries = bytes + at + sizeof piece->head;
        piece->n = piece->head.bytes;
        at += sizeof piece->head + piece->head.bytes;
    }
}

/* ---- Damage ---- */

static uint64_t any_number(uint64_t now)
{
    switch (roll(6)) {
    case 0: return now + 1;
    case 1: return now - 1;
    case 2: return 0;
    case 3: return UINT64_MAX >> roll(64);
    case 4: return now ^ UINT64_C(1) << roll(64);
    default: return roll(300);
    }
}

static void change_field(struct recording_block *block)
{
    switch (roll(8)) {
    case 0: block->pe = (uint16_t)any_number(block->pe); break;
    case 1: block->flags = (uint16_t)any_number(block->flags); break;
    case 2: block->bytes = (uint32_t)any_number(block->bytes); break;
    case 3: block->n_records = (uint32_t)any_number(block->n_records); break;
    case 4: block->begin = any_number(block->begin); break;
    case 5: block->end = any_number(block->end); break;
    case 6: block->ns = any_number(block->ns); break;
    default: block->first_index = any_number(block->first_index); break;
    }
}

static void change_header(struct parts *parts)
{
    struct recording_header *header = &parts->header;
    switch (roll(6)) {
    case 0: header->pes = (uint32_t)any_number(header->pes); break;
    case 1: header->n_texts = (uint32_t)any_number(header->n_texts); break;
    case 2: header->goal = (uint32_t)any_number(header->goal); break;
    case 3: header->bytes = any_number(header->bytes); break;
    case 4: header->version = (uint32_t)any_number(header->version); break;
    default: parts->rest[roll(parts->n_rest)] = (uint8_t)roll(256); break;
    }
}

/* The entries of a block are OWN's to change from here on. */
static void change_entries(struct piece *piece, uint8_t **own)
{
    size_t n = piece->n;
    if (!n || *own)
        return;
    *own = weft_alloc(n);
    memcpy(*own, piece->entries, n);
    for (uint64_t k = 1 + roll(8); k; k--)
        (*own)[roll(n)] = (uint8_t)(roll(3) ? roll(256) : 0xff);
    piece->entries = *own;
}

static void change_order(struct parts *parts)
{
    size_t a = roll(parts->n), b = roll(parts->n);
    struct piece piece = parts->pieces[a];
    if (roll(3) == 0 && parts->n + 1 < BLOCKS_MOST) { /* twice */
        parts->pieces[parts->n++] = piece;
    } else if (roll(2)) {
        parts->pieces[a] = parts->pieces[b];
        parts->pieces[b] = piece;
    } else if (parts->n > 1) {
        parts->pieces[a] = parts->pieces[--parts->n];
    }
}

static void put(FILE *out, const void *bytes, size_t n)
{
    fwrite(bytes, 1, n, out);
}

/* Its bytes, mostly with hashes that fit: those of as many entries as there are. */
static uint8_t *put_together(struct parts *parts, size_t *size)
{
    char *bytes;
    FILE *out = weft_text_begin(&bytes, size);
    bool fits = roll(8);
    put(out, &parts->header, sizeof parts->header);
    put(out, parts->rest, parts->n_rest);
    for (size_t i = 0; i < parts->n; i++) {
        struct piece *piece = &parts->pieces[i];
        size_t claimed = piece->head.bytes < piece->n ? piece->head.bytes : piece->n;
        if (fits)
            piece->head.hash =
                weft_hash(&piece->head, offsetof(struct recording_block, hash))
                ^ weft_hash(piece->entries, claimed);
        put(out, &piece->head, sizeof piece->head);
        put(out, piece->entries, claimed);
    }
    weft_text_end(out);
    struct recording_header header = parts->header;
    if (fits && header.bytes >= sizeof header && header.bytes <= *size) {
        header.hash = 0;
        memcpy(bytes, &header, sizeof header);
        header.hash = weft_hash(bytes, header.bytes);
        memcpy(bytes, &header, sizeof header);
    }
    return (uint8_t *)bytes;
}

static uint8_t *mutate(const struct parts *whole, size_t *size)
{
    struct parts parts = *whole;
    uint8_t *own = NULL;
    parts.rest = weft_alloc(whole->n_rest);
    memcpy(parts.rest, whole->rest, whole->n_rest);
    for (uint64_t k = 1 + roll(CHANGES_MOST); k; k--)
        switch (roll(8)) {
        case 0: change_header(&parts); break;
        case 1:
        case 2: change_order(&parts); break;
        case 3:
        case 4: change_field(&parts.pieces[roll(parts.n)].head); break;
        default: change_entries(&parts.pieces[roll(parts.n)], &own); break;
        }
    uint8_t *bytes = put_together(&parts, size);
    if (roll(6) == 0)
        *size = roll(*size);
    free(parts.rest);
    free(own);
    return bytes;
}

/* ---- What is asked ---- */

static void write_file(const char *path, const uint8_t *bytes, size_t size)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    WEFT_REQUIRE(fd >= 0 && write(fd, bytes, size) == (ssize_t)size, "cannot write %s",
                 path);
    close(fd);
}

static uint8_t *read_file(const char *path, size_t *size)
{
    struct weft_err err;
    struct weft_mapping map;
    WEFT_REQUIRE(weft_map_file(&map, path, &err), "%s", err.message);
    uint8_t *bytes = weft_alloc(map.size + 1);
    memcpy(bytes, map.data, map.size);
    *size = map.size;
    weft_unmap(&map);
    return bytes;
}

/* Whether it opened; then both formats can be written, and the store is one. */
static bool ask(const char *path, const char *store)
{
    struct weft_err err = { 0 };
    struct fghc_recording *recording = fghc_recording_open(path, &err);
    if (!recording) {
        WEFT_REQUIRE(err.message[0], "a refusal without a reason");
        return false;
    }
    FILE *sink = fopen("/dev/null", "we");
    WEFT_REQUIRE(sink && fghc_write_vista(recording, sink, NULL, &err)
                     && fghc_write_store(recording, store, NULL, &err),
                 "%s", err.message);
    fclose(sink);
    fghc_recording_close(recording);
    size_t size;
    uint8_t *bytes = read_file(store, &size);
    WEFT_REQUIRE(store_ask(bytes, size), "what is written is no store");
    free(bytes);
    return true;
}

int main(int argc, char **argv)
{
    uint64_t n = argc > 1 ? strtoull(argv[1], NULL, 10) : 0;
    uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    uint64_t first = argc > 3 ? strtoull(argv[3], NULL, 10) : 0, opened = 0;
    const char *temporary = getenv("TMPDIR");
    char *folder =
        weft_asprintf("%s/weft-fghc-XXXXXX", temporary                       ? temporary
                                             : access("/dev/shm", W_OK) == 0 ? "/dev/shm"
                                                                             : "/tmp");
    WEFT_REQUIRE(mkdtemp(folder), "no folder for temporary files");
    char *path = weft_asprintf("%s/recording", folder);
    char *store = weft_asprintf("%s/run.weft", folder);
    struct parts whole;
    size_t size;
    signal(SIGPROF, take_too_long);
    make_recording(path, 7);
    uint8_t *original = read_file(path, &size);
    take_apart(original, size, &whole);
    WEFT_REQUIRE(ask(path, store), "the whole one does not open");
    for (uint64_t i = first; i < first + n; i++) {
        struct itimerval limit = { .it_value = { .tv_sec = MOST_SECONDS } };
        snprintf(place, sizeof place, "seed %llu mutant %llu", (unsigned long long)seed,
                 (unsigned long long)i);
        roll_from(seed << 32 ^ i);
        setitimer(ITIMER_PROF, &limit, NULL);
        uint8_t *bytes = mutate(&whole, &size);
        write_file(path, bytes, size);
        free(bytes);
        opened += ask(path, store);
    }
    printf("%llu mutants, %llu of them opened\n", (unsigned long long)n,
           (unsigned long long)opened);
    unlink(path);
    unlink(store);
    rmdir(folder);
    free(original);
    free(whole.rest);
    free(path);
    free(store);
    free(folder);
    return n && !opened;
}
