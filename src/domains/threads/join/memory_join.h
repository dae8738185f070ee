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

/* The value of a variable in a part of its time. */
struct curve_part {
    int64_t index; /* the part is [index, index + 1) * width of its curve */
    int64_t least_time, most_time, last_time;
    uint64_t least, most, last; /* the least and greatest value, and that at the end */
};

/* The course of a variable: exact in its extremes, and at most CURVE_PARTS long. */
struct curve {
    struct curve_part *parts; /* [n], heap */
    size_t n, capacity;
    int64_t width; /* ns; 0: there is no part yet */
};

/* Appends VALUE at TIME, which is not before that of the latest call. */
void curve_add(struct curve *curve, int64_t time, uint64_t value);
/* Writes the curve as samples of TRACK of BUILDER. */
void curve_write(const struct curve *curve, struct weft_builder *builder, uint32_t track);
/* Frees what the curve points to. */
void curve_free(struct curve *curve);

/* ---- Blocks (memory_blocks.c) ---- */

/* A block of the allocator that is in use. */
struct block {
    uint64_t address; /* not 0 */
    uint64_t bytes;
    uint32_t use;    /* index of its struct use */
    uint32_t thread; /* container of the thread that allocated it */
};

/* The blocks in use of a process image, by address.  A zeroed one is empty. */
struct blocks {
    struct block *slots; /* [capacity], heap; address 0: none */
    size_t n, capacity;  /* capacity: a power of two, or 0 */
};

/* Returns the block at ADDRESS; NULL: none is.  Valid until the next call that changes. */
struct block *blocks_find(const struct blocks *blocks, uint64_t address);
/* Adds a block at an address, not 0, at which none is. */
void blocks_add(struct blocks *blocks, const struct block *block);
/* Removes the block at ADDRESS into *OUT; false: none is there. */
bool blocks_take(struct blocks *blocks, uint64_t address, struct block *out);
/* Frees what BLOCKS points to. */
void blocks_free(struct blocks *blocks);

/* ---- Mappings (memory_mappings.c) ---- */

/* A call that mapped memory. */
struct mapping {
    uint64_t left;   /* bytes that are still mapped; 0: the struct is free */
    uint32_t use;    /* index of its struct use */
    uint32_t thread; /* container of the thread that mapped it */
};

/* A range of addresses that is mapped by one call: [begin, end). */
struct mapped_range {
    uint64_t begin, end;
    uint32_t mapping; /* index in mappings.calls */
};

/* The mapped addresses of a process image.  A zeroed one is empty. */
struct mappings {
    struct mapped_range *list; /* [n], heap: in order, without overlap */
    size_t n, capacity;
    struct mapping *calls; /* [n_calls], heap */
    size_t n_calls, calls_capacity;
    size_t latest; /* the call that was added last */
};

enum { MAX_MAPPINGS = 8192 }; /* ranges of an image: a change moves those behind it */

/*
 * Removes [BEGIN, END) from what is mapped, and calls GONE for each part that was, with its
 * MAPPING, of which those BYTES are left no more.  Returns false if a range that would
 * become two has no room: then its end is removed, too.
 */
bool mappings_remove(struct mappings *mappings, uint64_t begin, uint64_t end,
                     void (*gone)(void *user, const struct mapping *mapping,
                                  uint64_t bytes),
                     void *user);
/*
 * Adds [BEGIN, END), of which nothing is mapped, with a USE and a THREAD; false if there
 * are MAX_MAPPINGS.
 */
bool mappings_add(struct mappings *mappings, uint64_t begin, uint64_t end, uint32_t use,
                  uint32_t thread);
/* Frees what MAPPINGS points to. */
void mappings_free(struct mappings *mappings);

/* ---- Uses ---- */

/* The kinds of memory. */
enum memory_kind {
    MEMORY_HEAP,   /* blocks of the allocator */
    MEMORY_MAPPED, /* memory by mmap */
    MEMORY_FILE,   /* files by mmap */
    MEMORY_KINDS,
};

/* The allocations of a thread by the calls of one address, of one kind. */
struct use {
    uint64_t site;    /* return address; 0: blocks whose allocation was not recorded */
    uint32_t image;   /* index in recording->images */
    uint32_t thread;  /* container; WEFT_NONE: several threads */
    uint32_t kind;    /* enum memory_kind */
    bool of_recorder; /* its site is in a library of the recorder: nothing is counted */
    uint64_t allocations, frees, frees_elsewhere, refusals;
    uint64_t bytes, largest; /* bytes: of all allocations together */
    uint64_t live;           /* bytes now */
    /*
     * Bytes at the peak number `peaks` of the image's total; the latest peak is of a higher
     * number if `live` has not changed since then, and then at_peak is `live`.
     */
    uint64_t at_peak;
    uint64_t peaks;
    uint64_t ticks, longest; /* in the calls that allocate and give back; the longest one */
};

/* The bytes live of one kind in an image. */
struct total {
    uint64_t live, peak;
    uint64_t peaks; /* number of times that `live` exceeded `peak` */
    struct curve curve;
};

/* The memory of a process image. */
struct image_memory {
    struct total totals[MEMORY_KINDS];
    struct blocks blocks;
    struct mappings mappings;
    struct join_place occupied; /* threads that got a block whose free was not joined yet */
    uint64_t first_ticks;       /* stamp of the first record */
    int64_t last;               /* ns: of the latest record */
    bool seen;                  /* it has records */
};

/* A block that realloc is moving: taken from its old address, not yet at the new one. */
struct moving {
    struct block block;
    bool is; /* there is one */
};

/* The types of memory in the builder, defined at the first record. */
struct memory_types {
    uint32_t live[MEMORY_KINDS];           /* variables */
    uint32_t event, values[MEMORY_KINDS];  /* the event type and its values */
    uint32_t site, thread, program, image; /* fields, also all below */
    uint32_t allocations, frees, elsewhere, refusals, bytes, largest, at_end, at_peak, time,
        longest;
};

struct memory_join {
    struct join *join;
    struct memory_types types;
    struct image_memory *images; /* [n_images]; NULL before the first record */
    size_t n_images;
    struct moving *moving; /* [n_threads], by join_thread.index */
    struct use *uses;
    size_t n_uses, uses_capacity;
    struct weft_text_map use_map; /* struct use_key: index in uses */
    size_t n_blocks;              /* in use, of all images */
    uint64_t unfollowed;          /* blocks and mappings that found no room */
    uint64_t replaced;            /* blocks at whose address another one began */
    uint64_t unknown;             /* frees of blocks that no image allocated */
    uint64_t impossible;          /* records that cannot be */
};

/* Defines the types of memory (memory_write.c). */
void memory_define_types(struct memory_join *memory);
/* Writes what images have allocated, after the last record (memory_write.c). */
void memory_write(struct memory_join *memory);

#endif
