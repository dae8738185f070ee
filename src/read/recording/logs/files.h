/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A recording's files: one folder or several, each with the logs that the machines which wrote
 * there left (format/recording_layout.h).  Which images are one process, which threads are
 * whose, and which clock each goes by.
 */
#ifndef WEFT_READ_RECORDING_FILES_H
#define WEFT_READ_RECORDING_FILES_H

#include "base/err.h"
#include "base/file.h"
#include "base/map.h"
#include "base/memory.h"
#include "format/recording_layout.h"
#include "read/recording/machines/clocks.h"
#include "read/recording/sites/maps.h"
#include "read/recording/recording.h"
#include "store/schema.h"

/* Folders are numbered so: that of the recording, times this, and the machine in it. */
enum { RECORDING_FOLDER_STRIDE = 65536 };

struct host { /* one machine, as long as it was up */
    char *name, *boot;
};

struct log_file {
    struct weft_mapping file;
    char *path;
    uint32_t folder; /* that it is in: pids are those of one machine there */
    bool goes_on;    /* a process still wrote into it when it was loaded */
};

struct image { /* one process image */
    struct weft_process_header header;
    uint32_t log;      /* index into logs */
    uint64_t offset;   /* of its piece in the log */
    uint32_t folder;   /* of the log */
    uint32_t host;     /* index into hosts */
    uint32_t domain;   /* index into domains */
    uint32_t process;  /* index into processes */
    uint32_t inherits; /* older image that its first names and maps are of, or WEFT_NONE */
    struct maps maps;
};

struct process { /* one process of the system, whatever it exec'd */
    uint32_t host, pid;
    uint32_t first_image, last_image;
    uint32_t start; /* index into program_starts: of its first program; WEFT_NONE */
    int64_t ended;  /* when the recorder saw the program end; INT64_MIN: it did not */
};

struct span { /* of records that follow each other */
    const uint64_t *begin, *end;
};

struct stream { /* one thread */
    const struct weft_thread_header *header;
    uint32_t log, image;
    uint64_t process; /* where in the log the piece of its process begins */
    const struct span *spans;
    uint32_t n_spans;
    size_t first_span; /* in the recording's spans */
    bool cut;          /* some of its records are not there, and nobody counted them */
    /* Where records.c is: set by recording_rewind. */
    uint32_t at_span;
    const uint64_t *at;
    uint64_t ticks; /* of the record before */
    size_t piece;   /* of the clock */
    uint64_t zeros; /* words before it that are no record, one after the other */
    bool exits;     /* it has said that its thread ends */
    bool read;      /* to its end */
    uint64_t damaged, unknown[WEFT_FAMILIES_MOST];
};

struct unrecorded { /* a process that could make no log */
    uint32_t pid;
    int error; /* errno */
};

struct name {
    char *text;
    uint64_t site;
};

/* How a thread came to be, as the one that made it wrote. */
struct birth {
    uint32_t parent; /* index of its stream */
    int64_t time;
    uint64_t site, start; /* addresses: of the call, and of the start routine */
    uint64_t caller;      /* the call around a wrapper's, or 0 */
    uint64_t argument[4]; /* words that the routine's argument points to, and how many */
    uint32_t n_argument;
    uint64_t state; /* id of the state in which the parent made it, or WEFT_NO_ID */
};

/* What was in the folders and is not in the trace. */
enum recording_loss {
    RECORDING_UNREAD,          /* a file or folder that cannot be read */
    RECORDING_DAMAGED,         /* a file whose beginning is not what it must be */
    RECORDING_INCOMPLETE,      /* a log of which a part is not there */
    RECORDING_EMPTY,           /* a log without anything: damaged, or just begun */
    RECORDING_WITHOUT_PROCESS, /* a thread's file whose process has none */
    RECORDING_LOSSES,
};

struct loss {
    uint64_t n;
    char *example; /* of the first one: its file, and the reason where there is one */
};

struct recording {
    struct loss losses[RECORDING_LOSSES];
    char *facts; /* the file "recording" of the first folder, or NULL */
    struct host *hosts;
    size_t n_hosts, hosts_capacity;
    struct clock_domain *domains;
    size_t n_domains, domains_capacity;
    struct log_file *logs;
    size_t n_logs, logs_capacity;
    struct unrecorded *unrecorded;
    size_t n_unrecorded, unrecorded_capacity;
    uint64_t lost;        /* events of processes that have no header */
    struct image *images; /* by process, in order */
    size_t n_images, images_capacity;
    struct process *processes;
    size_t n_processes, processes_capacity;
    struct stream *streams; /* in order of their first stamp */
    size_t n_streams, streams_capacity;
    struct span *spans;
    size_t n_spans, spans_capacity;

    /* Filled by names.c, which reads all records once. */
    struct name *names;
    size_t n_names, names_capacity;
    struct weft_text_map name_map; /* struct name_key */
    struct birth *births;
    size_t n_births, births_capacity;
    struct weft_text_map birth_map;       /* struct birth_key */
    struct program_start *program_starts; /* by time; programs.h */
    size_t n_program_starts, program_starts_capacity;

    bool says_tasks;   /* a program said what its tasks do, through weft_task.h */
    void *comparisons; /* of clocks, as a family keeps them while they are read */
    void *worlds;      /* of MPI, as its family keeps them while they are read */
    struct weft_recording_report report;
    double overhead_ns; /* so far, see the report */
    struct weft_arena arena;
    /* What readers of the facts need: each folder's, while loading. */
    char **all_facts;
    char **paths; /* of the folders, absolute; NULL: not known */
    size_t n_folders;
};

/* Folders that are no recordings: WEFT_ERR_FORMAT, and nothing to free. */
bool recording_load(struct recording *recording, const char *const *folders,
                    size_t n_folders, struct weft_err *err) WEFT_MUST_CHECK;
void recording_free(struct recording *recording);

/* Count a loss; ERROR is the system's reason, or 0. */
void recording_lose(struct recording *recording, enum recording_loss loss, const char *file,
                    int error);

/* Map a file that a folder of the recording names; when it cannot be read, it is lost. */
bool recording_map(struct recording *recording, struct weft_mapping *map, const char *path);

/* The value of KEY in FACTS, from ARENA; NULL when there is none. */
const char *recording_fact(struct weft_arena *arena, const char *facts, const char *key);
/* The time of a stamp of an image. */
int64_t recording_ns(const struct recording *recording, uint32_t image, uint64_t ticks);

#endif
