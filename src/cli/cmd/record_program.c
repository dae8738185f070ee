/* SPDX-License-Identifier: Apache-2.0 */
/* Looking at the program to record, running it, waiting for it. */
#define _GNU_SOURCE
#include "cli/cmd/record_program.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory.h"
#include "format/recording_layout.h"

char *record_find_program(const char *name)
{
    const char *path = getenv("PATH");

    if (strchr(name, '/'))
        return weft_strdup(name);
    for (const char *at = path ? path : "/usr/bin:/bin"; *at;) {
        size_t length = strcspn(at, ":");
        char *file = length == 0 ? weft_asprintf("./%s", name)
                                 : weft_asprintf("%.*s/%s", (int)length, at, name);
        struct stat status;
        if (access(file, X_OK) == 0 && stat(file, &status) == 0 && S_ISREG(status.st_mode))
            return file;
        free(file);
        at += length + (at[length] == ':');
    }
    return NULL;
}

static bool names_sanitizer(Elf *elf, Elf_Scn *section, const GElf_Shdr *header)
{
    Elf_Data *data = elf_getdata(section, NULL);
    size_t n = data && header->sh_entsize ? data->d_size / header->sh_entsize : 0;

    for (size_t i = 0; i < n; i++) {
        GElf_Sym symbol;
        const char *name;
        if (!gelf_getsym(data, (int)i, &symbol))
            continue;
        name = elf_strptr(elf, header->sh_link, symbol.st_name);
        if (name
            && (strcmp(name, "__asan_init") == 0 || strcmp(name, "__tsan_init") == 0
                || strcmp(name, "__msan_init") == 0))
            return true;
    }
    return false;
}

static const char *examine(Elf *elf, bool *sanitized)
{
    Elf_Scn *section = NULL;
    size_t n = 0;
    bool dynamic = false;

    if (elf_kind(elf) != ELF_K_ELF || elf_getphdrnum(elf, &n) != 0)
        return NULL; /* a script: its interpreter is the program that runs */
    while ((section = elf_nextscn(elf, section))) {
        GElf_Shdr header;
        if (gelf_getshdr(section, &header) && header.sh_type == SHT_DYNSYM
            && names_sanitizer(elf, section, &header)) {
            *sanitized = true;
            return "it is built with a sanitizer, which does not go together with "
                   "recording: record a build without -fsanitize";
        }
    }
    for (size_t i = 0; i < n; i++) {
        GElf_Phdr header;
        dynamic |= gelf_getphdr(elf, (int)i, &header) && header.p_type == PT_INTERP;
    }
    return dynamic ? NULL
                   : "it is statically linked, so that nothing can be preloaded into it: "
                     "link it dynamically";
}

const char *record_obstacle(const char *path, bool *sanitized)
{
    struct stat status;
    const char *obstacle = NULL;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    Elf *elf;

    *sanitized = false;
    if (file < 0)
        return NULL;
    elf_version(EV_CURRENT);
    elf = elf_begin(file, ELF_C_READ, NULL);
    if (elf)
        obstacle = examine(elf, sanitized);
    elf_end(elf);
    if (!obstacle && fstat(file, &status) == 0
        && (((status.st_mode & S_ISUID) && status.st_uid != geteuid())
            || ((status.st_mode & S_ISGID) && status.st_gid != getegid())))
        obstacle = "it runs with another user's rights (setuid), so that nothing can be "
                   "preloaded into it: run weft as that user";
    close(file);
    return obstacle;
}

static void set_environment(const char *libraries, const char *folder)
{
    const char *others = getenv("LD_PRELOAD");
    char *preload = others && *others ? weft_asprintf("%s:%s", libraries, others)
                                      : weft_strdup(libraries);

    setenv("LD_PRELOAD", preload, 1);
    setenv(WEFT_RECORD_DIR_VARIABLE, folder, 1);
    free(preload);
}

static volatile sig_atomic_t running_child;

static void pass_on(int number)
{
    if (running_child > 0)
        kill((pid_t)running_child, number);
}

/* In the child: execute the program, or send the error number through the pipe. */
static _Noreturn void become_program(const char **arguments, int tell)
{
    int error;

    execvp(arguments[0], (char *const *)arguments);
    error = errno;
    if (write(tell, &error, sizeof error) != sizeof error)
        _exit(125);
    _exit(error == ENOENT ? 127 : 126);
}

int record_run(const char **arguments, const char *libraries, const char *folder,
               struct weft_err *err)
{
    struct sigaction ignore = { .sa_handler = SIG_IGN }, pass = { .sa_handler = pass_on };
    struct sigaction before_int, before_quit, before_term, before_hup;
    int channel[2], status = 0, error = 0;
    pid_t child;

    if (pipe2(channel, O_CLOEXEC) != 0) {
        weft_fail_errno(err, WEFT_ERR_READ, "cannot make a pipe");
        return 126;
    }
    /* The terminal sends Ctrl-C to the program, too, so weft ignores it and goes on to join the
       recording.  Other signals come to weft alone, and are passed on. */
    sigaction(SIGINT, &ignore, &before_int);
    sigaction(SIGQUIT, &ignore, &before_quit);
    child = fork();
    if (child == 0) {
        sigaction(SIGINT, &before_int, NULL);
        sigaction(SIGQUIT, &before_quit, NULL);
        set_environment(libraries, folder);
        become_program(arguments, channel[1]);
    }
    running_child = child;
    sigaction(SIGTERM, &pass, &before_term);
    sigaction(SIGHUP, &pass, &before_hup);
    close(channel[1]);
    if (child < 0) {
        weft_fail_errno(err, WEFT_ERR_READ, "cannot start a process");
        status = 126 << 8;
    } else {
        while (read(channel[0], &error, sizeof error) < 0 && errno == EINTR)
            ;
        while (waitpid(child, &status, 0) < 0 && errno == EINTR)
            ;
        if (error) {
            errno = error;
            weft_fail_errno(err, WEFT_ERR_READ, "cannot run \"%s\"", arguments[0]);
        }
    }
    running_child = 0;
    close(channel[0]);
    sigaction(SIGINT, &before_int, NULL);
    sigaction(SIGQUIT, &before_quit, NULL);
    sigaction(SIGTERM, &before_term, NULL);
    sigaction(SIGHUP, &before_hup, NULL);
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
