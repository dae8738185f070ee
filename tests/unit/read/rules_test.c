/* SPDX-License-Identifier: Apache-2.0 */
/* Which rules are about which things: by the words of doc/roles.md, and as many as there may be. */
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "read/roles/rules.h"
#include "tests/random.h"

enum { TYPES = 7, THINGS = 10, RULES = 14, ROUNDS = 4000, LENGTH = 8 };

/* Two letters; a PATTERN has a star or a question mark as often as it has letters. */
static const char *any_name(char to[LENGTH], bool pattern)
{
    unsigned n = 1 + roll(2);
    for (unsigned i = 0; i < n; i++)
        to[i] = "ab*?"[roll(pattern ? 4 : 2)];
    to[n] = '\0';
    return to;
}

struct world { /* a schema, and the texts in it */
    struct weft_schema schema;
    struct weft_type types[TYPES];
    struct weft_value values[THINGS];
    struct weft_field fields[THINGS];
    struct weft_container containers[THINGS];
    char texts[2 * TYPES + 5 * THINGS][LENGTH];
    unsigned n_texts;
};

static const char *any_text(struct world *w)
{
    return any_name(w->texts[w->n_texts++], false);
}

static const char *any_alias(struct world *w)
{
    return roll(2) ? any_text(w) : roll(2) ? "" : NULL;
}

/* Types 0 and 1 are of containers, 2 of links, the others of what comes. */
static void make_world(struct world *w)
{
    memset(w, 0, sizeof *w);
    for (unsigned t = 0; t < TYPES; t++) {
        enum weft_kind kind = t < 2    ? WEFT_CONTAINER
                              : t == 2 ? WEFT_LINK
                                       : (enum weft_kind)roll(WEFT_LINK + 1);
        w->types[t] = (struct weft_type){ .kind = kind,
                                          .parent = t ? roll(2) : WEFT_NONE,
                                          .name = any_text(w),
                                          .alias = any_alias(w) };
    }
    for (unsigned i = 0; i < THINGS; i++) {
        w->values[i] = (struct weft_value){ .type = 2 + roll(TYPES - 2),
                                            .name = any_text(w),
                                            .alias = any_alias(w) };
        w->fields[i] = (struct weft_field){ .type = roll(3) ? roll(TYPES) : WEFT_NONE,
                                            .name = any_text(w) };
        w->containers[i] = (struct weft_container){ .type = roll(2),
                                                    .name = any_text(w),
                                                    .alias = any_alias(w) };
    }
    w->schema = (struct weft_schema){ .types = w->types,
                                      .values = w->values,
                                      .fields = w->fields,
                                      .containers = w->containers,
                                      .n_types = TYPES,
                                      .n_values = THINGS,
                                      .n_fields = THINGS,
                                      .n_containers = THINGS,
                                      .format = "x" };
}

struct rule { /* a rule, as it is written */
    enum weft_role_subject subject;
    bool has_of;
    char of[LENGTH], name[LENGTH];
    enum weft_role role;
};

static struct rule any_rule(void)
{
    static const enum weft_role roles[][2] = {
        [WEFT_ROLE_OF_CONTAINER] = { WEFT_ROLE_PROCESS, WEFT_ROLE_THREAD },
        [WEFT_ROLE_OF_STATE] = { WEFT_ROLE_ACTIVITY, WEFT_ROLE_COMMUNICATION },
        [WEFT_ROLE_OF_VALUE] = { WEFT_ROLE_IDLE, WEFT_ROLE_MESSAGE },
        [WEFT_ROLE_OF_EVENT] = { WEFT_ROLE_COLLECTIVE_OPERATION, WEFT_ROLE_NONE },
        [WEFT_ROLE_OF_VARIABLE] = { WEFT_ROLE_AMOUNT, WEFT_ROLE_NONE },
        [WEFT_ROLE_OF_LINK] = { WEFT_ROLE_MESSAGE, WEFT_ROLE_SPAWN },
        [WEFT_ROLE_OF_FIELD] = { WEFT_ROLE_BYTES, WEFT_ROLE_TAG },
    };
    struct rule said = { .subject = (enum weft_role_subject)roll(WEFT_ROLE_SUBJECTS),
                         .has_of = roll(2) };
    any_name(said.of, true);
    any_name(said.name, true);
    said.role = roles[said.subject][roll(2)];
    return said;
}

static bool fits(const char *pattern, const char *name, const char *alias)
{
    return weft_rules_match(pattern, name)
           || (alias && *alias && weft_rules_match(pattern, alias));
}

static bool belongs(const struct world *w, const struct rule *rule, uint32_t type)
{
    return !rule->has_of
           || (type != WEFT_NONE
               && fits(rule->of, w->types[type].name, w->types[type].alias));
}

static bool is_about_type(const struct world *w, const struct rule *rule, unsigned t)
{
    const struct weft_type *of = &w->types[t];
    return rule->subject == weft_kind_subject(of->kind)
           && !(rule->has_of && of->kind == WEFT_CONTAINER)
           && fits(rule->name, of->name, of->alias) && belongs(w, rule, of->parent);
}

static bool is_about_value(const struct world *w, const struct rule *rule, unsigned v)
{
    const struct weft_value *of = &w->values[v];
    return rule->subject == WEFT_ROLE_OF_VALUE && fits(rule->name, of->name, of->alias)
           && belongs(w, rule, of->type);
}

static bool is_about_field(const struct world *w, const struct rule *rule, unsigned f)
{
    const struct weft_field *of = &w->fields[f];
    return rule->subject == WEFT_ROLE_OF_FIELD && fits(rule->name, of->name, NULL)
           && belongs(w, rule, of->type);
}

static bool is_about_container(const struct world *w, const struct rule *rule, unsigned c)
{
    const struct weft_container *of = &w->containers[c];
    return rule->subject == WEFT_ROLE_OF_CONTAINER && rule->has_of
           && fits(rule->name, of->name, of->alias) && belongs(w, rule, of->type);
}

typedef bool about(const struct world *w, const struct rule *rule, unsigned thing);

static void assert_roles(const struct world *w, const struct rule *rules, unsigned n,
                         about *is_about, const enum weft_role *roles, bool *used)
{
    for (unsigned i = 0; i < n; i++) {
        enum weft_role right = WEFT_ROLE_NONE;
        for (unsigned r = RULES; r-- > 0;) {
            if (!is_about(w, &rules[r], i))
                continue;
            used[r] = true;
            /* Values of links may tell kinds of links apart, others may not. */
            if (is_about == is_about_value
                && weft_role_subject(rules[r].role) == WEFT_ROLE_OF_LINK
                && w->types[w->values[i].type].kind != WEFT_LINK)
                continue;
            right = rules[r].role;
        }
        assert_int_equal(roles[i], right);
    }
}

static void the_first_rule_about_a_thing_counts(void **unused)
{
    (void)unused;
    static const char *const subjects[] = { "container", "state", "value", "event",
                                            "variable",  "link",  "field" };
    static struct world w;
    for (int round = 0; round < ROUNDS; round++) {
        char text[RULES * 64], *end = text;
        struct rule said[RULES];
        make_world(&w);
        for (int i = 0; i < RULES; i++) {
            said[i] = any_rule();
            end +=
                sprintf(end, "%s %s%s%s %s\n", subjects[said[i].subject],
                        said[i].has_of ? said[i].of : "", said[i].has_of ? "/" : "",
                        said[i].name, said[i].role ? weft_role_name(said[i].role) : "none");
        }
        struct weft_err err = { 0 };
        struct weft_rules *rules = weft_rules_parse(text, strlen(text), "x", &err);
        const struct weft_rules *list = rules;
        struct weft_roles roles;
        if (!rules)
            fail_msg("%s: %s", text, err.message);
        weft_roles_init(&roles, &w.schema);
        weft_rules_apply(&list, 1, &w.schema, true, &roles, NULL, NULL);
        bool used[RULES] = { false };
        assert_roles(&w, said, TYPES, is_about_type, roles.types, used);
        assert_roles(&w, said, THINGS, is_about_value, roles.values, used);
        assert_roles(&w, said, THINGS, is_about_field, roles.fields, used);
        assert_roles(&w, said, THINGS, is_about_container, roles.containers, used);
        uint32_t line = 0, first = 0;
        size_t n = 0;
        for (uint32_t r = 0; r < RULES; r++)
            if (!used[r] && n++ == 0)
                first = r + 1;
        assert_int_equal(weft_rules_unused(rules, &w.schema, &line), n);
        assert_int_equal(line, first);
        weft_roles_free(&roles);
        weft_rules_free(rules);
    }
}

/* A rule for each type and for each one's values: a product of them would take many minutes. */
static void as_many_rules_as_types(void **unused)
{
    (void)unused;
    enum { MANY = 100000, LONGEST = 64 };
    struct weft_type *types = calloc(MANY + 1, sizeof *types);
    struct weft_value *values = calloc(MANY, sizeof *values);
    char(*names)[LENGTH] = calloc(MANY, LENGTH);
    char *text = malloc((size_t)MANY * LONGEST), *end = text;
    types[0] =
        (struct weft_type){ .kind = WEFT_CONTAINER, .name = "", .parent = WEFT_NONE };
    for (uint32_t i = 0; i < MANY; i++) {
        sprintf(names[i], "s%u", i);
        types[i + 1] = (struct weft_type){ .kind = WEFT_STATE, .name = names[i] };
        values[i] = (struct weft_value){ .type = i + 1, .name = "v" };
        end += sprintf(end, "state s%u communication\nvalue s%u/v %s\n", i, i,
                       i % 3 ? "idle" : "computing");
    }
    struct weft_schema schema = { .types = types,
                                  .n_types = MANY + 1,
                                  .values = values,
                                  .n_values = MANY,
                                  .format = "x" };
    struct weft_err err = { 0 };
    struct weft_rules *rules = weft_rules_parse(text, (size_t)(end - text), "x", &err);
    const struct weft_rules *list = rules;
    struct weft_roles roles;
    uint32_t line = 0;
    assert_non_null(rules);
    weft_roles_init(&roles, &schema);
    weft_rules_apply(&list, 1, &schema, true, &roles, NULL, NULL);
    for (uint32_t i = 0; i < MANY; i++) {
        assert_int_equal(roles.types[i + 1], WEFT_ROLE_COMMUNICATION);
        assert_int_equal(roles.values[i], i % 3 ? WEFT_ROLE_IDLE : WEFT_ROLE_COMPUTING);
    }
    assert_int_equal(weft_rules_unused(rules, &schema, &line), 0);
    weft_roles_free(&roles);
    weft_rules_free(rules);
    free(types);
    free(values);
    free(names);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_rule_about_a_thing_counts),
        cmocka_unit_test(as_many_rules_as_types),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
