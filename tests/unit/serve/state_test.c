/* SPDX-License-Identifier: Apache-2.0 */
/* What is remembered of a person: the token, and long settings; each test in a fresh folder. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/memory.h"
#include "serve/access_token.h"
#include "serve/long_settings.h"
#include "tests/test.h"

static char folder[64];
static bool stays; /* the latest token, in its folder */

static int enter(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/weft-state-test.XXXXXX");
    return mkdtemp(folder) && chdir(folder) == 0 && setenv("XDG_STATE_HOME", folder, 1) == 0
               ? 0
               : -1;
}

static int leave(void **state)
{
    (void)state;
    char *command = weft_asprintf("rm -rf %s", folder);
    int status = chdir("/") == 0 ? system(command) : -1;
    free(command);
    return status;
}

static void write_file(const char *path, const char *text, mode_t mode)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(chmod(path, mode), 0);
}

static void test_the_token_stays_until_a_new_one_is_asked_for(void **state)
{
    (void)state;
    struct weft_err err;
    char first[TOKEN_SIZE], second[TOKEN_SIZE], third[TOKEN_SIZE];
    char *path = state_folder();
    assert_string_equal(path + strlen(folder), "/weft");
    struct stat st;
    assert_int_equal(stat("weft", &st), 0);
    assert_int_equal(st.st_mode & 0777, 0700);
    assert_true(state_token(first, path, false, &stays, &err));
    assert_true(state_token(second, path, false, &stays, &err));
    assert_string_equal(first, second);
    assert_int_equal(strspn(first, "0123456789abcdef"), 32);
    assert_int_equal(stat("weft/token", &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
    assert_true(state_token(third, path, true, &stays, &err));
    assert_string_not_equal(first, third);
    assert_true(state_token(second, path, false, &stays, &err));
    assert_string_equal(second, third);
    free(path);
}

static void test_a_token_that_others_may_know_is_not_used(void **state)
{
    (void)state;
    struct weft_err err;
    char token[TOKEN_SIZE];
    static const char good[] = "0123456789abcdef0123456789abcdef\n";
    write_file("token", good, 0600);
    assert_true(state_token(token, folder, false, &stays, &err));
    assert_memory_equal(token, good, 32);
    static const mode_t open_ones[] = { 0640, 0604, 0660, 0620, 0602 };
    for (size_t i = 0; i < sizeof open_ones / sizeof *open_ones; i++) {
        assert_int_equal(chmod("token", open_ones[i]), 0);
        assert_false(state_token(token, folder, false, &stays, &err));
        assert_non_null(strstr(err.message, "--new-token"));
    }
    static const char *const bad[] = { "", "short\n", "0123456789ABCDEF0123456789ABCDEF\n",
                                       "0123456789abcdef0123456789abcdef" };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        write_file("token", bad[i], 0600);
        assert_false(state_token(token, folder, false, &stays, &err));
    }
    write_file("elsewhere", good, 0600);
    unlink("token");
    assert_int_equal(symlink("elsewhere", "token"), 0);
    assert_false(state_token(token, folder, false, &stays, &err));
    assert_true(state_token(token, folder, true, &stays,
                            &err)); /* the link goes, not what it names */
    assert_true(state_token(token, folder, false, &stays, &err));
    unlink("token");
    assert_int_equal(mkfifo("token", 0600), 0);
    assert_false(
        state_token(token, folder, false, &stays, &err)); /* and waits for nobody */
}

/* Servers that start at a time agree on one token. */
static void test_servers_that_start_together_have_one_token(void **state)
{
    (void)state;
    enum { SERVERS = 12 };
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    for (int i = 0; i < SERVERS; i++)
        if (fork() == 0) {
            char token[TOKEN_SIZE];
            struct weft_err err;
            bool ok = state_token(token, folder, false, &stays, &err);
            _exit(!ok || write(ends[1], token, TOKEN_SIZE) != TOKEN_SIZE);
        }
    char first[TOKEN_SIZE], token[TOKEN_SIZE];
    for (int i = 0; i < SERVERS; i++) {
        int status;
        assert_true(wait(&status) > 0);
        assert_int_equal(status, 0);
        assert_int_equal(read(ends[0], i ? token : first, TOKEN_SIZE), TOKEN_SIZE);
        assert_string_equal(i ? token : first, first);
    }
    close(ends[0]);
    close(ends[1]);
}

static void test_without_a_folder_a_token_is_for_one_run(void **state)
{
    (void)state;
    struct weft_err err;
    char first[TOKEN_SIZE], second[TOKEN_SIZE];
    assert_true(state_token(first, NULL, false, &stays, &err));
    assert_true(state_token(second, NULL, false, &stays, &err));
    assert_string_not_equal(first, second);
    write_file("file", "", 0600);
    setenv("XDG_STATE_HOME", "/dev/null", 1);
    assert_null(state_folder());
}

/* The old one would open everything at the next start, though nobody wants it any more. */
static void test_a_new_token_that_cannot_be_kept_is_refused(void **state)
{
    (void)state;
    struct weft_err err;
    char token[TOKEN_SIZE];
    assert_true(
        state_token(token, "nowhere", true, &stays, &err)); /* there is no old one */
    assert_false(stays);
    assert_true(state_token(token, "nowhere", false, &stays, &err));
    assert_false(stays);
    assert_true(state_token(token, folder, true, &stays, &err));
    assert_true(stays);
    unlink("token");
    assert_int_equal(mkdir("token", 0700), 0); /* nothing can be put in its place */
    assert_false(state_token(token, folder, true, &stays, &err));
    assert_int_equal(err.code, WEFT_ERR_WRITE);
    assert_non_null(strstr(err.message, "the old secret stays: cannot write"));
}

static void test_long_settings_outlive_the_server(void **state)
{
    (void)state;
    struct weft_err err;
    struct weft_arena arena = { 0 };
    char key[TEXT_CACHE_KEY];
    struct text_cache *cache = text_cache_new("sets");
    assert_true(text_cache_put(cache, "t5:1,3,5", key, &err));
    assert_true(text_cache_is_key(key));
    assert_string_equal(text_cache_get(cache, key, &arena), "t5:1,3,5");
    text_cache_free(cache);
    cache = text_cache_new("sets");
    assert_string_equal(text_cache_get(cache, key, &arena), "t5:1,3,5");
    /* Many more: the newest are there, and the folder does not grow without end. */
    char keys[3 * TEXT_CACHE_MAX][TEXT_CACHE_KEY];
    for (int i = 0; i < 3 * TEXT_CACHE_MAX; i++) {
        char text[32];
        snprintf(text, sizeof text, "t1:%d", i);
        assert_true(text_cache_put(cache, text, keys[i], &err));
    }
    text_cache_free(cache);
    cache = text_cache_new("sets");
    size_t there = 0;
    for (int i = 0; i < 3 * TEXT_CACHE_MAX; i++)
        there += text_cache_get(cache, keys[i], &arena) != NULL;
    assert_int_equal(there, TEXT_CACHE_MAX);
    assert_string_equal(text_cache_get(cache, keys[3 * TEXT_CACHE_MAX - 1], &arena),
                        "t1:299");
    assert_null(text_cache_get(cache, key, &arena));
    assert_null(text_cache_get(cache, "@../../../../../../etc/passwd0000", &arena));
    text_cache_free(cache);
    weft_arena_free(&arena);
}

/* A file of another text under a key would be another set of entities, without a word. */
static void test_a_damaged_setting_is_not_there(void **state)
{
    (void)state;
    struct weft_err err;
    struct weft_arena arena = { 0 };
    char key[TEXT_CACHE_KEY];
    struct text_cache *cache = text_cache_new("sets");
    assert_true(text_cache_put(cache, "t5:1,3,5", key, &err));
    text_cache_free(cache);
    char *path = weft_asprintf("sets/%s", key + 1);
    write_file(path, "t5:1,3,7", 0600);
    cache = text_cache_new("sets");
    assert_null(text_cache_get(cache, key, &arena));
    write_file(path, "t5:1,3,5", 0600);
    assert_string_equal(text_cache_get(cache, key, &arena), "t5:1,3,5");
    text_cache_free(cache);
    free(path);
    weft_arena_free(&arena);
}

#define IN_FOLDER(f) cmocka_unit_test_setup_teardown(f, enter, leave)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(test_the_token_stays_until_a_new_one_is_asked_for),
        IN_FOLDER(test_a_token_that_others_may_know_is_not_used),
        IN_FOLDER(test_servers_that_start_together_have_one_token),
        IN_FOLDER(test_without_a_folder_a_token_is_for_one_run),
        IN_FOLDER(test_a_new_token_that_cannot_be_kept_is_refused),
        IN_FOLDER(test_long_settings_outlive_the_server),
        IN_FOLDER(test_a_damaged_setting_is_not_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
