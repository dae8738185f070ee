/* SPDX-License-Identifier: Apache-2.0 */
/* Files that appear whole or not at all, each test in a fresh folder. */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/file.h"
#include "base/memory.h"
#include "tests/test.h"

static char folder[64];

static int enter(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/weft-file-test.XXXXXX");
    return mkdtemp(folder) && chdir(folder) == 0 ? 0 : -1;
}

static int leave(void **state)
{
    (void)state;
    DIR *dir = opendir(".");
    for (struct dirent *entry; (entry = readdir(dir));)
        if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, ".."))
            remove(entry->d_name);
    closedir(dir);
    return chdir("/") == 0 && rmdir(folder) == 0 ? 0 : -1;
}

static int entries(void)
{
    int n = 0;
    DIR *dir = opendir(".");
    while (readdir(dir))
        n++;
    closedir(dir);
    return n - 2;
}

static void assert_content(const char *path, const char *text)
{
    struct weft_mapping map;
    struct weft_err err = { 0 };
    assert_true(weft_map_file(&map, path, &err));
    assert_int_equal(map.size, strlen(text));
    assert_memory_equal(map.data, text, map.size);
    weft_unmap(&map);
}

static void test_commit_puts_the_file_in_place(void **state)
{
    (void)state;
    struct weft_output out;
    struct weft_err err = { 0 };
    assert_true(weft_output_open(&out, "x.csv", &err));
    assert_int_not_equal(access("x.csv", F_OK), 0);
    fputs("a,b\n", out.stream);
    assert_true(weft_output_commit(&out, &err));
    assert_content("x.csv", "a,b\n");
    assert_int_equal(entries(), 1);
}

static void test_commit_replaces(void **state)
{
    (void)state;
    struct weft_output out;
    struct weft_err err = { 0 };
    for (int i = 0; i < 2; i++) {
        assert_true(weft_output_open(&out, "./x", &err));
        fputs(i ? "new" : "old and longer", out.stream);
        if (i)
            assert_content("x", "old and longer");
        assert_true(weft_output_commit(&out, &err));
    }
    assert_content("x", "new");
    assert_int_equal(entries(), 1);
}

static void test_abandon_leaves_what_was(void **state)
{
    (void)state;
    struct weft_output out;
    struct weft_err err = { 0 };
    assert_true(weft_output_open(&out, "x", &err));
    fputs("half", out.stream);
    weft_output_abandon(&out);
    assert_int_equal(entries(), 0);
}

static void test_permissions_follow_the_umask(void **state)
{
    (void)state;
    struct weft_output out;
    struct weft_err err = { 0 };
    struct stat st;
    mode_t before = umask(027);
    assert_true(weft_output_open(&out, "x", &err));
    assert_true(weft_output_commit(&out, &err));
    umask(before);
    assert_int_equal(stat("x", &st), 0);
    assert_int_equal(st.st_mode & 0777, 0640);
}

/* Who may read a file may read the one that replaces it, and nobody else, also meanwhile. */
static void test_permissions_of_what_is_replaced_stay(void **state)
{
    (void)state;
    static const mode_t modes[] = { 0600, 0640, 0644, 0400, 0755, 0 };
    mode_t before = umask(022);
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        struct weft_output out;
        struct weft_err err = { 0 };
        struct stat st;
        unlink("x");
        close(open("x", O_WRONLY | O_CREAT, 0600));
        assert_int_equal(chmod("x", modes[i]), 0);
        assert_true(weft_output_open(&out, "x", &err));
        assert_int_equal(fstat(fileno(out.stream), &st), 0);
        assert_int_equal(st.st_mode & 0777, 0600 | (modes[i] & 0644));
        fputs("new", out.stream);
        assert_true(weft_output_commit(&out, &err));
        assert_int_equal(stat("x", &st), 0);
        assert_int_equal(st.st_mode & 0777, modes[i]);
        assert_int_equal(st.st_size, 3);
    }
    umask(before);
}

static void test_no_folder_is_a_write_error(void **state)
{
    (void)state;
    struct weft_output out;
    struct weft_err err = { 0 };
    assert_false(weft_output_open(&out, "nowhere/x", &err));
    assert_int_equal(err.code, WEFT_ERR_WRITE);
    assert_non_null(strstr(err.message, "nowhere/x"));
}

static void test_a_folder_is_not_replaced(void **state)
{
    (void)state;
    struct weft_output out;
    struct weft_err err = { 0 };
    assert_int_equal(mkdir("x", 0700), 0);
    assert_false(weft_output_open(&out, "x", &err));
    assert_int_equal(err.code, WEFT_ERR_WRITE);
    assert_int_equal(entries(), 1);
    /* One that appears while the file is written stays, too. */
    assert_true(weft_output_open(&out, "y", &err));
    assert_int_equal(mkdir("y", 0700), 0);
    assert_false(weft_output_commit(&out, &err));
    assert_int_equal(err.code, WEFT_ERR_WRITE);
    assert_int_equal(entries(), 2);
}

static void test_through_a_link_the_file_behind_it_is_replaced(void **state)
{
    (void)state;
    struct weft_output out;
    struct weft_err err = { 0 };
    struct stat st;
    assert_int_equal(mkdir("there", 0700), 0);
    assert_int_equal(symlink("there/file", "link"), 0);
    for (int i = 0; i < 2; i++) {
        fclose(fopen("there/file", "w"));
        assert_true(weft_output_open(&out, "link", &err));
        fputs("new", out.stream);
        assert_true(weft_output_commit(&out, &err));
        assert_content("there/file", "new");
        assert_int_equal(lstat("link", &st), 0);
        assert_true(S_ISLNK(st.st_mode));
    }
    assert_int_equal(unlink("there/file"), 0);
    assert_int_equal(entries(), 2);
}

static void test_through_links_to_nothing_the_file_is_made_behind_them(void **state)
{
    (void)state;
    struct weft_output out;
    struct weft_err err = { 0 };
    struct stat st;
    assert_int_equal(mkdir("there", 0700), 0);
    assert_int_equal(symlink("there/second", "first"), 0);
    assert_int_equal(symlink("file", "there/second"), 0);
    assert_true(weft_output_open(&out, "first", &err));
    fputs("new", out.stream);
    assert_true(weft_output_commit(&out, &err));
    assert_content("there/file", "new");
    assert_int_equal(lstat("first", &st), 0);
    assert_true(S_ISLNK(st.st_mode));
    assert_int_equal(lstat("there/second", &st), 0);
    assert_true(S_ISLNK(st.st_mode));
    assert_int_equal(unlink("there/file"), 0);
    assert_int_equal(unlink("there/second"), 0);
    assert_int_equal(symlink("round", "round"), 0);
    assert_false(weft_output_open(&out, "round", &err));
    assert_non_null(strstr(err.message, "round: Too many levels"));
    assert_int_equal(lstat("round", &st), 0);
    assert_true(S_ISLNK(st.st_mode));
}

/* Who gave us the open file writes on behind what we write: no other file takes its place. */
static void test_a_descriptor_is_written_as_it_comes(void **state)
{
    (void)state;
    static const char *const folders[] = { "/dev/fd", "/proc/self/fd" };
    struct weft_output out;
    struct weft_err err = { 0 };
    char path[40];
    int given = open("x", O_RDWR | O_CREAT, 0600);
    assert_true(given >= 0);
    assert_int_equal(write(given, "0", 1), 1);
    for (size_t i = 0; i < 3; i++) {
        if (i < 2)
            snprintf(path, sizeof path, "%s/%d", folders[i], given);
        else
            assert_true(symlink(path, "link") == 0 && strcpy(path, "link"));
        assert_true(weft_output_open(&out, path, &err));
        assert_true(weft_output_is_direct(&out));
        fputs("ab", out.stream);
        assert_true(weft_output_commit(&out, &err));
        assert_int_equal(write(given, "c", 1), 1);
    }
    assert_content("x", "0abcabcabc");
    struct weft_atomic_file file;
    assert_false(weft_atomic_file_open(&file, "link", &err));
    assert_non_null(strstr(err.message, "no file of its own"));
    /* One that is the program's own, or not open, was not given to it. */
    assert_int_equal(fcntl(given, F_SETFD, FD_CLOEXEC), 0);
    assert_false(weft_output_open(&out, "link", &err));
    assert_non_null(strstr(err.message, "link: Bad file descriptor"));
    close(given);
    assert_false(weft_output_open(&out, "link", &err));
    assert_content("x", "0abcabcabc");
}

static void test_what_is_no_file_is_written_as_it_comes(void **state)
{
    (void)state;
    struct weft_output out;
    struct weft_err err = { 0 };
    struct stat st;
    assert_true(weft_output_open(&out, "/dev/null", &err));
    fputs("lost", out.stream);
    assert_true(weft_output_commit(&out, &err));
    assert_int_equal(stat("/dev/null", &st), 0);
    assert_true(S_ISCHR(st.st_mode)); /* nothing took its place */
    assert_true(weft_output_open(&out, "/dev/full", &err));
    fputs("lost", out.stream);
    assert_false(weft_output_commit(&out, &err));
    assert_non_null(strstr(err.message, "/dev/full"));
    assert_true(weft_output_open(&out, "/dev/null", &err));
    weft_output_abandon(&out);
    /* A store is read back while it is written, so it must be a file. */
    struct weft_atomic_file file;
    assert_false(weft_atomic_file_open(&file, "/dev/null", &err));
    assert_non_null(strstr(err.message, "no regular file"));
}

/* A file with a hidden name that nobody holds was left by a process that is dead. */
static void test_what_the_dead_left_is_removed(void **state)
{
    (void)state;
    static const char *const others[] = { ".x.weft-abcde", ".x.weft-abcde.",
                                          ".xy.weft-abcdef", "x.weft-abcdef",
                                          ".x.weft-abcdefg" };
    struct weft_output out;
    struct weft_err err = { 0 };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        fclose(fopen(others[i], "w"));
    fclose(fopen("x", "w"));
    fclose(fopen(".x.weft-abcdef", "w"));
    int held = open(".x.weft-ABC123", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    assert_int_equal(flock(held, LOCK_EX), 0);
    assert_true(weft_output_open(&out, "x", &err));
    assert_true(weft_output_commit(&out, &err));
    assert_int_equal(access(".x.weft-abcdef", F_OK), -1);
    assert_int_equal(access(".x.weft-ABC123", F_OK), 0);
    assert_int_equal(entries(), 7);
    close(held);
    assert_true(weft_output_open(&out, "x", &err));
    assert_true(weft_output_commit(&out, &err));
    assert_int_equal(entries(), 6);
}

static void test_names_of_any_length(void **state)
{
    (void)state;
    struct weft_output out;
    struct weft_err err = { 0 };
    char name[NAME_MAX + 2];
    memset(name, 'n', sizeof name);
    name[NAME_MAX] = '\0';
    for (int i = 0; i < 2; i++) { /* the second time the first is replaced */
        assert_true(weft_output_open(&out, name, &err));
        assert_true(weft_output_commit(&out, &err));
        assert_int_equal(entries(), 1);
    }
    name[NAME_MAX] = 'n';
    name[NAME_MAX + 1] = '\0';
    assert_true(weft_output_open(&out, name, &err));
    assert_false(weft_output_commit(&out, &err));
    assert_int_equal(err.code, WEFT_ERR_WRITE);
}

static void test_failed_write_is_found_at_commit(void **state)
{
    (void)state;
    struct weft_output out;
    struct weft_err err = { 0 };
    assert_true(weft_output_open(&out, "x", &err));
    /* The disk fills: what is written from now on goes to /dev/full. */
    FILE *full = freopen("/dev/full", "w", out.stream);
    assert_non_null(full);
    fputs("lost", out.stream);
    assert_false(weft_output_commit(&out, &err));
    assert_int_equal(err.code, WEFT_ERR_WRITE);
    assert_int_equal(entries(), 0);
}

static void test_map_of_an_empty_file(void **state)
{
    (void)state;
    struct weft_mapping map;
    struct weft_err err = { 0 };
    fclose(fopen("empty", "w"));
    assert_true(weft_map_file(&map, "empty", &err));
    assert_int_equal(map.size, 0);
    assert_non_null(map.data);
    weft_unmap(&map);
}

static void test_map_of_no_file(void **state)
{
    (void)state;
    struct weft_mapping map;
    struct weft_err err = { 0 };
    assert_false(weft_map_file(&map, "absent", &err));
    assert_int_equal(err.code, WEFT_ERR_READ);
    assert_false(weft_map_file(&map, ".", &err));
    assert_int_equal(err.code, WEFT_ERR_READ);
    assert_non_null(strstr(err.message, "not a regular file"));
}

enum { LARGE = 64 * 4096 }; /* bytes: some pages on every machine */

static void write_ones(const char *path, size_t size)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    for (size_t i = 0; i < size; i++)
        putc(1, file);
    assert_int_equal(fclose(file), 0);
}

static void test_what_is_cut_reads_as_zeros(void **state)
{
    (void)state;
    struct weft_mapping cut, whole, again;
    struct weft_err err = { 0 };
    write_ones("cut", LARGE + 5);
    write_ones("whole", LARGE);
    assert_true(weft_map_file(&cut, "cut", &err) && weft_map_file(&whole, "whole", &err));
    assert_int_equal(truncate("cut", LARGE / 2 + 1), 0);
    for (size_t i = 0; i < LARGE / 2; i++)
        assert_int_equal(cut.data[i], 1);
    assert_false(weft_mapping_damaged(&cut));
    /* Backwards, so that each touch but the first finds what the last one has put there. */
    for (size_t i = LARGE + 5; i-- > LARGE / 2 + 1;)
        assert_int_equal(cut.data[i], 0);
    assert_int_equal(cut.data[0], 1);
    assert_true(weft_mapping_damaged(&cut));
    for (size_t i = 0; i < LARGE; i++)
        assert_int_equal(whole.data[i], 1);
    assert_false(weft_mapping_damaged(&whole));
    weft_unmap(&cut);
    assert_true(weft_map_file(&again, "whole", &err));
    assert_false(weft_mapping_damaged(&again));
    weft_unmap(&again);
    weft_unmap(&whole);
}

/* On a file system in memory a mapping makes a page of each hole that it touches. */
static void test_holes_take_no_room(void **state)
{
    enum { PIECES = 40, HOLE = 1 << 20 };
    char path[] = "/dev/shm/weft-holes-XXXXXX";
    struct weft_mapping map;
    struct weft_err err;
    struct stat before, after;
    int fd = mkstemp(path);
    (void)state;
    if (fd < 0)
        skip();                      /* there is none here */
    for (int i = 0; i < PIECES; i++) /* the last hole goes to the end */
        assert_int_equal(pwrite(fd, &(char){ (char)(i + 1) }, 1, (off_t)i * HOLE + 5000),
                         1);
    assert_int_equal(ftruncate(fd, (off_t)PIECES * HOLE - 1), 0);
    assert_int_equal(fstat(fd, &before), 0);
    assert_true(weft_map_file(&map, path, &err));
    assert_int_equal(map.size, PIECES * HOLE - 1);
    for (size_t at = 0; at < map.size; at++)
        if (map.data[at] != (at % HOLE == 5000 ? at / HOLE + 1 : 0))
            fail_msg("byte %zu is %d", at, map.data[at]);
    assert_false(weft_mapping_damaged(&map));
    assert_int_equal(fstat(fd, &after), 0);
    assert_int_equal(after.st_blocks, before.st_blocks);
    weft_unmap(&map);
    close(fd);
    remove(path);
}

/* Touch what is mapped, but not by weft_map_file; returns the signal that ended the toucher. */
static int end_of_touching_another_file(void)
{
    pid_t child = fork();
    if (child == 0) {
        int fd = open("foreign", O_RDWR);
        volatile char *data = mmap(NULL, LARGE, PROT_READ, MAP_SHARED, fd, 0);
        if (truncate("foreign", 0) == 0)
            _exit(data[0]);
        _exit(0);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

static void test_other_bus_errors_end_the_program_as_ever(void **state)
{
    (void)state;
    struct weft_mapping map;
    struct weft_err err = { 0 };
    write_ones("own", LARGE);
    write_ones("foreign", LARGE);
    signal(SIGBUS, SIG_DFL); /* a sanitizer's own handler ends with another status */
    assert_true(weft_map_file(&map, "own", &err));
    assert_int_equal(end_of_touching_another_file(), SIGBUS);
    weft_unmap(&map);
}

static void test_a_pipe_is_no_file_to_map(void **state)
{
    (void)state;
    struct weft_mapping map;
    struct weft_err err = { 0 };
    assert_int_equal(mkfifo("pipe", 0600), 0);
    assert_false(weft_map_file(&map, "pipe", &err)); /* and does not wait for a writer */
    assert_non_null(strstr(err.message, "not a regular file"));
}

#define IN_FOLDER(f) cmocka_unit_test_setup_teardown(f, enter, leave)

static size_t file_pages(void)
{
    size_t size = 0, resident = 0, shared = 0;
    FILE *in = fopen("/proc/self/statm", "r");
    assert_non_null(in);
    assert_int_equal(fscanf(in, "%zu %zu %zu", &size, &resident, &shared), 3);
    fclose(in);
    return shared;
}

/* Memory of mapped files goes back, and what they hold is the same when it is read again. */
static void test_mappings_rest(void **state)
{
    enum { SIZE = 64 << 20 };
    struct weft_mapping map, other;
    struct weft_err err;
    unsigned char *bytes = malloc(SIZE);
    FILE *out = fopen("large", "wb");
    (void)state;
    assert_true(bytes && out);
    for (size_t i = 0; i < SIZE; i++)
        bytes[i] = (unsigned char)(i * 31 + i / 4096);
    assert_int_equal(fwrite(bytes, 1, SIZE, out), SIZE);
    fclose(out);
    assert_true(weft_map_file(&map, "large", &err) && weft_map_file(&other, "large", &err));
    weft_unmap(&other);
    assert_memory_equal(map.data, bytes, SIZE);
    size_t before = file_pages();
    weft_mappings_rest(SIZE_MAX);
    assert_true(file_pages() + 1000 > before); /* not so much is there */
    weft_mappings_rest(1);
    assert_true(file_pages() + SIZE / 4096 / 2 < before);
    assert_memory_equal(map.data, bytes, SIZE);
    weft_unmap(&map);
    weft_mappings_rest(1);
    remove("large");
    free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        /* First: it must see the handler that the first mapping finds. */
        IN_FOLDER(test_other_bus_errors_end_the_program_as_ever),
        IN_FOLDER(test_commit_puts_the_file_in_place),
        IN_FOLDER(test_commit_replaces),
        IN_FOLDER(test_abandon_leaves_what_was),
        IN_FOLDER(test_permissions_follow_the_umask),
        IN_FOLDER(test_permissions_of_what_is_replaced_stay),
        IN_FOLDER(test_no_folder_is_a_write_error),
        IN_FOLDER(test_a_folder_is_not_replaced),
        IN_FOLDER(test_through_a_link_the_file_behind_it_is_replaced),
        IN_FOLDER(test_through_links_to_nothing_the_file_is_made_behind_them),
        IN_FOLDER(test_a_descriptor_is_written_as_it_comes),
        IN_FOLDER(test_what_is_no_file_is_written_as_it_comes),
        IN_FOLDER(test_what_the_dead_left_is_removed),
        IN_FOLDER(test_names_of_any_length),
        IN_FOLDER(test_failed_write_is_found_at_commit),
        IN_FOLDER(test_map_of_an_empty_file),
        IN_FOLDER(test_map_of_no_file),
        IN_FOLDER(test_what_is_cut_reads_as_zeros),
        IN_FOLDER(test_a_pipe_is_no_file_to_map),
        IN_FOLDER(test_holes_take_no_room),
        IN_FOLDER(test_mappings_rest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
