/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the callers of functions that wrap a lock or a call that may sleep: out-of-line
 * functions of the C++ library ("std::lock"), and libraries such as GLib.  They keep no
 * frame pointer, so the size of their frame at the call comes from the unwinding tables of
 * their file, once for each call, and is remembered.  The file's symbols, read once for
 * each file, say whether a function is such a wrapper.
 *
 * It makes system calls only, as signal handlers may come here.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "domains/threads/record/frame_size.h"
#include "domains/threads/record/hook_helpers.h"

uint64_t weft_wrapper_sites[WEFT_WRAPPER_SITES + WEFT_WRAPPER_PROBES];

#if defined(__x86_64__) && defined(DLFO_STRUCT_HAS_EH_DBASE)

enum {
    MAX_FILES = 64,
    MAX_TRIES = 10000,     /* while another thread reads a file: some 10 ms */
    MAX_SYMBOLS = 1 << 22, /* further ones are not looked at */
};

/* Beginnings of the names of files of which all functions are wrappers. */
static const char *const libraries[] = {
    "libglib-2.0.so", "libgthread-2.0.so", "libgobject-2.0.so", "libgio-2.0.so",
    "libuv.so",       "libapr-1.so",       "libstdc++.so",
};
/* Beginnings of the symbols of functions that are wrappers in all files: those of std. */
static const char *const symbols[] = { "_ZNSt", "_ZNKSt", "_ZSt" };

struct code { /* of a wrapper, in the process's memory */
    uint64_t begin, end;
};

struct file {
    uint64_t base, end;      /* of the file's mapping */
    const struct code *code; /* [n] */
    size_t n;
    bool whole; /* all functions are wrappers */
};

static struct {
    struct file files[MAX_FILES];
    size_t n;
    int busy; /* a thread uses it */
} known;

static bool begins_with_one(const char *name, const char *const *list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (strncmp(name, list[i], strlen(list[i])) == 0)
            return true;
    return false;
}

/* Sets CODE (NULL: only counts) to the wrappers in the table of symbols at SECTION. */
static size_t list_code(const char *image, size_t size, const Elf64_Shdr *section,
                        const Elf64_Shdr *names, uint64_t bias, struct code *code)
{
    const Elf64_Sym *all = (const void *)(image + section->sh_offset);
    size_t n = section->sh_size / sizeof *all, found = 0;

    if (section->sh_offset > size || section->sh_size > size - section->sh_offset
        || names->sh_offset > size || names->sh_size > size - names->sh_offset
        || n > MAX_SYMBOLS)
        return 0;
    for (size_t i = 0; i < n; i++) {
        const char *name = image + names->sh_offset + all[i].st_name;
        if (ELF64_ST_TYPE(all[i].st_info) != STT_FUNC || all[i].st_size == 0
            || all[i].st_name + (uint64_t)8 > names->sh_size
            || !begins_with_one(name, symbols, sizeof symbols / sizeof *symbols))
            continue;
        if (code)
            code[found] = (struct code){ bias + all[i].st_value,
                                         bias + all[i].st_value + all[i].st_size };
        found++;
    }
    return found;
}

/* Returns the table of all symbols of a file, else that of the exported ones; or NULL. */
static const Elf64_Shdr *symbol_table(const char *image, size_t size)
{
    const Elf64_Ehdr *head = (const void *)image;
    const Elf64_Shdr *sections, *found = NULL;

    if (size < sizeof *head || memcmp(head->e_ident, ELFMAG, SELFMAG) != 0
        || head->e_ident[EI_CLASS] != ELFCLASS64 || head->e_shentsize != sizeof *sections
        || head->e_shoff > size || head->e_shnum * sizeof *sections > size - head->e_shoff)
        return NULL;
    sections = (const void *)(image + head->e_shoff);
    for (size_t i = 0; i < head->e_shnum; i++)
        if (sections[i].sh_link < head->e_shnum
            && (sections[i].sh_type == SHT_SYMTAB
                || (sections[i].sh_type == SHT_DYNSYM && !found)))
            found = &sections[i];
    return found;
}

/* Lists the wrappers in IMAGE, the SIZE bytes of a file that is loaded at BIAS. */
static void list_wrappers(struct file *file, const char *image, size_t size, uint64_t bias)
{
    const Elf64_Shdr *section = symbol_table(image, size), *names;
    struct code *code;
    size_t n;

    if (!section)
        return;
    names = (const Elf64_Shdr *)(const void *)(image + ((const Elf64_Ehdr *)image)->e_shoff)
            + section->sh_link;
    n = list_code(image, size, section, names, bias, NULL);
    if (n == 0)
        return;
    code = mmap(NULL, n * sizeof *code, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
                -1, 0);
    if (code == MAP_FAILED)
        return;
    file->n = list_code(image, size, section, names, bias, code);
    file->code = code;
}

static void read_file(struct file *file, const struct link_map *map)
{
    const char *path = map->l_name && map->l_name[0] ? map->l_name : "/proc/self/exe";
    const char *slash = strrchr(path, '/');
    struct stat status;
    void *image;
    int descriptor;

    file->whole = begins_with_one(slash ? slash + 1 : path, libraries,
                                  sizeof libraries / sizeof *libraries);
    if (file->whole || CORE.forbidden != 0)
        return;
    descriptor = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0)
        return;
    if (fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0) {
        image = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, descriptor, 0);
        if (image != MAP_FAILED) {
            list_wrappers(file, image, (size_t)status.st_size, map->l_addr);
            munmap(image, (size_t)status.st_size);
        }
    }
    syscall(SYS_close, descriptor);
}

/* Returns the file that FOUND tells of, read at the first call; NULL: too many. */
static const struct file *file_of(const struct dl_find_object *found)
{
    uint64_t base = (uint64_t)(uintptr_t)found->dlfo_map_start;
    uint64_t end = (uint64_t)(uintptr_t)found->dlfo_map_end;
    size_t i = 0;

    while (i < known.n && known.files[i].base != base)
        i++;
    if (i == MAX_FILES)
        return NULL;
    if (i < known.n && known.files[i].end == end)
        return &known.files[i];
    /* New, or in the place of a file that was unloaded. */
    known.files[i] = (struct file){ .base = base, .end = end };
    read_file(&known.files[i], found->dlfo_link_map);
    known.n = i == known.n ? i + 1 : known.n;
    return &known.files[i];
}

static bool is_wrapper(const struct file *file, uint64_t address)
{
    for (size_t i = 0; i < file->n; i++)
        if (address >= file->code[i].begin && address < file->code[i].end)
            return true;
    return file->whole;
}

/*
 * Returns the size of the frame of the wrapper that calls and is returned to at SITE: bytes
 * from its stack pointer to that of its caller; 0 if it is none, or the size is not known.
 */
static uint64_t look_up(uint64_t site)
{
    struct dl_find_object found;
    const struct file *file;
    uint64_t size = 0;

    if (_dl_find_object((void *)(uintptr_t)(site - 1), &found) != 0 || !found.dlfo_eh_frame)
        return 0;
    file = file_of(&found);
    if (file && is_wrapper(file, site - 1))
        size = weft_frame_size(found.dlfo_eh_frame, site - 1);
    return size / 8 < WEFT_WRAPPER_MAX ? size : 0;
}

/* Returns the entry of SITE, or else one for it: a free one, or the first. */
static uint64_t *find_entry(uint64_t site)
{
    uint64_t *entries = weft_wrapper_entry(site);

    for (size_t i = 0; i < WEFT_WRAPPER_PROBES; i++) {
        uint64_t value = __atomic_load_n(&entries[i], __ATOMIC_RELAXED);
        if (value >> 16 == site || value == 0)
            return &entries[i];
    }
    return entries;
}

/* Returns the size of the frame of the wrapper with the call that returns to SITE, or 0. */
static uint64_t frame_of(uint64_t site)
{
    uint64_t value = __atomic_load_n(find_entry(site), __ATOMIC_RELAXED), size;
    int saved = errno, free = 0, tries = 0;

    if (value >> 16 == site)
        return (value & 0xffff) * 8;
    while (!__atomic_compare_exchange_n(&known.busy, &free, 1, false, __ATOMIC_ACQUIRE,
                                        __ATOMIC_RELAXED)) {
        if (++tries == MAX_TRIES) /* a signal handler has interrupted it, perhaps */
            return 0;
        free = 0;
        syscall(SYS_sched_yield);
    }
    size = look_up(site);
    __atomic_store_n(find_entry(site), site << 16 | size / 8, __ATOMIC_RELAXED);
    __atomic_store_n(&known.busy, 0, __ATOMIC_RELEASE);
    errno = saved;
    return size;
}

/* Other threads may write the words of the stack at any time. */
__attribute__((no_sanitize("thread"))) uint32_t
weft_leave_wrappers(uint64_t site, const void *frame, uintptr_t end,
                    uint64_t calls[WEFT_PATH_MAX])
{
    uintptr_t pointer = (uintptr_t)frame + 2 * sizeof(uint64_t);
    uint32_t n = 0;

    calls[n++] = site;
    while (n < WEFT_PATH_MAX) {
        uint64_t size = frame_of(calls[n - 1]);
        if (size < sizeof(uint64_t) || size > end - pointer)
            break;
        pointer += size;
        calls[n] = *(const uint64_t *)(pointer - sizeof(uint64_t));
        if (calls[n] == 0)
            break;
        n++;
    }
    return n;
}

#else
uint32_t weft_leave_wrappers(uint64_t site, const void *frame, uintptr_t end,
                             uint64_t calls[WEFT_PATH_MAX])
{
    (void)frame;
    (void)end;
    calls[0] = site;
    __atomic_store_n(weft_wrapper_entry(site), site << 16, __ATOMIC_RELAXED);
    return 1;
}
#endif
