/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a program from its files and compiles it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "domains/trees/fghc/parse_priv.h"

static void fixed_names(struct program *program)
{
    static const char *const fixed[ATOM_FIXED] = {
        [ATOM_NIL] = "[]",    [ATOM_PLUS] = "+",        [ATOM_MINUS] = "-",
        [ATOM_TIMES] = "*",   [ATOM_SLASH] = "/",       [ATOM_MOD] = "mod",
        [ATOM_AND] = "/\\",   [ATOM_OR] = "\\/",        [ATOM_XOR] = "xor",
        [ATOM_LEFT] = "<<",   [ATOM_RIGHT] = ">>",      [ATOM_SLASHES] = "//",
        [ATOM_POWER] = "^",   [ATOM_NOT] = "\\",        [ATOM_DOT] = ".",
        [ATOM_VECTOR] = "{}", [ATOM_NORMAL] = "normal", [ATOM_ABNORMAL] = "abnormal",
    };
    for (size_t i = 0; i < ATOM_FIXED; i++)
        (void)program_name(program, fixed[i], strlen(fixed[i]));
}

/*
 * Numbers the clauses of auxiliary procedures, behind those of the source; false if they
 * are more than a record can name.
 */
static bool number_auxiliary(struct program *program, struct weft_err *err)
{
    for (uint32_t i = 0; i < program->n_procedures; i++) {
        struct procedure *procedure = &program->procedures[i];
        for (uint32_t c = 0; c < procedure->n_clauses && procedure->is_auxiliary; c++) {
            struct clause *clause = &procedure->clauses[c];
            /* Clauses that differ only in the guard's alternative share body and number. */
            if (c && clause->body == clause[-1].body)
                clause->number = clause[-1].number;
            else if (!clause->number && program->n_clauses == MAX_CLAUSES)
                return weft_fail_at(err, WEFT_ERR_FORMAT, clause->path, clause->line,
                                    "more than %d clauses, with those of conditions",
                                    MAX_CLAUSES);
            else if (!clause->number)
                clause->number = ++program->n_clauses;
        }
    }
    return true;
}

static struct parser *new_parser(struct program *program)
{
    struct parser *p = weft_zalloc(1, sizeof *p);
    p->program = program;
    return p;
}

static bool first_error(const struct program *program, struct weft_err *err)
{
    for (size_t i = 0; i < program->notes.n; i++)
        if (program->notes.list[i].is_error) {
            *err = program->notes.list[i].err;
            return false;
        }
    return true;
}

bool program_read_texts(struct program *program, const struct program_text *texts, size_t n,
                        struct weft_err *err)
{
    bool ok = true;
    *program = (struct program){ 0 };
    fixed_names(program);
    struct parser *p = new_parser(program);
    program->texts = weft_arena_zalloc(&program->arena, n + 1, sizeof *program->texts);
    program->n_texts = n;
    for (size_t i = 0; i < n; i++) {
        /* Variables' names point into the text, which lives as long as the program. */
        char *copy = weft_arena_alloc(&program->arena, texts[i].size + 1);
        if (texts[i].size)
            memcpy(copy, texts[i].text, texts[i].size);
        copy[texts[i].size] = '\0';
        program->texts[i] =
            (struct program_text){ weft_arena_strdup(&program->arena, texts[i].path), copy,
                                   texts[i].size };
        ok &= parser_read_text(p, &program->texts[i]);
    }
    program->path = n ? program->texts[0].path : "";
    ok = ok && parser_resolve(p);
    free(p->added);
    free(p);
    if (!ok)
        return first_error(program, err);
    if (!program->n_procedures)
        return weft_fail_at(err, WEFT_ERR_FORMAT, program->path, 0,
                            "no clause is in this file");
    return number_auxiliary(program, err) && program_compile(program, err);
}

bool program_read(struct program *program, const char *const *paths, size_t n,
                  struct weft_err *err)
{
    enum { LARGEST = 16 << 20 }; /* bytes: far more than people write */
    struct weft_mapping *maps = weft_zalloc(n + 1, sizeof *maps);
    struct program_text *texts = weft_zalloc(n + 1, sizeof *texts);
    bool ok = true;
    *program = (struct program){ 0 };
    for (size_t i = 0; i < n && ok; i++) {
        ok = weft_map_file(&maps[i], paths[i], err);
        if (ok && maps[i].size > LARGEST)
            ok = weft_fail_at(err, WEFT_ERR_FORMAT, paths[i], 0,
                              "this is no program of at most %d MiB", LARGEST >> 20);
        texts[i] =
            (struct program_text){ paths[i], (const char *)maps[i].data, maps[i].size };
    }
    ok = ok && program_read_texts(program, texts, n, err);
    for (size_t i = 0; i < n; i++)
        weft_unmap(&maps[i]);
    free(maps);
    free(texts);
    return ok;
}

bool program_read_goal(struct program *program, const char *text, struct query *query,
                       struct weft_err *err)
{
    struct parser *p = new_parser(program);
    bool ok = parser_read_goal(p, text, query);
    free(p->added);
    free(p);
    if (!ok)
        return first_error(program, err);
    return number_auxiliary(program, err) && program_compile(program, err);
}

void program_free(struct program *program)
{
    for (uint32_t i = 0; i < program->n_procedures; i++)
        free(program->procedures[i].clauses);
    free(program->procedures);
    free(program->names);
    weft_text_map_free(&program->names_map);
    weft_text_map_free(&program->strings_map);
    weft_id_map_free(&program->constants_map);
    free(program->strings);
    free(program->code);
    free(program->constants);
    free(program->calls);
    free(program->notes.list);
    weft_arena_free(&program->arena);
    *program = (struct program){ 0 };
}
