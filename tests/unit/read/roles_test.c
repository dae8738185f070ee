/* SPDX-License-Identifier: Apache-2.0 */
/* Rules of roles: their syntax, what they match, the tables that are built in, and maps. */
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/file.h"
#include "base/memory.h"
#include "format/store_layout.h"
#include "read/roles/builtin_role_tables.h"
#include "read/roles/rules.h"
#include "read/roles/user_maps.h"
#include "read/roles/write.h"
#include "tests/random.h"

/* ---- Patterns, against a matcher that tries everything ---- */

static bool tries_all(const char *pattern, const char *text)
{
    if (!*pattern)
        return !*text;
    if (*pattern == '*')
        return tries_all(pattern + 1, text) || (*text && tries_all(pattern, text + 1));
    return *text && (*pattern == '?' || *pattern == *text)
           && tries_all(pattern + 1, text + 1);
}

/* The I-th of the texts of at most four letters out of N. */
static void nth_text(char *text, int i, const char *letters, int n)
{
    while (i > 0) {
        *text++ = letters[(i - 1) % n];
        i = (i - 1) / n;
    }
    *text = '\0';
}

static void every_short_pattern_matches_what_it_must(void **state)
{
    (void)state;
    char pattern[8], text[8];
    for (int p = 0; p < 341; p++) { /* 1 + 4 + 16 + 64 + 256 */
        nth_text(pattern, p, "ab*?", 4);
        for (int t = 0; t < 31; t++) {
            nth_text(text, t, "ab", 2);
            if (weft_rules_match(pattern, text) != tries_all(pattern, text))
                fail_msg("'%s' and '%s'", pattern, text);
        }
    }
}

static void escapes_and_characters_of_many_bytes(void **state)
{
    (void)state;
    assert_true(weft_rules_match("a\\*", "a*"));
    assert_false(weft_rules_match("a\\*", "ab"));
    assert_true(weft_rules_match("\\?*", "?x"));
    assert_false(weft_rules_match("\\?*", "xx"));
    assert_true(weft_rules_match("\\\\", "\\"));
    assert_true(weft_rules_match("a?c", "a\xc3\xa9"
                                        "c")); /* a é c: one character */
    assert_false(weft_rules_match("a?c", "aeec"));
    assert_true(weft_rules_match("*\xc3\xa9", "caf\xc3\xa9"));
}

/* ---- Slips ---- */

static void slips_have_a_line_and_say_what_is_right(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        unsigned line;
        const char *says;
    } slips[] = {
        { "stat S activity\n", 1, "unknown subject 'stat' (did you mean state?)" },
        { "zzzzzzzz S activity\n", 1, "right: container, state, value, event" },
        { "\n# x\nstate S\n", 3, "the role is missing (a rule is: state NAME ROLE)" },
        { "state\n", 1, "the name is missing" },
        { "link L mesage\n", 1, "unknown role 'mesage' (did you mean message?)" },
        { "link L qqqqqqqqqqqq\n", 1, "right: message, collective, transfer, wake-up" },
        { "value V wake_up\n", 1, "did you mean wake-up?" },
        { "state S message\n", 1, "'message' is a role of a link, not of a state" },
        { "container C computing\n", 1, "'computing' is a role of a value, not of a co" },
        { "state Worker State activity\n", 1, "'activity' is too much" },
        { "state S activity\r\nvalue \"a b computing\r\n", 2, "opened and not closed" },
        { "needs\n", 1, "right: needs SUBJECT NAME" },
        { "needs state\n", 1, "right: needs SUBJECT NAME" },
        { "needs state A and state B\n", 1, "right: needs SUBJECT NAME" },
        { "needs state A or state\n", 1, "right: needs SUBJECT NAME" },
        { "needs sate A\n", 1, "did you mean state?" },
        { "needs container A/b\n", 1, "right: needs container TYPE" },
        { "tool\n", 1, "right: tool NAME" },
        { "tool a\n\ntool b\n", 3, "a second tool" },
    };
    for (size_t i = 0; i < sizeof slips / sizeof *slips; i++) {
        struct weft_err err = { 0 };
        struct weft_rules *rules =
            weft_rules_parse(slips[i].text, strlen(slips[i].text), "my.roles", &err);
        assert_null(rules);
        if (err.line != slips[i].line || !strstr(err.message, slips[i].says))
            fail_msg("%s: line %u: %s", slips[i].text, (unsigned)err.line, err.message);
        assert_int_equal(err.code, WEFT_ERR_FORMAT);
        assert_string_equal(err.file, "my.roles");
    }
    struct weft_err err = { 0 };
    assert_null(weft_rules_parse("a\0b", 3, "x", &err));
    assert_non_null(strstr(err.message, "no text"));
}

/* Every prefix and every changed byte of a text is rules or a slip, and nothing else. */
static void any_text_is_rules_or_a_slip(void **state)
{
    (void)state;
    static const char text[] = "tool a\nneeds state \"x y\" or format p\n"
                               "value S\\/a/\"b/\\\"c\" computing # said\nlink * message\n";
    static const char bytes[] = { ' ', '"', '\\', '#', '/', '*', '\n', '\r', '\t', 'x', 0 };
    size_t n = sizeof text - 1;
    char copy[sizeof text];
    for (size_t i = 0; i <= n; i++) {
        struct weft_err err = { 0 };
        struct weft_rules *rules = weft_rules_parse(text, i, "x", &err);
        assert_true(rules || err.message[0]);
        weft_rules_free(rules);
        for (size_t b = 0; b < sizeof bytes && i < n; b++) {
            memcpy(copy, text, sizeof text);
            copy[i] = bytes[b];
            err = (struct weft_err){ 0 };
            rules = weft_rules_parse(copy, n, "x", &err);
            assert_true(rules || err.message[0]);
            weft_rules_free(rules);
        }
    }
}

/* ---- What has which role ---- */

static uint32_t find_type(const struct weft_schema *schema, const char *name)
{
    for (uint32_t t = 0; t < schema->n_types; t++)
        if (strcmp(schema->types[t].name, name) == 0)
            return t;
    fail_msg("no type %s", name);
    return 0;
}

static const char *role_of_type(const struct weft_trace *trace, const char *name)
{
    const struct weft_schema *schema = weft_trace_schema(trace);
    return weft_role_name(schema->types[find_type(schema, name)].role);
}

static const char *role_of_value(const struct weft_trace *trace, const char *type,
                                 const char *name)
{
    const struct weft_schema *schema = weft_trace_schema(trace);
    uint32_t of = find_type(schema, type);
    for (uint32_t v = 0; v < schema->n_values; v++)
        if (schema->values[v].type == of && strcmp(schema->values[v].name, name) == 0)
            return weft_role_name(schema->values[v].role);
    fail_msg("no value %s of %s", name, type);
    return NULL;
}

static const char *role_of_container(const struct weft_trace *trace, const char *name)
{
    const struct weft_schema *schema = weft_trace_schema(trace);
    bool ambiguous;
    uint32_t c = weft_find_container(schema, name, &ambiguous);
    assert_true(c != WEFT_NONE);
    return weft_role_name(schema->containers[c].role);
}

static bool lay(struct weft_trace *trace, const char *text, struct weft_err *err)
{
    char *path = weft_strdup(support_path("my.roles"));
    support_write(path, text, strlen(text));
    bool ok = weft_maps_apply(trace, path, NULL, NULL, err);
    free(path);
    return ok;
}

/* A state and a link type of the same names for values, and two containers of a type. */
static const char two_of_each[] = "12 1 a S run\n12 2 a S \"a/b c\"\n12 3 b S run*\n"
                                  "17 1 0 L a run k\n18 2 0 L b run k\n14 1 a V 3\n"
                                  "13 1 a E run\n12 9 a S \"\"\n";

static void the_first_rule_that_matches_counts(void **state)
{
    (void)state;
    struct weft_err err = { 0 };
    struct weft_trace *trace = support_read(two_of_each);
    assert_true(lay(trace,
                    "value State/run      computing   # of this type only\n"
                    "value State/r*       sleeping\n"
                    "value */\"a/b c\"    blocked\n"
                    "value run            message     # of values of links only\n"
                    "value run            idle\n"
                    "state Nothing        call\n"
                    "state Process/State  activity\n"
                    "state State          task\n"
                    "event V              mark        # V is a variable\n"
                    "variable V           amount      # its identifier\n"
                    "container Process    process\n"
                    "container Process/tw? thread\n",
                    &err));
    assert_string_equal(role_of_value(trace, "State", "run"), "computing");
    assert_string_equal(role_of_value(trace, "State", "run*"), "sleeping");
    assert_string_equal(role_of_value(trace, "State", "a/b c"), "blocked");
    assert_string_equal(role_of_value(trace, "Link", "run"), "message");
    assert_string_equal(role_of_value(trace, "Event", "run"), "idle");
    assert_string_equal(role_of_type(trace, "State"), "activity");
    assert_string_equal(role_of_type(trace, "Variable"), "amount");
    assert_string_equal(role_of_type(trace, "Event"), "");
    assert_string_equal(role_of_container(trace, "one"), "process");
    assert_string_equal(role_of_container(trace, "two"), "thread");
    weft_trace_close(trace);
}

/* Random names and patterns of two letters, a star and a question mark, quoted and not. */
static void any_name(char *to, bool quoted)
{
    static const char letters[] = "ab*?";
    unsigned n = 1 + roll(2);
    for (unsigned i = 0; i < n; i++) {
        char letter = letters[roll(4)];
        if (quoted && roll(2) && strchr("*?", letter))
            *to++ = '\\';
        *to++ = letter;
    }
    *to = '\0';
}

/* As doc/roles.md says it, without anything to be quick: the first rule whose pattern matches. */
static void rules_with_and_without_patterns_go_in_order(void **state)
{
    (void)state;
    enum { RULES = 12, THINGS = 12, ROUNDS = 3000 };
    static const char *const said[] = { "computing", "idle" };
    static char names[THINGS][8], aliases[THINGS][8], patterns[RULES][8];
    struct weft_type types[2] = { { .kind = WEFT_CONTAINER, .name = "" },
                                  { .kind = WEFT_STATE, .name = "S" } };
    struct weft_value values[THINGS];
    struct weft_schema schema = {
        .types = types, .n_types = 2, .values = values, .n_values = THINGS, .format = "paje"
    };
    for (int round = 0; round < ROUNDS; round++) {
        char text[1024], *end = text;
        enum weft_role roles_of[RULES];
        for (int i = 0; i < THINGS; i++) {
            any_name(names[i], false);
            any_name(aliases[i], false);
            values[i] = (struct weft_value){ .type = 1,
                                             .name = names[i],
                                             .alias = roll(2) ? aliases[i] : NULL };
        }
        for (int i = 0; i < RULES; i++) {
            unsigned role = roll(2);
            any_name(patterns[i], true);
            roles_of[i] = role ? WEFT_ROLE_IDLE : WEFT_ROLE_COMPUTING;
            end += sprintf(end, "value S/%s %s\n", patterns[i], said[role]);
        }
        struct weft_err err = { 0 };
        struct weft_rules *rules = weft_rules_parse(text, strlen(text), "x", &err);
        const struct weft_rules *list = rules;
        struct weft_roles roles;
        uint32_t line = 0, first_unused = 0;
        size_t unused = 0;
        assert_non_null(rules);
        weft_roles_init(&roles, &schema);
        weft_rules_apply(&list, 1, &schema, true, &roles, NULL, NULL);
        for (int i = 0; i < THINGS; i++) {
            enum weft_role right = WEFT_ROLE_NONE;
            for (int r = RULES; r-- > 0;)
                if (weft_rules_match(patterns[r], names[i])
                    || (values[i].alias && weft_rules_match(patterns[r], aliases[i])))
                    right = roles_of[r];
            assert_int_equal(roles.values[i], right);
        }
        for (int r = RULES; r-- > 0;) {
            bool used = false;
            for (int i = 0; i < THINGS; i++)
                used |= weft_rules_match(patterns[r], names[i])
                        || (values[i].alias && weft_rules_match(patterns[r], aliases[i]));
            unused += !used;
            first_unused = used ? first_unused : (uint32_t)r + 1;
        }
        assert_int_equal(weft_rules_unused(rules, &schema, &line), unused);
        assert_int_equal(line, first_unused);
        weft_roles_free(&roles);
        weft_rules_free(rules);
    }
}

/* What `weft info --roles` writes of a trace has a rule for each of its values: one look each. */
static void as_many_rules_as_values(void **state)
{
    (void)state;
    enum { THINGS = 200000, LONGEST = 40 };
    struct weft_type types[2] = { { .kind = WEFT_CONTAINER, .name = "" },
                                  { .kind = WEFT_STATE, .name = "S" } };
    struct weft_value *values = calloc(THINGS, sizeof *values);
    char(*names)[LONGEST] = calloc(THINGS, LONGEST);
    char *text = malloc((size_t)THINGS * LONGEST), *end = text;
    struct weft_schema schema = {
        .types = types, .n_types = 2, .values = values, .n_values = THINGS, .format = "paje"
    };
    struct weft_err err = { 0 };
    struct weft_roles roles;
    uint32_t line = 0;
    for (int i = 0; i < THINGS; i++) {
        snprintf(names[i], LONGEST, "v%d", i);
        values[i] = (struct weft_value){ .type = 1, .name = names[i] };
        end += sprintf(end, "value S/v%d %s\n", i, i % 3 ? "idle" : "computing");
    }
    struct weft_rules *rules = weft_rules_parse(text, (size_t)(end - text), "x", &err);
    const struct weft_rules *list = rules;
    assert_non_null(rules);
    weft_roles_init(&roles, &schema);
    weft_rules_apply(&list, 1, &schema, true, &roles, NULL, NULL);
    for (int i = 0; i < THINGS; i++)
        assert_int_equal(roles.values[i], i % 3 ? WEFT_ROLE_IDLE : WEFT_ROLE_COMPUTING);
    assert_int_equal(weft_rules_unused(rules, &schema, &line), 0);
    weft_roles_free(&roles);
    weft_rules_free(rules);
    free(values);
    free(names);
    free(text);
}

static void people_override_and_take_away(void **state)
{
    (void)state;
    struct weft_err err = { 0 };
    struct weft_trace *trace = support_read(two_of_each);
    assert_string_equal(role_of_type(trace, "Process"), "process"); /* ours */
    assert_true(lay(trace, "container Process rank\n", &err));
    assert_string_equal(role_of_container(trace, "one"), "rank");
    assert_true(lay(trace, "container Process none\ncontainer Process/one worker\n", &err));
    assert_string_equal(role_of_type(trace, "Process"), "");
    assert_string_equal(role_of_container(trace, "one"), "worker");
    assert_string_equal(role_of_container(trace, "two"), "");
    weft_trace_close(trace);
}

static void needs_are_checked(void **state)
{
    (void)state;
    struct weft_err err = { 0 };
    struct weft_trace *trace = support_read(two_of_each);
    assert_true(
        lay(trace, "needs state Nothing or value State/run\nneeds format paje\n", &err));
    assert_false(lay(trace, "needs state State\nneeds link State\nlink * message\n", &err));
    assert_int_equal(err.line, 2);
    assert_non_null(strstr(err.file, "my.roles"));
    assert_string_equal(role_of_type(trace, "Link"), "");
    assert_false(lay(trace, "needs format otf2\n", &err));
    weft_trace_close(trace);
}

/* ---- What is written reads back as the same ---- */

static void written_rules_give_the_same_roles(void **state)
{
    (void)state;
    struct weft_err err = { 0 };
    static const char names[] =
        "2 S2 P State\n12 1 a S2 run\n12 2 a S2 \"what? * \\ #1\"\n12 3 a S2 \"\"\n"
        "12 4 a S2 \"\xc3\xa9t\xc3\xa9/hiver\"\n3 E2 P \"Ev ent/s\"\n13 5 a E2 \"#\"\n";
    struct weft_trace *first = support_read(names);
    assert_true(lay(first,
                    "value S2/run computing\nvalue S2/what* sleeping\nvalue S2/\"\" idle\n"
                    "value S2/*hiver blocked\nstate S2 activity\nstate S call\n"
                    "value \"Ev ent/s\"/\"#\" running\ncontainer Process/two worker\n",
                    &err));
    char *text = NULL;
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    size_t unknown = weft_roles_write(weft_trace_schema(first), stream);
    fclose(stream);
    assert_int_equal(unknown, 4); /* Event, Variable, Link, and "Ev ent/s" */
    assert_non_null(strstr(text, "\"\xc3\xa9t\xc3\xa9/hiver\""));
    struct weft_trace *second = support_read(names);
    assert_true(lay(second, text, &err));
    const struct weft_schema *a = weft_trace_schema(first), *b = weft_trace_schema(second);
    for (uint32_t i = 0; i < a->n_types; i++)
        assert_int_equal(a->types[i].role, b->types[i].role);
    for (uint32_t i = 0; i < a->n_values; i++)
        assert_int_equal(a->values[i].role, b->values[i].role);
    for (uint32_t i = 0; i < a->n_containers; i++)
        assert_int_equal(a->containers[i].role, b->containers[i].role);
    weft_trace_close(first);
    weft_trace_close(second);
    free(text);
}

/* A store that is saved with other roles is whole, and differs in nothing else. */
static void roles_are_saved(void **state)
{
    (void)state;
    struct weft_err err = { 0 };
    struct weft_trace *trace = support_read(two_of_each);
    assert_true(lay(trace,
                    "state S task\nvalue S/run computing\ncontainer P/two device\n"
                    "link L transfer\n",
                    &err));
    char *path = weft_strdup(support_path("saved.weft"));
    assert_true(weft_trace_save(trace, path, &err));
    struct weft_trace *saved = weft_trace_open(path, &err);
    assert_non_null(saved);
    assert_int_equal(weft_trace_verify(saved, NULL), 0);
    assert_string_equal(role_of_type(saved, "State"), "task");
    assert_string_equal(role_of_type(saved, "Link"), "transfer");
    assert_string_equal(role_of_value(saved, "State", "run"), "computing");
    assert_string_equal(role_of_container(saved, "one"), "process");
    assert_string_equal(role_of_container(saved, "two"), "device");
    char *before = support_dump(trace), *after = support_dump(saved);
    assert_string_equal(before, after);
    free(before);
    free(after);
    /* Its own role stays when that of its type changes, for it was given to it alone. */
    assert_true(lay(saved, "container Process worker\n", &err));
    assert_string_equal(role_of_container(saved, "one"), "worker");
    assert_string_equal(role_of_container(saved, "two"), "device");
    assert_false(weft_trace_save(saved, "/nonexistent/x.weft", &err));
    assert_int_equal(err.code, WEFT_ERR_WRITE);
    weft_trace_close(trace);
    weft_trace_close(saved);
    free(path);
}

/* Give row 1 of a table in the bytes of a store ROLE, and mend the checksums. */
static void forge(unsigned char *bytes, enum weft_section_kind kind, size_t row,
                  size_t role_at, uint32_t role)
{
    struct weft_file_header *header = (void *)bytes;
    struct weft_file_section *section = &header->sections[kind];
    assert_true(section->size >= 2 * row);
    memcpy(bytes + section->offset + row + role_at, &role, sizeof role);
    section->checksum = XXH3_64bits(bytes + section->offset, section->size);
    header->checksum = 0;
    header->checksum = XXH3_64bits(header, sizeof *header);
}

/* A store may say that a type of containers computes: what makes no sense is no role. */
static void roles_of_other_things_are_none(void **state)
{
    (void)state;
    struct weft_err err = { 0 };
    struct weft_trace *trace = support_read(two_of_each);
    char *path = weft_strdup(support_path("forged.weft"));
    assert_true(weft_trace_save(trace, path, &err));
    weft_trace_close(trace);
    struct weft_mapping map;
    assert_true(weft_map_file(&map, path, &err));
    unsigned char *bytes = weft_alloc(map.size);
    memcpy(bytes, map.data, map.size);
    forge(bytes, WEFT_SECTION_TYPES, sizeof(struct weft_file_type),
          offsetof(struct weft_file_type, role), WEFT_ROLE_COMPUTING);
    forge(bytes, WEFT_SECTION_VALUES, sizeof(struct weft_file_value),
          offsetof(struct weft_file_value, role), WEFT_ROLE_MESSAGE);
    forge(bytes, WEFT_SECTION_CONTAINERS, sizeof(struct weft_file_container),
          offsetof(struct weft_file_container, role), WEFT_ROLE_SITE);
    support_write(path, bytes, map.size);
    weft_unmap(&map);
    free(bytes);
    trace = weft_trace_open(path, &err);
    assert_non_null(trace);
    const struct weft_schema *schema = weft_trace_schema(trace);
    assert_int_equal(schema->types[1].role, WEFT_ROLE_NONE);
    assert_int_equal(schema->types[schema->values[1].type].kind, WEFT_STATE);
    assert_int_equal(schema->values[1].role, WEFT_ROLE_NONE);
    assert_int_equal(schema->containers[1].role, WEFT_ROLE_NONE);
    assert_true(lay(trace, "state * activity\n", &err));
    weft_trace_close(trace);
    free(path);
}

/* The names of formats and tools come from files: they lead to no other folder. */
static void maps_are_kept_in_their_folder_only(void **state)
{
    (void)state;
    static const char *const formats[] = { "../x", "", "a/b", "A", "a b", "paje" };
    struct weft_note notes[] = { { "tool", "../../etc" }, { "tool", "smpi" } };
    assert_int_equal(setenv("XDG_CONFIG_HOME", "/c", 1), 0);
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        struct weft_schema schema = { .format = formats[i], .notes = notes, .n_notes = 1 };
        struct weft_err err = { 0 };
        char *path = weft_maps_path(&schema, &err);
        if (strcmp(formats[i], "paje") != 0) {
            assert_null(path);
            assert_true(err.message[0]);
            continue;
        }
        assert_string_equal(path, "/c/weft/maps/paje.roles");
        free(path);
        schema.n_notes = 2;
        path = weft_maps_path(&schema, &err);
        assert_string_equal(path, "/c/weft/maps/paje-smpi.roles");
        free(path);
    }
    assert_int_equal(setenv("XDG_CONFIG_HOME", "", 1), 0);
    assert_int_equal(setenv("HOME", "/h", 1), 0);
    struct weft_schema schema = { .format = "otf2" };
    char *path = weft_maps_path(&schema, NULL);
    assert_string_equal(path, "/h/.config/weft/maps/otf2.roles");
    free(path);
    assert_int_equal(unsetenv("HOME"), 0);
    assert_null(weft_maps_path(&schema, NULL));
}

/* ---- The tables that are built in ---- */

static void the_tables_are_rules_of_tools_and_then_of_all(void **state)
{
    (void)state;
    bool shared = false;
    assert_true(weft_role_tables_n >= 10);
    for (size_t i = 0; i < weft_role_tables_n; i++) {
        const struct weft_text *table = &weft_role_tables[i];
        struct weft_err err = { 0 };
        struct weft_rules *rules =
            weft_rules_parse(table->text, strlen(table->text), table->name, &err);
        if (!rules)
            fail_msg("%s.roles:%u: %s", table->name, (unsigned)err.line, err.message);
        const char *tool = weft_rules_tool(rules);
        if (tool)
            assert_string_equal(tool, table->name);
        assert_false(tool && shared);
        shared |= !tool;
        /* None is used for a trace of which nothing is known. */
        struct weft_schema nothing = { .format = "" };
        assert_false(weft_rules_fit(rules, &nothing, NULL, NULL));
        weft_rules_free(rules);
    }
}

/* ParaGraph's classes (section "busy, overhead, idle"), call by call. */
static void calls_of_mpi_have_their_classes(void **state)
{
    (void)state;
    static const struct {
        const char *role, *calls;
    } classes[] = {
        { "blocking-send", "Send Rsend" },
        { "sending", "Bsend Isend Ibsend Issend Irsend Start Startall Send_init "
                     "Ssend_init Put Get Accumulate Rput Ibcast Ialltoall Iallreduce "
                     "Igather Iscatterv Ibarrier Isendrecv" },
        { "receiving", "Irecv Recv_init Imrecv" },
        { "testing", "Test Testall Testany Testsome Iprobe Improbe Win_test" },
        { "blocked-on-receiver", "Ssend" },
        { "blocked-on-message", "Recv Wait Waitall Waitany Waitsome Probe Mprobe "
                                "Mrecv Sendrecv Sendrecv_replace Win_wait Win_flush" },
        { "blocked-on-barrier", "Barrier Win_fence" },
        { "blocked-on-collective",
          "Bcast Reduce Allreduce Gather Gatherv Scatter Scatterv Allgather Allgatherv "
          "Alltoall Alltoallv Alltoallw Reduce_scatter Reduce_scatter_block Scan Exscan "
          "Neighbor_allgather Neighbor_alltoallv" },
        { "blocked-on-lock", "Win_lock Win_lock_all" },
        { "blocked-on-input-output", "File_read File_write_at_all File_open" },
        { "setting-up", "Init Init_thread Finalize" },
        { "overhead", "Comm_rank Comm_split Comm_dup Type_commit Cart_create Wtime "
                      "Get_count Request_free Cancel Reduce_local Op_create Pack "
                      "File_iread" },
    };
    static const char *const prefixes[] = { "MPI_", "PMPI_" };
    for (size_t p = 0; p < 2; p++)
        for (size_t i = 0; i < sizeof classes / sizeof *classes; i++) {
            char *calls = weft_strdup(classes[i].calls), *save = NULL;
            for (char *call = strtok_r(calls, " ", &save); call;
                 call = strtok_r(NULL, " ", &save)) {
                char *name = weft_asprintf("%s%s", prefixes[p], call);
                char *text = weft_asprintf("12 1 a S %s\n", name);
                struct weft_trace *trace = support_read(text);
                if (strcmp(role_of_value(trace, "State", name), classes[i].role) != 0)
                    fail_msg("%s is %s, not %s", name, role_of_value(trace, "State", name),
                             classes[i].role);
                weft_trace_close(trace);
                free(name);
                free(text);
            }
            free(calls);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_short_pattern_matches_what_it_must),
        cmocka_unit_test(escapes_and_characters_of_many_bytes),
        cmocka_unit_test(slips_have_a_line_and_say_what_is_right),
        cmocka_unit_test(any_text_is_rules_or_a_slip),
        cmocka_unit_test(the_first_rule_that_matches_counts),
        cmocka_unit_test(rules_with_and_without_patterns_go_in_order),
        cmocka_unit_test(as_many_rules_as_values),
        cmocka_unit_test(people_override_and_take_away),
        cmocka_unit_test(needs_are_checked),
        cmocka_unit_test(written_rules_give_the_same_roles),
        cmocka_unit_test(roles_are_saved),
        cmocka_unit_test(roles_of_other_things_are_none),
        cmocka_unit_test(maps_are_kept_in_their_folder_only),
        cmocka_unit_test(the_tables_are_rules_of_tools_and_then_of_all),
        cmocka_unit_test(calls_of_mpi_have_their_classes),
    };
    return cmocka_run_group_tests(tests, NULL, support_cleanup);
}
