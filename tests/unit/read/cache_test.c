/* SPDX-License-Identifier: Apache-2.0 */
/* The cache: found again, made anew when stale or damaged, bounded, and never needed. */
#define _GNU_SOURCE
#include "support.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory.h"
#include "format/store_layout.h"
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

/* Turn over a byte in the middle of a section of a store. */
static void hurt_section(const char *path, enum weft_section_kind kind)
{
    struct weft_file_header header;
    int fd = open(path, O_RDWR | O_CLOEXEC);
    assert_int_equal(pread(fd, &header, sizeof header, 0), sizeof header);
    off_t at = (off_t)(header.sections[kind].offset + header.sections[kind].size / 2);
    unsigned char byte;
    assert_int_equal(pread(fd, &byte, 1, at), 1);
    byte ^= 1;
    assert_int_equal(pwrite(fd, &byte, 1, at), 1);
    close(fd);
}

/* Damage in a block shows when it is asked for: the next one to open the trace has a new index. */
static void a_damaged_block_makes_a_new_index(void **state)
{
    (void)state;
    char *path = trace_file("blocks.paje", "12 1 a S x\n"), *index;
    assert_int_equal(states_in(path, NULL, &index), 1);
    hurt_section(index, WEFT_SECTION_DATA);
    struct weft_err err = { 0 };
    struct weft_trace *trace = weft_open(path, NULL, NULL, NULL, &err);
    assert_non_null(trace);
    assert_int_equal(access(index, F_OK), 0);
    assert_true(weft_trace_verify(trace, NULL) > 0);
    assert_int_equal(access(index, F_OK), -1);
    weft_trace_close(trace);
    trace = weft_open(path, NULL, NULL, NULL, &err);
    assert_non_null(trace);
    assert_int_equal(weft_trace_verify(trace, NULL), 0);
    weft_trace_close(trace);
    free(index);
    free(path);
}

/* A table that a store may be opened without: an index is made anew at once. */
static void a_damaged_table_makes_a_new_index(void **state)
{
    (void)state;
    char *path = trace_file("tables.paje", "12 1 a S x\n12 1 a S x\n"), *index;
    assert_int_equal(states_in(path, NULL, &index), 2);
    hurt_section(index, WEFT_SECTION_NOTES);
    assert_null(weft_open_indexed(path, NULL));
    struct weft_err err = { 0 };
    struct weft_trace *trace = weft_open(path, NULL, NULL, NULL, &err);
    assert_non_null(trace);
    assert_int_equal(weft_trace_verify(trace, NULL), 0);
    weft_trace_close(trace);
    trace = weft_open_indexed(path, NULL);
    assert_non_null(trace);
    weft_trace_close(trace);
    free(index);
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

/* No index is handed out of a trace that does not open. */
static void what_does_not_open_has_no_index(void **state)
{
    (void)state;
    char *trace = trace_file("cut.paje", "12 1 a S x\n"), *index;
    char *cut = weft_strdup(support_path("cut.weft"));
    struct weft_mapping map;
    struct weft_err err;
    assert_int_equal(states_in(trace, NULL, &index), 1);
    assert_true(weft_map_file(&map, index, &err));
    support_write(cut, (const char *)map.data, 200);
    weft_unmap(&map);
    free(index);
    index = cut;
    assert_null(weft_open(cut, NULL, NULL, &index, &err));
    assert_null(index);
    free(cut);
    free(trace);
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

/* The I-th of the names that entries may have, or another one. */
static char *entry_path(int i, bool of_an_entry)
{
    char name[64];
    snprintf(name, sizeof name, of_an_entry ? "%032x-old.weft" : "%031x-old.weft", i);
    return weft_strdup(support_path(name));
}

static void the_oldest_are_dropped(void **state)
{
    (void)state;
    char *path[4];
    for (int i = 0; i < 4; i++) {
        path[i] = entry_path(i, i < 3); /* the last is somebody's own store */
        support_write(path[i], "0123456789", 10);
        struct timespec times[2] = { { 1000 + i, 0 }, { 1000 + i, 0 } };
        assert_int_equal(utimensat(AT_FDCWD, path[i], times, 0), 0);
    }
    /* All other entries in the folder are newer; keep them out of the count. */
    uint64_t total = 0;
    DIR *dir = opendir(support_path(""));
    for (struct dirent *at; (at = readdir(dir));) {
        struct stat status;
        if (strlen(at->d_name) > 38 && at->d_name[32] == '-'
            && fstatat(dirfd(dir), at->d_name, &status, 0) == 0)
            total += (uint64_t)status.st_size;
    }
    closedir(dir);
    weft_cache_limit(path[0], total - 15); /* two must go; the first is in use */
    assert_int_equal(access(path[0], F_OK), 0);
    assert_int_equal(access(path[1], F_OK), -1);
    assert_int_equal(access(path[2], F_OK), -1);
    assert_int_equal(access(path[3], F_OK), 0);
    for (int i = 0; i < 4; i++) {
        unlink(path[i]);
        free(path[i]);
    }
}

/* What can be read where an entry would be, but is no file of ours, is not believed. */
static void links_and_files_of_others_are_not_read(void **state)
{
    (void)state;
    char *path = trace_file("seven.paje", "12 1 a S x\n"), *index, *again;
    char *other = trace_file("eight.paje", "12 1 a S x\n12 2 a S y\n"), *false_index;
    assert_int_equal(states_in(path, NULL, &index), 1);
    assert_int_equal(states_in(other, NULL, &false_index), 2);
    assert_int_equal(unlink(index), 0);
    assert_int_equal(symlink(false_index, index), 0);
    assert_int_equal(states_in(path, NULL, &again), 1);
    struct stat status;
    if (geteuid() == 0) {
        assert_int_equal(unlink(index), 0);
        assert_int_equal(rename(false_index, index), 0);
        assert_int_equal(chown(index, 4711, 4711), 0);
        assert_int_equal(states_in(path, NULL, NULL), 1);
        assert_int_equal(stat(index, &status), 0);
        assert_int_equal(status.st_uid, 0);
    }
    free(false_index);
    free(other);
    free(again);
    free(index);
    free(path);
}

static void a_folder_of_another_user_is_left_alone(void **state)
{
    (void)state;
    if (geteuid() != 0) {
        print_message("only root can give a folder away\n");
        skip();
    }
    char *path = trace_file("nine.paje", "12 1 a S x\n"), *index;
    char *before = weft_strdup(getenv("WEFT_CACHE"));
    char *folder = weft_strdup(support_path("theirs"));
    assert_int_equal(mkdir(folder, 0777), 0);
    assert_int_equal(chown(folder, 4711, 4711), 0);
    setenv("WEFT_CACHE", folder, 1);
    assert_int_equal(states_in(path, NULL, &index), 1);
    assert_null(index);
    assert_int_equal(rmdir(folder), 0); /* nothing is in it */
    setenv("WEFT_CACHE", before, 1);
    free(folder);
    free(before);
    free(path);
}

/* The same size, the same inode, and the time of the change set back. */
static void setting_the_time_back_hides_no_change(void **state)
{
    (void)state;
    char *path = trace_file("ten.paje", "12 1 a S x\n");
    struct stat status;
    assert_int_equal(states_in(path, NULL, NULL), 1);
    assert_int_equal(stat(path, &status), 0);
    free(trace_file("ten.paje", "# 1 a S x\n "));
    struct timespec times[2] = { status.st_atim, status.st_mtim };
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
    assert_int_equal(inode_of(path), status.st_ino);
    assert_int_equal(states_in(path, NULL, NULL), 0);
    free(path);
}

/* Appends to the file that is being read, as its writer would, once. */
static void append(struct weft_job *job, void *path)
{
    if (atomic_load(&job->done) == 0 || job->user == NULL)
        return;
    FILE *file = fopen(path, "a");
    fputs("12 5 a S y\n", file);
    fclose(file);
    job->user = NULL;
}

static void the_index_of_a_growing_file_is_not_kept(void **state)
{
    (void)state;
    char *text = weft_alloc(20 << 20), *at = text;
    for (int i = 0; i < 1000000; i++)
        at += sprintf(at, "12 1 a S x\n");
    char *path = trace_file("eleven.paje", text), *index;
    struct weft_job job = { .progress = append, .user = path };
    struct weft_err err = { 0 };
    struct weft_trace *trace = weft_open(path, NULL, &job, &index, &err);
    assert_non_null(trace);
    assert_null(job.user); /* it has grown */
    assert_null(index);
    assert_int_equal(weft_trace_schema(trace)->n_states, 1000000);
    assert_int_equal(support_problems(trace, "grew-while-read", NULL), 1);
    weft_trace_close(trace);
    assert_int_equal(states_in(path, NULL, NULL), 1000001);
    trace = weft_open(path, NULL, NULL, NULL, &err);
    assert_int_equal(support_problems(trace, "grew-while-read", NULL), 0);
    weft_trace_close(trace);
    free(text);
    free(path);
}

static void without_room_for_anything_there_is_an_error(void **state)
{
    (void)state;
    char *path = trace_file("twelve.paje", "12 1 a S x\n");
    char *before = weft_strdup(getenv("WEFT_CACHE"));
    struct weft_err err = { 0 };
    setenv("WEFT_CACHE", "/proc/no/such/place", 1);
    setenv("TMPDIR", "/proc/no/such/place", 1);
    assert_null(weft_open(path, NULL, NULL, NULL, &err));
    assert_int_equal(err.code, WEFT_ERR_WRITE);
    assert_non_null(strstr(err.message, "/proc/no/such/place"));
    setenv("WEFT_CACHE", before, 1);
    unsetenv("TMPDIR");
    free(before);
    free(path);
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

/* The system changes the times of a file when a page of it is touched first, not afterwards. */
static void writing_through_a_mapping_is_seen(void **state)
{
    (void)state;
    char *path = trace_file("mapped.paje", "12 1 a S AAAA\n"), *index;
    struct stat status;
    struct statfs system;
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(statfs(path, &system), 0);
    int fd = open(path, O_RDWR);
    char *map =
        mmap(NULL, (size_t)status.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    assert_true(map != MAP_FAILED);
    char *at = map + status.st_size - 5;
    for (char letter = 'A'; letter <= 'J'; letter++) {
        memset(at, letter, 4);
        struct weft_err err = { 0 };
        struct weft_trace *trace = weft_open(path, NULL, NULL, &index, &err);
        assert_non_null(trace);
        if (system.f_type != TMPFS_MAGIC) /* where nothing is brought to a disk */
            assert_memory_equal(weft_trace_schema(trace)->values[0].name, at, 4);
        weft_trace_close(trace);
        free(index);
    }
    munmap(map, (size_t)status.st_size);
    close(fd);
    free(path);
}

static int hidden_file(const char *folder, const char *name)
{
    char *path = weft_asprintf("%s/%s", folder, name);
    int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    free(path);
    return fd;
}

/* What was killed while it made an index, and of which trace, nobody knows later. */
static void what_the_dead_left_goes(void **state)
{
    (void)state;
    static const char dead[] = ".0123456789abcdef0123456789abcdef-x.paje.weft.weft-Ab0123";
    static const char held[] = ".0123456789abcdef0123456789abcdef-x.paje.weft.weft-Ab0124";
    static const char other[] = ".x.paje.weft.weft-Ab0125"; /* of no entry */
    char *path = trace_file("nine.paje", "12 1 a S x\n"), *index;
    assert_int_equal(states_in(path, NULL, &index), 1);
    char *folder = weft_strndup(index, (size_t)(strrchr(index, '/') - index));
    int holds = hidden_file(folder, held), of = open(folder, O_RDONLY | O_DIRECTORY);
    assert_int_equal(flock(holds, LOCK_EX), 0);
    close(hidden_file(folder, dead));
    close(hidden_file(folder, other));
    assert_int_equal(states_in(path, NULL, NULL), 1);
    assert_int_equal(faccessat(of, dead, F_OK, 0), -1);
    assert_int_equal(faccessat(of, held, F_OK, 0), 0);
    assert_int_equal(faccessat(of, other, F_OK, 0), 0);
    close(holds);
    assert_int_equal(states_in(path, NULL, NULL), 1);
    assert_int_equal(faccessat(of, held, F_OK, 0), -1);
    assert_int_equal(unlinkat(of, other, 0), 0);
    close(of);
    free(folder);
    free(index);
    free(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        /* First, because it forks, which the threads of later tests would not survive. */
        cmocka_unit_test(several_may_build_at_once),
        cmocka_unit_test(an_index_is_found_again),
        cmocka_unit_test(a_changed_file_is_read_again),
        cmocka_unit_test(a_damaged_index_is_made_again),
        cmocka_unit_test(a_damaged_block_makes_a_new_index),
        cmocka_unit_test(a_damaged_table_makes_a_new_index),
        cmocka_unit_test(a_store_needs_no_index),
        cmocka_unit_test(what_does_not_open_has_no_index),
        cmocka_unit_test(without_a_cache_all_works),
        cmocka_unit_test(the_oldest_are_dropped),
        cmocka_unit_test(links_and_files_of_others_are_not_read),
        cmocka_unit_test(a_folder_of_another_user_is_left_alone),
        cmocka_unit_test(setting_the_time_back_hides_no_change),
        cmocka_unit_test(writing_through_a_mapping_is_seen),
        cmocka_unit_test(what_the_dead_left_goes),
        cmocka_unit_test(the_index_of_a_growing_file_is_not_kept),
        cmocka_unit_test(without_room_for_anything_there_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, support_cleanup);
}
