/* SPDX-License-Identifier: Apache-2.0 */
/*
 * For tests of the recorder's core in their own process: a recording in a folder of its own, records
 * that are numbered, and what the join reads of them.
 */
#ifndef WEFT_TESTS_LOG_FIXTURE_H
#define WEFT_TESTS_LOG_FIXTURE_H

#include "read/recording/logs/records.h"
#include "record/log/log_slow_paths.h"
#include "record/process/process.h"
#include "tests/test.h"

/* A family of the tests: kind 0 has its number as argument, 1 as its only word, 2 has text. */
enum { FAMILY = 15, PLAIN = FAMILY * WEFT_KINDS_OF_FAMILY, WORD, TEXT, OBJECT };

extern char log_folder[64]; /* of the recording */

/* Record into a new folder, the log of the calling thread; and end that and remove the folder. */
int log_start(void **state);
int log_stop(void **state);

/* What the join reads. */
struct log_reading {
    struct recording recording;
    struct record_families families;
    struct stream *stream;
    struct record record;
};
struct log_reading *log_open_recording(void);
/* Of a recording with one stream, which is the one that is read. */
struct log_reading *log_open_reading(void);
void log_close_reading(struct log_reading *reading);
/* The next record of the family of the tests. */
bool log_next(struct log_reading *reading);

/* Put the record NUMBER, of one of three kinds; and the number of one that was read. */
void log_put(uint32_t number);
uint32_t log_number_of(const struct record *record);
/* The file holds the records FIRST to LAST - 1 in order, nothing else, nothing damaged. */
void log_check(uint32_t first, uint32_t last);
/* The piece of a log's buffer. */
const struct weft_piece *log_piece_of(const struct weft_log *log);

#endif
