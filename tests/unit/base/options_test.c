/* SPDX-License-Identifier: Apache-2.0 */
/* The parser of arguments, against the forms that cli/options.h promises. */
#include "base/nearest_name.h"
#include "cli/help.h"
#include "cli/options.h"
#include "tests/test.h"

static const struct weft_option options[] = {
    { .name = "output", .letter = 'o', .argument = "FILE", .help = "where" },
    { .name = "verbose", .letter = 'v', .help = "more" },
    { .name = "quick", .letter = 'q', .help = "less" },
    { .name = "set", .argument = "NAME=VALUE", .repeats = true, .help = "setting" },
};
static const struct weft_command plain = {
    .name = "try",
    .arguments = "TRACE [MORE]",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .min_positional = 1,
    .max_positional = 2,
};
static const struct weft_command passing = {
    .name = "run",
    .arguments = "PROGRAM",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .min_positional = 1,
    .max_positional = SIZE_MAX,
    .passthrough = true,
};
/* What cli/help.c refers to; the program has its own list. */
const struct weft_command *weft_command_at(size_t index)
{
    static const struct weft_command *const commands[] = { &plain, &passing };
    return index < 2 ? commands[index] : NULL;
}

size_t weft_command_count(void)
{
    return 2;
}
const struct weft_command *weft_command_find(const char *name)
{
    return strcmp(name, "try") == 0 ? &plain : NULL;
}
int weft_report(const struct weft_err *err)
{
    return weft_err_exit_status(err->code);
}

static struct weft_arena arena;
static struct weft_arguments arguments;
static struct weft_err err;
static bool help;

static bool parse(const struct weft_command *command, const char **argv)
{
    weft_arena_reset(&arena);
    return weft_parse_arguments(command, (char **)argv, &arena, &arguments, &help, &err);
}
#define PARSE(command, ...) parse(command, (const char *[]){ __VA_ARGS__, NULL })

static void assert_fails(bool ok, const char *part)
{
    assert_false(ok);
    assert_int_equal(err.code, WEFT_ERR_USAGE);
    if (!strstr(err.message, part))
        fail_msg("\"%s\" does not say \"%s\"", err.message, part);
}

static void test_four_forms_of_a_value(void **state)
{
    (void)state;
    const char *forms[][3] = { { "-o", "x y", NULL },
                               { "-ox y", NULL },
                               { "--output", "x y", NULL },
                               { "--output=x y", NULL } };
    for (size_t i = 0; i < 4; i++) {
        const char *argv[] = { "t", forms[i][0], forms[i][1], NULL };
        assert_true(parse(&plain, argv));
        assert_string_equal(weft_option_value(&arguments, "output"), "x y");
        assert_int_equal(arguments.n_positional, 1);
    }
    assert_true(PARSE(&plain, "t", "--output="));
    assert_string_equal(weft_option_value(&arguments, "output"), "");
    assert_true(PARSE(&plain, "t", "--output", "-v"));
    assert_string_equal(weft_option_value(&arguments, "output"), "-v");
    assert_false(weft_option_given(&arguments, "verbose"));
}

static void test_flags_run_together(void **state)
{
    (void)state;
    assert_true(PARSE(&plain, "-vqo", "x", "t"));
    assert_true(weft_option_given(&arguments, "verbose"));
    assert_true(weft_option_given(&arguments, "quick"));
    assert_string_equal(weft_option_value(&arguments, "output"), "x");
    assert_true(PARSE(&plain, "-vox", "t"));
    assert_string_equal(weft_option_value(&arguments, "output"), "x");
    assert_false(weft_option_given(&arguments, "quick"));
}

static void test_repeated_options_keep_their_order(void **state)
{
    (void)state;
    assert_true(PARSE(&plain, "--set", "a=1", "t", "--set=b=2", "--set", "c=3"));
    const char **sets = weft_option_values(&arguments, "set");
    assert_string_equal(sets[0], "a=1");
    assert_string_equal(sets[1], "b=2");
    assert_string_equal(sets[2], "c=3");
    assert_null(sets[3]);
    assert_true(PARSE(&plain, "t"));
    assert_null(weft_option_values(&arguments, "set"));
    /* Of one that does not repeat, the last counts. */
    assert_true(PARSE(&plain, "-o1", "-o2", "t"));
    assert_string_equal(weft_option_value(&arguments, "output"), "2");
}

static void test_dashes_as_arguments(void **state)
{
    (void)state;
    assert_true(PARSE(&plain, "-", "--", "-v"));
    assert_int_equal(arguments.n_positional, 2);
    assert_string_equal(arguments.positional[0], "-");
    assert_string_equal(arguments.positional[1], "-v");
    assert_null(arguments.positional[2]);
    assert_false(weft_option_given(&arguments, "verbose"));
}

static void test_the_rest_is_passed_through(void **state)
{
    (void)state;
    assert_true(PARSE(&passing, "-v", "ls", "-o", "--", "--help"));
    assert_true(weft_option_given(&arguments, "verbose"));
    assert_false(weft_option_given(&arguments, "output"));
    assert_int_equal(arguments.n_positional, 4);
    assert_string_equal(arguments.positional[2], "--");
    assert_false(help);
    assert_true(PARSE(&passing, "--", "-v"));
    assert_string_equal(arguments.positional[0], "-v");
}

static void test_wrong_usage_says_what_would_be_right(void **state)
{
    (void)state;
    assert_fails(PARSE(&plain, "t", "--ouput=x"), "--output?");
    assert_fails(PARSE(&plain, "t", "--zzzzzz"), "unknown option --zzzzzz");
    assert_fails(PARSE(&plain, "t", "-z"), "unknown option -z");
    assert_fails(PARSE(&plain, "t", "-o"), "-o FILE");
    assert_fails(PARSE(&plain, "t", "--output"), "--output FILE");
    assert_fails(PARSE(&plain, "t", "--verbose=1"), "takes no value");
    assert_fails(PARSE(&plain, "-v"), "weft try TRACE [MORE]");
    assert_fails(PARSE(&plain, "a", "b", "c"), "too many");
}

static void test_help_wins(void **state)
{
    (void)state;
    assert_true(PARSE(&plain, "--help"));
    assert_true(help);
    assert_true(PARSE(&plain, "-vh", "a", "b", "c"));
    assert_true(help);
    assert_true(PARSE(&plain, "t"));
    assert_false(help);
}

static const char *name_of(size_t i, void *user)
{
    return ((const char **)user)[i];
}

static void test_nearest_name(void **state)
{
    (void)state;
    const char *names[] = { "record", "recover", "render", "info", NULL, "dump" };
    assert_string_equal(weft_nearest("recrod", 6, name_of, names), "record");
    assert_string_equal(weft_nearest("inof", 6, name_of, names), "info");
    assert_string_equal(weft_nearest("rend", 6, name_of, names), "render");
    /* A very long word is near to nothing, also not to another long one. */
    char word[512], other[200];
    memset(word, 'x', sizeof word - 1);
    word[sizeof word - 1] = 0;
    memset(other, 'y', sizeof other - 1);
    other[sizeof other - 1] = 0;
    assert_null(weft_nearest(word, 1, name_of, (const char *[]){ other }));
    assert_string_equal(weft_nearest("dum", 6, name_of, names), "dump");
    assert_null(weft_nearest("space-time", 6, name_of, names));
    assert_null(weft_nearest("", 6, name_of, names));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_four_forms_of_a_value),
        cmocka_unit_test(test_flags_run_together),
        cmocka_unit_test(test_repeated_options_keep_their_order),
        cmocka_unit_test(test_dashes_as_arguments),
        cmocka_unit_test(test_the_rest_is_passed_through),
        cmocka_unit_test(test_wrong_usage_says_what_would_be_right),
        cmocka_unit_test(test_help_wins),
        cmocka_unit_test(test_nearest_name),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    weft_arena_free(&arena);
    return failed;
}
