/* SPDX-License-Identifier: Apache-2.0 */
#include "read/recording/sites/lines.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <stdlib.h>
#include <string.h>

/*
 * Returns the unit that contains an address.  clang omits .debug_aranges, by which elfutils
 * finds it; then all units are searched.
 */
static Dwarf_Die *unit_of(Dwfl_Module *module, uint64_t address, Dwarf_Addr *bias)
{
    Dwarf_Die *unit = dwfl_module_addrdie(module, address, bias);

    if (unit)
        return unit;
    while ((unit = dwfl_module_nextcu(module, unit, bias)))
        if (dwarf_haspc(unit, address - *bias) > 0)
            return unit;
    return NULL;
}

static bool is_artificial(Dwarf_Die *inlined)
{
    Dwarf_Attribute attribute;
    Dwarf_Die origin;
    bool artificial = false;

    return dwarf_tag(inlined) == DW_TAG_inlined_subroutine
           && dwarf_attr(inlined, DW_AT_abstract_origin, &attribute)
           && dwarf_formref_die(&attribute, &origin)
           && dwarf_attr_integrate(&origin, DW_AT_artificial, &attribute)
           && dwarf_formflag(&attribute, &artificial) == 0 && artificial;
}

static bool number_of(Dwarf_Die *die, unsigned name, Dwarf_Word *number)
{
    Dwarf_Attribute attribute;

    return dwarf_attr(die, name, &attribute) && dwarf_formudata(&attribute, number) == 0;
}

/* Replace file and line by the call of the outermost artificial function around. */
static void leave_wrappers(Dwarf_Die *unit, Dwarf_Addr address, const char **file,
                           uint32_t *line)
{
    Dwarf_Die *scopes = NULL;
    Dwarf_Files *files;
    int n = dwarf_getscopes(unit, address, &scopes);

    for (int i = 0; i < n && dwarf_getsrcfiles(unit, &files, NULL) == 0; i++) {
        Dwarf_Word number, at;
        const char *name;
        if (dwarf_tag(&scopes[i]) == DW_TAG_lexical_block)
            continue;
        if (!is_artificial(&scopes[i]) || !number_of(&scopes[i], DW_AT_call_file, &number)
            || !number_of(&scopes[i], DW_AT_call_line, &at)
            || !(name = dwarf_filesrc(files, (size_t)number, NULL, NULL)))
            break;
        *file = name;
        *line = (uint32_t)at;
    }
    free(scopes);
}

bool lines_find(Dwfl_Module *module, uint64_t address, const char **file, uint32_t *line)
{
    Dwarf_Addr bias = 0;
    Dwarf_Die *unit = unit_of(module, address, &bias);
    Dwarf_Line *at = unit ? dwarf_getsrc_die(unit, address - bias) : NULL;
    const char *name = at ? dwarf_linesrc(at, NULL, NULL) : NULL, *own;
    int number = 0;

    if (!name || dwarf_lineno(at, &number) != 0 || number <= 0)
        return false;
    *file = name;
    *line = (uint32_t)number;
    /* Code of the unit's own file is in no wrapper; the search for wrappers is slow. */
    own = dwarf_diename(unit);
    if (!own || !strstr(name, own))
        leave_wrappers(unit, address - bias, file, line);
    return true;
}
