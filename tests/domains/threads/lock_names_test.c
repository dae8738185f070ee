/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The names of locks and the like, by where they are initialized or first used and by what the
 * program says.  The recordings (synthetic.h) have this program's own maps, so the places in them
 * are functions below, with the number of their line beside them.
 */
#include "tests/unit/recording/synthetic.h"

#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static volatile int runs;

/* A function of which all code is at one line. */
#define ON_ONE_LINE(name, number)                                                          \
 static __attribute__((noinline)) void name(void)                                          \
 {                                                                                         \
  runs += number;                                                                          \
 }

enum { LINE_OF_MAKES = __LINE__ + 1 };
ON_ONE_LINE(makes, 1)
enum { LINE_OF_USES = __LINE__ + 1 };
ON_ONE_LINE(uses, 2)

/* Where members lie in this variable is the compiler's matter: offsetof knows. */
struct part {
    int number;
    pthread_mutex_t lock;
};
static struct whole {
    pthread_mutex_t first;
    struct part parts[3][2];
    struct {
        pthread_mutex_t of_nobody;
    };
    union {
        pthread_mutex_t one;
        struct part other;
    } either;
    const struct part *const pointer;
    char bytes[64];
} whole_variable;
static char variable_lock[40];

/* Every record of an object has a site 0x40 above the object (synthetic.h). */
enum { SITE_ABOVE = 0x40 };

/* Returns the address that a call would return to, were it the first of FUNCTION. */
static unsigned long long after(void (*function)(void))
{
    return (unsigned long long)(uintptr_t)function + 1;
}

/* Joins a description in which the line MAPS stands for this program's maps. */
static struct recorded with_maps(const char *description)
{
    static char maps[65536], all[100000];
    char line[512], *end = maps;
    FILE *file = fopen("/proc/self/maps", "r");

    assert_non_null(file);
    while (fgets(line, sizeof line, file)) {
        assert_true(end + sizeof line + 8 < maps + sizeof maps);
        end += sprintf(end, "map %s", line);
    }
    fclose(file);
    const char *hole = strstr(description, "MAPS\n");
    assert_non_null(hole);
    snprintf(all, sizeof all, "%.*s%s%s", (int)(hole - description), description, maps,
             hole + strlen("MAPS\n"));
    return synthetic_trace(all);
}

static void expect(const struct recorded *recorded, const char *type, uint64_t address,
                   const char *name)
{
    const struct weft_schema *schema = recorded->schema;
    const char *found = NULL;

    for (uint32_t i = 0; i < schema->n_containers; i++) {
        const struct weft_field_value *value =
            weft_container_fact(schema, i, WEFT_ROLE_ADDRESS, WEFT_FIELD_INTEGER);
        if (value && (uint64_t)value->integer == address
            && strcmp(schema->types[schema->containers[i].type].name, type) == 0)
            found = schema->containers[i].name; /* the last that was there */
    }
    if (!found || strcmp(found, name) != 0)
        fail_msg("%s at 0x%llx: \"%s\", not \"%s\"", type, (unsigned long long)address,
                 found ? found : "none", name);
}

static const char *place(const char *what, int line)
{
    static char texts[16][64];
    static unsigned next;
    char *text = texts[next++ % 16];

    snprintf(text, sizeof texts[0], "%s of lock_names_test.c:%d", what, line);
    return text;
}

static const char *given_name(const struct recorded *recorded, uint32_t container)
{
    const struct weft_field_value *fact = weft_container_fact(
        recorded->schema, container, WEFT_ROLE_GIVEN_NAME, WEFT_FIELD_TEXT);

    return fact ? recorded->schema->strings[fact->index] : "";
}

/*
 * Numbers count those of one class, place and process, in order of first use: 0x3000 is used
 * before 0x2000, which was initialized before it.  What is destroyed keeps its number.  The place
 * where 0x5000 was made is unknown.
 */
static void test_places(void **state)
{
    char text[4096];
    unsigned long long first_used = after(uses) - SITE_ABOVE;
    struct recorded recorded;

    (void)state;
    makes();
    uses();
    snprintf(text, sizeof text,
             "host alpha boot-a ns\n"
             "process 7 places\n"
             "MAPS\n"
             "thread 0\n"
             "starts 1000\n"
             "1100 init mutex 0x2000 %llu\n"
             "1200 init mutex 0x3000 %llu\n"
             "1300 init condition 0x4000 %llu\n"
             "1400 init mutex 0x5000 0x500\n"
             "2000 acquire mutex 0x3000\n"
             "2100 acquire mutex 0x2000\n"
             "2200 signal condition 0x4000\n"
             "2300 acquire mutex 0x5000\n"
             "2400 acquire mutex %llu\n"
             "2500 release mutex 0x2000\n"
             "2600 destroy mutex 0x2000\n"
             "2700 init mutex 0x2000 %llu\n"
             "2800 acquire mutex 0x2000\n",
             after(makes), after(makes), after(makes), first_used, after(makes));
    recorded = with_maps(text);
    expect(&recorded, "Mutex", 0x3000, place("mutex", LINE_OF_MAKES));
    (void)container(&recorded, "Mutex", place("mutex 2", LINE_OF_MAKES));
    expect(&recorded, "Mutex", 0x2000, place("mutex 3", LINE_OF_MAKES));
    expect(&recorded, "Condition", 0x4000, place("condition", LINE_OF_MAKES));
    expect(&recorded, "Mutex", 0x5000, "mutex 1");
    expect(&recorded, "Mutex", first_used, place("mutex", LINE_OF_USES));
    assert_int_equal(count_containers(&recorded, "Mutex"), 5);
    forget(&recorded);
}

/*
 * The program's names win over places and variables, whenever they are given; equal ones get
 * numbers that nobody else has, and those that are given up are free.  What is initialized again
 * has lost its name.
 */
static void test_given_names(void **state)
{
    char text[4096];
    unsigned long long variable = (uintptr_t)variable_lock;
    struct recorded recorded;

    (void)state;
    variable_lock[0] = 1;
    snprintf(text, sizeof text,
             "host alpha boot-a ns\n"
             "process 7 named\n"
             "MAPS\n"
             "thread 0\n"
             "starts 1000\n"
             "1100 init mutex 0x1000 %llu\n"
             "1200 names-object 0x1000 before its use\n"
             "1300 acquire mutex 0x1000\n"
             "1400 acquire mutex %llu\n"
             "1450 names-object %llu after its use\n"
             "1500 acquire mutex 0x2000\n"
             "1510 names-object 0x2000 lock 2\n"
             "1600 acquire mutex 0x3000\n"
             "1610 names-object 0x3000 lock\n"
             "1700 acquire mutex 0x4000\n"
             "1710 names-object 0x4000 lock\n"
             "1800 acquire spin 0x5000\n"
             "1810 names-object 0x5000 one\n"
             "1820 names-object 0x5000 other\n"
             "1830 names-object 0x5000 one\n"
             "1840 names-object 0x5000 one\n"
             "1900 names-object 0x6000 gone\n"
             "1910 init barrier 0x6000 0x500\n"
             "1920 count barrier 0x6000 2\n"
             "2000 names-object 0x7000\n"
             "2010 acquire mutex 0x7000\n",
             after(makes), variable, variable);
    recorded = with_maps(text);
    expect(&recorded, "Mutex", 0x1000, "before its use");
    expect(&recorded, "Mutex", variable, "after its use");
    expect(&recorded, "Mutex", 0x2000, "lock 2");
    expect(&recorded, "Mutex", 0x3000, "lock");
    expect(&recorded, "Mutex", 0x4000, "lock 3");
    expect(&recorded, "Spin lock", 0x5000, "one");
    expect(&recorded, "Barrier", 0x6000, "barrier 1");
    /* "mutex 1" to "mutex 3" were the names of others for a while. */
    expect(&recorded, "Mutex", 0x7000, "mutex 4");
    assert_string_equal(given_name(&recorded, container(&recorded, "Mutex", "lock 3")),
                        "lock");
    assert_string_equal(given_name(&recorded, container(&recorded, "Mutex", "mutex 4")),
                        "");
    forget(&recorded);
}

/*
 * A lock inside a static variable is called by the members that lead to it.  In a union the
 * member is not known, so the name ends with the distance in bytes.
 */
static void test_members(void **state)
{
    static const struct {
        size_t at;
        const char *name;
    } locks[] = {
        { offsetof(struct whole, first), "whole_variable.first" },
        { offsetof(struct whole, parts[2][1].lock), "whole_variable.parts[2][1].lock" },
        { offsetof(struct whole, parts[0][0].lock), "whole_variable.parts[0][0].lock" },
        { offsetof(struct whole, of_nobody), "whole_variable.of_nobody" },
        { offsetof(struct whole, either), "whole_variable.either" },
        { offsetof(struct whole, either) + 8, "whole_variable.either+8" },
        { offsetof(struct whole, first) + 8, "whole_variable.first+8" },
        { offsetof(struct whole, pointer), "whole_variable.pointer" },
        { offsetof(struct whole, bytes) + 16, "whole_variable.bytes+16" },
    };
    enum { LOCKS = sizeof locks / sizeof *locks };
    unsigned long long begin = (uintptr_t)&whole_variable;
    char text[4096], *end = text;
    struct recorded recorded;

    (void)state;
    whole_variable.bytes[0] = 1;
    end += sprintf(end, "host alpha boot-a ns\n"
                        "process 7 members\n"
                        "MAPS\n"
                        "thread 0\n"
                        "starts 1000\n");
    for (unsigned i = 0; i < LOCKS; i++)
        end += sprintf(end, "%u acquire mutex %llu\n", 2000 + i, begin + locks[i].at);
    recorded = with_maps(text);
    for (unsigned i = 0; i < LOCKS; i++)
        expect(&recorded, "Mutex", begin + locks[i].at, locks[i].name);
    forget(&recorded);
}

/*
 * A child, forked at 3,000, has what its parent had then: not the name and the initialization of
 * 4,000.  Another program in the process, from 5,000 on, has nothing of before.
 */
static void test_processes(void **state)
{
    char text[4096];
    uint32_t child;
    struct recorded recorded;

    (void)state;
    snprintf(text, sizeof text,
             "host alpha boot-a ns\n"
             "process 7 parent\n"
             "MAPS\n"
             "killed\n"
             "thread 0\n"
             "starts 1000\n"
             "1100 init mutex 0x1000 %llu\n"
             "1200 init mutex 0x2000 %llu\n"
             "1300 names-object 0x3000 known\n"
             "1400 acquire mutex 0x1000\n"
             "4000 init mutex 0x2000 %llu\n"
             "4010 names-object 0x4000 too late\n"
             "process 8 child\n"
             "forked 7 0 0\n"
             "image 1\n"
             "sample 3000 3000 3000\n"
             "sample 9000 9000 9000\n"
             "thread 0\n"
             "starts 3000\n"
             "4100 acquire mutex 0x1000\n"
             "4200 acquire mutex 0x2000\n"
             "4300 acquire mutex 0x3000\n"
             "4400 acquire mutex 0x4000\n"
             "process 7 other\n"
             "image 2\n"
             "sample 5000 5000 5000\n"
             "sample 9000 9000 9000\n"
             "thread 0\n"
             "starts 5000\n"
             "5100 acquire rwlock 0x1000\n"
             "5200 acquire rwlock 0x3000\n",
             after(makes), after(makes), after(uses));
    recorded = with_maps(text);
    child = container(&recorded, "Process", "child");
    for (uint32_t i = 0; i < recorded.schema->n_containers; i++) {
        const struct weft_container *each = &recorded.schema->containers[i];
        if (strcmp(recorded.schema->types[each->type].name, "Mutex") == 0
            && each->parent != child)
            assert_string_equal(each->name, place("mutex", LINE_OF_MAKES));
    }
    expect(&recorded, "Mutex", 0x1000, place("mutex", LINE_OF_MAKES));
    expect(&recorded, "Mutex", 0x2000, "mutex 1");
    expect(&recorded, "Mutex", 0x3000, "known");
    expect(&recorded, "Mutex", 0x4000, "mutex 2");
    expect(&recorded, "Read-write lock", 0x1000, "read-write lock 1");
    expect(&recorded, "Read-write lock", 0x3000, "read-write lock 2");
    assert_int_equal(count_containers(&recorded, "Mutex"), 5);
    forget(&recorded);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_places),
        cmocka_unit_test(test_given_names),
        cmocka_unit_test(test_members),
        cmocka_unit_test(test_processes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
