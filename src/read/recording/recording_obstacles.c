/* SPDX-License-Identifier: Apache-2.0 */
/* Examines a program's file. */
#define _GNU_SOURCE
#include "read/recording/recording_obstacles.h"

#include <fcntl.h>
#include <gelf.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

enum { SCRIPT_LINE = 256 }; /* bytes of the first line that the kernel reads */

static bool section_needs(Elf *elf, Elf_Scn *section, const GElf_Shdr *header,
                          const char *library)
{
    Elf_Data *data = elf_getdata(section, NULL);
    size_t n = data && header->sh_entsize ? data->d_size / header->sh_entsize : 0;

    for (size_t i = 0; i < n; i++) {
        GElf_Dyn entry;
        const char *name;
        if (!gelf_getdyn(data, (int)i, &entry) || entry.d_tag != DT_NEEDED)
            continue;
        name = elf_strptr(elf, header->sh_link, entry.d_un.d_val);
        if (name && strncmp(name, library, strlen(library)) == 0)
            return true;
    }
    return false;
}

static bool program_needs(Elf *elf, const char *library)
{
    Elf_Scn *section = NULL;

    while ((section = elf_nextscn(elf, section))) {
        GElf_Shdr header;
        if (gelf_getshdr(section, &header) && header.sh_type == SHT_DYNAMIC
            && section_needs(elf, section, &header, library))
            return true;
    }
    return false;
}

enum sanitizer { NO_SANITIZER, THREAD_SANITIZER, OTHER_SANITIZER };

/* Returns the sanitizer that a symbol belongs to.  THREADS: the program needs libtsan. */
static enum sanitizer sanitizer_of(const char *name, const GElf_Sym *symbol, bool threads)
{
    if (strcmp(name, "__asan_init") == 0 || strcmp(name, "__msan_init") == 0)
        return OTHER_SANITIZER;
    /* Programs with Weft's hooks refer to it, too, but do not define it. */
    if (strcmp(name, "__tsan_init") == 0 && (threads || symbol->st_shndx != SHN_UNDEF))
        return THREAD_SANITIZER;
    return NO_SANITIZER;
}

static enum sanitizer find_sanitizer_in(Elf *elf, Elf_Scn *section, const GElf_Shdr *header,
                                        bool threads)
{
    Elf_Data *data = elf_getdata(section, NULL);
    size_t n = data && header->sh_entsize ? data->d_size / header->sh_entsize : 0;
    enum sanitizer found = NO_SANITIZER;

    for (size_t i = 0; i < n && found == NO_SANITIZER; i++) {
        GElf_Sym symbol;
        const char *name;
        if (!gelf_getsym(data, (int)i, &symbol))
            continue;
        name = elf_strptr(elf, header->sh_link, symbol.st_name);
        if (name)
            found = sanitizer_of(name, &symbol, threads);
    }
    return found;
}

static enum sanitizer find_sanitizer(Elf *elf)
{
    bool threads = program_needs(elf, "libtsan.so");
    enum sanitizer found = NO_SANITIZER;
    Elf_Scn *section = NULL;

    while (found == NO_SANITIZER && (section = elf_nextscn(elf, section))) {
        GElf_Shdr header;
        if (gelf_getshdr(section, &header) && header.sh_type == SHT_DYNSYM)
            found = find_sanitizer_in(elf, section, &header, threads);
    }
    return found;
}

/* Returns true if it uses musl's dynamic linker, which cannot load glibc libraries. */
static bool is_of_musl(Elf *elf)
{
    size_t n = 0, size = 0;
    const char *file = elf_rawfile(elf, &size);

    if (!file || elf_getphdrnum(elf, &n) != 0)
        return false;
    for (size_t i = 0; i < n; i++) {
        GElf_Phdr header;
        if (gelf_getphdr(elf, (int)i, &header) && header.p_type == PT_INTERP
            && header.p_offset <= size && header.p_filesz <= size - header.p_offset)
            return memmem(file + header.p_offset, header.p_filesz, "/ld-musl-",
                          strlen("/ld-musl-"))
                   != NULL;
    }
    return false;
}

/* Returns true if the dynamic linker starts it. */
static bool is_dynamic(Elf *elf)
{
    size_t n = 0;

    if (elf_getphdrnum(elf, &n) != 0)
        return false;
    for (size_t i = 0; i < n; i++) {
        GElf_Phdr header;
        if (gelf_getphdr(elf, (int)i, &header) && header.p_type == PT_INTERP)
            return true;
    }
    return false;
}

static const char *examine(Elf *elf, bool *sanitized)
{
    int size = gelf_getclass(elf) == ELFCLASS64 ? 8 : 4;
    enum sanitizer sanitizer;

    if (size != (int)sizeof(void *))
        return size == 4 ? "it is a program of 32 bits, into which this recorder cannot be "
                           "loaded: record a build of 64 bits"
                         : "it is a program of 64 bits, into which this recorder cannot be "
                           "loaded";
    if (is_of_musl(elf)) {
        *sanitized = true;
        return "it is linked with the C library musl, whose dynamic linker cannot load the "
               "recorder: record a build with the GNU C library";
    }
    sanitizer = find_sanitizer(elf);
    if (sanitizer != NO_SANITIZER)
        *sanitized = true;
    if (sanitizer == THREAD_SANITIZER)
        return "it is linked with ThreadSanitizer, which does not go together with recording: "
               "record a build without -fsanitize; or, to record its references to arrays, "
               "link what was compiled with -fsanitize=thread with -lweft-array, and without "
               "-fsanitize=thread";
    if (sanitizer == OTHER_SANITIZER)
        return "it is built with a sanitizer, which does not go together with recording: "
               "record a build without -fsanitize";
    return is_dynamic(elf) ? NULL
                           : "it is statically linked, so that nothing can be preloaded "
                             "into it (linked dynamically, it also tells which locks it "
                             "waits for, and who woke whom)";
}

/* The loader ignores LD_PRELOAD for setuid programs and programs with capabilities. */
static const char *examine_rights(int file)
{
    struct stat status;

    if (fstat(file, &status) != 0)
        return NULL;
    if (((status.st_mode & S_ISUID) && status.st_uid != geteuid())
        || ((status.st_mode & S_ISGID) && status.st_gid != getegid()))
        return "it runs with another user's rights (setuid), so that nothing can be "
               "preloaded into it: run weft as that user";
    if (geteuid() != 0 && fgetxattr(file, "security.capability", NULL, 0) > 0)
        return "it runs with rights of its own (file capabilities), so that nothing can be "
               "preloaded into it: run weft as root";
    return NULL;
}

/* Returns the interpreter of a script, in LINE; NULL if the file is no script. */
static const char *find_interpreter(int file, char line[SCRIPT_LINE])
{
    ssize_t n = pread(file, line, SCRIPT_LINE - 1, 0);
    char *name = line + 2;

    if (n < 3 || line[0] != '#' || line[1] != '!')
        return NULL;
    line[n] = 0;
    name += strspn(name, " \t");
    name[strcspn(name, " \t\r\n")] = 0;
    return *name ? name : NULL;
}

/* SCRIPTS is the number of further interpreters that may be examined. */
static const char *find_obstacle(const char *path, bool *sanitized, int scripts)
{
    char line[SCRIPT_LINE];
    const char *obstacle = NULL, *interpreter;
    struct stat status;
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    Elf *elf = NULL;

    if (file < 0)
        return NULL;
    if (fstat(file, &status) == 0 && S_ISREG(status.st_mode)) {
        elf_version(EV_CURRENT);
        elf = elf_begin(file, ELF_C_READ, NULL);
        interpreter = find_interpreter(file, line);
        if (elf && elf_kind(elf) == ELF_K_ELF)
            obstacle = examine(elf, sanitized);
        else if (interpreter && scripts > 0)
            obstacle = find_obstacle(interpreter, sanitized, scripts - 1);
        if (!obstacle && !interpreter)
            obstacle = examine_rights(file);
    }
    elf_end(elf);
    close(file);
    return obstacle;
}

const char *weft_recording_obstacle(const char *path, bool *sanitized)
{
    bool unused;

    sanitized = sanitized ? sanitized : &unused;
    *sanitized = false;
    /* The kernel follows four nested interpreters. */
    return find_obstacle(path, sanitized, 4);
}

static bool file_needs(const char *path, const char *library, int scripts)
{
    char line[SCRIPT_LINE];
    const char *interpreter;
    struct stat status;
    bool needs = false;
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    Elf *elf = NULL;

    if (file < 0)
        return false;
    if (fstat(file, &status) == 0 && S_ISREG(status.st_mode)) {
        elf_version(EV_CURRENT);
        elf = elf_begin(file, ELF_C_READ, NULL);
        if (elf && elf_kind(elf) == ELF_K_ELF)
            needs = program_needs(elf, library);
        else if (scripts > 0 && (interpreter = find_interpreter(file, line)))
            needs = file_needs(interpreter, library, scripts - 1);
    }
    elf_end(elf);
    close(file);
    return needs;
}

bool weft_recording_needs(const char *path, const char *library)
{
    return file_needs(path, library, 4);
}
