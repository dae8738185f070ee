/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the address of an array given as NAME:SHAPE:TYPE. */
#include "domains/arrays/cli/record_arrays.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "domains/arrays/cli/symbol_table_variables.h"
#include "domains/arrays/format/records.h"

enum { RANK = WEFT_RECORD_ARRAY_RANK, MAX_BYTES = 4096, MAX_NAMED = 8 };

static const struct element_type {
    const char *name;
    uint64_t bytes;
} types[] = {
    { "double", 8 }, { "float", 4 }, { "complex", 16 }, { "long", 8 },    { "int", 4 },
    { "short", 2 },  { "char", 1 },  { "real", 4 },     { "integer", 4 },
};

/* A parsed --array option. */
struct array_option {
    const char *text; /* the whole option */
    char *name;
    uint32_t rank;
    uint64_t shape[RANK];
    uint64_t element_bytes;
    bool by_columns;
};

/* ---- What is wanted ---- */

static bool refuse(const struct array_option *option, struct weft_err *err, const char *why)
{
    return weft_fail(
        err, WEFT_ERR_USAGE,
        "--array %s: %s (NAME:EXTENTxEXTENT...:TYPE, such as B:10x10:double; "
        "TYPE is double, float, complex, long, int, short, char, real, integer "
        "or the bytes of an element; :columns behind it, when it lies column by "
        "column)",
        option->text, why);
}

static bool read_shape(const char *text, size_t length, struct array_option *option,
                       struct weft_err *err)
{
    const char *at = text;
    uint64_t most = (UINT64_C(1) << 48) - 1;

    for (option->rank = 0; option->rank < RANK; at++) {
        char *end;
        uint64_t extent = strtoull(at, &end, 10);
        if (end == at || *at == '-' || extent < 1 || extent > most)
            return refuse(option, err, "its shape is not numbers from 1");
        option->shape[option->rank++] = extent;
        most /= extent;
        at = end;
        if (at == text + length)
            return true;
        if (*at != 'x')
            return refuse(option, err, "its shape is not numbers with an x between them");
    }
    return refuse(option, err, "it has more than 7 dimensions");
}

static bool read_type(const char *text, size_t length, struct array_option *option,
                      struct weft_err *err)
{
    char *end;

    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strlen(types[i].name) == length && strncmp(types[i].name, text, length) == 0)
            option->element_bytes = types[i].bytes;
    if (option->element_bytes == 0 && *text >= '0' && *text <= '9') {
        option->element_bytes = strtoull(text, &end, 10);
        if (end != text + length || option->element_bytes > MAX_BYTES)
            option->element_bytes = 0;
    }
    return option->element_bytes > 0 || refuse(option, err, "there is no such type");
}

static bool read_wanted(const char *text, struct array_option *option, struct weft_err *err)
{
    size_t name = strcspn(text, ":"), shape, type;
    const char *at = text + name;

    *option = (struct array_option){ .text = text };
    if (name == 0 || name > 100 || !*at)
        return refuse(option, err, "it lacks a name or a shape");
    option->name = weft_strndup(text, name);
    shape = strcspn(++at, ":");
    if (!read_shape(at, shape, option, err))
        return false;
    at += shape;
    if (!*at)
        return refuse(option, err, "it lacks a type");
    type = strcspn(++at, ":");
    if (!read_type(at, type, option, err))
        return false;
    option->by_columns = strcmp(at + type, ":columns") == 0;
    return at[type] == '\0' || option->by_columns
           || refuse(option, err, "there is something behind its type");
}

/* ---- What there is ---- */

static uint64_t bytes_of(const struct array_option *option)
{
    uint64_t bytes = option->element_bytes;

    for (uint32_t i = 0; i < option->rank; i++)
        bytes *= option->shape[i];
    return bytes;
}

/* Returns true for variables of the compiler, the C library and Weft's hooks. */
static bool is_not_of_program(const char *name)
{
    return name[0] == '_' || strncmp(name, "weft_", 5) == 0;
}

/* Lists variables with at least BYTES bytes: "B (800 bytes), C (96 bytes)". */
static char *list_variables(const struct weft_variable *variables, size_t n, uint64_t least)
{
    char *list = weft_strdup("");
    uint32_t listed = 0;

    for (size_t i = 0; i < n && listed < MAX_NAMED; i++) {
        char *longer;
        if (variables[i].bytes < least || is_not_of_program(variables[i].name))
            continue;
        longer = weft_asprintf("%s%s%s (%" PRIu64 " bytes)", list, listed ? ", " : "",
                               variables[i].name, variables[i].bytes);
        free(list);
        list = longer;
        listed++;
    }
    return list;
}

static bool fail_name(const struct array_option *option, const char *file,
                      const struct weft_variable *variables, size_t n, struct weft_err *err)
{
    /* A variable of at most two elements is hardly an array. */
    char *list = list_variables(variables, n, 2 * option->element_bytes + 1);

    if (n == 0)
        weft_fail(err, WEFT_ERR_USAGE,
                  "--array %s: \"%s\" has no symbols by which variables are found (link it "
                  "without -s, and do not strip it; or call weft_array_at() in it)",
                  option->text, file);
    else
        weft_fail(
            err, WEFT_ERR_USAGE,
            "--array %s: \"%s\" has no variable %s%s%s (an array that is allocated has "
            "no name there: call weft_array_at() for it)",
            option->text, file, option->name, *list ? "; it has " : "", list);
    free(list);
    return false;
}

/*
 * The shape with another last extent, such that it has N elements; NULL if there is none.
 */
static char *other_shape(const struct array_option *option, uint64_t n)
{
    uint64_t others = 1;
    char *shape = weft_strdup("");

    for (uint32_t i = 0; i + 1 < option->rank; i++)
        others *= option->shape[i];
    for (uint32_t i = 0; i < option->rank && n % others == 0; i++) {
        uint64_t extent = i + 1 < option->rank ? option->shape[i] : n / others;
        char *longer = weft_asprintf("%s%s%" PRIu64, shape, i ? "x" : ", such as ", extent);
        free(shape);
        shape = longer;
    }
    return shape;
}

static bool fail_shape(const struct array_option *option,
                       const struct weft_variable *variable, struct weft_err *err)
{
    uint64_t elements = variable->bytes / option->element_bytes;
    char *shape = other_shape(option, elements);

    if (variable->bytes == sizeof(void *))
        weft_fail(err, WEFT_ERR_USAGE,
                  "--array %s: %s has 8 bytes; when it is a pointer, say where the array "
                  "lies by weft_array_at() in the program",
                  option->text, variable->name);
    else
        weft_fail(err, WEFT_ERR_USAGE,
                  "--array %s: that is %" PRIu64 " bytes, and %s has %" PRIu64 " (%" PRIu64
                  " elements of %" PRIu64 " bytes%s)",
                  option->text, bytes_of(option), variable->name, variable->bytes, elements,
                  option->element_bytes, shape);
    free(shape);
    return false;
}

/* Finds the variable with the name, and the size if several have it; NULL if none fits. */
static const struct weft_variable *find_variable(const struct array_option *option,
                                                 const char *file,
                                                 const struct weft_variable *variables,
                                                 size_t n, struct weft_err *err)
{
    const struct weft_variable *named = NULL, *fitting = NULL;

    for (size_t i = 0; i < n; i++) {
        if (strcmp(variables[i].name, option->name) != 0)
            continue;
        named = &variables[i];
        if (named->bytes == bytes_of(option)) {
            if (fitting && fitting->address != named->address) {
                weft_fail(err, WEFT_ERR_USAGE,
                          "--array %s: \"%s\" has several variables %s of this size (call "
                          "weft_array_at() for the one that is meant)",
                          option->text, file, option->name);
                return NULL;
            }
            fitting = named;
        }
    }
    if (!named)
        (void)fail_name(option, file, variables, n, err);
    else if (!fitting)
        (void)fail_shape(option, named, err);
    return fitting;
}

/* ---- The variable of the environment ---- */

/* Appends the recorder's description of one array to *TEXT, which is reallocated. */
static void append(char **text, const struct array_option *option, uint64_t address)
{
    char *longer = weft_asprintf("%s%" PRIu64 ":%" PRIu64 ":%d:%" PRIu32, *text, address,
                                 option->element_bytes, option->by_columns, option->rank);

    free(*text);
    for (uint32_t i = 0; i < option->rank; i++) {
        *text = weft_asprintf("%s:%" PRIu64, longer, option->shape[i]);
        free(longer);
        longer = *text;
    }
    *text = weft_asprintf("%s:%s;", longer, option->name);
    free(longer);
}

/*
 * Returns the value of the environment variable (format/records.h) with which the recorder
 * records references by hooks to these N arrays of the program FILE (NULL if it was not
 * found).  Each array names a variable, whose size must match the shape and type.  The
 * caller frees the result.  NULL with *ERR on failure; WEFT_ERR_USAGE says what would be
 * right.
 */
static char *describe_arrays(const char *file, const char *const *arrays, size_t n,
                             struct weft_err *err)
{
    struct weft_variable *variables = NULL;
    size_t n_variables = file ? weft_recording_variables(file, &variables) : 0;
    struct stat status = { 0 };
    bool good = !file || stat(file, &status) == 0 || n == 0
                || weft_fail_errno(err, WEFT_ERR_READ, "cannot look at \"%s\"", file);
    char *text = weft_asprintf("%" PRIu64 ":%" PRIu64 ";", (uint64_t)status.st_dev,
                               (uint64_t)status.st_ino);

    for (size_t i = 0; good && i < n; i++) {
        struct array_option option;
        const struct weft_variable *variable = NULL;
        good = read_wanted(arrays[i], &option, err);
        if (good)
            variable =
                find_variable(&option, file ? file : "", variables, n_variables, err);
        good = variable != NULL;
        if (good)
            append(&text, &option, variable->address);
        free(option.name);
    }
    weft_variables_free(variables, n_variables);
    if (good)
        return text;
    free(text);
    return NULL;
}

/* Returns true if the program FILE has no hooks at its loads and stores; false if it has,
   or if this cannot be determined (a script, or a program without symbols). */
static bool lacks_hooks(const char *file)
{
    struct weft_variable *variables;
    size_t n = weft_recording_variables(file, &variables);
    bool lacks = n > 0;

    /*
     * A symbol of libweft-array (record/load_store_hooks.c), which is linked into programs
     * with hooks.
     */
    for (size_t i = 0; i < n; i++)
        if (strcmp(variables[i].name, "weft_gate") == 0)
            lacks = false;
    weft_variables_free(variables, n);
    return lacks;
}

/* ---- weft record ---- */

/* Returns true if references are recorded by hooks in the program. */
static bool uses_hooks(const struct record_request *request)
{
    return request->named && record_requests(request, WEFT_FAMILY_ARRAYS);
}

static int check(const struct record_request *request)
{
    const char **arrays = weft_option_values(request->arguments, "array");

    if (!arrays || uses_hooks(request))
        return 0;
    return weft_usage(request->arguments->command,
                      "--array %s: references are recorded --with arrays only", arrays[0]);
}

/* Sets the environment variable that tells the recorder to use hooks, and the arrays. */
static bool prepare(const struct record_request *request, const char *file, char **library,
                    struct weft_err *err)
{
    const char **arrays = weft_option_values(request->arguments, "array");
    size_t n = 0;
    char *text;

    (void)library;
    unsetenv(WEFT_RECORD_ARRAYS_VARIABLE);
    if (!uses_hooks(request))
        return true;
    while (arrays && arrays[n])
        n++;
    text = describe_arrays(file, arrays, n, err);
    if (!text)
        return false;
    setenv(WEFT_RECORD_ARRAYS_VARIABLE, text, 1);
    free(text);
    if (file && lacks_hooks(file))
        fprintf(
            stderr,
            "weft: %s itself has no hooks at its loads and stores, only what it says by "
            "TRACE is recorded (compile it with -fsanitize=thread -c, link it with "
            "-lweft-array, without -fsanitize=thread)\n",
            file);
    return true;
}

const struct weft_record_hooks record_arrays_hooks = { .check = check, .prepare = prepare };
