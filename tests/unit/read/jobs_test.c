/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Readers look at their job also while they work on what they have kept, behind the last byte of
 * the file: they then tell how many records of all are done, which is no number of bytes.
 */
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"

enum { RECORDS = 100000 };

static void stop_at_records(struct weft_job *job, void *unused)
{
    (void)unused;
    if (job->total == RECORDS && job->done > 0)
        job->cancelled = true;
}

static void assert_ends(const char *text)
{
    char *path = weft_strdup(support_path("trace")),
         *to = weft_strdup(support_path("store"));
    struct weft_job job = { .progress = stop_at_records };
    struct weft_err err = { 0 };
    support_write(path, text, strlen(text));
    assert_false(weft_import(path, NULL, to, &job, &err));
    assert_int_equal(err.code, WEFT_ERR_CANCELLED);
    assert_int_equal(access(to, F_OK), -1);
    unlink(path);
    free(path);
    free(to);
}

static void while_references_are_joined(void **state)
{
    (void)state;
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    for (unsigned i = 0; i < RECORDS; i++)
        fprintf(out, "%u %u %u 1 1 read local\n", i % 2, i % 2, i * 31 % 997);
    fclose(out);
    assert_ends(text);
    free(text);
}

static void while_late_events_are_applied(void **state)
{
    (void)state;
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    fprintf(out, "%s1 P 0 P\n2 S P S\n7 0 p P 0 p\n", support_header);
    for (unsigned i = 0; i < RECORDS; i++)
        fprintf(out, "12 %u p S a\n", RECORDS - i);
    fclose(out);
    assert_ends(text);
    free(text);
}

/* Two nodes, neither in order of time nor of nodes. */
static void while_records_are_put_in_order(void **state)
{
    (void)state;
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    for (unsigned i = 0; i < RECORDS; i++)
        fprintf(out, "-2 5 %u %u 0 0\n", i * 7919 % 1000, i % 2);
    fclose(out);
    assert_ends(text);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(while_references_are_joined),
        cmocka_unit_test(while_late_events_are_applied),
        cmocka_unit_test(while_records_are_put_in_order),
    };
    return cmocka_run_group_tests(tests, NULL, support_cleanup);
}
