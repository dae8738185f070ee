/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who started which program, what was not recorded, and what never ends or comes: links and
 * problems of recordings that are described here (synthetic.h).  Clocks count nanoseconds.
 */
#include "synthetic.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "read/recording/recording_to_store.h"

/* The message of the only problem of a kind; fails when there is none, or more. */
static const char *problem(const struct recorded *recorded, const char *kind)
{
    const char *message = NULL;

    for (uint32_t i = 0; i < recorded->schema->n_problems; i++)
        if (strcmp(recorded->schema->problems[i].kind, kind) == 0) {
            assert_null(message);
            message = recorded->schema->problems[i].message;
        }
    if (!message)
        fail_msg("no problem \"%s\"", kind);
    return message;
}

static size_t spawns(const struct recorded *recorded, const char *from, const char *to,
                     struct weft_link *link)
{
    return count_links(recorded, "Spawn", "spawn", container(recorded, "Thread", from),
                       container(recorded, "Thread", to), link);
}

/*
 * posix_spawn says whom it started, system does not: then it is a child of the process that
 * begins after the call.  The number 20 was another process's before, which does not count.
 */
static void test_who_spawned_whom(void **state)
{
    struct recorded recorded = synthetic_trace("host alpha boot-a ns\n"
                                               "process 10 parent\n"
                                               "thread 0\n"
                                               "1500 program 20 0x40 /bin/early\n"
                                               "3000 program 20 0x40 /bin/late\n"
                                               "4000 program 0 0x40 /bin/sh\n"
                                               "5000 program 30 0x40 /bin/never\n"
                                               "5100 no-program 30\n"
                                               "process 20 early\n"
                                               "parent 10\n"
                                               "sample 1600 1600 1600\n"
                                               "thread 0\n1700 cpu 1\n"
                                               "process 20 late\n"
                                               "image 1\nparent 10\n"
                                               "sample 3100 3100 3100\n"
                                               "thread 0\n3200 cpu 1\n"
                                               "process 21 shell\n"
                                               "parent 10\n"
                                               "sample 4100 4100 4100\n"
                                               "thread 0\n4200 cpu 1\n"
                                               "process 22 stranger\n"
                                               "parent 99\n"
                                               "sample 4300 4300 4300\n"
                                               "thread 0\n4400 cpu 1\n");
    struct weft_link link;

    (void)state;
    assert_int_equal(spawns(&recorded, "parent", "early", &link), 1);
    assert_int_equal(link.begin, 1500);
    assert_int_equal(link.end, 1700);
    assert_int_equal(spawns(&recorded, "parent", "late", &link), 1);
    assert_int_equal(link.begin, 3000);
    assert_int_equal(spawns(&recorded, "parent", "shell", &link), 1);
    assert_int_equal(link.begin, 4000);
    assert_int_equal(spawns(&recorded, "parent", "stranger", &link), 0);
    /* A start that failed lacks nothing. */
    assert_false(has_problem(&recorded, "unseen-program"));
    forget(&recorded);
}

/* exec goes on in the same container; the last program that was seen gives it its name. */
static void test_exec_of_what_is_seen_and_not(void **state)
{
    struct recorded recorded = synthetic_trace("host alpha boot-a ns\n"
                                               "process 10 sh\n"
                                               "killed\n"
                                               "thread 0\n2000 program 10 0x40 /bin/seen\n"
                                               "process 10 seen\n"
                                               "image 1\nkilled\n"
                                               "sample 3000 3000 3000\n"
                                               "thread 0\n"
                                               "3500 program 10 0x40 /no/such/file\n"
                                               "3600 no-program 10\n"
                                               "4000 program 10 0x40 /no/such/blind\n"
                                               "process 11 other\n"
                                               "thread 0\n"
                                               "5000 program 12 0x40 /no/such/blind\n");

    (void)state;
    assert_int_equal(count_containers(&recorded, "Process"), 2);
    (void)container(&recorded, "Process", "seen");
    assert_non_null(
        strstr(problem(&recorded, "unseen-program"), "/no/such/blind was started 2"));
    forget(&recorded);
}

/* What was known before a program was recorded is kept, and that nothing is there is told. */
static void test_nothing_is_there(void **state)
{
    struct recorded recorded = synthetic_trace(
        "host alpha boot-a ns\nfact command=./it 1\nfact obstacle=it is odd\n");

    (void)state;
    assert_string_equal(problem(&recorded, "unseen-program"),
                        "./it 1 was started, and is not recorded: it is odd");
    forget(&recorded);
    recorded = synthetic_trace("host alpha boot-a ns\n");
    assert_non_null(strstr(problem(&recorded, "unseen-program"), "no log of a process"));
    forget(&recorded);
}

/* What is the matter with a program is found in its file, and in a script's interpreter. */
static void test_why_a_program_is_not_seen(void **state)
{
    char script[] = "/tmp/weft-script-XXXXXX", text[512];
    int file = mkstemp(script);
    struct recorded recorded;

    (void)state;
    /* An ELF header of 32 bits: no program of it can be read, but it says what it is. */
    snprintf(text, sizeof text, "%s-program", script);
    FILE *elf = fopen(text, "w");
    fwrite("\177ELF\1\1\1\0\0\0\0\0\0\0\0\0\2\0\3\0\1\0\0\0", 1, 24, elf);
    for (int i = 24; i < 52; i++)
        fputc(i == 40 ? 52 : 0, elf);
    fclose(elf);
    dprintf(file, "#! %s-program -x\n", script);
    close(file);
    snprintf(text, sizeof text,
             "host alpha boot-a ns\nprocess 10 sh\nthread 0\n2000 program 11 0x40 %s\n",
             script);
    recorded = synthetic_trace(text);
    assert_non_null(strstr(problem(&recorded, "unseen-program"), "32 bits"));
    forget(&recorded);
    unlink(script);
    snprintf(text, sizeof text, "%s-program", script);
    unlink(text);
}

/* The name that the recorder noted wins over arguments that the program has rewritten. */
static void test_a_program_has_its_own_name(void **state)
{
    struct recorded recorded = synthetic_trace("host alpha boot-a ns\n"
                                               "process 10 master:/etc/nginx/nginx.conf\n"
                                               "runs nginx\n"
                                               "thread 0\n2000 cpu 1\n");

    (void)state;
    (void)container(&recorded, "Process", "nginx");
    (void)container(&recorded, "Thread", "nginx");
    forget(&recorded);
}

static void test_what_never_ends_and_comes(void **state)
{
    struct recorded recorded = synthetic_trace("host alpha boot-a ns\n"
                                               "process 7 talk\n"
                                               "thread 0\n"
                                               "1000 name 1 outer\n1001 name 2 inner\n"
                                               "1100 begin 1\n1200 begin 2\n1300 end\n"
                                               "1400 begin 2\n1500 task 2 1\n"
                                               "1600 task-end\n1700 task 1 1\n"
                                               "2000 send 1 5 100\n2100 send 1 5 200\n"
                                               "2200 send 2 5 300\n2300 receive 1 5 100\n"
                                               "2400 receive 1 6 100\n"
                                               "thread 1\n"
                                               "1100 begin 1\n1200 end\n");
    struct recorded whole = synthetic_trace("host alpha boot-a ns\n"
                                            "process 7 talk\n"
                                            "thread 0\n"
                                            "1000 name 1 outer\n"
                                            "1100 begin 1\n1200 end\n"
                                            "1300 send 1 5 1\n1400 receive 1 5 1\n");

    (void)state;
    assert_string_equal(problem(&recorded, "begin-without-end"),
                        "2 regions never end, as \"outer\" of talk");
    assert_string_equal(problem(&recorded, "task-without-end"),
                        "1 task never ends, as \"outer\" of talk");
    assert_string_equal(problem(&recorded, "send-without-receive"),
                        "2 messages were sent and never received, as \"outer\"");
    assert_string_equal(problem(&recorded, "receive-without-send"),
                        "1 message was received and never sent, as \"outer\"");
    assert_int_equal(whole.schema->n_problems, 0);
    forget(&recorded);
    forget(&whole);
}

/* Many sends wait at a time, and then all but one are received: the first one first. */
static void test_many_sends_of_one_name(void **state)
{
    enum { N = 2000 };
    char *text = calloc(N, 80), *to = text;
    struct recorded recorded;
    struct weft_link link;
    uint32_t from;

    (void)state;
    to += sprintf(to, "host alpha boot-a ns\nprocess 7 talk\nthread 0\n1000 name 1 halo\n");
    for (int i = 0; i < N / 2; i++)
        to += sprintf(to, "%d send 1 5 8\n", 2000 + i);
    for (int i = 0; i < N / 2 - 1; i++)
        to += sprintf(to, "%d receive 1 5 8\n", 9000 + i);
    recorded = synthetic_trace(text);
    free(text);
    from = container(&recorded, "Thread", "talk");
    assert_int_equal(count_links(&recorded, "Message", "halo", from, from, &link),
                     N / 2 - 1);
    /* Every one took as long: they are paired in order. */
    assert_int_equal(link.end - link.begin, 7000);
    forget(&recorded);
}

/* Files that are no files, and not what they must be, are told; the others are joined. */
static void test_files_that_cannot_be_read(void **state)
{
    struct synthetic synthetic = synthetic_write("host alpha boot-a ns\n"
                                                 "process 7 one\n"
                                                 "thread 0\n1000 cpu 1\n"
                                                 "process 8 two\n"
                                                 "thread 0\n1000 cpu 1\n");
    struct recorded recorded;
    char path[300];
    size_t size;
    unsigned char *bytes = synthetic_read(&synthetic, synthetic.last_log, &size);

    (void)state;
    bytes[0] ^= 1; /* of its magic */
    synthetic_rewrite(&synthetic, synthetic.last_log, bytes, size);
    free(bytes);
    snprintf(path, sizeof path, "%s/0/h-alpha-boot-a/l9-9", synthetic.path);
    assert_int_equal(mkdir(path, 0700), 0);
    snprintf(path, sizeof path, "%s/0/h-alpha-boot-a/l10-9", synthetic.path);
    assert_int_equal(symlink("/nowhere/at/all", path), 0);
    recorded = synthetic_join(&synthetic);
    (void)container(&recorded, "Thread", "one");
    assert_int_equal(count_containers(&recorded, "Process"), 1);
    assert_non_null(strstr(problem(&recorded, "damaged-file"), synthetic.last_log + 2));
    assert_non_null(strstr(problem(&recorded, "unread-file"), "1 other"));
    assert_non_null(strstr(problem(&recorded, "unread-file"), "/l"));
    forget(&recorded);
    synthetic_remove(&synthetic);
}

static void test_threads_of_no_process(void **state)
{
    struct synthetic synthetic = synthetic_write("host alpha boot-a ns\n"
                                                 "process 7 one\n"
                                                 "thread 0\n1000 cpu 1\n");
    struct recorded recorded;
    size_t size;
    unsigned char *bytes = synthetic_read(&synthetic, synthetic.last_log, &size);

    (void)state;
    bytes[synthetic.last_process] ^= 1; /* of its piece's magic */
    synthetic_rewrite(&synthetic, synthetic.last_log, bytes, size);
    free(bytes);
    recorded = synthetic_join(&synthetic);
    assert_non_null(strstr(problem(&recorded, "thread-without-process"), "thread 1000"));
    forget(&recorded);
    synthetic_remove(&synthetic);
}

/* A host whose clocks nobody could bring together with the first one's is told of. */
static void test_times_that_are_estimated(void **state)
{
    struct recorded recorded = synthetic_trace("host alpha boot-a ns\n"
                                               "process 7 one\n"
                                               "sample 1000 1000 1000\n"
                                               "thread 0\n2000 cpu 1\n"
                                               "host beta boot-b ns\n"
                                               "process 7 two\n"
                                               "sample 500 500 1500\n"
                                               "thread 0\n600 cpu 1\n");

    (void)state;
    assert_non_null(strstr(problem(&recorded, "estimated-times"), "beta"));
    forget(&recorded);
}

/* Five threads that run for 2^61 ns each, by damage: together that is beyond 2^63 - 1. */
static void test_times_that_add_up_to_too_much(void **state)
{
    char text[1024] = "host alpha boot-a ns\nprocess 7 one\n";
    struct recorded recorded;
    uint32_t value = 0;

    (void)state;
    for (int i = 0; i < 5; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text),
                 "thread %d\nstarts 0\n0 cpu 0\n2305843009213693952 cpu 1\n", i);
    recorded = synthetic_trace(text);
    while (strcmp(recorded.schema->values[value].name, "running") != 0)
        assert_true(++value < recorded.schema->n_values);
    assert_int_equal(recorded.schema->values[value].self_ticks, INT64_MAX);
    forget(&recorded);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_who_spawned_whom),
        cmocka_unit_test(test_exec_of_what_is_seen_and_not),
        cmocka_unit_test(test_nothing_is_there),
        cmocka_unit_test(test_why_a_program_is_not_seen),
        cmocka_unit_test(test_a_program_has_its_own_name),
        cmocka_unit_test(test_what_never_ends_and_comes),
        cmocka_unit_test(test_many_sends_of_one_name),
        cmocka_unit_test(test_files_that_cannot_be_read),
        cmocka_unit_test(test_threads_of_no_process),
        cmocka_unit_test(test_times_that_are_estimated),
        cmocka_unit_test(test_times_that_add_up_to_too_much),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
