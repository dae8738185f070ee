/* SPDX-License-Identifier: Apache-2.0 */
/* Sites: maps, elfutils, and what was found already. */
#include "read/recording/sites.h"

#include <elfutils/libdwfl.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct object { /* one file of code */
    char *path;
    Dwfl *dwfl;
    Dwfl_Module *module; /* NULL: no debugging information, not even symbols */
};

struct sites {
    const struct recording *recording;
    struct weft_builder *builder;
    struct weft_text_map known; /* struct site_key to site */
    struct object *objects;
    size_t n_objects, objects_capacity;
};

struct site_key {
    uint64_t image, address;
};

struct sites *sites_new(const struct recording *recording, struct weft_builder *builder)
{
    struct sites *sites = weft_zalloc(1, sizeof *sites);

    sites->recording = recording;
    sites->builder = builder;
    return sites;
}

void sites_free(struct sites *sites)
{
    if (!sites)
        return;
    for (size_t i = 0; i < sites->n_objects; i++) {
        dwfl_end(sites->objects[i].dwfl);
        free(sites->objects[i].path);
    }
    free(sites->objects);
    weft_text_map_free(&sites->known);
    free(sites);
}

/*
 * The line of the maps that covers the address: the last one, for later copies know better.
 * Returns the offset in the file, and the file's path in PATH (of the arena-less heap).
 */
static bool find_mapping(const char *maps, uint64_t address, uint64_t *offset, char **path)
{
    bool found = false;

    for (const char *line = maps; line && *line;) {
        unsigned long begin, end, file_offset;
        int name = 0;
        size_t size = strcspn(line, "\n");
        if (sscanf(line, "%lx-%lx %*4s %lx %*s %*s%n", &begin, &end, &file_offset, &name)
                == 3
            && address >= begin && address < end && name > 0 && (size_t)name <= size) {
            while ((size_t)name < size && line[name] == ' ')
                name++;
            free(*path);
            *path = weft_strndup(line + name, size - (size_t)name);
            *offset = address - begin + file_offset;
            found = true;
        }
        line += size + (line[size] == '\n');
    }
    return found;
}

static struct object *open_object(struct sites *sites, const char *path)
{
    static const Dwfl_Callbacks callbacks = {
        .find_elf = dwfl_build_id_find_elf,
        .find_debuginfo = dwfl_standard_find_debuginfo,
        .section_address = dwfl_offline_section_address,
    };
    struct object *object;

    for (size_t i = 0; i < sites->n_objects; i++)
        if (strcmp(sites->objects[i].path, path) == 0)
            return &sites->objects[i];
    sites->objects = weft_grow(sites->objects, &sites->objects_capacity,
                               sites->n_objects + 1, sizeof *object);
    object = &sites->objects[sites->n_objects++];
    *object = (struct object){ .path = weft_strdup(path) };
    if (path[0] == '/')
        object->dwfl = dwfl_begin(&callbacks);
    if (object->dwfl) {
        dwfl_report_begin(object->dwfl);
        object->module = dwfl_report_offline(object->dwfl, path, path, -1);
        dwfl_report_end(object->dwfl, NULL, NULL);
    }
    return object;
}

/* The address that the file's own tables use for what lies at OFFSET in it. */
static uint64_t virtual_address(Elf *elf, uint64_t offset)
{
    size_t n = 0;

    if (elf && elf_getphdrnum(elf, &n) == 0)
        for (size_t i = 0; i < n; i++) {
            GElf_Phdr header;
            if (gelf_getphdr(elf, (int)i, &header) && header.p_type == PT_LOAD
                && offset >= header.p_offset && offset < header.p_offset + header.p_filesz)
                return offset - header.p_offset + header.p_vaddr;
        }
    return offset;
}

static void describe(struct object *object, uint64_t offset, struct weft_site *site)
{
    GElf_Addr bias = 0;
    GElf_Off within;
    GElf_Sym symbol;
    Dwfl_Line *line;
    const char *name;
    int number = 0;

    site->address = offset;
    if (!object->module)
        return;
    site->address = virtual_address(dwfl_module_getelf(object->module, &bias), offset);
    name = dwfl_module_addrinfo(object->module, site->address + bias, &within, &symbol,
                                NULL, NULL, NULL);
    if (name)
        site->function = name;
    line = dwfl_module_getsrc(object->module, site->address + bias);
    if (line) {
        name = dwfl_lineinfo(line, NULL, &number, NULL, NULL, NULL);
        if (name && number > 0) {
            site->file = name;
            site->line = (uint32_t)number;
        }
    }
}

uint32_t sites_find(struct sites *sites, uint32_t image, uint64_t address)
{
    struct site_key key = { image, address };
    struct weft_site site = { .object = "", .function = "", .file = "" };
    uint32_t index;
    uint64_t offset = 0;
    char *path = NULL;

    if (address == 0)
        return WEFT_NONE;
    index = weft_text_map_get(&sites->known, &key, sizeof key);
    if (index != WEFT_MAP_NONE)
        return index;
    /* The call is before the address that it returns to. */
    site.address = address - 1;
    if (find_mapping(sites->recording->images[image].maps, address - 1, &offset, &path)) {
        describe(open_object(sites, path), offset, &site);
        site.object = path;
    }
    index = weft_builder_site(sites->builder, &site);
    weft_text_map_put(&sites->known, &key, sizeof key, index);
    free(path);
    return index;
}
