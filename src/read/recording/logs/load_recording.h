/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The files of a recording: one or several folders, each with the logs of the machines that
 * wrote there (format/recording_layout.h).  Loading finds out which images belong to one
 * process, which threads to which image, and which clock each image has.
 */
#ifndef WEFT_READ_RECORDING_LOAD_RECORDING_H
#define WEFT_READ_RECORDING_LOAD_RECORDING_H

#include "base/err.h"
#include "base/file.h"
#include "base/hash_map.h"
#include "base/memory.h"
#include "format/recording_layout.h"
#include "read/recording/machines/clocks.h"
#include "read/recording/observed/observed.h"
#include "read/recording/recording_to_store.h"
#include "read/recording/sites/memory_maps.h"
#include "store/schema.h"

/*
 * The number of a machine's folder is this times the index of its recording's folder in
 * recording->paths, plus its own number in that (see log_file.folder).
 */
enum { RECORDING_FOLDER_STRIDE = 65536 };

/* One boot of a machine: its name, and the boot's identifier or ""; both heap. */
struct host {
    char *name, *boot;
};

/* A log, the file of one executed program and its forked children; or observations. */
struct log_file {
    struct weft_mapping file;
    char *path; /* heap */
    /*
     * RECORDING_FOLDER_STRIDE * index of the recording's folder in recording->paths +
     * number of the machine's folder in that, from 0 as they were read; observations: + 0
     */
    uint32_t folder;
    bool goes_on; /* a process was still writing into it when it was loaded */
};

/*
 * The executable memory of an image, as it was observed from outside.  maps_find() finds it
 * through image->maps; `own` has the same lines, and behind them only its parent's `own`.
 */
struct code {
    struct maps maps; /* linked behind image->maps (`before`) */
    struct maps own;  /* not to be freed */
    /*
     * ns of CLOCK_MONOTONIC, when the image's program ran: [from, to).  INT64_MIN: since
     * its process began; INT64_MAX: to its end; 0, 0: it was not observed.
     */
    int64_t from, to;
};

/* One process image: what a process did from an exec or fork to the next exec or its end.
 */
struct image {
    struct weft_process_header header; /* a copy, with NULs at the end of its texts */
    uint32_t log;                      /* index into logs */
    /*
     * bytes from the begin of the log to its process piece (recording_layout.h); if it was
     * only observed: index of its process's main thread in observed->threads
     */
    uint64_t offset;
    uint32_t folder;   /* of the log, as in struct log_file */
    uint32_t host;     /* index into hosts */
    uint32_t domain;   /* index into domains */
    uint32_t process;  /* index into processes */
    uint32_t inherits; /* index of the image that it was forked from, which has its first
                          names and maps; or WEFT_NONE */
    struct maps maps;  /* as it recorded them itself; behind them observed and inherited */
    struct code code;
    /* It was only observed from outside: its stamps (ticks) are ns of CLOCK_MONOTONIC. */
    bool observed;
};

struct process {        /* one process of the system, with all programs it executed */
    uint32_t host, pid; /* host: index into hosts */
    uint32_t first_image, last_image; /* indices into images */
    uint32_t start; /* index into program_starts of its first program, or WEFT_NONE */
    int64_t ended; /* ns on the shared time axis: when weft record saw its program end, or a
                      process that waited saw this one end; INT64_MIN: unknown */
};

struct span { /* adjacent records in the mapped log, as words: [begin, end) */
    const uint64_t *begin, *end;
};

struct stream { /* the records of one thread, in order */
    const struct weft_thread_header *header;
    uint32_t log, image;      /* indices into logs and images */
    uint64_t process;         /* image.offset of its image */
    const struct span *spans; /* [n_spans], in the recording's spans */
    uint32_t n_spans;
    size_t first_span; /* in the recording's spans */
    bool cut;          /* some of its records are missing, and not counted as lost */
    /* Where recording_next() goes on; set by recording_rewind(). */
    uint32_t at_span;
    const uint64_t *at;
    uint64_t ticks; /* of the previous record */
    size_t piece;   /* clock piece where recording_time() begins its search */
    uint64_t zeros; /* number of zero words just before the position */
    bool exits;     /* the record of the thread's end (WEFT_RECORD_EXIT) has been read */
    bool read;      /* read to its end */
    uint64_t damaged, unknown[WEFT_FAMILIES_MAX]; /* records skipped; unknown: by family */
    /* Observations of the thread from outside, in recording->observed, or NULL. */
    struct observed_thread *observed;
    bool outside; /* no recorder noticed the thread, in a process that was recorded: it has
                     no records */
};

struct unrecorded { /* a process that could make no log */
    uint32_t pid;
    int error; /* errno */
};

struct name {   /* a name that a program gave, and the address where it did */
    char *text; /* in the recording's arena */
    uint64_t site;
};

/* The creation of a thread, as its creator recorded it. */
struct birth {
    uint32_t parent;      /* index in recording->streams of the creator's */
    int64_t time;         /* ns */
    uint64_t site, start; /* addresses: return address of the call, and start routine */
    uint64_t caller;      /* return address of the call around a wrapper's, or 0 */
    uint64_t argument[4]; /* first words that the routine's argument points to */
    uint32_t n_argument;  /* words in `argument`, 0 to 4 */
    uint64_t state;       /* id of the creator's state, or WEFT_NO_ID */
};

/* Reasons why files are not in the trace, or not whole. */
enum recording_loss {
    RECORDING_UNREAD,          /* a file or folder that cannot be read */
    RECORDING_DAMAGED,         /* a file with a wrong beginning */
    RECORDING_INCOMPLETE,      /* a log with parts missing */
    RECORDING_EMPTY,           /* a log without content: damaged, or just begun */
    RECORDING_WITHOUT_PROCESS, /* a thread whose process is missing */
    RECORDING_LOSSES,          /* number of reasons */
};

struct loss { /* the losses for one reason */
    uint64_t n;
    char *example; /* file of the first loss, and the error if known; heap, NULL: n is 0 */
};

/* A loaded recording: recording_load() fills it, recording_free() frees its contents. */
struct recording {
    struct loss losses[RECORDING_LOSSES];
    char *facts; /* contents of the file "recording" in the first folder: all_facts[0] */
    struct host *hosts;
    size_t n_hosts, hosts_capacity;
    struct clock_domain *domains;
    size_t n_domains, domains_capacity;
    struct log_file *logs;
    size_t n_logs, logs_capacity;
    struct unrecorded *unrecorded;
    size_t n_unrecorded, unrecorded_capacity;
    uint64_t lost;        /* events lost in processes without a header */
    struct image *images; /* sorted by process, then begin */
    size_t n_images, images_capacity;
    struct process *processes;
    size_t n_processes, processes_capacity;
    struct stream *streams; /* sorted by their first stamp; last those of `outside` */
    size_t n_streams, streams_capacity;
    struct span *spans;
    size_t n_spans, spans_capacity;

    struct observed *observed; /* [n_observed], one for each weft record */
    size_t n_observed, observed_capacity;

    /* Filled by join/first_pass.c in its pass before the join. */
    struct name *names;
    size_t n_names, names_capacity;
    struct weft_text_map name_map; /* struct name_key: index in names */
    struct birth *births;
    size_t n_births, births_capacity;
    struct weft_text_map birth_map;       /* struct birth_key: index in births */
    struct program_start *program_starts; /* by time (join/process_starts.h) */
    size_t n_program_starts, program_starts_capacity;

    bool says_tasks;   /* a program declared its tasks through weft_task.h */
    void *comparisons; /* of clocks, kept by a family during the first pass */
    void *worlds;      /* of MPI, kept by its family during the first pass */
    struct weft_recording_report report;
    double overhead_ns;      /* sum so far, see the report */
    struct weft_arena arena; /* texts and the like; freed by recording_free() */
    char **all_facts; /* [n_folders]: contents of the file "recording" of each folder */
    char **paths;     /* absolute paths of the folders; NULL if unknown */
    size_t n_folders;
};

/*
 * Sets *RECORDING to the recording in N_FOLDERS (at least 1) folders; recording_free()
 * frees it.  Returns false with *ERR if a folder is no recording (WEFT_ERR_FORMAT) or
 * cannot be read (WEFT_ERR_READ); then there is nothing to free.  Unreadable or damaged
 * logs are no failure: they are counted in recording->losses.
 */
bool recording_load(struct recording *recording, const char *const *folders,
                    size_t n_folders, struct weft_err *err) WEFT_MUST_CHECK;
/*
 * Unmaps the logs and frees what RECORDING, which recording_load() has filled, points to,
 * not RECORDING itself.  Call it once, and not after a failed recording_load().
 */
void recording_free(struct recording *recording);

/*
 * Counts FILE (a path or other description) as lost for the reason LOSS.  If it is the
 * first for that reason, a copy of FILE becomes the example, with ": " and the text of
 * ERROR (an errno) behind it unless that is 0.
 */
void recording_lose(struct recording *recording, enum recording_loss loss, const char *file,
                    int error);

/*
 * Maps the file at PATH into *MAP; the caller unmaps it by weft_unmap().  If it cannot be
 * mapped, counts it as lost in RECORDING (RECORDING_UNREAD) and returns false.
 */
bool recording_map(struct recording *recording, struct weft_mapping *map, const char *path);

/*
 * Returns the value of the first line KEY=VALUE in FACTS (contents of a recording's file
 * "recording", or NULL), copied into ARENA; NULL if there is none.
 */
const char *recording_fact(struct weft_arena *arena, const char *facts, const char *key);
/*
 * Returns the time in ns, on the time axis that all machines of the recording share, of a
 * stamp of TICKS that the process image IMAGE (index into recording->images) wrote.
 */
int64_t recording_ns(const struct recording *recording, uint32_t image, uint64_t ticks);

#endif
