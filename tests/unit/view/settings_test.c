/* SPDX-License-Identifier: Apache-2.0 */
/* Settings that are sets: what is taken, what they then hold, and what is refused. */
#include "store/schema.h"
#include "tests/test.h"
#include "view/view.h"

static const struct weft_parameter parameters[] = {
    { "opened", WEFT_PARAMETER_ENTITIES, NULL, 0, 0, "", "what is open" },
};
static const struct weft_view view = {
    .name = "test",
    .parameters = parameters,
    .n_parameters = 1,
};

/* A root with two processes of one name and ten threads. */
enum { CONTAINERS = 13 };
static struct weft_container containers[CONTAINERS];
static uint32_t preorder[CONTAINERS];
static const struct weft_track tracks[] = { { .count = 10 },
                                            { .count = 0 },
                                            { .count = 1 } };
static const struct weft_schema schema = {
    .containers = containers,
    .n_containers = CONTAINERS,
    .preorder = preorder,
    .tracks = tracks,
    .n_tracks = 3,
};

static int set_up(void **state)
{
    static const char *const names[CONTAINERS] = { "run", "twin", "twin", "a", "b",
                                                   "c",   "d",    "e",    "f", "g",
                                                   "h",   "i",    "#9" };
    (void)state;
    for (uint32_t i = 0; i < CONTAINERS; i++) {
        bool last = i + 1 == CONTAINERS;
        containers[i] = (struct weft_container){
            .name = names[i],
            .alias = "",
            .parent = i ? 0 : WEFT_NONE,
            .first_child = i ? WEFT_NONE : 1,
            .next_sibling = i && !last ? i + 1 : WEFT_NONE,
            .depth = i > 0,
            .order = i,
            .subtree_end = i ? i + 1 : CONTAINERS,
        };
        preorder[i] = i;
    }
    return 0;
}

static void test_entities_are_checked_as_a_text(void **state)
{
    (void)state;
    const char *settings[1] = { 0 };
    struct weft_err err = { 0 };
    assert_true(weft_setting_parse(&view, "opened=t2:0;t0:3-5;#1+", settings, &err));
    assert_string_equal(settings[0], "t2:0;t0:3-5;#1+");
    assert_true(weft_setting_parse(&view, "opened=", settings, &err));
    assert_string_equal(settings[0], "");
    assert_false(weft_setting_parse(&view, "opened=t0:5-3", settings, &err));
    assert_int_equal(err.code, WEFT_ERR_USAGE);
    assert_non_null(strstr(err.message, "runs backwards"));
    assert_string_equal(settings[0], "");
}

static void test_entities_are_in_the_trace(void **state)
{
    (void)state;
    static const struct {
        const char *text, *what; /* NULL: is taken */
    } cases[] = {
        { "", NULL },
        { "t0:0-9;t2:0;#0,#12,#12+", NULL },
        { "t0:0-10", "no t0:10 (t0 has 10" },
        { "t0:0;t1:0", "no t1:0 (t1 has 0" },
        { "t3:0", "no track t3 (there are 3)" },
        { "t2:0;#13", "'#13'" },
        { "#5-13+", "'#13'" },
        { "#5;a", "neither a track" }, /* names are for lists of containers */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct weft_entity_set set;
        struct weft_err err = { 0 };
        bool ok = weft_setting_entities(&schema, cases[i].text, &set, &err);
        assert_int_equal(ok, !cases[i].what);
        if (ok) {
            char *text = weft_entity_set_text(&set);
            assert_string_equal(text, cases[i].text);
            free(text);
            weft_entity_set_free(&set);
            continue;
        }
        assert_int_equal(err.code, WEFT_ERR_USAGE);
        assert_non_null(strstr(err.message, cases[i].what));
        assert_null(set.ranges);
    }
}

/* MEMBERS: a digit a container, as weft_setting_containers marks them. */
static void test_lists_of_containers(void **state)
{
    (void)state;
    static const struct {
        const char *list, *members, *what;
    } cases[] = {
        { "", "0000000000000", NULL },
        { "#3", "0001000000000", NULL },
        { "#3+,#0", "1002000000000", NULL },
        { "a,d+", "0001002000000", NULL },
        { ",,#3,,", "0001000000000", NULL },
        { "#3,#3+", "0002000000000", NULL }, /* the later of two counts */
        { "#3+,#3", "0001000000000", NULL },
        { "#3-5,h,#8-12+", "0001110022222", NULL },
        { "#9", "0000000001000", NULL }, /* a number, whoever is called so */
        { "twin", NULL, "several containers are called 'twin'" },
        { "nobody+", NULL, "no container is called 'nobody'" },
        { "#13", NULL, "no container is called '#13'" },
        { "#0-13", NULL, "no container is called '#13'" },
        { "#x", NULL, "number is missing" },
        { "#3 ", NULL, "something follows" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint8_t member[CONTAINERS];
        struct weft_err err = { 0 };
        bool ok = weft_setting_containers(&schema, cases[i].list, member, &err);
        assert_int_equal(ok, cases[i].members != NULL);
        for (int c = 0; ok && c < CONTAINERS; c++)
            assert_int_equal(member[c], cases[i].members[c] - '0');
        if (!ok)
            assert_non_null(strstr(err.message, cases[i].what));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_entities_are_checked_as_a_text),
        cmocka_unit_test(test_entities_are_in_the_trace),
        cmocka_unit_test(test_lists_of_containers),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}
