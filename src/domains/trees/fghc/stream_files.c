/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Opens the files, pipes and terminals that streams read and write.  A file on a disk never
 * keeps a PE waiting for long, but a pipe without a reader or an idle terminal may block it
 * for ever.  So a PE polls these before it reads or writes.  Reading stops when the run has
 * ended; buffered output is still written then, but after a cancellation only as much as
 * does not block.
 */
#define _GNU_SOURCE /* fopencookie */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "domains/trees/fghc/machine_priv.h"

enum { LOOK_EVERY = 10 }; /* ms: a waiting PE notices the end of the run so soon */

struct stream_end { /* the cookie of a stdio stream */
    const struct machine *machine;
    int fd;
    bool is_own; /* closed with the stream */
};

bool is_ending(const struct machine *m)
{
    return atomic_load(&m->stopped) || weft_job_cancelled(m->options.job);
}

static bool is_ready(int fd, short what, int milliseconds)
{
    struct pollfd one = { .fd = fd, .events = what };
    return poll(&one, 1, milliseconds) > 0;
}

static bool may_try_again(void)
{
    return errno == EINTR || errno == EAGAIN;
}

static ssize_t end_read(void *cookie, char *bytes, size_t n)
{
    const struct stream_end *end = cookie;
    const struct machine *m = end->machine;
    if (m->options.out && !is_ready(end->fd, POLLIN, 0))
        fflush(m->options.out); /* it may hold the prompt for this input */
    while (!is_ending(m)) {
        if (!is_ready(end->fd, POLLIN, LOOK_EVERY))
            continue;
        ssize_t got = read(end->fd, bytes, n);
        if (got >= 0 || !may_try_again())
            return got;
    }
    errno = ECANCELED;
    return -1;
}

static ssize_t end_write(void *cookie, const char *bytes, size_t n)
{
    const struct stream_end *end = cookie;
    size_t done = 0;
    while (done < n) {
        bool hurries = weft_job_cancelled(end->machine->options.job);
        if (!is_ready(end->fd, POLLOUT, hurries ? 0 : LOOK_EVERY)) {
            errno = ECANCELED;
            if (hurries)
                break;
            continue;
        }
        /* A pipe that is ready has room for PIPE_BUF bytes. */
        ssize_t put =
            write(end->fd, bytes + done, n - done < PIPE_BUF ? n - done : PIPE_BUF);
        if (put < 0 && !may_try_again())
            break;
        done += put > 0 ? (size_t)put : 0;
    }
    return (ssize_t)done;
}

static int end_close(void *cookie)
{
    struct stream_end *end = cookie;
    int status = end->is_own ? close(end->fd) : 0;
    free(end);
    return status;
}

static FILE *end_open(const struct machine *m, int fd, bool is_own, const char *mode)
{
    static const cookie_io_functions_t functions = { .read = end_read,
                                                     .write = end_write,
                                                     .close = end_close };
    struct stream_end *end = weft_zalloc(1, sizeof *end);
    *end = (struct stream_end){ m, fd, is_own };
    return weft_or_end(fopencookie(end, mode, functions), BUFSIZ);
}

static bool may_wait(int fd)
{
    struct stat s;
    return fd >= 0 && fstat(fd, &s) == 0 && !S_ISREG(s.st_mode) && !S_ISBLK(s.st_mode)
           && !S_ISDIR(s.st_mode);
}

/* ---- The run's standard streams ---- */

static FILE *output_end(const struct machine *m, FILE *file, int buffering)
{
    int fd = file ? fileno(file) : -1;
    if (!may_wait(fd))
        return file;
    FILE *stream = end_open(m, fd, false, "w");
    setvbuf(stream, NULL, isatty(fd) ? _IOLBF : buffering, BUFSIZ);
    return stream;
}

void ends_open(struct machine *m)
{
    struct fghc_options *options = &m->options;
    m->given_in = options->in;
    m->given_out = options->out;
    m->given_errors = options->errors;
    if (options->in && may_wait(fileno(options->in)))
        options->in = end_open(m, fileno(options->in), false, "r");
    options->out = output_end(m, options->out, _IOFBF);
    options->errors = output_end(m, options->errors, _IONBF);
}

static void close_output(struct machine *m, FILE *stream, const char *name)
{
    errno = 0;
    bool is_whole = !ferror(stream);
    is_whole &= fclose(stream) == 0;
    if (!is_whole && errno != EPIPE && !weft_job_cancelled(m->options.job))
        stop_with(m, WEFT_ERR_WRITE, 0, "cannot write to standard %s%s%s", name,
                  errno ? ": " : "", errno ? strerror(errno) : "");
}

void ends_close(struct machine *m)
{
    struct fghc_options *options = &m->options;
    if (options->errors && options->errors != m->given_errors)
        close_output(m, options->errors, "error");
    if (options->out && options->out != m->given_out)
        close_output(m, options->out, "output");
    if (options->in && options->in != m->given_in)
        fclose(options->in);
    options->in = m->given_in;
    options->out = m->given_out;
    options->errors = m->given_errors;
}

/* ---- Files that the program opens ---- */

static bool is_pipe(const char *path)
{
    struct stat s;
    return stat(path, &s) == 0 && S_ISFIFO(s.st_mode);
}

FILE *end_of_path(const struct machine *m, const char *path, const char *mode)
{
    int flags = mode[0] == 'a'   ? O_WRONLY | O_CREAT | O_APPEND
                : mode[0] == 'w' ? O_WRONLY | O_CREAT | O_TRUNC
                : mode[1] == '+' ? O_RDWR
                                 : O_RDONLY;
    flags |= O_CLOEXEC | O_NONBLOCK;
    int fd;
    /* A named pipe without a reader cannot be opened for writing: wait for a reader. */
    while ((fd = open(path, flags, 0666)) < 0 && !is_ending(m)
           && (errno == EINTR || (errno == ENXIO && is_pipe(path))))
        poll(NULL, 0, LOOK_EVERY);
    if (fd < 0)
        return NULL;
    if (may_wait(fd))
        return end_open(m, fd, true, mode);
    FILE *stream = fdopen(fd, mode);
    if (!stream)
        close(fd);
    return stream;
}
