/* SPDX-License-Identifier: Apache-2.0 */
/* Reads symbol tables. */
#include "domains/arrays/cli/symbol_table_variables.h"

#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"

struct variable_list {
    struct weft_variable *variables;
    size_t n, capacity;
};

static void add_variables(struct variable_list *list, Elf *elf, Elf_Scn *section,
                          const GElf_Shdr *header)
{
    Elf_Data *data = elf_getdata(section, NULL);
    size_t n = data && header->sh_entsize ? data->d_size / header->sh_entsize : 0;

    for (size_t i = 0; i < n; i++) {
        GElf_Sym symbol;
        const char *name;
        if (!gelf_getsym(data, (int)i, &symbol)
            || GELF_ST_TYPE(symbol.st_info) != STT_OBJECT || symbol.st_shndx == SHN_UNDEF
            || symbol.st_size == 0)
            continue;
        name = elf_strptr(elf, header->sh_link, symbol.st_name);
        if (!name || !*name)
            continue;
        list->variables = weft_grow(list->variables, &list->capacity, list->n + 1,
                                    sizeof *list->variables);
        list->variables[list->n++] =
            (struct weft_variable){ weft_strdup(name), symbol.st_value, symbol.st_size };
    }
}

/* SHT_SYMTAB has all symbols; a stripped program has only SHT_DYNSYM. */
static void read_table(struct variable_list *list, Elf *elf, GElf_Word type)
{
    Elf_Scn *section = NULL;

    while ((section = elf_nextscn(elf, section))) {
        GElf_Shdr header;
        if (gelf_getshdr(section, &header) && header.sh_type == type)
            add_variables(list, elf, section, &header);
    }
}

size_t weft_recording_variables(const char *path, struct weft_variable **variables)
{
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct variable_list list = { 0 };
    struct stat status;
    Elf *elf;

    *variables = NULL;
    if (file < 0)
        return 0;
    if (fstat(file, &status) != 0 || !S_ISREG(status.st_mode)) {
        close(file);
        return 0;
    }
    elf_version(EV_CURRENT);
    elf = elf_begin(file, ELF_C_READ, NULL);
    if (elf && elf_kind(elf) == ELF_K_ELF) {
        read_table(&list, elf, SHT_SYMTAB);
        if (list.n == 0)
            read_table(&list, elf, SHT_DYNSYM);
    }
    elf_end(elf);
    close(file);
    *variables = list.variables;
    return list.n;
}

void weft_variables_free(struct weft_variable *variables, size_t n)
{
    for (size_t i = 0; i < n; i++)
        free(variables[i].name);
    free(variables);
}
