/* SPDX-License-Identifier: Apache-2.0 */
/* Names of functions for people: of lambdas, and of what the C++ library calls them by. */
#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include "read/recording/sites/sites_priv.h"

/*
 * Functions of the C++ libraries that do nothing but call an argument of their template: a
 * lambda that is such an argument is inlined in them, or they in each other.
 */
static const struct caller {
    const char *begin, *end; /* of the demangled name */
    uint32_t argument;       /* of the template: the one that is called, from 0 */
} callers[] = {
    { "std::thread::_State_impl<", "::_M_run", 0 },
    { "std::thread::_Invoker<", "", 0 },
    { "std::__invoke<", ">", 0 },
    { "std::__invoke_impl<", ">", 1 },
    { "std::__invoke_r<", ">", 1 },
    { "std::_Function_handler<", "::_M_invoke", 1 },
    { "std::__future_base::_Async_state_impl<", "::_M_run", 0 },
    { "std::__future_base::_Task_setter<", "::operator()", 1 },
};

static const struct caller *find_caller(const char *name)
{
    size_t size = strlen(name);

    for (size_t i = 0; i < sizeof callers / sizeof *callers; i++) {
        size_t end = strlen(callers[i].end);
        if (strncmp(name, callers[i].begin, strlen(callers[i].begin)) == 0 && size >= end
            && strcmp(name + size - end, callers[i].end) == 0)
            return &callers[i];
    }
    return NULL;
}

/* Returns true if the symbol of a function may not be what its author calls it. */
static bool may_be_generated(const char *name)
{
    return strstr(name, "{lambda") || strstr(name, "::$_") || strstr(name, "._omp_fn.")
           || strstr(name, ".omp_outlined");
}

/* Returns the name for the function at ADDRESS, as libdwfl counts it; or NULL. */
static const char *label(struct object *object, const char *name, uint64_t address,
                         bool *calls)
{
    struct line_frame frames[LINES_MAX_FRAMES];
    const struct caller *caller = find_caller(name);
    const char *generated =
        caller ? lines_lambda(object->lines, address, caller->argument) : NULL;
    uint32_t n;

    *calls = generated != NULL;
    if (!generated && may_be_generated(name)
        && (n = lines_find(object->lines, address, frames)) > 0)
        generated = frames[n - 1].generated;
    return generated;
}

const char *sites_label(struct sites *sites, uint32_t image, uint64_t address, bool *calls)
{
    const struct map_line *line = maps_find(&sites->recording->images[image].maps, address);
    struct object *object = sites_object_of(sites, line);
    GElf_Addr bias;
    uint64_t in_file, within;
    const char *name, *generated;

    *calls = false;
    if (!object || !object->module)
        return NULL;
    in_file = sites_virtual_address(dwfl_module_getelf(object->module, &bias),
                                    address - line->begin + line->offset);
    name = sites_symbol_at(object, in_file, STT_FUNC, &within);
    if (!name)
        return NULL;
    name = sites_readable(sites, name, false);
    generated = object->lines ? label(object, name, in_file + bias, calls) : NULL;
    return generated ? generated : name;
}

/* Returns the address of a symbol, as libdwfl counts it; 0 if there is none. */
static uint64_t address_of(Dwfl_Module *module, const char *wanted)
{
    int n = dwfl_module_getsymtab(module);

    for (int i = 0; i < n; i++) {
        GElf_Sym symbol;
        GElf_Addr address;
        const char *name =
            dwfl_module_getsym_info(module, i, &symbol, &address, NULL, NULL, NULL);
        if (name && strcmp(name, wanted) == 0)
            return address;
    }
    return 0;
}

const char *sites_thread_lambda(struct sites *sites, uint32_t image, uint64_t address)
{
    static const char vtable[] = "_ZTV", run[] = "6_M_runEv";
    const struct map_line *line =
        maps_find_data(&sites->recording->images[image].maps, address);
    struct object *object = sites_object_of(sites, line);
    uint64_t at;
    const char *symbol, *name = NULL;
    char *wanted;

    if (!object || !object->lines)
        return NULL;
    symbol = sites_variable_symbol(sites, image, address);
    if (!symbol || strncmp(symbol, vtable, strlen(vtable)) != 0)
        return NULL;
    symbol += strlen(vtable); /* "N...E" */
    wanted = weft_asprintf("_Z%.*s%s", (int)strlen(symbol) - 1, symbol, run);
    at = address_of(object->module, wanted);
    free(wanted);
    if (at)
        name = lines_lambda(object->lines, at, 0);
    return name;
}
