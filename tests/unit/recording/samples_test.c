/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Samples of what threads executed, in files of observations that are written here byte by
 * byte (format/schedule_layout.h).  The observed process has this test's own code at this
 * test's own addresses, so the names of its functions are known.
 */
#include "synthetic.h"

#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "format/schedule_layout.h"
#include "read/recording/observed/observed.h"

enum { IN_BODY = 9 }; /* bytes: where a function of x86-64 has made its frame, plus 1 */
enum { PERIOD = 1000000, EXEC = 0x2000, USER = -512 };

static volatile int touched;

__attribute__((noinline, used)) static void innermost(void)
{
    touched += 3;
}

__attribute__((noinline, used)) static void middle(void)
{
    touched += 2;
}

__attribute__((noinline, used)) static void outermost(void)
{
    middle();
    touched++;
}

struct file {
    union {
        unsigned char bytes[16384];
        struct weft_schedule_head head;
        uint64_t aligned;
    };
    size_t size;
};

static void begin_file(struct file *file)
{
    *file = (struct file){ .head = { .magic = WEFT_SCHEDULE_MAGIC,
                                     .pid_namespace = 1,
                                     .pid = 10,
                                     .processors = 1,
                                     .sample_ns = PERIOD,
                                     .host = "alpha",
                                     .boot = "boot-a" },
                           .size = sizeof file->head };
}

/* Appends a record of TYPE: a body of WORDS, a text (or NULL), and a sample identifier. */
static void put(struct file *file, uint32_t type, unsigned misc, const uint64_t *words,
                size_t n, const char *text, uint32_t tid, int64_t time)
{
    struct weft_schedule_sample sample = { .pid = 10, .tid = tid, .time = time };
    size_t room = text ? strlen(text) / 8 * 8 + 8 : 0;
    struct perf_event_header header = {
        type, (uint16_t)misc,
        (uint16_t)(sizeof header + n * 8 + room
                   + (type == PERF_RECORD_SAMPLE ? 0 : sizeof sample))
    };

    memcpy(file->bytes + file->size, &header, sizeof header);
    memcpy(file->bytes + file->size + sizeof header, words, n * 8);
    if (text)
        strcpy((char *)file->bytes + file->size + sizeof header + n * 8, text);
    file->size += header.size;
    if (type != PERF_RECORD_SAMPLE)
        memcpy(file->bytes + file->size - sizeof sample, &sample, sizeof sample);
}

static uint64_t pair(uint32_t low, uint32_t high)
{
    return (uint64_t)high << 32 | low;
}

static void put_exec(struct file *file, int64_t time)
{
    uint64_t ids = pair(10, 10);

    put(file, PERF_RECORD_COMM, EXEC, &ids, 1, "observed", 10, time);
}

/* The process maps the code of this test where it lies here. */
static void put_code(struct file *file, int64_t time)
{
    FILE *in = fopen("/proc/self/maps", "re");
    char line[4096], path[2048];
    uint64_t begin, end, offset, address = (uint64_t)(uintptr_t)innermost;
    bool found = false;

    assert_non_null(in);
    while (!found && fgets(line, sizeof line, in))
        found = sscanf(line, "%" SCNx64 "-%" SCNx64 " %*s %" SCNx64 " %*s %*s %2047s",
                       &begin, &end, &offset, path)
                    == 4
                && begin <= address && address < end;
    fclose(in);
    assert_true(found);
    uint64_t words[] = { pair(10, 10), begin, end - begin, offset, 0, 0, 0, 0 };
    put(file, PERF_RECORD_MMAP2, 0, words, 8, path, 10, time);
}

/* A sample of N addresses, innermost first; N of the chain is LENGTH. */
static void put_sample(struct file *file, uint32_t tid, int64_t time,
                       const uint64_t *addresses, size_t n, uint64_t length)
{
    uint64_t words[200] = { addresses[0], pair(10, tid), (uint64_t)time, 0,
                            length + 1,   (uint64_t)USER };

    memcpy(words + 6, addresses, n * 8);
    put(file, PERF_RECORD_SAMPLE, 0, words, 6 + n, NULL, tid, time);
}

/* The same with the top of the stack, of which READ words could be read. */
static void put_sample_with_stack(struct file *file, const uint64_t *addresses, size_t n,
                                  const uint64_t *stack, size_t read)
{
    enum { ROOM = 4 };
    size_t begin = file->size;
    uint64_t words[ROOM + 2] = { ROOM * 8 };
    struct perf_event_header header;

    put_sample(file, 10, 2000, addresses, n, n);
    memcpy(words + 1, stack, ROOM * 8);
    words[ROOM + 1] = read * 8;
    memcpy(file->bytes + file->size, words, sizeof words);
    file->size += sizeof words;
    memcpy(&header, file->bytes + begin, sizeof header);
    header.size = (uint16_t)(header.size + sizeof words);
    memcpy(file->bytes + begin, &header, sizeof header);
}

static uint64_t code(void (*function)(void))
{
    return (uint64_t)(uintptr_t)function;
}

static struct recorded join_file(const struct file *file)
{
    struct synthetic synthetic = synthetic_write("host alpha boot-a ns\n");
    struct recorded recorded;

    synthetic_rewrite(&synthetic, "0/schedule-alpha-10", file->bytes, file->size);
    recorded = synthetic_join(&synthetic);
    synthetic_remove(&synthetic);
    return recorded;
}

struct seen {
    const struct recorded *recorded;
    size_t n;
    char text[2048]; /* a line for each sample: time, period, stack, function */
};

static const char *function_of(const struct weft_schema *schema,
                               const struct weft_field_value *site)
{
    return site ? schema->sites[site->index].function : "-";
}

static bool see(void *user, const struct weft_event *event)
{
    struct seen *seen = user;
    const struct weft_schema *schema = seen->recorded->schema;
    struct weft_field_value fields[8];
    size_t n =
        seen->recorded->source->ops->fields(seen->recorded->source, event->id, fields, 8);
    const struct weft_field_value *stack =
        weft_field_with_role(schema, fields, n, WEFT_ROLE_CALL_STACK, WEFT_FIELD_TEXT);
    const struct weft_field_value *time =
        weft_field_with_role(schema, fields, n, WEFT_ROLE_SAMPLED_TIME, WEFT_FIELD_INTEGER);
    size_t length = strlen(seen->text);

    assert_non_null(stack);
    assert_non_null(time);
    seen->n++;
    snprintf(seen->text + length, sizeof seen->text - length,
             "%" PRId64 " %" PRId64 " %s %s\n", event->time, time->integer,
             schema->strings[stack->index],
             function_of(schema, weft_field_with_role(schema, fields, n, WEFT_ROLE_SITE,
                                                      WEFT_FIELD_SITE)));
    return true;
}

/* The samples of the thread that is called so. */
static struct seen samples_of(const struct recorded *recorded, const char *thread)
{
    struct seen seen = { .recorded = recorded };
    uint32_t samples = track(recorded, container(recorded, "Thread", thread), "Sample");
    struct weft_span all = { INT64_MIN, INT64_MAX };

    if (samples != WEFT_NONE)
        recorded->source->ops->events(recorded->source, samples, all, see, &seen);
    return seen;
}

/* Addresses of callers are behind their calls, so here one behind the functions' begins. */
static void put_good(struct file *file, int64_t time)
{
    uint64_t addresses[] = { code(innermost), code(middle) + 1, code(outermost) + IN_BODY };

    put_sample(file, 10, time, addresses, 3, 3);
}

static void test_stacks(void **state)
{
    struct recorded recorded;
    struct file file;
    struct seen seen;

    (void)state;
    begin_file(&file);
    put_exec(&file, 1000);
    put_code(&file, 1100);
    put_good(&file, 2000);
    put_good(&file, 3000);
    recorded = join_file(&file);
    seen = samples_of(&recorded, "observed");
    assert_string_equal(seen.text, "2000 1000000 outermost;middle;innermost innermost\n"
                                   "3000 1000000 outermost;middle;innermost innermost\n");
    assert_string_equal(note(&recorded, "processor time between samples [ns]"), "1000000");
    forget(&recorded);
}

/* Where there are no frame pointers, what is taken for a return address is none. */
static void test_what_is_no_code(void **state)
{
    uint64_t astray[] = { code(innermost), code(middle) + 1, 0x1234,
                          code(outermost) + IN_BODY };
    uint64_t nowhere[] = { 0x1234, code(middle) + 1 };
    struct recorded recorded;
    struct file file;

    (void)state;
    begin_file(&file);
    put_exec(&file, 1000);
    put_code(&file, 1100);
    put_sample(&file, 10, 2000, astray, 4, 4);
    put_sample(&file, 10, 3000, nowhere, 2, 2);
    recorded = join_file(&file);
    assert_string_equal(samples_of(&recorded, "observed").text,
                        "2000 1000000 [unknown];middle;innermost innermost\n"
                        "3000 1000000 [unknown] -\n");
    forget(&recorded);
}

/* Another program had other code at the same addresses. */
static void test_before_execve(void **state)
{
    struct recorded recorded;
    struct file file;

    (void)state;
    begin_file(&file);
    put_code(&file, 500);
    put_good(&file, 900);
    put_exec(&file, 1000);
    put_good(&file, 1050);
    put_code(&file, 1100);
    put_good(&file, 2000);
    recorded = join_file(&file);
    assert_string_equal(samples_of(&recorded, "observed").text,
                        "900 1000000 [unknown] -\n"
                        "1050 1000000 outermost;middle;innermost innermost\n"
                        "2000 1000000 outermost;middle;innermost innermost\n");
    forget(&recorded);
}

/* The kernel gives the innermost 127 of a deep recursion. */
static void test_deep(void **state)
{
    uint64_t addresses[WEFT_SCHEDULE_CHAIN];
    struct recorded recorded;
    struct file file;
    struct seen seen;

    (void)state;
    addresses[0] = code(innermost);
    for (size_t i = 1; i < WEFT_SCHEDULE_CHAIN; i++)
        addresses[i] = code(middle) + 1;
    begin_file(&file);
    put_exec(&file, 1000);
    put_code(&file, 1100);
    put_sample(&file, 10, 2000, addresses, WEFT_SCHEDULE_CHAIN, WEFT_SCHEDULE_CHAIN);
    recorded = join_file(&file);
    seen = samples_of(&recorded, "observed");
    assert_int_equal(seen.n, 1);
    assert_ptr_equal(strstr(seen.text, "[unknown];middle;middle;"), seen.text + 13);
    forget(&recorded);
}

/*
 * At the first instruction of a function its return address is on top of the stack, and the
 * frame pointer is still its caller's: the kernel gives the caller's caller.
 */
static void test_without_frame(void **state)
{
    uint64_t addresses[] = { code(innermost), code(outermost) + IN_BODY };
    uint64_t stack[4] = { code(middle) + 1, 0x1234, 0, 0 };
    struct recorded recorded;
    struct file file;

    (void)state;
#ifndef __x86_64__
    skip();
#endif
    begin_file(&file);
    put_exec(&file, 1000);
    put_code(&file, 1100);
    put_sample_with_stack(&file, addresses, 2, stack, 4);
    put_sample_with_stack(&file, addresses, 2, stack, 0);
    recorded = join_file(&file);
    assert_string_equal(samples_of(&recorded, "observed").text,
                        "2000 1000000 outermost;middle;innermost innermost\n"
                        "2000 1000000 outermost;innermost innermost\n");
    forget(&recorded);
}

/* The size that a record says of the stack is no more than it has. */
static void test_stack_beyond_record(void **state)
{
    uint64_t address = code(innermost), stack[4] = { 1, 2, 3, 4 };
    struct observed observed;
    struct file file;
    size_t size;

    (void)state;
    begin_file(&file);
    put_sample_with_stack(&file, &address, 1, stack, 5);
    assert_true(observed_read(&observed, file.bytes, file.size));
    (void)observed_top_of_stack(observed.threads[0].samples[0], &size);
    assert_int_equal(size, 4 * 8);
    observed_free(&observed);
    memset(file.bytes + file.size - 6 * 8, 0xff, 8); /* the size of the stack */
    assert_true(observed_read(&observed, file.bytes, file.size));
    (void)observed_top_of_stack(observed.threads[0].samples[0], &size);
    assert_int_equal(size, 0);
    observed_free(&observed);
}

/* Frame pointers do not lead on from a function that has no frame. */
static void test_outermost_without_frame(void **state)
{
    uint64_t addresses[] = { code(innermost), code(middle) + 1 };
    struct recorded recorded;
    struct file file;

    (void)state;
#ifndef __x86_64__
    skip();
#endif
    begin_file(&file);
    put_exec(&file, 1000);
    put_code(&file, 1100);
    put_sample(&file, 10, 2000, addresses, 2, 2);
    recorded = join_file(&file);
    assert_string_equal(samples_of(&recorded, "observed").text,
                        "2000 1000000 [unknown];middle;innermost innermost\n");
    forget(&recorded);
}

static void test_refused(void **state)
{
    struct recorded recorded;
    struct file file;

    (void)state;
    begin_file(&file);
    file.head.sample_ns = 0;
    strcpy(file.head.unsampled, "the kernel does not tell what threads executed: no");
    put_exec(&file, 1000);
    recorded = join_file(&file);
    assert_string_equal(note(&recorded, "no samples"), file.head.unsampled);
    for (uint32_t t = 0; t < recorded.schema->n_types; t++)
        assert_int_not_equal(recorded.schema->types[t].role, WEFT_ROLE_SAMPLE);
    forget(&recorded);
}

static void fill(struct file *file)
{
    uint64_t one = 0x1234;

    begin_file(file);
    put_exec(file, 1000);
    put_code(file, 1100);
    put_good(file, 2000);
    put_sample(file, 11, 2500, &one, 1, 1);
    put_sample_with_stack(file, &(uint64_t){ code(innermost) }, 1,
                          (uint64_t[4]){ code(middle) + 1 }, 4);
    put_exec(file, 2600);
    put_good(file, 3000);
}

/* A chain that is longer than its record ends what can be read. */
static void test_chain_beyond_record(void **state)
{
    uint64_t address = code(innermost);
    static const uint64_t lengths[] = { 1, 100, UINT64_MAX / 8 - 1, UINT64_MAX - 1 };
    struct observed observed;
    struct file file;

    (void)state;
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        begin_file(&file);
        put_sample(&file, 10, 2000, &address, 1, lengths[i]);
        put_sample(&file, 10, 3000, &address, 1, 1);
        assert_true(observed_read(&observed, file.bytes, file.size));
        assert_int_equal(observed.damaged, i > 0);
        assert_int_equal(observed.n_threads > 0 ? observed.threads[0].n_samples : 0,
                         i > 0 ? 0 : 2);
        observed_free(&observed);
    }
}

/* Wherever the file is cut, and whatever a byte of it becomes, it is read and joined. */
static void test_damage(void **state)
{
    struct recorded recorded;
    struct observed observed;
    struct file whole, file;

    (void)state;
    fill(&whole);
    for (size_t size = 0; size < whole.size; size++) {
        unsigned char *cut = malloc(size + 1); /* so that ASan sees what is behind it */
        memcpy(cut, whole.bytes, size);
        assert_int_equal(observed_read(&observed, cut, size), size >= sizeof whole.head);
        if (size >= sizeof whole.head)
            observed_free(&observed);
        free(cut);
    }
    for (size_t at = sizeof whole.head; at < whole.size; at += 7) {
        file = whole;
        file.bytes[at] ^= (unsigned char)(0x81 + at % 64);
        recorded = join_file(&file);
        forget(&recorded);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stacks),
        cmocka_unit_test(test_what_is_no_code),
        cmocka_unit_test(test_before_execve),
        cmocka_unit_test(test_deep),
        cmocka_unit_test(test_without_frame),
        cmocka_unit_test(test_stack_beyond_record),
        cmocka_unit_test(test_outermost_without_frame),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_chain_beyond_record),
        cmocka_unit_test(test_damage),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
