/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "read/recording/needed_libraries.h"

#include <fcntl.h>
#include <gelf.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory.h"

extern char **environ;

void weft_paths_free(struct weft_paths *paths)
{
    for (size_t i = 0; i < paths->n; i++)
        free(paths->list[i]);
    free(paths->list);
    *paths = (struct weft_paths){ 0 };
}

static void add_path(struct weft_paths *paths, const char *path, size_t length)
{
    paths->list =
        weft_grow(paths->list, &paths->capacity, paths->n + 1, sizeof *paths->list);
    paths->list[paths->n++] = weft_asprintf("%.*s", (int)length, path);
}

/* Opens the ELF file at PATH; NULL if it is none.  *FILE is to be closed, if not -1. */
static Elf *open_elf(const char *path, int *file)
{
    Elf *elf;

    *file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (*file < 0)
        return NULL;
    elf_version(EV_CURRENT);
    elf = elf_begin(*file, ELF_C_READ, NULL);
    if (elf && elf_kind(elf) == ELF_K_ELF)
        return elf;
    elf_end(elf);
    return NULL;
}

/* Returns the path of the program's dynamic loader, which the caller frees, or NULL. */
static char *loader_of(const char *program)
{
    char *found = NULL;
    size_t n = 0, size = 0;
    int file;
    Elf *elf = open_elf(program, &file);
    const char *bytes = elf ? elf_rawfile(elf, &size) : NULL;

    if (bytes && elf_getphdrnum(elf, &n) == 0)
        for (size_t i = 0; i < n && !found; i++) {
            GElf_Phdr header;
            if (gelf_getphdr(elf, (int)i, &header) && header.p_type == PT_INTERP
                && header.p_offset <= size && header.p_filesz <= size - header.p_offset)
                found = strndup(bytes + header.p_offset, header.p_filesz);
        }
    elf_end(elf);
    if (file >= 0)
        close(file);
    return found;
}

/* Runs the loader on the program; returns what it prints, or NULL. */
static FILE *ask_loader(const char *loader, const char *program, pid_t *child)
{
    const char *arguments[] = { loader, "--list", program, NULL };
    posix_spawn_file_actions_t actions;
    int ends[2], failed;

    if (pipe2(ends, O_CLOEXEC) != 0)
        return NULL;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
    failed = posix_spawn(child, loader, &actions, NULL, (char **)arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    if (failed) {
        close(ends[0]);
        return NULL;
    }
    return fdopen(ends[0], "r");
}

struct weft_paths weft_program_files(const char *program)
{
    struct weft_paths paths = { 0 };
    char *loader = loader_of(program), *line = NULL;
    size_t room = 0;
    pid_t child = -1;
    FILE *said = loader ? ask_loader(loader, program, &child) : NULL;

    add_path(&paths, program, strlen(program));
    /* "\tlibm.so.6 => /lib/x86_64-linux-gnu/libm.so.6 (0x00007f...)" */
    while (said && getline(&line, &room, said) > 0) {
        const char *path = strstr(line, " => /"), *end = strrchr(line, '(');
        if (path && end && end > path + 5)
            add_path(&paths, path + 4, (size_t)(end - path) - 5);
    }
    if (said)
        fclose(said);
    if (child > 0)
        (void)waitpid(child, NULL, 0);
    free(line);
    free(loader);
    return paths;
}

static void visit_section(Elf *elf, Elf_Scn *section, const GElf_Shdr *header, bool defined,
                          void (*visit)(void *user, const char *name), void *user)
{
    Elf_Data *data = elf_getdata(section, NULL);
    size_t n = data && header->sh_entsize ? data->d_size / header->sh_entsize : 0;

    for (size_t i = 0; i < n; i++) {
        GElf_Sym symbol;
        const char *name;
        if (!gelf_getsym(data, (int)i, &symbol)
            || (symbol.st_shndx != SHN_UNDEF) != defined)
            continue;
        name = elf_strptr(elf, header->sh_link, symbol.st_name);
        if (name && name[0])
            visit(user, name);
    }
}

void weft_program_symbols(const char *path, bool defined,
                          void (*visit)(void *user, const char *name), void *user)
{
    Elf_Scn *section = NULL;
    int file;
    Elf *elf = open_elf(path, &file);

    while (elf && (section = elf_nextscn(elf, section))) {
        GElf_Shdr header;
        if (gelf_getshdr(section, &header) && header.sh_type == SHT_DYNSYM)
            visit_section(elf, section, &header, defined, visit, user);
    }
    elf_end(elf);
    if (file >= 0)
        close(file);
}
