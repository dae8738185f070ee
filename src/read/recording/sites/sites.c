/* SPDX-License-Identifier: Apache-2.0 */
/* Finds sites: by maps, elfutils and libiberty, with caches. */
#include "read/recording/sites/sites_priv.h"

#include "read/recording/sites/demangle.h"
#include "read/recording/sites/foreign_code.h"
#include "read/recording/sites/source_lines.h"
#include "read/recording/sites/static_variables.h"
#include "read/recording/sites/unwind.h"

#include <elfutils/libdwfl.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The function at an address that belongs to the program, and its place. */
struct place {
    const char *function; /* demangled; or NULL */
    const char *file;     /* or NULL */
    uint32_t line;
    bool is_wrapper; /* none of the functions there belongs to the program */
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
        lines_free(sites->objects[i].lines);
        statics_free(sites->objects[i].statics);
        dwfl_end(sites->objects[i].dwfl);
        free(sites->objects[i].path);
    }
    free(sites->objects);
    weft_text_map_free(&sites->paths);
    weft_text_map_free(&sites->known);
    weft_text_map_free(&sites->readable);
    weft_arena_free(&sites->arena);
    free(sites->names);
    weft_text_map_free(&sites->wrappers);
    free(sites->begins);
    free(sites);
}

void sites_know_wrappers(struct sites *sites, const struct sites_wrapper *table, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (!table[i].begins && !table[i].library) {
            weft_text_map_put(&sites->wrappers, table[i].name, strlen(table[i].name), 0);
            continue;
        }
        sites->begins = weft_grow(sites->begins, &sites->begins_capacity,
                                  sites->n_begins + 1, sizeof *sites->begins);
        sites->begins[sites->n_begins++] = &table[i];
    }
}

/* Is NAME, of a library or of a function, in the tables by its beginning? */
static bool begins_like_wrapper(const struct sites *sites, const char *name, bool library)
{
    for (size_t i = 0; i < sites->n_begins; i++) {
        const struct sites_wrapper *known = sites->begins[i];
        if (known->library == library
            && strncmp(name, known->name, strlen(known->name)) == 0)
            return true;
    }
    return false;
}

static bool is_wrapper_name(const struct sites *sites, const char *function)
{
    if (!function)
        return false;
    if (begins_like_wrapper(sites, function, false))
        return true;
    return weft_text_map_get(&sites->wrappers, function, strlen(function)) != WEFT_MAP_NONE;
}

static bool is_wrapper_library(const struct sites *sites, const struct object *object)
{
    const char *slash = strrchr(object->path, '/');

    return slash && begins_like_wrapper(sites, slash + 1, true);
}

const char *sites_readable(struct sites *sites, const char *symbol, bool parameters)
{
    struct weft_text_map *map = &sites->readable;
    char key[1024];
    size_t length = strlen(symbol) + 1;
    char *text;
    uint32_t index;

    /* "_Z" begins names of C++ and older Rust, "_R" of newer Rust. */
    if (strncmp(symbol, "_Z", 2) != 0 && strncmp(symbol, "_R", 2) != 0)
        return symbol;
    if (length > sizeof key)
        return symbol;
    key[0] = (char)('0' + parameters);
    memcpy(key + 1, symbol, length - 1);
    index = weft_text_map_get(map, key, length);
    if (index != WEFT_MAP_NONE)
        return sites->names[index];
    text = demangle(symbol, parameters);
    index = (uint32_t)sites->n_names;
    sites->names = weft_grow(sites->names, &sites->names_capacity, sites->n_names + 1,
                             sizeof *sites->names);
    sites->names[sites->n_names++] = weft_arena_strdup(&sites->arena, text ? text : symbol);
    free(text);
    weft_text_map_put(map, key, length, index);
    return sites->names[index];
}

/* Returns -1 if a recorded path is a pipe or a device by now. */
static int open_regular(const char *path)
{
    struct stat status;
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

    if (file >= 0 && (fstat(file, &status) != 0 || !S_ISREG(status.st_mode))) {
        close(file);
        file = -1;
    }
    return file;
}

static void open_symbols(struct object *object)
{
    static const Dwfl_Callbacks callbacks = {
        .find_elf = dwfl_build_id_find_elf,
        .find_debuginfo = dwfl_standard_find_debuginfo,
        .section_address = dwfl_offline_section_address,
    };
    int file = object->path[0] == '/' ? open_regular(object->path) : -1;

    if (file < 0)
        return;
    object->dwfl = dwfl_begin(&callbacks);
    if (object->dwfl) {
        dwfl_report_begin(object->dwfl);
        object->module =
            dwfl_report_offline(object->dwfl, object->path, object->path, file);
        dwfl_report_end(object->dwfl, NULL, NULL);
    }
    /* Debugging information of the C library is large, and its lines are nobody's. */
    if (object->module && !foreign_library(object->path, strlen(object->path))) {
        object->lines = lines_new(object->module);
        object->statics = statics_new(object->module);
    }
    if (!object->module) /* otherwise the library closes it */
        close(file);
}

static struct object *open_object(struct sites *sites, const char *path, size_t path_size)
{
    uint32_t index = weft_text_map_get(&sites->paths, path, path_size);
    struct object *object;

    if (index != WEFT_MAP_NONE)
        return &sites->objects[index];
    weft_text_map_put(&sites->paths, path, path_size, (uint32_t)sites->n_objects);
    sites->objects = weft_grow(sites->objects, &sites->objects_capacity,
                               sites->n_objects + 1, sizeof *object);
    object = &sites->objects[sites->n_objects++];
    *object = (struct object){ .path = weft_strndup(path, path_size) };
    open_symbols(object);
    return object;
}

uint64_t sites_virtual_address(Elf *elf, uint64_t offset)
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

/*
 * Returns the address in the file's tables of data at DISTANCE from the begin of a mapping
 * of OFFSET; 0 if it is outside of its data.  A mapping begins at a page, a segment inside
 * one.
 */
static uint64_t data_address(Elf *elf, uint64_t offset, uint64_t distance)
{
    size_t n = 0;

    if (!elf || elf_getphdrnum(elf, &n) != 0)
        return 0;
    for (size_t i = 0; i < n; i++) {
        GElf_Phdr header;
        uint64_t into;
        if (!gelf_getphdr(elf, (int)i, &header) || header.p_type != PT_LOAD
            || !(header.p_flags & PF_W))
            continue;
        if (offset + (header.p_align > 1 ? header.p_align : 1) <= header.p_offset
            || offset >= header.p_offset + header.p_filesz)
            continue;
        into = offset + distance - header.p_offset;
        if (into < header.p_memsz) /* also false if it wraps: before the segment */
            return header.p_vaddr + into;
    }
    return 0;
}

bool sites_is_foreign(struct sites *sites, const struct line_frame *frame,
                      const char *function)
{
    return frame->artificial || (frame->file && foreign_header(frame->file))
           || is_wrapper_name(sites, function);
}

/*
 * Set the place of ADDRESS, in the file's tables: the innermost function that is not
 * foreign; if all are, the outermost.
 */
static void find_place(struct sites *sites, struct object *object, uint64_t address,
                       struct place *place)
{
    struct line_frame frames[LINES_MAX_FRAMES];
    GElf_Addr bias = 0;
    GElf_Off within;
    GElf_Sym symbol;
    uint32_t n;
    const char *name;

    *place = (struct place){ .is_wrapper = true };
    dwfl_module_getelf(object->module, &bias);
    name = dwfl_module_addrinfo(object->module, address + bias, &within, &symbol, NULL,
                                NULL, NULL);
    n = object->lines ? lines_find(object->lines, address + bias, frames) : 0;
    if (n == 0)
        frames[n++] = (struct line_frame){ 0 };
    for (uint32_t i = 0; i < n && place->is_wrapper; i++) {
        const char *function = i + 1 == n && name ? name : frames[i].function;
        place->function = frames[i].generated ? frames[i].generated
                          : function          ? sites_readable(sites, function, false)
                                              : NULL;
        place->file = frames[i].file;
        place->line = frames[i].line;
        place->is_wrapper = sites_is_foreign(sites, &frames[i], place->function);
    }
}

/* Sets *SITE, but for its object; returns true if it is a wrapper's. */
static bool describe(struct sites *sites, struct object *object, uint64_t offset,
                     struct weft_site *site)
{
    GElf_Addr bias = 0;
    struct place place;

    site->address = offset;
    if (!object->module)
        return false;
    site->address =
        sites_virtual_address(dwfl_module_getelf(object->module, &bias), offset);
    find_place(sites, object, site->address, &place);
    if (place.function)
        site->function = place.function;
    if (place.file) {
        site->file = place.file;
        site->line = place.line;
    }
    return place.is_wrapper;
}

struct object *sites_object_of(struct sites *sites, const struct map_line *line)
{
    return line && line->path_size > 0 ? open_object(sites, line->path, line->path_size)
                                       : NULL;
}

bool sites_place(struct sites *sites, uint32_t image, uint64_t address,
                 struct weft_site *place)
{
    const struct maps *maps = &sites->recording->images[image].maps;
    /* The call lies before its return address. */
    const struct map_line *line = maps_find(maps, address - 1);
    struct object *object = sites_object_of(sites, line);
    bool is_wrapper;

    *place = (struct weft_site){
        .address = address - 1, .object = "", .function = "", .file = ""
    };
    if (!object)
        return false;
    is_wrapper = describe(sites, object, address - 1 - line->begin + line->offset, place);
    place->object = object->path;
    return !is_wrapper && !is_wrapper_library(sites, object)
           && !foreign_library(object->path, strlen(object->path));
}

/* Returns the last part of a path. */
static const char *without_folders(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

const char *sites_text(struct sites *sites, struct weft_arena *arena, uint32_t image,
                       uint64_t address)
{
    struct weft_site place;

    if (address == 0 || !sites_place(sites, image, address, &place))
        return NULL;
    if (place.file[0] && place.line)
        return weft_arena_printf(arena, "%s:%u", without_folders(place.file), place.line);
    if (place.function[0])
        return weft_arena_strdup(arena, place.function);
    return weft_arena_printf(arena, "%s+0x%llx", without_folders(place.object),
                             (unsigned long long)place.address);
}

static uint32_t look_up(struct sites *sites, uint32_t image, uint64_t address)
{
    struct site_key key = { image, address };
    struct weft_site site;
    uint32_t index;

    index = weft_text_map_get(&sites->known, &key, sizeof key);
    if (index != WEFT_MAP_NONE)
        return index;
    (void)sites_place(sites, image, address, &site);
    index = weft_builder_site(sites->builder, &site);
    weft_text_map_put(&sites->known, &key, sizeof key, index);
    return index;
}

uint32_t sites_find(struct sites *sites, uint32_t image, uint64_t address)
{
    struct recent *recent = &sites->recent[(address ^ address >> 8 ^ image) % RECENT];

    if (address == 0)
        return WEFT_NONE;
    if (recent->address != address || recent->image != image)
        *recent = (struct recent){ address, image, look_up(sites, image, address) };
    return recent->index;
}

uint32_t sites_find_after(struct sites *sites, uint32_t image, uint64_t address)
{
    return sites_find(sites, image, address ? address + 1 : 0);
}

/* Returns the file of the code at ADDRESS, and sets *PLACE; NULL if it has no symbols. */
static const struct object *place_at(struct sites *sites, uint32_t image, uint64_t address,
                                     struct place *place)
{
    const struct map_line *line = maps_find(&sites->recording->images[image].maps, address);
    struct object *object = sites_object_of(sites, line);
    GElf_Addr bias;

    if (!object || !object->module)
        return NULL;
    find_place(sites, object,
               sites_virtual_address(dwfl_module_getelf(object->module, &bias),
                                     address - line->begin + line->offset),
               place);
    return object;
}

bool sites_is_wrapper(struct sites *sites, uint32_t image, uint64_t address)
{
    struct place place;
    const struct object *object = place_at(sites, image, address - 1, &place);

    return object && (place.is_wrapper || is_wrapper_library(sites, object));
}

size_t sites_own(struct sites *sites, uint32_t image, const uint64_t *addresses, size_t n)
{
    const struct object *object = NULL;
    struct place place;
    size_t own = n - 1;

    for (size_t i = 0; i < n; i++) {
        const struct object *at = place_at(sites, image, addresses[i], &place);
        if (object && at != object)
            break;
        const struct map_line *line =
            maps_find(&sites->recording->images[image].maps, addresses[i]);
        if ((line && foreign_library(line->path, line->path_size))
            || (at && (place.is_wrapper || is_wrapper_library(sites, at))))
            continue;
        if (!object)
            own = i;
        if (!at || place.file)
            return i;
        object = at;
    }
    return own;
}

bool sites_unwind(struct sites *sites, uint32_t image, uint64_t address,
                  struct sites_frame *frame)
{
    const struct maps *maps = &sites->recording->images[image].maps;
    const struct map_line *line = maps_find(maps, address - 1);
    struct object *object = sites_object_of(sites, line);
    GElf_Addr bias;

    if (!object || !object->module)
        return false;
    return unwind_frame(object->module,
                        sites_virtual_address(dwfl_module_getelf(object->module, &bias),
                                              address - 1 - line->begin + line->offset),
                        frame);
}

const char *sites_symbol_at(struct object *object, uint64_t address, int type,
                            uint64_t *within)
{
    GElf_Addr bias = 0;
    GElf_Off off = 0;
    GElf_Sym symbol;
    const char *name;

    dwfl_module_getelf(object->module, &bias);
    name = dwfl_module_addrinfo(object->module, address + bias, &off, &symbol, NULL, NULL,
                                NULL);
    if (!name || GELF_ST_TYPE(symbol.st_info) != type || (off > 0 && off >= symbol.st_size))
        return NULL;
    *within = off;
    return name;
}

/* Returns the function that covers an address, and the offset in it; or NULL. */
static const char *function(struct sites *sites, uint32_t image, uint64_t address,
                            uint64_t *within)
{
    const struct maps *maps = &sites->recording->images[image].maps;
    const struct map_line *line = maps_find(maps, address);
    struct object *object = sites_object_of(sites, line);
    GElf_Addr bias;
    const char *name;

    if (!object || !object->module)
        return NULL;
    name = sites_symbol_at(object,
                           sites_virtual_address(dwfl_module_getelf(object->module, &bias),
                                                 address - line->begin + line->offset),
                           STT_FUNC, within);
    return name ? sites_readable(sites, name, false) : NULL;
}

bool sites_calls(struct sites *sites, uint32_t image, uint64_t returns, uint64_t address)
{
    enum { CALL = 0xe8, SIZE = 5 }; /* of x86-64: a byte, and the distance */
    const struct map_line *line =
        maps_find(&sites->recording->images[image].maps, returns - SIZE);
    struct object *object = sites_object_of(sites, line);
    const unsigned char *code;
    GElf_Addr bias;
    Elf_Data *data;
    uint64_t within;
    int32_t distance;

    if (!object || !object->module || !function(sites, image, address, &within))
        return false;
    data = elf_getdata_rawchunk(dwfl_module_getelf(object->module, &bias),
                                (int64_t)(returns - SIZE - line->begin + line->offset),
                                SIZE, ELF_T_BYTE);
    if (!data || data->d_size < SIZE)
        return false;
    code = data->d_buf;
    memcpy(&distance, code + 1, sizeof distance);
    return code[0] == CALL && returns + (uint64_t)(int64_t)distance == address - within;
}

const char *sites_function(struct sites *sites, uint32_t image, uint64_t address)
{
    uint64_t within;

    return function(sites, image, address, &within);
}

bool sites_is_in(struct sites *sites, uint32_t image, uint64_t address, const char *name)
{
    const struct map_line *line = maps_find(&sites->recording->images[image].maps, address);
    size_t size = strlen(name), begin = line ? line->path_size : 0;

    while (begin > 0 && line->path[begin - 1] != '/')
        begin--;
    return line && line->path_size - begin >= size
           && memcmp(line->path + begin, name, size) == 0;
}

const char *sites_function_at(struct sites *sites, uint32_t image, uint64_t address)
{
    uint64_t within = 0;
    const char *name = function(sites, image, address, &within);

    return within == 0 ? name : NULL;
}

/* A static variable that covers an address, in a file with a module. */
struct static_variable {
    struct object *object;
    const char *symbol;
    uint64_t begin, within; /* address as libdwfl counts it, and bytes from there */
};

/* Sets *FOUND to the variable that covers an address; returns false if there is none. */
static bool find_variable(struct sites *sites, uint32_t image, uint64_t address,
                          struct static_variable *found)
{
    const struct maps *maps = &sites->recording->images[image].maps;
    const struct map_line *line = maps_find_data(maps, address);
    struct object *object = sites_object_of(sites, line);
    GElf_Addr bias = 0;
    uint64_t in_file;

    if (!object || !object->module)
        return false;
    in_file = data_address(dwfl_module_getelf(object->module, &bias), line->offset,
                           address - line->begin);
    if (!in_file) /* read-only data lie beside the code */
        in_file = sites_virtual_address(dwfl_module_getelf(object->module, &bias),
                                        address - line->begin + line->offset);
    found->object = object;
    found->symbol =
        in_file ? sites_symbol_at(object, in_file, STT_OBJECT, &found->within) : NULL;
    found->begin = in_file + bias - (found->symbol ? found->within : 0);
    return found->symbol != NULL;
}

const char *sites_variable_symbol(struct sites *sites, uint32_t image, uint64_t address)
{
    struct static_variable found;

    return find_variable(sites, image, address, &found) ? found.symbol : NULL;
}

/* Returns the symbol of the variable that covers an address; or NULL. */
static const char *variable(struct sites *sites, uint32_t image, uint64_t address,
                            uint64_t *within)
{
    struct static_variable found;

    if (!find_variable(sites, image, address, &found))
        return NULL;
    *within = found.within;
    return found.symbol;
}

const char *sites_variable(struct sites *sites, uint32_t image, uint64_t address,
                           uint64_t *within)
{
    const char *name = variable(sites, image, address, within);
    return name ? sites_readable(sites, name, false) : NULL;
}

const char *sites_variable_in_full(struct sites *sites, uint32_t image, uint64_t address,
                                   uint64_t *within)
{
    const char *name = variable(sites, image, address, within);
    return name ? sites_readable(sites, name, true) : NULL;
}

char *sites_variable_part(struct sites *sites, uint32_t image, uint64_t address)
{
    struct static_variable found;
    const char *name;
    char *text = NULL;

    if (!find_variable(sites, image, address, &found))
        return NULL;
    name = sites_readable(sites, found.symbol, false);
    if (found.object->statics)
        text = statics_name(found.object->statics, name, found.begin, found.within);
    if (text)
        return text;
    return found.within ? weft_asprintf("%s+%llu", name, (unsigned long long)found.within)
                        : weft_strdup(name);
}
