/* SPDX-License-Identifier: Apache-2.0 */
/* Parsed rules: rules_parse.c makes them, rules.c applies them. */
#ifndef WEFT_READ_ROLES_RULES_PRIV_H
#define WEFT_READ_ROLES_RULES_PRIV_H

#include "base/memory.h"
#include "read/roles/rules.h"

/* The things that a rule or a "needs" line is about. */
struct rule_subject {
    enum weft_role_subject subject;
    /*
     * Pattern of the prefix: the type of a value, field or single container, the container
     * type of any other type; NULL: no prefix.  A container without one is a type.
     */
    const char *of;
    const char *name; /* pattern, for the thing's name or its identifier in the trace */
};

/* One rule: the things that it is about get its role. */
struct rule {
    struct rule_subject about;
    enum weft_role role; /* WEFT_ROLE_NONE for "none" */
    uint32_t line;       /* in the text of the rules, from 1 */
};

/* One alternative of a "needs" line. */
struct rule_need {
    struct rule_subject about;
    bool is_format; /* about.name is a pattern of a format's name; the rest is unused */
    uint32_t line;  /* from 1; one need of each line must be met */
};

/* The rules of one text, in its order (read/roles/rules.h). */
struct weft_rules {
    struct rule *rules;
    size_t n_rules, rule_capacity;
    struct rule_need *needs; /* those of one line are adjacent */
    size_t n_needs, need_capacity;
    const char *tool;        /* NULL: none is named */
    bool milliseconds;       /* the tool's times are milliseconds, not seconds */
    struct weft_arena arena; /* of all texts */
};

#endif
