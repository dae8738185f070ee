/* SPDX-License-Identifier: Apache-2.0 */
/* Parsed rules: rules_parse.c makes them, rules.c applies them. */
#ifndef WEFT_READ_ROLES_RULES_PRIV_H
#define WEFT_READ_ROLES_RULES_PRIV_H

#include "base/memory.h"
#include "read/roles/rules.h"

/* The things that a rule or a "needs" line is about. */
struct rule_subject {
    enum weft_role_subject subject;
    const char *of;   /* pattern of its type; NULL: any type */
    const char *name; /* pattern */
};

struct rule {
    struct rule_subject about;
    enum weft_role role;
    uint32_t line;
};

struct rule_need {
    struct rule_subject about;
    bool is_format; /* about.name is the name of a format */
    uint32_t line;  /* one need of each line must be met */
};

struct weft_rules {
    struct rule *rules;
    size_t n_rules, rule_capacity;
    struct rule_need *needs;
    size_t n_needs, need_capacity;
    const char *tool;
    bool milliseconds;       /* the tool's times are, not seconds */
    struct weft_arena arena; /* of all texts */
};

#endif
