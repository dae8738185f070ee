/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recordings made from a description, byte by byte as format/recording_layout.h and the
 * headers of the families say, without a recorder.  Each line is one of these; numbers are
 * decimal or 0x...:
 *
 *     folder                      another folder, as of another disk (the first exists)
 *     fact KEY=VALUE              a line of its file "recording"
 *     host NAME BOOT ns|tsc       a machine in the folder, and the clock of its processes
 *     process PID COMMAND         an image of a process on that host
 *       forked PID IMAGE ORDINAL  it was forked from that thread
 *       inherits N                then its image had so many names, if not all
 *       image N                   its number (when it began), if not 0
 *       parent PID                of the operating system
 *       runs NAME                 the name of its program
 *       namespace N               of its pid
 *       killed                    it did not end by itself
 *       families N                sum of 1 << number, if not threads and annotations
 *       sample TICKS NS REALTIME  of the clocks; the first is `first`, the last `last`
 *       lost N
 *       map LINE                  a line of its maps
 *     thread ORDINAL              of that process; its handle is 100 + ORDINAL
 *       starts TICKS              else it starts with its first record
 *       lost N
 *       drained                   records so far are in the stream, not in the buffer
 *     TICKS VERB ARGUMENTS        a record, see the table of verbs
 *
 * Records of objects name the object ("acquire mutex 0x1000"): slots are given out, and their
 * pairs written, when an object is first named in a thread; its site is 0x40 + the address.
 */
#ifndef WEFT_TESTS_SYNTHETIC_H
#define WEFT_TESTS_SYNTHETIC_H

#include "../../live/recorded.h"

struct synthetic {
    char path[64]; /* of a folder that holds the folders "0", "1", ... */
    unsigned n_folders;
    char last_log[160]; /* file of the process described last, below path */
    /* Where its pieces begin in it: its own, the threads', the last thread's buffer and stream. */
    uint64_t last_process, last_threads, last_buffer, last_stream;
};

/* Make the folders; fails the test when the description is wrong. */
struct synthetic synthetic_write(const char *description);
/* Join all folders into one trace. */
struct recorded synthetic_join(const struct synthetic *synthetic);
/* Both, and remove the folders. */
struct recorded synthetic_trace(const char *description);
void synthetic_remove(const struct synthetic *synthetic);

/* The container that one is in; and the text of a note, "" when there is none. */
uint32_t parent_of(const struct recorded *recorded, uint32_t container);
const char *note(const struct recorded *recorded, const char *key);

/* Read and rewrite one of the files, or write a new one; NAME is below path.  Free what is read. */
unsigned char *synthetic_read(const struct synthetic *synthetic, const char *name,
                              size_t *size);
void synthetic_rewrite(const struct synthetic *synthetic, const char *name,
                       const void *bytes, size_t size);

#endif
