/* SPDX-License-Identifier: Apache-2.0 */
/* The cache: found again, made anew when stale or damaged, bounded, and never needed. */
#define _GNU_SOURCE
#include "support.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory.h"
#include "read/cache.h"

static char *trace_file(const char *name, const char *lines)
{
    char *path = weft_strdup(support_path(name));
    char *text = weft_asprintf("%s%s", support_header, lines);
    support_write(path, text, strlen(text));
    free(text);
    return path;
}

static uint64_t states_in(const char *path, const char *unit, char **index)
{
    struct weft_err err = { 0 };
    struct weft_read_options options = { unit };
    struct weft_trace *trace = weft_open(path, &options, NULL, index, &err);
    if (!trace)
        print_message("%s\n", err.message);
    assert_non_null(trace);
    uint64_t n = weft_trace_schema(trace)->n_states;
    weft_trace_close(trace);
    return n;
}

static uint64_t inode_of(const char *path)
{
    struct stat status;
    assert_int_equal(stat(path, &status), 0);
    return status.st_ino;
}

static void an_index_is_found_again(void **state)
{
    (void)state;
    char *path = trace_file("one.paje", "12 1 a S x\n"), *first, *second, *other;
    assert_int_equal(states_in(path, NULL, &first), 1);
    uint64_t inode = inode_of(first);
    assert_int_equal(states_in(path, NULL, &second), 1);
    assert_string_equal(first, second);
    assert_int_equal(inode_of(second), inode); /* not written again */
    assert_int_equal(states_in(path, "ms", &other), 1);
    assert_string_not_equal(first, other); /* other options, other index */
    free(first);
    free(second);
    free(other);
    free(path);
}

static void a_changed_file_is_read_again(void **state)
{
    (void)state;
    char *path = trace_file("two.paje", "12 1 a S x\n");
    assert_int_equal(states_in(path, NULL, NULL), 1);
    free(trace_file("two.paje", "12 1 a S x\n12 2 a S y\n"));
    assert_int_equal(states_in(path, NULL, NULL), 2);
    free(path);
}

static void a_damaged_index_is_made_again(void **state)
{
    (void)state;
    char *path = trace_file("three.paje", "12 1 a S x\n"), *index, *again;
    assert_int_equal(states_in(path, NULL, &index), 1);
    assert_int_equal(truncate(index, 100), 0);
    assert_int_equal(states_in(path, NULL, &again), 1);
    assert_string_equal(index, again);
    support_write(index, "garbage", 7);
    assert_int_equal(states_in(path, NULL, NULL), 1);
    free(index);
    free(again);
    free(path);
}

static void a_store_needs_no_index(void **state)
{
    (void)state;
    char *path = trace_file("four.paje", "12 1 a S x\n"), *index, *same;
    assert_int_equal(states_in(path, NULL, &index), 1);
    assert_int_equal(states_in(index, NULL, &same), 1);
    assert_string_equal(index, same);
    free(index);
    free(same);
    free(path);
}

static void without_a_cache_all_works(void **state)
{
    (void)state;
    char *path = trace_file("five.paje", "12 1 a S x\n"), *index;
    char *before = weft_strdup(getenv("WEFT_CACHE"));
    setenv("WEFT_CACHE", "/proc/no/such/place", 1);
    assert_int_equal(states_in(path, NULL, &index), 1);
    assert_null(index);
    setenv("WEFT_CACHE", before, 1);
    free(before);
    free(path);
}

static void the_oldest_are_dropped(void **state)
{
    (void)state;
    char *path[3];
    for (int i = 0; i < 3; i++) {
        char name[32];
        snprintf(name, sizeof name, "old%d.weft", i);
        path[i] = weft_strdup(support_path(name));
        support_write(path[i], "0123456789", 10);
        struct timespec times[2] = { { 1000 + i, 0 }, { 1000 + i, 0 } };
        assert_int_equal(utimensat(AT_FDCWD, path[i], times, 0), 0);
    }
    /* All else in the folder is larger and newer; keep it out of the count. */
    uint64_t total = 0;
    DIR *dir = opendir(support_path(""));
    for (struct dirent *at; (at = readdir(dir));) {
        struct stat status;
        size_t n = strlen(at->d_name);
        if (n > 5 && strcmp(at->d_name + n - 5, ".weft") == 0
            && fstatat(dirfd(dir), at->d_name, &status, 0) == 0)
            total += (uint64_t)status.st_size;
    }
    closedir(dir);
    weft_cache_limit(path[0], total - 15); /* two must go; the first is in use */
    assert_int_equal(access(path[0], F_OK), 0);
    assert_int_equal(access(path[1], F_OK), -1);
    assert_int_equal(access(path[2], F_OK), -1);
    for (int i = 0; i < 3; i++)
        free(path[i]);
}

static void several_may_build_at_once(void **state)
{
    (void)state;
    char *text = weft_alloc(1 << 20), *at = text;
    for (int i = 0; i < 20000; i++)
        at += sprintf(at, "12 %d a S x\n", i);
    char *path = trace_file("six.paje", text);
    pid_t children[4];
    for (int i = 0; i < 4; i++) {
        children[i] = fork();
        assert_true(children[i] >= 0);
        if (children[i] == 0)
            _exit(states_in(path, NULL, NULL) == 20000 ? 0 : 1);
    }
    for (int i = 0; i < 4; i++) {
        int status;
        assert_int_equal(waitpid(children[i], &status, 0), children[i]);
        assert_int_equal(status, 0);
    }
    free(path);
    free(text);
}

static int teardown(void **state)
{
    (void)state;
    support_cleanup();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_index_is_found_again),
        cmocka_unit_test(a_changed_file_is_read_again),
        cmocka_unit_test(a_damaged_index_is_made_again),
        cmocka_unit_test(a_store_needs_no_index),
        cmocka_unit_test(without_a_cache_all_works),
        cmocka_unit_test(the_oldest_are_dropped),
        cmocka_unit_test(several_may_build_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, teardown);
}
