/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Examines a program's file by read alone, since a mapping could be truncated meanwhile.
 * Runs in children of vfork and on small stacks.  Weft itself examines the program that it
 * starts in read/recording/recording_obstacles.c, with libelf, and explains each reason.
 */
#define _GNU_SOURCE
#include <elf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "record/core/system.h"
#include "record/maps/readable_memory.h"
#include "record/process/exec_target.h"
#include "record/process/seccomp_filters.h"

enum {
    CHUNK = 2048,         /* bytes of a file that are read at once */
    OVERLAP = 32,         /* of two chunks: longer than each name searched for */
    NAMES_MAX = 16 << 20, /* bytes of a program's names that are searched */
    HEADERS_MAX = 64,
    SCRIPTS = 4, /* nested interpreters; the kernel allows no more */
    PATH_SIZE = 1024,
};

static bool reads(long file, void *to, uint64_t size, uint64_t offset)
{
    return weft_sys_read_at(file, to, size, offset) == (long)size;
}

/* ---- Programs ---- */

struct program {
    long file;
    Elf64_Ehdr header;
};

static bool segment(const struct program *program, uint32_t i, Elf64_Phdr *header)
{
    return i < program->header.e_phnum && i < HEADERS_MAX
           && reads(program->file, header, sizeof *header,
                    program->header.e_phoff + (uint64_t)i * sizeof *header);
}

static bool find_segment(const struct program *program, uint32_t type, Elf64_Phdr *header)
{
    for (uint32_t i = 0; segment(program, i, header); i++)
        if (header->p_type == type)
            return true;
    return false;
}

/* Find the file offset of an address in a loaded segment. */
static bool find_place(const struct program *program, uint64_t address, uint64_t *offset)
{
    Elf64_Phdr header;

    for (uint32_t i = 0; segment(program, i, &header); i++)
        if (header.p_type == PT_LOAD && address - header.p_vaddr < header.p_filesz) {
            *offset = header.p_offset + (address - header.p_vaddr);
            return true;
        }
    return false;
}

static bool has_musl_linker(const struct program *program)
{
    static const char linker[] = "/ld-musl-";
    Elf64_Phdr header;
    char path[256];
    uint64_t size;

    if (!find_segment(program, PT_INTERP, &header))
        return false;
    size = header.p_filesz < sizeof path ? header.p_filesz : sizeof path;
    return reads(program->file, path, size, header.p_offset)
           && memmem(path, size, linker, sizeof linker - 1) != NULL;
}

/* Find the strings that the dynamic linker reads (DT_STRTAB). */
static bool find_names(const struct program *program, uint64_t *offset, uint64_t *size)
{
    Elf64_Phdr header;
    Elf64_Dyn entry = { 0 };
    uint64_t address = 0;

    *size = 0;
    if (!find_segment(program, PT_DYNAMIC, &header))
        return false;
    for (uint64_t at = 0; at + sizeof entry <= header.p_filesz && at < CHUNK;
         at += sizeof entry) {
        if (!reads(program->file, &entry, sizeof entry, header.p_offset + at)
            || entry.d_tag == DT_NULL)
            break;
        if (entry.d_tag == DT_STRTAB)
            address = entry.d_un.d_ptr;
        else if (entry.d_tag == DT_STRSZ)
            *size = entry.d_un.d_val;
    }
    return address && *size && find_place(program, address, offset);
}

/*
 * Names in programs with a sanitizer: it is started by them, or linked in statically.  Not
 * __tsan_init, which programs with Weft's own hooks refer to, too.
 */
static const struct {
    const char *name;
    uint32_t size; /* with the NUL; not of the library, whose version follows */
} sanitizers[] = {
    { "__asan_init", 12 },         { "__msan_init", 12 }, { "__hwasan_init", 14 },
    { "__tsan_flush_memory", 20 }, { "libtsan.so", 10 },
};

static bool names_sanitizer(const char *names, uint64_t size)
{
    for (size_t i = 0; i < sizeof sanitizers / sizeof *sanitizers; i++)
        if (memmem(names, size, sanitizers[i].name, sanitizers[i].size))
            return true;
    return false;
}

static bool has_sanitizer(const struct program *program)
{
    uint64_t offset, size;
    char names[CHUNK];

    if (!find_names(program, &offset, &size))
        return false;
    for (uint64_t at = 0; at < size && at < NAMES_MAX; at += CHUNK - OVERLAP) {
        long n = weft_sys_read_at(program->file, names,
                                  size - at < CHUNK ? size - at : CHUNK, offset + at);
        if (n <= 0)
            return false;
        if (names_sanitizer(names, (uint64_t)n))
            return true;
    }
    return false;
}

/* ---- Files ---- */

/* Open a regular file; returns a negative number if it cannot be examined. */
static long open_file(int folder, const char *path)
{
    return weft_sys_is_file(folder, path)
               ? weft_sys_open_at(folder, path, O_RDONLY | O_NONBLOCK | O_NOCTTY)
               : -1;
}

/* Read the interpreter from the first line of a script into PATH. */
static bool read_interpreter(long file, char path[PATH_SIZE])
{
    char *end, *from = path + 2;
    long n = weft_sys_read_at(file, path, 256, 0);

    if (n < 3 || path[0] != '#' || path[1] != '!')
        return false;
    path[n] = 0;
    from += strspn(from, " \t");
    end = from + strcspn(from, " \t\r\n");
    *end = 0;
    memmove(path, from, (size_t)(end - from) + 1);
    return *path != 0;
}

/* Closes FILE. */
static bool refuses(long file, char path[PATH_SIZE])
{
    struct program program = { .file = file };
    bool refused = false;

    for (int scripts = 0; scripts < SCRIPTS && read_interpreter(program.file, path);
         scripts++) {
        weft_sys_close(program.file);
        program.file = open_file(AT_FDCWD, path);
        if (program.file < 0)
            return false;
    }
    if (reads(program.file, &program.header, sizeof program.header, 0)
        && memcmp(program.header.e_ident, ELFMAG, SELFMAG) == 0)
        refused = program.header.e_ident[EI_CLASS] != ELFCLASS64
                  || has_musl_linker(&program) || has_sanitizer(&program);
    weft_sys_close(program.file);
    return refused;
}

/* Open the first NAME in the folders of $PATH, as execvp does; its path in PATH. */
static long open_name(const char *name, char path[PATH_SIZE])
{
    const char *folders = weft_variable("PATH");
    long file = -1;

    if (!folders)
        folders = "/bin:/usr/bin"; /* confstr(3), _CS_PATH */
    for (const char *at = folders; file < 0; at++) {
        size_t size = strcspn(at, ":");
        if (size + 1 + strlen(name) < PATH_SIZE) {
            memcpy(path, at, size);
            path[size] = '/';
            /* An empty entry is the working directory. */
            weft_text_copy(path + size + (size > 0), name);
            file = open_file(AT_FDCWD, path);
        }
        at += size;
        if (!*at)
            break;
    }
    return file;
}

static void descriptor_path(char path[PATH_SIZE], int file)
{
    weft_text_number(weft_text_copy(path, "/proc/self/fd/"), (uint64_t)file);
}

bool weft_target_refuses(const struct weft_target *target)
{
    char path[PATH_SIZE];
    long file;

    if (!weft_sandbox_allows(WEFT_NEED_PROGRAMS)
        || (target->path && !weft_readable_text(target->path)))
        return false;
    if (target->how == WEFT_TARGET_DESCRIPTOR
        || (target->how == WEFT_TARGET_PLACE && target->flags & AT_EMPTY_PATH
            && target->path && !*target->path)) {
        descriptor_path(path, target->file);
        file = open_file(AT_FDCWD, path);
    } else if (target->how == WEFT_TARGET_NAME && !strchr(target->path, '/')) {
        file = open_name(target->path, path);
    } else {
        file = open_file(target->how == WEFT_TARGET_PLACE ? target->file : AT_FDCWD,
                         target->path);
    }
    return file >= 0 && refuses(file, path);
}
