/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "synthetic.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "domains/arrays/format/records.h"
#include "domains/messages/format/call_table.h"
#include "domains/messages/format/records.h"
#include "domains/tasks/format/records.h"
#include "domains/threads/format/records.h"
#include "format/recording_annotate.h"
#include "read/recording/recording_to_store.h"

enum {
    WORDS = WEFT_LOG_BUFFER / 8,
    MAX_WORDS = 40,
    MAX_SLOTS = 64,
    MAX_THREADS = 2000,
    MAX_DRAINS = 20
};

/* What is being described. */
struct writer {
    struct synthetic *synthetic;
    char facts[2048];
    char machine[128]; /* "0/h-alpha-a" */
    unsigned n_logs;
    char host[WEFT_HOST_TEXT], boot[WEFT_BOOT_TEXT];
    enum weft_clock_source clock;
    bool has_process, has_thread, started;
    struct weft_process_header process;
    uint64_t end; /* of the process's log so far */
    uint64_t process_at, threads_at;
    struct weft_thread_header threads[MAX_THREADS];
    unsigned n_threads;
    unsigned n_samples;
    char maps[65536];
    struct weft_thread_header thread;
    uint64_t words[WORDS]; /* of the part that is being written */
    size_t n_words;
    uint64_t stream[WORDS];
    size_t n_stream;
    size_t drains[MAX_DRAINS]; /* words of the stream when each began */
    unsigned n_drains;
    uint64_t last_ticks;
    struct {
        uint64_t address;
        uint32_t class;
    } slots[MAX_SLOTS];
    unsigned n_slots;
};

enum arguments {
    NONE,
    OBJECT,
    OBJECT_NUMBER,
    ARGUMENT,
    WORD,
    WORDS_2,
    WORDS_MANY,
    CLASS_WORDS,
    WORDS_5_TEXT,
    NAMED_WORD,
    NAMED_WORDS,
    NAMED_REAL,
    TEXT,
    NUMBER_TEXT,
    NUMBERS_TEXT,
    MPI_CALLED,
    MPI_OTHER,
    MPI_RANK,
    RAW
};

static const struct verb {
    const char *name;
    uint32_t kind;
    enum arguments arguments;
} verbs[] = {
    { "wait", WEFT_RECORD_WAIT, OBJECT }, /* CLASS ADDRESS */
    { "give-up", WEFT_RECORD_GIVE_UP, OBJECT },
    { "acquire", WEFT_RECORD_ACQUIRE, OBJECT },
    { "share", WEFT_RECORD_SHARE, OBJECT },
    { "release", WEFT_RECORD_RELEASE, OBJECT },
    { "wake", WEFT_RECORD_WAKE, OBJECT },
    { "signal", WEFT_RECORD_SIGNAL, OBJECT },
    { "broadcast", WEFT_RECORD_BROADCAST, OBJECT },
    { "destroy", WEFT_RECORD_DESTROY, OBJECT },
    { "kept", WEFT_RECORD_KEPT, OBJECT },
    { "inherit", WEFT_RECORD_INHERIT, OBJECT },
    { "init", WEFT_RECORD_INIT, CLASS_WORDS }, /* CLASS ADDRESS SITE */
    { "left", WEFT_RECORD_LEFT, ARGUMENT },
    { "stack", WEFT_RECORD_STACK, WORDS_MANY },     /* format/stack_words.h */
    { "shared", WEFT_RECORD_SHARED, WORDS_5_TEXT }, /* BEGIN END OFFSET DEVICE INODE PATH */
    { "count", WEFT_RECORD_COUNT, OBJECT_NUMBER },
    { "create", WEFT_RECORD_CREATE, WORDS_MANY }, /* ORDINAL SITE START WORD... */
    { "join", WEFT_RECORD_JOIN, WORDS_2 },        /* HANDLE SITE */
    { "joined", WEFT_RECORD_JOINED, ARGUMENT },
    { "call", WEFT_RECORD_CALL, NAMED_WORD }, /* CALL SITE */
    { "return", WEFT_RECORD_RETURN, NONE },
    { "team-wait", WEFT_RECORD_TEAM_WAIT, MPI_OTHER }, /* FLAGS TEAM SITE */
    { "team-go", WEFT_RECORD_TEAM_GO, WORDS_MANY },    /* or TEAM */
    { "called", WEFT_RECORD_THREAD, TEXT },
    { "calls", WEFT_RECORD_THREAD_OTHER, NUMBER_TEXT }, /* HANDLE NAME */
    { "exit", WEFT_RECORD_EXIT, NONE },
    { "sharer", WEFT_RECORD_SHARER, ARGUMENT },            /* 1 or 0 */
    { "child-ended", WEFT_RECORD_CHILD_ENDED, MPI_OTHER }, /* SIGNAL PID */
    { "cpu", WEFT_RECORD_CPU, WORD },
    { "name", WEFT_RECORD_NAME, NUMBER_TEXT },                /* NUMBER TEXT */
    { "names-object", WEFT_RECORD_OBJECT_NAME, NUMBER_TEXT }, /* ADDRESS TEXT */
    { "program", WEFT_RECORD_PROGRAM, NUMBERS_TEXT },         /* PID SITE PATH */
    { "no-program", WEFT_RECORD_NO_PROGRAM, WORD },           /* PID */
    { "begin", WEFT_RECORD_BEGIN, ARGUMENT },                 /* NUMBER */
    { "end", WEFT_RECORD_END, NONE },
    { "instant", WEFT_RECORD_INSTANT, ARGUMENT },
    { "counter", WEFT_RECORD_COUNTER, NAMED_REAL },
    { "send", WEFT_RECORD_SEND, NAMED_WORDS }, /* NUMBER KEY BYTES */
    { "receive", WEFT_RECORD_RECEIVE, NAMED_WORDS },
    { "task", WEFT_RECORD_TASK_BEGIN, NAMED_REAL },
    { "task-end", WEFT_RECORD_TASK_END, NONE },
    { "values", WEFT_RECORD_VALUES, MPI_OTHER },           /* 0 WHAT NUMBERS VALUE... */
    { "mpi-call", WEFT_RECORD_MPI_CALL, MPI_CALLED },      /* CALL */
    { "mpi-send", WEFT_RECORD_MPI_CALL_SEND, MPI_CALLED }, /* CALL PEER:TAG COMM BYTES */
    { "mpi-receive", WEFT_RECORD_MPI_CALL_RECEIVE, MPI_CALLED }, /* CALL PEER:TAG COMM */
    { "mpi-collective", WEFT_RECORD_MPI_CALL_COLLECTIVE,
      MPI_CALLED },                                          /* CALL COMM BYTES ROOT */
    { "mpi-start", WEFT_RECORD_MPI_CALL_START, MPI_CALLED }, /* CALL REQUEST */
    { "mpi-wait", WEFT_RECORD_MPI_CALL_WAIT, MPI_CALLED },
    { "mpi-transfer", WEFT_RECORD_MPI_CALL_TRANSFER,
      MPI_CALLED }, /* CALL WINDOW RANK BYTES */
    { "mpi-completes", WEFT_RECORD_MPI_CALL_COMPLETE, MPI_CALLED }, /* CALL WINDOW RANK */
    { "mpi-return", WEFT_RECORD_MPI_RETURN, MPI_OTHER },            /* RESULT */
    { "mpi-received", WEFT_RECORD_MPI_RETURN_RECEIVED,
      MPI_OTHER },                                          /* CANCELLED PEER:TAG BYTES */
    { "mpi-sends", WEFT_RECORD_MPI_SEND, MPI_OTHER },       /* 0 PEER:TAG COMM BYTES */
    { "mpi-receives", WEFT_RECORD_MPI_RECEIVE, MPI_OTHER }, /* 0 PEER:TAG COMM */
    { "mpi-request", WEFT_RECORD_MPI_REQUEST, MPI_OTHER },  /* 0 REQUEST */
    { "mpi-completed", WEFT_RECORD_MPI_COMPLETED,
      MPI_OTHER }, /* CANCELLED REQUEST PEER:TAG BYTES */
    { "mpi-matched", WEFT_RECORD_MPI_MATCHED, MPI_OTHER }, /* 0 MESSAGE PEER:TAG COMM */
    { "mpi-takes", WEFT_RECORD_MPI_TAKE, MPI_OTHER },      /* 0 MESSAGE */
    { "mpi-communicator", WEFT_RECORD_MPI_COMMUNICATOR,
      MPI_OTHER }, /* 0 COMM PARENT ORIGIN FIRST+COUNT... */
    { "mpi-neighbors", WEFT_RECORD_MPI_NEIGHBORS, MPI_OTHER }, /* TO|FROM COMM N RANK... */
    { "mpi-gone", WEFT_RECORD_MPI_COMMUNICATOR_GONE, MPI_OTHER },  /* 0 COMM */
    { "mpi-window", WEFT_RECORD_MPI_WINDOW, MPI_OTHER },           /* 0 WINDOW COMM */
    { "mpi-window-gone", WEFT_RECORD_MPI_WINDOW_GONE, MPI_OTHER }, /* 0 WINDOW */
    { "mpi-rank", WEFT_RECORD_MPI_RANK, MPI_RANK }, /* RANK SIZE; COMM 1 is the world's */
    { "mpi-clock", WEFT_RECORD_MPI_CLOCK, MPI_OTHER },       /* 0 OWN THEIRS ERROR */
    { "mpi-shown", WEFT_RECORD_MPI_SHOWN, MPI_OTHER },       /* 0 or 1 */
    { "mpi-left", WEFT_RECORD_MPI_LEFT, MPI_OTHER },         /* PASSED */
    { "omp-cpu", WEFT_RECORD_OMP_CPU, MPI_OTHER },           /* NUMBER */
    { "omp-initial", WEFT_RECORD_OMP_INITIAL, MPI_OTHER },   /* 0 TASK */
    { "omp-parallel", WEFT_RECORD_OMP_PARALLEL, MPI_OTHER }, /* THREADS REGION TASK SITE */
    { "omp-parallel-end", WEFT_RECORD_OMP_PARALLEL_END, MPI_OTHER }, /* 0 REGION TASK */
    { "omp-implicit", WEFT_RECORD_OMP_IMPLICIT, MPI_OTHER },         /* INDEX REGION TASK */
    { "omp-implicit-end", WEFT_RECORD_OMP_IMPLICIT_END, MPI_OTHER }, /* 0 TASK */
    { "omp-create", WEFT_RECORD_OMP_CREATE, MPI_OTHER },             /* FLAGS TASK SITE */
    { "omp-schedule", WEFT_RECORD_OMP_SCHEDULE, MPI_OTHER },         /* STATUS TASK */
    { "omp-depends", WEFT_RECORD_OMP_DEPENDS, MPI_OTHER },           /* HOW TASK ADDRESS */
    { "omp-discard", WEFT_RECORD_OMP_DISCARD, MPI_OTHER },           /* 0 TASK */
    { "omp-wait", WEFT_RECORD_OMP_WAIT, MPI_OTHER },                 /* KIND SITE */
    { "omp-waited", WEFT_RECORD_OMP_WAIT_END, MPI_OTHER },           /* KIND */
    { "omp-group", WEFT_RECORD_OMP_GROUP, MPI_OTHER },               /* 1 SITE */
    { "omp-work", WEFT_RECORD_OMP_WORK, MPI_OTHER },                 /* KIND SITE COUNT */
    { "omp-worked", WEFT_RECORD_OMP_WORK_END, MPI_OTHER },           /* KIND */
    { "omp-lock-wait", WEFT_RECORD_OMP_LOCK_WAIT, MPI_OTHER },       /* KIND LOCK SITE */
    { "omp-lock", WEFT_RECORD_OMP_LOCK, MPI_OTHER },                 /* KIND LOCK */
    { "omp-counts", WEFT_RECORD_OMP_COUNTERS, MPI_OTHER },           /* 0 COUNT... */
    { "omp-uncounted", WEFT_RECORD_OMP_UNCOUNTED, MPI_OTHER },       /* WHICH ERROR */
    { "omp-runtime", WEFT_RECORD_OMP_RUNTIME, TEXT },                /* NAME */
    { "omp-unlock", WEFT_RECORD_OMP_UNLOCK, MPI_OTHER },             /* KIND LOCK */
    { "task-start", WEFT_RECORD_TASK_START, MPI_OTHER },             /* 0 TASK SITE */
    { "task-stop", WEFT_RECORD_TASK_STOP, MPI_OTHER },               /* 0 TASK SITE */
    { "task-creates", WEFT_RECORD_TASK_CREATES, MPI_OTHER },         /* 0 TASK SITE NEW */
    { "task-point", WEFT_RECORD_TASK_POINT, MPI_OTHER },             /* POINT TASK SITE */
    { "array", WEFT_RECORD_ARRAY, MPI_OTHER }, /* 0 RANK<<32|NUMBER EXTENT... NAME */
    { "array-memory", WEFT_RECORD_ARRAY_MEMORY, MPI_OTHER },   /* NUMBER BYTES BY_COLUMNS */
    { "array-step", WEFT_RECORD_ARRAY_STEP, MPI_OTHER },       /* 0 STEP */
    { "array-pattern", WEFT_RECORD_ARRAY_PATTERN, MPI_OTHER }, /* 0 WORD... */
    { "array-lost", WEFT_RECORD_ARRAY_LOST, MPI_OTHER },       /* WHY HOW_MANY */
    { "raw", 0, RAW },                                         /* KIND ARGUMENT WORD... */
};

static const char *const classes[] = { "mutex",     "rwlock",    "spin",
                                       "condition", "semaphore", "barrier" };

static void put_file(const struct synthetic *synthetic, const char *name, const void *bytes,
                     size_t size, off_t at)
{
    char path[256];
    int file;

    snprintf(path, sizeof path, "%s/%s", synthetic->path, name);
    file = open(path, O_WRONLY | O_CREAT, 0600);
    assert_true(file >= 0);
    assert_int_equal(pwrite(file, bytes, size, at), size);
    close(file);
}

/* The log of the process: every one has its own. */
static void put_log(struct writer *writer, const void *bytes, size_t size, uint64_t at)
{
    put_file(writer->synthetic, writer->synthetic->last_log, bytes, size, (off_t)at);
}

/* A piece behind those that there are; returns where it begins. */
static uint64_t put_piece(struct writer *writer, struct weft_piece piece, const void *bytes,
                          size_t size)
{
    uint64_t at = writer->end, align = WEFT_PIECE_ALIGN;

    piece.magic = WEFT_PIECE_MAGIC;
    piece.size = (sizeof piece + size + align - 1) / align * align;
    piece.bytes = size;
    put_log(writer, &piece, sizeof piece, at);
    put_log(writer, bytes, size, at + sizeof piece);
    writer->end += piece.size;
    return at;
}

static void end_thread(struct writer *writer)
{
    struct weft_thread_header *header = &writer->thread;
    struct weft_piece two[2] = { 0 };
    unsigned char *buffer;
    uint64_t at = writer->end;

    if (!writer->has_thread)
        return;
    header->buffer = at;
    two[0] = (struct weft_piece){ .magic = WEFT_PIECE_MAGIC,
                                  .kind = WEFT_PIECE_BUFFER,
                                  .size = WEFT_BUFFER_PIECE,
                                  .of = writer->process_at,
                                  .base = writer->n_stream * 8,
                                  .drained = writer->n_stream * 8 };
    buffer = calloc(1, WEFT_BUFFER_PIECE);
    memcpy(buffer, two, sizeof two);
    memcpy(buffer + sizeof two, writer->words, sizeof writer->words);
    put_log(writer, buffer, WEFT_BUFFER_PIECE, at);
    free(buffer);
    writer->end += WEFT_BUFFER_PIECE;
    writer->synthetic->last_buffer = at;
    writer->synthetic->last_stream = writer->end;
    for (unsigned i = 0; i < writer->n_drains; i++) {
        size_t begin = writer->drains[i];
        size_t end = i + 1 < writer->n_drains ? writer->drains[i + 1] : writer->n_stream;
        (void)put_piece(
            writer,
            (struct weft_piece){ .kind = WEFT_PIECE_STREAM, .of = at, .base = begin * 8 },
            writer->stream + begin, (end - begin) * 8);
    }
    assert_true(writer->n_threads < MAX_THREADS);
    writer->threads[writer->n_threads++] = *header;
    writer->has_thread = false;
}

static void begin_log(struct writer *writer)
{
    struct weft_log_head head = { .magic = WEFT_LOG_MAGIC };

    snprintf(writer->synthetic->last_log, sizeof writer->synthetic->last_log, "%s/l%u-%u",
             writer->machine, writer->process.pid, writer->n_logs++);
    writer->end = WEFT_PIECE_ALIGN;
    put_log(writer, &head, sizeof head, 0);
    writer->process_at =
        put_piece(writer, (struct weft_piece){ .kind = WEFT_PIECE_PROCESS },
                  &writer->process, sizeof writer->process);
    /* The threads' headers are written in the end. */
    writer->threads_at = writer->end;
    writer->end += WEFT_PIECE_ALIGN;
    writer->n_threads = 0;
}

/* The headers of the process's threads, into the room that was left for them. */
static void put_threads(struct writer *writer)
{
    uint64_t end = writer->end;

    writer->end = writer->threads_at;
    (void)put_piece(writer,
                    (struct weft_piece){ .kind = WEFT_PIECE_THREADS,
                                         .taken = writer->n_threads,
                                         .of = writer->process_at },
                    writer->threads, writer->n_threads * sizeof *writer->threads);
    writer->end = end;
}

static void end_process(struct writer *writer)
{
    end_thread(writer);
    if (!writer->has_process)
        return;
    put_log(writer, &writer->process, sizeof writer->process,
            writer->process_at + sizeof(struct weft_piece));
    if (*writer->maps)
        (void)put_piece(
            writer,
            (struct weft_piece){ .kind = WEFT_PIECE_MAPS, .of = writer->process_at },
            writer->maps, strlen(writer->maps));
    writer->synthetic->last_process = writer->process_at;
    writer->synthetic->last_threads = writer->threads_at;
    put_threads(writer);
    writer->has_process = false;
}

static void end_folder(struct writer *writer)
{
    char name[32];

    end_process(writer);
    snprintf(name, sizeof name, "%u/recording", writer->synthetic->n_folders - 1);
    put_file(writer->synthetic, name, writer->facts, strlen(writer->facts), 0);
}

static void begin_folder(struct writer *writer)
{
    char path[128];

    snprintf(path, sizeof path, "%s/%u", writer->synthetic->path,
             writer->synthetic->n_folders++);
    assert_int_equal(mkdir(path, 0700), 0);
    strcpy(writer->facts, WEFT_RECORDING_MAGIC "\n");
}

static void begin_host(struct writer *writer, const char *name, const char *boot,
                       const char *clock)
{
    char path[256];

    end_process(writer);
    snprintf(writer->host, sizeof writer->host, "%s", name);
    snprintf(writer->boot, sizeof writer->boot, "%s", boot);
    writer->clock = strcmp(clock, "tsc") == 0 ? WEFT_CLOCK_TSC : WEFT_CLOCK_MONOTONIC_NS;
    snprintf(writer->machine, sizeof writer->machine, "%u/h-%.40s-%.40s",
             writer->synthetic->n_folders - 1, name, boot);
    snprintf(path, sizeof path, "%s/%s", writer->synthetic->path, writer->machine);
    assert_int_equal(mkdir(path, 0700), 0);
}

static void begin_process(struct writer *writer, uint32_t pid, const char *command)
{
    end_process(writer);
    writer->has_process = true;
    writer->process = (struct weft_process_header){
        .pid = pid,
        .clock = writer->clock,
        .exited = 1,
        .families = 1u << WEFT_FAMILY_THREADS | 1u << WEFT_FAMILY_ANNOTATE,
        .first = { 1000, 1000, 1000, 0 },
        .last = { 9000, 9000, 9000, 0 },
        .command_bytes = (uint32_t)strlen(command) + 1,
    };
    strcpy(writer->process.command, command);
    strcpy(writer->process.host, writer->host);
    strcpy(writer->process.boot, writer->boot);
    writer->n_samples = 0;
    writer->maps[0] = 0;
    begin_log(writer);
}

static void add_sample(struct writer *writer, struct weft_clock_sample sample)
{
    struct weft_process_header *header = &writer->process;

    if (writer->n_samples == 0)
        header->first = sample;
    else if (writer->n_samples > 1)
        header->samples[header->n_samples++] = header->last;
    header->last = sample;
    writer->n_samples++;
}

static void begin_thread(struct writer *writer, uint32_t ordinal)
{
    end_thread(writer);
    writer->has_thread = true;
    writer->started = false;
    writer->thread = (struct weft_thread_header){ .magic = WEFT_THREAD_MAGIC,
                                                  .ordinal = ordinal,
                                                  .tid = 1000 + ordinal,
                                                  .handle = 100 + ordinal };
    memset(writer->words, 0, sizeof writer->words);
    writer->n_words = writer->n_stream = 0;
    writer->n_drains = 0;
    writer->n_slots = 0;
}

static void drain(struct writer *writer)
{
    assert_true(writer->n_drains < MAX_DRAINS);
    writer->drains[writer->n_drains++] = writer->n_stream;
    memcpy(writer->stream + writer->n_stream, writer->words, writer->n_words * 8);
    writer->n_stream += writer->n_words;
    memset(writer->words, 0, writer->n_words * 8);
    writer->n_words = 0;
}

static void put(struct writer *writer, uint64_t ticks, uint32_t kind, uint32_t argument,
                const uint64_t *words, uint32_t n)
{
    bool is_long = n >= WEFT_WORDS_LONG;

    assert_true(writer->has_thread && writer->n_words + n + 3 < WORDS);
    if (!writer->started) {
        writer->thread.first_ticks = ticks;
        writer->last_ticks = ticks;
        writer->started = true;
    }
    if (ticks - writer->last_ticks >= UINT64_C(1) << 30) {
        writer->words[writer->n_words++] = weft_record_word(ticks, WEFT_RECORD_TIME, 1, 0);
        writer->words[writer->n_words++] = ticks;
    }
    writer->last_ticks = ticks;
    writer->words[writer->n_words++] = weft_record_word(
        ticks, kind, is_long ? WEFT_WORDS_LONG : n, is_long ? n : argument);
    if (n)
        memcpy(writer->words + writer->n_words, words, n * 8);
    writer->n_words += n;
}

static uint32_t class_number(const char *class)
{
    uint32_t number = 0;

    while (strcmp(classes[number], class) != 0)
        assert_true(++number < sizeof classes / sizeof *classes);
    return number;
}

/* The slot of an object, with its pair when that is new. */
static uint32_t slot_of(struct writer *writer, uint64_t ticks, const char *class,
                        uint64_t address)
{
    uint64_t pair[2] = { address, address + 0x40 };
    uint32_t number = class_number(class), slot;

    for (slot = 0; slot < writer->n_slots; slot++)
        if (writer->slots[slot].address == address && writer->slots[slot].class == number)
            return slot;
    assert_true(slot < MAX_SLOTS);
    writer->slots[writer->n_slots].address = address;
    writer->slots[writer->n_slots++].class = number;
    put(writer, ticks, WEFT_RECORD_PAIR, slot | number << WEFT_PAIR_CLASS, pair, 2);
    return slot;
}

/* Words of the line from the place *at on, as numbers; how many. */
static uint32_t numbers(char **words, size_t n_words, size_t at, uint64_t *to)
{
    uint32_t n = 0;

    for (; at < n_words; at++)
        to[n++] = strtoull(words[at], NULL, 0);
    return n;
}

static uint64_t bits(double value)
{
    uint64_t word;
    memcpy(&word, &value, sizeof word);
    return word;
}

#define CALL_NAME(name, role, begins) #name,
static const char *const call_names[] = { WEFT_MPI_CALLS(CALL_NAME) };

/* A number, PEER:TAG (* for any), or FIRST+COUNT, a run of ranks. */
static uint64_t mpi_word(const char *word)
{
    const char *colon = strchr(word, ':'), *plus = strchr(word, '+');

    if (colon)
        return weft_mpi_peer_and_tag(*word == '*' ? WEFT_MPI_ANY : atoi(word),
                                     colon[1] == '*' ? WEFT_MPI_ANY : atoi(colon + 1));
    if (plus)
        return weft_mpi_run((uint32_t)atoi(word), (uint32_t)atoi(plus + 1), 1);
    return strtoull(word, NULL, 0);
}

/* A record of MPI: its argument, a call's name or a number, then the words, after a site. */
static void put_mpi(struct writer *writer, const struct verb *verb, char **words, size_t n)
{
    uint64_t values[MAX_WORDS] = { 0 };
    uint32_t count = verb->arguments == MPI_CALLED, argument = 0;

    assert_true(n > 2);
    if (verb->arguments == MPI_RANK) {
        values[0] = strtoull(words[2], NULL, 0) << 32 | strtoull(words[3], NULL, 0);
        values[2] = 1;
        values[3] = 2;
        put(writer, strtoull(words[0], NULL, 0), verb->kind, 0, values, 4);
        return;
    }
    while (verb->arguments == MPI_CALLED && argument < WEFT_MPI_N_CALLS
           && strcmp(call_names[argument], words[2]) != 0)
        argument++;
    if (verb->arguments != MPI_CALLED)
        argument = (uint32_t)strtoull(words[2], NULL, 0);
    assert_true(argument < WEFT_MPI_N_CALLS);
    for (size_t i = 3; i < n; i++)
        values[count++] = mpi_word(words[i]);
    put(writer, strtoull(words[0], NULL, 0), verb->kind, argument, values, count);
}

static void put_verb(struct writer *writer, const struct verb *verb, char **words, size_t n)
{
    uint64_t ticks = strtoull(words[0], NULL, 0), values[MAX_WORDS] = { 0 };
    uint32_t count = numbers(words, n, 2, values), argument = 0;
    char text[MAX_WORDS * 8] = "";

    switch (verb->arguments) {
    case NONE: count = 0; break;
    case OBJECT:
    case OBJECT_NUMBER:
        argument = slot_of(writer, ticks, words[2], values[1]);
        values[0] = values[2];
        count = verb->arguments == OBJECT_NUMBER;
        break;
    case CLASS_WORDS:
        argument = class_number(words[2]);
        memmove(values, values + 1, sizeof *values * 2);
        count = 2;
        break;
    case WORDS_5_TEXT:
        values[5] = 0;
        snprintf((char *)(values + 5), 64, "%s", words[7]);
        count = 5 + (uint32_t)(strlen(words[7]) + 7) / 8;
        break;
    case ARGUMENT:
    case NAMED_WORD:
    case NAMED_WORDS:
        argument = (uint32_t)values[0];
        memmove(values, values + 1, sizeof *values * 3);
        count = verb->arguments == ARGUMENT ? 0 : verb->arguments == NAMED_WORD ? 1 : 2;
        break;
    case NAMED_REAL:
        argument = (uint32_t)values[0];
        values[0] = bits(atof(words[3]));
        count = 1;
        break;
    case TEXT:
    case NUMBER_TEXT:
    case NUMBERS_TEXT:
        for (size_t i = verb->arguments == TEXT          ? 2
                        : verb->arguments == NUMBER_TEXT ? 3
                                                         : 4;
             i < n; i++)
            snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s",
                     *text ? " " : "", words[i]);
        /* A name has a site between its number and its text. */
        count = verb->arguments == TEXT                                             ? 0
                : verb->arguments == NUMBERS_TEXT || verb->kind == WEFT_RECORD_NAME ? 2
                                                                                    : 1;
        if (verb->arguments != NUMBERS_TEXT)
            values[1] = 0;
        memcpy(values + count, text, strlen(text) + 1);
        count += (uint32_t)(strlen(text) + 7) / 8;
        break;
    case MPI_CALLED:
    case MPI_OTHER:
    case MPI_RANK: put_mpi(writer, verb, words, n); return;
    case RAW:
        assert_true(count >= 2);
        put(writer, ticks, (uint32_t)values[0], (uint32_t)values[1], values + 2, count - 2);
        return;
    default: break;
    }
    put(writer, ticks, verb->kind, argument, values, count);
}

static bool is(char **words, size_t n, const char *word, size_t need)
{
    return strcmp(words[0], word) == 0 && n >= need;
}

static uint64_t number(const char *word)
{
    return strtoull(word, NULL, 0);
}

static bool describe_process(struct writer *writer, char **words, size_t n)
{
    struct weft_process_header *process = &writer->process;

    if (is(words, n, "forked", 4)) {
        process->forked_pid = (uint32_t)number(words[1]);
        process->forked_image = number(words[2]);
        process->forked_thread = (uint32_t)number(words[3]);
        process->names_inherited = WEFT_ARGUMENT_MAX;
    } else if (is(words, n, "inherits", 2)) {
        process->names_inherited = (uint32_t)number(words[1]);
    } else if (is(words, n, "image", 2)) {
        process->image = number(words[1]);
    } else if (is(words, n, "parent", 2)) {
        process->parent_pid = (uint32_t)number(words[1]);
    } else if (is(words, n, "runs", 2)) {
        snprintf(process->program, sizeof process->program, "%s", words[1]);
    } else if (is(words, n, "namespace", 2)) {
        process->pid_namespace = number(words[1]);
    } else if (is(words, n, "killed", 1)) {
        process->exited = 0;
    } else if (is(words, n, "families", 2)) {
        process->families = (uint32_t)number(words[1]);
    } else if (is(words, n, "sample", 4)) {
        add_sample(writer,
                   (struct weft_clock_sample){ number(words[1]), (int64_t)number(words[2]),
                                               (int64_t)number(words[3]), 0 });
    } else if (is(words, n, "lost", 2)) {
        if (writer->has_thread)
            writer->thread.lost = number(words[1]);
        else
            process->lost = number(words[1]);
    } else {
        return false;
    }
    return true;
}

static void describe(struct writer *writer, char **words, size_t n)
{
    if (is(words, n, "folder", 1)) {
        end_folder(writer);
        begin_folder(writer);
    } else if (is(words, n, "host", 4)) {
        begin_host(writer, words[1], words[2], words[3]);
    } else if (is(words, n, "process", 3)) {
        begin_process(writer, (uint32_t)number(words[1]), words[2]);
    } else if (is(words, n, "thread", 2)) {
        begin_thread(writer, (uint32_t)number(words[1]));
    } else if (is(words, n, "starts", 2)) {
        writer->thread.first_ticks = writer->last_ticks = number(words[1]);
        writer->started = true;
    } else if (is(words, n, "drained", 1)) {
        drain(writer);
    } else if (!describe_process(writer, words, n)) {
        for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++)
            if (n > 1 && strcmp(verbs[i].name, words[1]) == 0) {
                put_verb(writer, &verbs[i], words, n);
                return;
            }
        fail_msg("synthetic: \"%s %s\"", words[0], n > 1 ? words[1] : "");
    }
}

static void describe_line(struct writer *writer, char *line)
{
    char *words[MAX_WORDS], *rest = NULL;
    size_t n = 0;

    line += strspn(line, " ");
    if (strncmp(line, "fact ", 5) == 0) {
        strcat(strcat(writer->facts, line + 5), "\n");
        return;
    }
    if (strncmp(line, "map ", 4) == 0) {
        strcat(strcat(writer->maps, line + 4), "\n");
        return;
    }
    for (char *word = strtok_r(line, " ", &rest); word && n < MAX_WORDS;
         word = strtok_r(NULL, " ", &rest))
        words[n++] = word;
    if (n > 0)
        describe(writer, words, n);
}

/* WEFT_KEEP_RECORDINGS: the folder to put a copy into, as something to damage (tools/fuzz). */
static void keep(const struct synthetic *synthetic)
{
    static unsigned n;
    const char *folder = getenv("WEFT_KEEP_RECORDINGS");
    char line[512];

    if (!folder)
        return;
    snprintf(line, sizeof line, "cp -r %s '%s/%s-%03u'", synthetic->path, folder,
             program_invocation_short_name, n++);
    assert_int_equal(system(line), 0);
}

struct synthetic synthetic_write(const char *description)
{
    struct synthetic synthetic = { .path = "/tmp/weft-recording-XXXXXX" };
    struct writer *writer = calloc(1, sizeof *writer);
    char *text = strdup(description), *rest = NULL;

    assert_non_null(mkdtemp(synthetic.path));
    writer->synthetic = &synthetic;
    begin_folder(writer);
    for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
        describe_line(writer, line);
    end_folder(writer);
    free(text);
    free(writer);
    keep(&synthetic);
    return synthetic;
}

struct recorded synthetic_join(const struct synthetic *synthetic)
{
    struct recorded recorded = { 0 };
    struct weft_err err = { 0 };
    char store[128], paths[8][96];
    const char *folders[8];

    for (unsigned i = 0; i < synthetic->n_folders && i < 8; i++) {
        snprintf(paths[i], sizeof paths[i], "%s/%u", synthetic->path, i);
        folders[i] = paths[i];
    }
    snprintf(store, sizeof store, "%s/t.weft", synthetic->path);
    if (!weft_recording_join(folders, synthetic->n_folders, store, NULL, NULL, &err))
        fail_msg("%s", err.message);
    recorded.trace = weft_trace_open(store, &err);
    if (!recorded.trace)
        fail_msg("%s", err.message);
    recorded.source = weft_trace_source(recorded.trace);
    recorded.schema = weft_trace_schema(recorded.trace);
    return recorded;
}

void synthetic_remove(const struct synthetic *synthetic)
{
    char line[128];

    snprintf(line, sizeof line, "rm -r %s", synthetic->path);
    assert_int_equal(system(line), 0);
}

struct recorded synthetic_trace(const char *description)
{
    struct synthetic synthetic = synthetic_write(description);
    struct recorded recorded = synthetic_join(&synthetic);

    synthetic_remove(&synthetic); /* the trace is mapped */
    return recorded;
}

uint32_t parent_of(const struct recorded *recorded, uint32_t container)
{
    return recorded->schema->containers[container].parent;
}

const char *note(const struct recorded *recorded, const char *key)
{
    for (uint32_t i = 0; i < recorded->schema->n_notes; i++)
        if (strcmp(recorded->schema->notes[i].key, key) == 0)
            return recorded->schema->notes[i].text;
    return "";
}

unsigned char *synthetic_read(const struct synthetic *synthetic, const char *name,
                              size_t *size)
{
    char path[256];
    unsigned char *bytes;
    struct stat status;
    FILE *in;

    snprintf(path, sizeof path, "%s/%s", synthetic->path, name);
    in = fopen(path, "rb");
    assert_non_null(in);
    assert_int_equal(fstat(fileno(in), &status), 0);
    *size = (size_t)status.st_size;
    bytes = malloc(*size + 1);
    assert_int_equal(fread(bytes, 1, *size, in), *size);
    fclose(in);
    return bytes;
}

void synthetic_rewrite(const struct synthetic *synthetic, const char *name,
                       const void *bytes, size_t size)
{
    char path[256];

    snprintf(path, sizeof path, "%s/%s", synthetic->path, name);
    assert_true(unlink(path) == 0 || errno == ENOENT);
    put_file(synthetic, name, bytes, size, 0);
}
