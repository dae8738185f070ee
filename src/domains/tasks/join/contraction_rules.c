/* SPDX-License-Identifier: Apache-2.0 */
#include "domains/tasks/join/contraction_rules.h"

#include <stdlib.h>
#include <string.h>

/* Reads an integer, with a unit of time if TIME, in nanoseconds; *END is set after it. */
static bool read_number(const char *text, const char **end, bool time, int64_t *out)
{
    static const struct {
        const char *name;
        int64_t ns;
    } units[] = { { "ns", 1 }, { "us", 1000 }, { "ms", 1000000 }, { "s", 1000000000 } };
    int64_t value = 0;

    if (*text < '0' || *text > '9')
        return false;
    for (; *text >= '0' && *text <= '9'; text++) {
        if (value > WEFT_TIME_LIMIT / 10 - 10)
            return false;
        value = value * 10 + (*text - '0');
    }
    for (size_t i = 0; time && i < sizeof units / sizeof *units; i++) {
        size_t length = strlen(units[i].name);
        if (strncmp(text, units[i].name, length) != 0)
            continue;
        if (value > WEFT_TIME_LIMIT / units[i].ns)
            return false;
        value *= units[i].ns;
        text += length;
        break;
    }
    *out = value;
    *end = text;
    return true;
}

/* Reads one rule, up to a comma or the end; SEEN has bits of the earlier rules. */
static bool read_rule(const char **text, unsigned *seen, struct weft_dag_contraction *rule)
{
    static const char *const names[] = { "least=", "most=", "leaves=" };
    unsigned which = 0;
    int64_t value;

    while (which < 3 && strncmp(*text, names[which], strlen(names[which])) != 0)
        which++;
    if (which == 3 || *seen >> which & 1
        || !read_number(*text + strlen(names[which]), text, which < 2, &value)
        || (**text && **text != ','))
        return false;
    *seen |= 1u << which;
    if (which == 0)
        rule->least = value;
    else if (which == 1)
        rule->most = value;
    else
        rule->leaves = (uint64_t)value;
    *text += **text == ',';
    return true;
}

bool weft_recording_contraction(const char *text, struct weft_dag_contraction *out)
{
    const struct weft_dag_contraction usual = { .most = INT64_MAX };
    struct weft_dag_contraction rule = usual;
    unsigned seen = 0;

    *out = usual;
    if (!text || strcmp(text, "on") == 0)
        return true;
    if (strcmp(text, "off") == 0) {
        out->off = true;
        return true;
    }
    if (!*text || text[strlen(text) - 1] == ',')
        return false;
    while (*text)
        if (!read_rule(&text, &seen, &rule))
            return false;
    /* A number of leaves excludes times, and 0 leaves is not a rule. */
    if (seen > 4 || (seen == 4 && rule.leaves == 0))
        return false;
    *out = rule;
    return true;
}
