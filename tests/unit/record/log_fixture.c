/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "log_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "read/recording/join/process_containers.h"
#include "record/core/clocks.h"

char log_folder[64];

int log_start(void **state)
{
    char path[80];
    FILE *facts;

    (void)state;
    strcpy(log_folder, "/tmp/weft-log-XXXXXX");
    assert_non_null(mkdtemp(log_folder));
    snprintf(path, sizeof path, "%s/recording", log_folder);
    facts = fopen(path, "w");
    fputs(WEFT_RECORDING_MAGIC "\n", facts);
    fclose(facts);
    setenv(WEFT_RECORD_DIR_VARIABLE, log_folder, 1);
    weft_process = (struct weft_process){ .state = WEFT_NOT_STARTED };
    weft_record_self = NULL;
    assert_true(weft_process_start());
    assert_non_null(weft_record_self);
    assert_false(weft_record_self->dead);
    return 0;
}

int log_stop(void **state)
{
    char line[128];

    (void)state;
    weft_log_close();
    snprintf(line, sizeof line, "rm -r %s", log_folder);
    return system(line);
}

struct log_reading *log_open_recording(void)
{
    static const uint8_t no_words[WEFT_KINDS_OF_FAMILY];
    struct log_reading *reading = calloc(1, sizeof *reading);
    const char *folders[] = { log_folder };
    struct weft_err err = { 0 };

    if (!recording_load(&reading->recording, folders, 1, &err))
        fail_msg("%s", err.message);
    reading->families.kinds[WEFT_FAMILY_CORE] = lifecycle_kinds;
    reading->families.kinds[FAMILY] =
        (struct record_kinds){ no_words, WEFT_KINDS_OF_FAMILY };
    return reading;
}

struct log_reading *log_open_reading(void)
{
    struct log_reading *reading = log_open_recording();

    assert_int_equal(reading->recording.n_streams, 1);
    reading->stream = &reading->recording.streams[0];
    return reading;
}

void log_close_reading(struct log_reading *reading)
{
    recording_free(&reading->recording);
    free(reading);
}

bool log_next(struct log_reading *reading)
{
    while (recording_next(&reading->families, reading->stream, &reading->record))
        if (reading->record.family == FAMILY)
            return true;
    return false;
}

void log_put(uint32_t number)
{
    char text[32];

    switch (number % 3) {
    case 0: weft_log_put(weft_log_get(), weft_ticks(), PLAIN, number); break;
    case 1: weft_log_put_word(weft_log_get(), weft_ticks(), WORD, 0, number); break;
    default:
        /* Of up to three words of text, and none. */
        snprintf(text, sizeof text, "%.*s", (int)(number % 24), "abcdefghijklmnopqrstuvwx");
        weft_log_text(weft_ticks(), TEXT, &(uint64_t){ number }, 1, text);
    }
}

uint32_t log_number_of(const struct record *record)
{
    char text[RECORD_TEXT];

    if (record->kind == PLAIN)
        return record->argument;
    if (record->kind == TEXT)
        assert_int_equal(strlen(record_text(record, 1, text)), record->words[0] % 24);
    return (uint32_t)record->words[0];
}

void log_check(uint32_t first, uint32_t last)
{
    struct log_reading *reading = log_open_reading();

    for (uint32_t i = first; i < last; i++) {
        if (!log_next(reading))
            fail_msg("record %u of %u is not there", i, last);
        assert_int_equal(log_number_of(&reading->record), i);
    }
    assert_false(log_next(reading));
    assert_int_equal(reading->stream->damaged, 0);
    log_close_reading(reading);
}

const struct weft_piece *log_piece_of(const struct weft_log *log)
{
    return (const struct weft_piece *)log->buffer - 2;
}
