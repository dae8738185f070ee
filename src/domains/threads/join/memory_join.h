/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The join of records of memory (format/memory_records.h).  A block is found again by its
 * address, in the process image that allocated it: so it counts at the line that allocated
 * it, whichever thread gives it back.  The sums of a line are written as one event at the
 * end of its image, and the bytes live as a variable (memory_curve.c).
 *
 * A forked process begins with no bytes of its own: what its parent had allocated is the
 * parent's.
 */
#ifndef WEFT_DOMAINS_THREADS_MEMORY_JOIN_H
#define WEFT_DOMAINS_THREADS_MEMORY_JOIN_H

#include "domains/threads/format/memory_records.h"
#include "read/recording/join/join.h"

/* ---- Curves (memory_curve.c) ---- */

/* The values that a variable (the bytes live) took in one interval of time. */
struct curve_part {
    /* the interval: from index * width to (index + 1) * width ns, without its end; `width`
       is the curve's */
    int64_t index;
    int64_t least_time, most_time, last_time; /* ns: when it took the values below */
    uint64_t least, most, last; /* its least, its greatest and its latest value there */
};

/*
 * The course of a variable over time: the extremes of each interval are exact.  All
 * intervals have one width, which doubles when there are 4,096 of them.  All 0 is empty.
 */
struct curve {
    struct curve_part *parts; /* [n] intervals with values, in order of time; heap */
    size_t n, capacity;
    int64_t width; /* of an interval, in ns; 0: there is no part yet */
};

/*
 * The variable has VALUE from TIME (ns) on, which is not before that of the latest call:
 * updates the interval that TIME is in, or appends it.
 */
void curve_add(struct curve *curve, int64_t time, uint64_t value);
/*
 * Appends three samples for each interval of the curve (its least and its greatest value,
 * the earlier one first, then its latest) to TRACK, a variable's, of BUILDER.
 */
void curve_write(const struct curve *curve, struct weft_builder *builder, uint32_t track);
/* Frees the parts of CURVE, not CURVE itself, which may not be used afterwards. */
void curve_free(struct curve *curve);

/* ---- Blocks (memory_blocks.c) ---- */

/* A block of the allocator that is in use. */
struct block {
    uint64_t address; /* not 0 */
    uint64_t bytes;
    uint32_t use;    /* index in memory_join.uses: the allocations that it counts with */
    uint32_t thread; /* container of the thread that allocated it */
};

/*
 * The blocks in use of a process image (a program in a process), in a hash table by
 * address.  A zeroed one is empty.
 */
struct blocks {
    struct block *slots; /* [capacity], heap; address 0: the slot is free */
    size_t n, capacity;  /* n: number of blocks; capacity: a power of two, or 0 */
};

/*
 * Returns the block that begins at ADDRESS, valid until blocks_add() or blocks_take(); NULL
 * if there is none.
 */
struct block *blocks_find(const struct blocks *blocks, uint64_t address);
/* Adds a copy of BLOCK, whose address is not 0, and not that of a block in BLOCKS. */
void blocks_add(struct blocks *blocks, const struct block *block);
/*
 * Removes the block that begins at ADDRESS, copies it to *OUT and returns true; false, with
 * *OUT untouched, if there is none.
 */
bool blocks_take(struct blocks *blocks, uint64_t address, struct block *out);
/* Frees the table of BLOCKS, not BLOCKS itself, which may not be used afterwards. */
void blocks_free(struct blocks *blocks);

/* ---- Mappings (memory_mappings.c) ---- */

/* A call that mapped memory (mmap, mremap). */
struct mapping {
    uint64_t left; /* bytes of it that are still mapped; 0: the struct may be used again */
    uint32_t use;  /* index in memory_join.uses: the allocations that it counts with */
    uint32_t thread; /* container of the thread that mapped it */
};

/* A range of addresses that is mapped by one call: [begin, end). */
struct mapped_range {
    uint64_t begin, end;
    uint32_t mapping; /* index in mappings.calls */
};

/*
 * The mapped addresses of a process image (a program in a process).  A zeroed one is empty.
 */
struct mappings {
    struct mapped_range *list; /* [n], heap: in order of addresses, without overlap */
    size_t n, capacity;
    struct mapping *calls; /* [n_calls], heap; those with `left` 0 are free */
    size_t n_calls, calls_capacity;
    size_t latest; /* index in `calls` of the one that was added last */
};

/* Limit of mappings.n, since each insertion moves all ranges of higher addresses. */
enum { MAX_MAPPINGS = 8192 };

/*
 * Unmaps the addresses [BEGIN, END).  For each range there that was mapped calls GONE with
 * USER, the call that had mapped it (its `left` is already less), and the bytes of the
 * range.  Addresses that were not mapped are no fault.  Returns false if [BEGIN, END) is a
 * hole in one range and there is no room for the range after it, which is then unmapped,
 * too.
 */
bool mappings_remove(struct mappings *mappings, uint64_t begin, uint64_t end,
                     void (*gone)(void *user, const struct mapping *mapping,
                                  uint64_t bytes),
                     void *user);
/*
 * Adds the addresses [BEGIN, END), none of which is mapped, as mapped by one call of THREAD
 * (a container) that counts with USE (index in memory_join.uses).  Returns false, with no
 * effect, if there are MAX_MAPPINGS ranges.
 */
bool mappings_add(struct mappings *mappings, uint64_t begin, uint64_t end, uint32_t use,
                  uint32_t thread);
/* Frees the lists of MAPPINGS, not MAPPINGS itself, which may not be used afterwards. */
void mappings_free(struct mappings *mappings);

/* ---- Uses ---- */

/* The kinds of memory. */
enum memory_kind {
    MEMORY_HEAP,   /* blocks of the allocator */
    MEMORY_MAPPED, /* memory without a file, by mmap */
    MEMORY_FILE,   /* files and devices, by mmap */
    MEMORY_KINDS,  /* the number of kinds */
};

/*
 * The sums of the allocations of one kind that one thread made by the calls that return to
 * one address.  Live bytes are those that were not given back yet.
 */
struct use {
    uint64_t site;    /* the return address; 0: the allocation was not recorded, or there
                         are too many places to be told apart */
    uint32_t image;   /* index in recording->images: the program in a process */
    uint32_t thread;  /* container of the thread; WEFT_NONE: several, or unknown */
    uint32_t kind;    /* enum memory_kind */
    bool of_recorder; /* its site is in a library of the recorder: bytes live do not count,
                         and the use is not written to the trace */
    /* number of calls that allocated; that gave such memory back; of these, by a thread
       other than the one that allocated; that got no memory */
    uint64_t allocations, frees, frees_elsewhere, refusals;
    uint64_t bytes, largest; /* of all allocations together; of the largest one */
    uint64_t live;           /* bytes live now */
    /*
     * Bytes of this use that were live at the image's peak number `peaks` (total.peaks of
     * its kind then).  If the total has had later peaks, `live` has not changed since then,
     * and is the number of bytes at the latest peak.
     */
    uint64_t at_peak;
    uint64_t peaks;
    /* ticks: of all calls that allocate and give back; of the longest one */
    uint64_t ticks, longest;
};

/* The bytes of one kind of memory that are live in a process image. */
struct total {
    uint64_t live, peak; /* now; the most so far */
    uint64_t peaks;      /* number of times that `live` exceeded `peak`, which then grew */
    struct curve curve;  /* `live` over time */
};

/* The memory of a process image (a program in a process). */
struct image_memory {
    struct total totals[MEMORY_KINDS];
    struct blocks blocks;
    struct mappings mappings;
    /* queue of threads whose record of a new block must wait: another thread had the block
       at its address, and its record of giving that back was not joined yet */
    struct join_place occupied;
    uint64_t first_ticks; /* stamp of the first record, by the image's clock */
    int64_t last;         /* ns: time of the latest record */
    bool seen;            /* it has records */
};

/* A block that realloc is moving: taken from its old address, not yet at the new one. */
struct moving {
    struct block block;
    bool is; /* there is one; else `block` is not valid */
};

/* Indices of the builder: what memory_define_types() makes, at the first record. */
struct memory_types {
    uint32_t live[MEMORY_KINDS];           /* types of variables: the bytes live */
    uint32_t event, values[MEMORY_KINDS];  /* the type of the uses' events; its values */
    uint32_t site, thread, program, image; /* fields of these events, also all below */
    uint32_t allocations, frees, elsewhere, refusals, bytes, largest, at_end, at_peak, time,
        longest;
};

/*
 * The state of the join of memory: one for each recording.  memory.c makes it before the
 * first record and frees it after the last.
 */
struct memory_join {
    struct join *join;
    struct memory_types types;
    struct image_memory *images; /* [n_images] by index in recording->images; NULL before
                                    the first record */
    size_t n_images;
    struct moving *moving; /* [join->n_threads] by join_thread.index */
    struct use *uses;      /* [n_uses], heap, in order of first use */
    size_t n_uses, uses_capacity;
    struct weft_text_map use_map; /* struct use_key (memory.c): index in uses */
    size_t n_blocks;              /* blocks in use, of all images */
    /* For problems of the trace. */
    uint64_t unfollowed; /* blocks and mappings beyond a limit: not in the bytes live */
    uint64_t replaced;   /* blocks in use at whose address another one was allocated */
    uint64_t unknown;    /* blocks given back that no record allocated, in an image that was
                            not forked */
    uint64_t impossible; /* records with an address or size that no process has */
};

/*
 * Defines the event type of memory with its values and fields, and the variables, in the
 * builder, and sets memory->types (memory_write.c).  Call it once.
 */
void memory_define_types(struct memory_join *memory);
/*
 * After the last record: writes the curves of each image as samples of variables of its
 * process, and an event for each use that has any count and is not the recorder's own, at
 * the time of its image's latest record (memory_write.c).
 */
void memory_write(struct memory_join *memory);

#endif
