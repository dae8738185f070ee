/* SPDX-License-Identifier: Apache-2.0 */
/* Parses rules (rules.h has the syntax). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/nearest_name.h"
#include "read/roles/rules_priv.h"

enum {
    MAX_WORDS = 64,
    LARGEST = 16 << 20, /* bytes of a file of rules; a larger one is something else */
};

struct parser {
    struct weft_rules *rules;
    const char *file;
    uint32_t line;
    struct weft_err *err;
    char *words[MAX_WORDS]; /* as patterns: quoted characters are escaped */
    size_t n_words;
};

static const char subjects[] = "container, state, value, event, variable, link, field";

static const char *subject_name(size_t i, void *user)
{
    (void)user;
    return weft_role_subject_name((enum weft_role_subject)i);
}

static bool parse_subject(struct parser *p, const char *word, enum weft_role_subject *out)
{
    for (int i = 0; i < WEFT_ROLE_SUBJECTS; i++)
        if (strcmp(word, weft_role_subject_name(i)) == 0) {
            *out = i;
            return true;
        }
    const char *nearest = weft_nearest(word, WEFT_ROLE_SUBJECTS, subject_name, NULL);
    return weft_fail_at(p->err, WEFT_ERR_FORMAT, p->file, p->line,
                        "unknown subject '%s' (%s%s%s)", word,
                        nearest ? "did you mean " : "right: ", nearest ? nearest : subjects,
                        nearest ? "?" : "");
}

/* Returns the name of a role that fits the subject, else NULL. */
static const char *role_name(size_t i, void *user)
{
    const enum weft_role_subject *subject = user;
    enum weft_role role = (enum weft_role)i;
    bool fits =
        weft_role_subject(role) == *subject
        || (*subject == WEFT_ROLE_OF_VALUE && weft_role_subject(role) == WEFT_ROLE_OF_LINK);
    return fits ? weft_role_name(role) : NULL;
}

static bool unknown_role(struct parser *p, const char *word, enum weft_role_subject subject)
{
    const char *nearest = weft_nearest(word, WEFT_ROLE_LIMIT, role_name, &subject);
    char list[400] = "";
    for (size_t i = 0; i < WEFT_ROLE_LIMIT && !nearest; i++) {
        const char *name = weft_role_subject((enum weft_role)i) == subject
                               ? weft_role_name((enum weft_role)i)
                               : NULL;
        size_t length = strlen(list);
        if (name && length + strlen(name) + 6 < sizeof list)
            snprintf(list + length, sizeof list - length, "%s%s", length ? ", " : "", name);
        else if (name && length + 5 < sizeof list && list[length - 1] != '.')
            snprintf(list + length, sizeof list - length, " ...");
    }
    return weft_fail_at(p->err, WEFT_ERR_FORMAT, p->file, p->line,
                        "unknown role '%.60s' (%s%s%s)", word,
                        nearest ? "did you mean " : "right: ", nearest ? nearest : list,
                        nearest ? "?" : "");
}

static bool parse_role(struct parser *p, const char *word, enum weft_role_subject subject,
                       enum weft_role *out)
{
    if (strcmp(word, "none") == 0) {
        *out = WEFT_ROLE_NONE;
        return true;
    }
    *out = weft_role_find(word);
    if (*out == WEFT_ROLE_NONE)
        return unknown_role(p, word, subject);
    if (role_name(*out, &subject))
        return true;
    return weft_fail_at(p->err, WEFT_ERR_FORMAT, p->file, p->line,
                        "'%s' is a role of a %s, not of a %s", word,
                        weft_role_subject_name(weft_role_subject(*out)),
                        weft_role_subject_name(subject));
}

/* Split a pattern at its first unescaped slash. */
static void split(char *word, struct rule_subject *about)
{
    about->of = NULL;
    about->name = word;
    for (char *at = word; *at; at++) {
        if (*at == '\\' && at[1]) {
            at++;
        } else if (*at == '/') {
            *at = '\0';
            about->of = word;
            about->name = at + 1;
            return;
        }
    }
}

static bool parse_rule(struct parser *p)
{
    struct rule rule;
    if (!parse_subject(p, p->words[0], &rule.about.subject))
        return false;
    if (p->n_words < 3)
        return weft_fail_at(p->err, WEFT_ERR_FORMAT, p->file, p->line,
                            "the %s is missing (a rule is: %s NAME ROLE)",
                            p->n_words < 2 ? "name" : "role", p->words[0]);
    if (p->n_words > 3)
        return weft_fail_at(p->err, WEFT_ERR_FORMAT, p->file, p->line,
                            "'%.60s' is too much (a rule is: %s NAME ROLE; a name with "
                            "blanks wants quotes)",
                            p->words[3], p->words[0]);
    if (!parse_role(p, p->words[2], rule.about.subject, &rule.role))
        return false;
    split(p->words[1], &rule.about);
    rule.line = p->line;
    struct weft_rules *r = p->rules;
    r->rules = weft_grow(r->rules, &r->rule_capacity, r->n_rules + 1, sizeof *r->rules);
    r->rules[r->n_rules++] = rule;
    return true;
}

static bool parse_needs(struct parser *p)
{
    struct weft_rules *r = p->rules;
    bool last = false;
    for (size_t i = 1; !last; i += 3) {
        struct rule_need need = { .line = p->line };
        last = i + 2 >= p->n_words;
        if (i + 1 >= p->n_words || (!last && strcmp(p->words[i + 2], "or") != 0))
            return weft_fail_at(p->err, WEFT_ERR_FORMAT, p->file, p->line,
                                "right: needs SUBJECT NAME, or more of these with \"or\" "
                                "between");
        need.is_format = strcmp(p->words[i], "format") == 0;
        if (!need.is_format && !parse_subject(p, p->words[i], &need.about.subject))
            return false;
        split(p->words[i + 1], &need.about);
        if (need.about.subject == WEFT_ROLE_OF_CONTAINER && need.about.of)
            return weft_fail_at(p->err, WEFT_ERR_FORMAT, p->file, p->line,
                                "right: needs container TYPE (not a single container)");
        r->needs = weft_grow(r->needs, &r->need_capacity, r->n_needs + 1, sizeof *r->needs);
        r->needs[r->n_needs++] = need;
    }
    return true;
}

static bool parse_tool(struct parser *p)
{
    if (p->n_words != 2 || p->rules->tool)
        return weft_fail_at(p->err, WEFT_ERR_FORMAT, p->file, p->line,
                            p->rules->tool ? "a second tool (a file is about one)"
                                           : "right: tool NAME");
    p->rules->tool = p->words[1];
    return true;
}

static bool parse_times(struct parser *p)
{
    if (p->n_words != 2 || strcmp(p->words[1], "ms") != 0)
        return weft_fail_at(p->err, WEFT_ERR_FORMAT, p->file, p->line,
                            "right: times ms (if the tool's times are no seconds)");
    p->rules->milliseconds = true;
    return true;
}

/*
 * Read a word at *AT, up to a blank outside of quotes, into *ROOM.  In quotes, slashes are
 * escaped; wildcards stay wildcards.
 */
static bool read_word(struct parser *p, const char **at, const char *end, char **room)
{
    const char *c = *at;
    char *to = *room;
    bool quoted = false;
    p->words[p->n_words++] = to;
    for (; c < end && (quoted || (*c != ' ' && *c != '\t')); c++) {
        if (*c == '"') {
            quoted = !quoted;
            continue;
        }
        bool escape = *c == '\\';
        if (escape || (quoted && *c == '/'))
            *to++ = '\\';
        if (escape && c + 1 < end)
            c++;
        *to++ = *c;
    }
    *to++ = '\0';
    *room = to;
    *at = c;
    return !quoted
           || weft_fail_at(p->err, WEFT_ERR_FORMAT, p->file, p->line,
                           "a quote is opened and not closed");
}

static bool parse_line(struct parser *p, const char *at, const char *end)
{
    p->n_words = 0;
    if (end > at && end[-1] == '\r')
        end--;
    /* Each character may become two, and each word is terminated. */
    char *room = weft_arena_alloc(&p->rules->arena, 2 * (size_t)(end - at) + MAX_WORDS + 1);
    for (;;) {
        while (at < end && (*at == ' ' || *at == '\t'))
            at++;
        if (at == end || *at == '#')
            break;
        if (p->n_words == MAX_WORDS)
            return weft_fail_at(p->err, WEFT_ERR_FORMAT, p->file, p->line,
                                "too many words (a rule is: SUBJECT NAME ROLE)");
        if (!read_word(p, &at, end, &room))
            return false;
    }
    if (!p->n_words)
        return true;
    return strcmp(p->words[0], "needs") == 0   ? parse_needs(p)
           : strcmp(p->words[0], "tool") == 0  ? parse_tool(p)
           : strcmp(p->words[0], "times") == 0 ? parse_times(p)
                                               : parse_rule(p);
}

struct weft_rules *weft_rules_parse(const char *text, size_t size, const char *file,
                                    struct weft_err *err)
{
    struct parser p = { .rules = weft_zalloc(1, sizeof *p.rules),
                        .file = file,
                        .err = err };
    const char *at = text, *end = text + size;
    bool ok = true;
    if (size > LARGEST || memchr(text, 0, size))
        ok = weft_fail_at(err, WEFT_ERR_FORMAT, file, 0, "this is no text with rules");
    if (size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
        at += 3; /* byte order mark of UTF-8 */
    while (ok && at < end) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        const char *stop = newline ? newline : end;
        p.line++;
        ok = parse_line(&p, at, stop);
        at = newline ? newline + 1 : end;
    }
    if (ok)
        return p.rules;
    weft_rules_free(p.rules);
    return NULL;
}

struct weft_rules *weft_rules_read(const char *path, struct weft_err *err)
{
    struct weft_mapping map;
    if (!weft_map_file(&map, path, err))
        return NULL;
    struct weft_rules *rules =
        weft_rules_parse(map.size ? (const char *)map.data : "", map.size, path, err);
    weft_unmap(&map);
    return rules;
}

void weft_rules_free(struct weft_rules *rules)
{
    if (!rules)
        return;
    free(rules->rules);
    free(rules->needs);
    weft_arena_free(&rules->arena);
    free(rules);
}
