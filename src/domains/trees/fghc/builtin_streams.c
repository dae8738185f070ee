/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Streams.  A stream is a list of commands that the program extends: a process `writing`
 * carries the commands out, klicio opens such streams, merge makes one list of several.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "domains/trees/fghc/machine_priv.h"

struct goal *process_of(struct pe *pe, const struct goal *maker, enum builtin builtin,
                        uint32_t arity)
{
    struct goal *goal = goal_new(pe, arity);
    goal->is_builtin = true;
    goal->procedure = (uint16_t)builtin;
    goal->site = maker->site;
    goal->parent_pe = maker->parent_pe;
    goal->parent_index = maker->parent_index;
    return goal;
}

/* ---- Commands ---- */

enum command {
    COMMAND_NONE,
    COMMAND_TERM,    /* write a term with quotes */
    COMMAND_PLAIN,   /* write a term without quotes */
    COMMAND_TEXT,    /* write a string's bytes; answer: their number */
    COMMAND_CODE,    /* write one byte */
    COMMAND_LINE,    /* write a new line */
    COMMAND_FLUSH,   /* flush; answer: 0, or -1 when not all could be written */
    COMMAND_SYNC,    /* nothing; answer: 0 */
    COMMAND_CLOSE,   /* flush and close a file; answer like FLUSH */
    COMMAND_GET,     /* read a byte; answer: the byte, or -1 at the end of the input */
    COMMAND_UNGET,   /* put a byte back into the input */
    COMMAND_IS_END,  /* answer: 1 at the end of the input, else 0 */
    COMMAND_READ,    /* read a string of at most so many bytes */
    COMMAND_TERM_IN, /* read a term */
};

static const struct {
    const char *name;
    uint32_t arity;
    enum command command;
} commands[] = {
    { "putt", 1, COMMAND_TERM },    { "puttq", 1, COMMAND_TERM },
    { "putwt", 1, COMMAND_TERM },   { "putwtq", 1, COMMAND_TERM },
    { "writeq", 1, COMMAND_TERM },  { "print", 1, COMMAND_PLAIN },
    { "write", 1, COMMAND_PLAIN },  { "fwrite", 1, COMMAND_TEXT },
    { "fwrite", 2, COMMAND_TEXT },  { "putc", 1, COMMAND_CODE },
    { "nl", 0, COMMAND_LINE },      { "fflush", 0, COMMAND_FLUSH },
    { "flush", 0, COMMAND_FLUSH },  { "fflush", 1, COMMAND_FLUSH },
    { "flush", 1, COMMAND_FLUSH },  { "sync", 1, COMMAND_SYNC },
    { "fclose", 1, COMMAND_CLOSE }, { "getc", 1, COMMAND_GET },
    { "ungetc", 1, COMMAND_UNGET }, { "feof", 1, COMMAND_IS_END },
    { "fread", 2, COMMAND_READ },   { "gett", 1, COMMAND_TERM_IN },
};

/* Returns the command that a term stands for, and its arguments, NULL when it has none. */
static enum command command_of(const struct program *program, term t, uint32_t *arity,
                               const term **arguments)
{
    *arguments = NULL;
    *arity = 0;
    if (term_is_integer(t)) /* the same as putc(Code) */
        return COMMAND_CODE;
    if (term_tag(t) != TERM_ATOM && term_tag(t) != TERM_STRUCT)
        return COMMAND_NONE;
    const char *name = program->names[term_tag(t) == TERM_ATOM ? term_atom_index(t)
                                                               : term_name(*term_cell(t))];
    if (term_tag(t) == TERM_STRUCT) {
        *arguments = term_cell(t) + 1;
        *arity = term_arity(*term_cell(t));
    }
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        if (strcmp(commands[i].name, name) == 0 && commands[i].arity == *arity)
            return commands[i].command;
    return COMMAND_NONE;
}

/* Returns true for commands whose first argument is an input. */
static bool takes_term(enum command command)
{
    return (command >= COMMAND_TERM && command <= COMMAND_CODE) || command == COMMAND_UNGET
           || command == COMMAND_READ;
}

/* Numbers of streams; the stream of file i has FIRST_FILE + i. */
enum { STREAM_OF_RUN, STREAM_OF_ERRORS, FIRST_FILE };

struct stream_files {
    FILE *in, *out;            /* the same for a file of the program */
    struct program_file *file; /* NULL: the run's standard streams */
};

/* Reads a string of at most MOST and 4,096 bytes, up to the end of a line: waiting for more
 * might block. */
static term read_string(struct pe *pe, FILE *in, int64_t most)
{
    char bytes[4096];
    size_t n = 0;
    for (int c; n < sizeof bytes && (int64_t)n < most && (c = fgetc(in)) != EOF;) {
        bytes[n++] = (char)c;
        if (c == '\n')
            break;
    }
    return heap_string(pe, bytes, n);
}

/* Runs a command on the input; returns false for a wrong argument or a term that cannot be
 * read. */
static bool read_command(struct pe *pe, FILE *in, enum command command, term first,
                         term *answer)
{
    int c = EOF;
    *answer = term_atom(ATOM_NIL);
    if ((command == COMMAND_UNGET || command == COMMAND_READ) && !term_is_integer(first))
        return false;
    if (command == COMMAND_READ) {
        *answer = in ? read_string(pe, in, term_integer(first)) : heap_string(pe, "", 0);
        return true;
    }
    if (command == COMMAND_TERM_IN)
        return !in || read_term(pe, in, answer);
    if (command == COMMAND_UNGET) {
        if (in)
            ungetc((int)(term_integer(first) & 255), in);
        return true;
    }
    c = in ? fgetc(in) : EOF;
    *answer = term_small(command == COMMAND_GET ? c : c == EOF);
    if (command == COMMAND_IS_END && c != EOF)
        ungetc(c, in);
    return true;
}

static bool run_command(struct pe *pe, const struct stream_files *ends,
                        enum command command, term first, term *answer)
{
    FILE *out = ends->out;
    const struct program *program = pe->machine->program;
    const struct weft_job *job = pe->machine->options.job;
    bool text = term_tag(first) == TERM_STRING;
    *answer = term_small(0);
    switch (command) {
    case COMMAND_TERM: print_term(out, program, job, first, true); break;
    case COMMAND_TEXT:
        if (text)
            fwrite(term_bytes(first), 1, term_length(first), out);
        else
            print_term(out, program, job, first, false);
        *answer = term_small(text ? (int64_t)term_length(first) : 0);
        break;
    case COMMAND_PLAIN: print_term(out, program, job, first, false); break;
    case COMMAND_CODE:
        if (!term_is_integer(first))
            return false;
        fputc((int)(term_integer(first) & 255), out);
        break;
    case COMMAND_LINE: fputc('\n', out); break;
    case COMMAND_CLOSE:
    case COMMAND_FLUSH:
        *answer = term_small(fflush(out) == 0 && !ferror(out) ? 0 : -1);
        break;
    case COMMAND_SYNC: break;
    default: return read_command(pe, ends->in, command, first, answer);
    }
    return true;
}

/* Finds the files of a stream by its number; returns false when it is closed.  The caller
 * holds out_lock. */
static bool ends_of(const struct machine *m, int64_t number, struct stream_files *ends)
{
    const struct fghc_options *options = &m->options;
    if (number < FIRST_FILE) {
        bool on_errors = number == STREAM_OF_ERRORS && options->errors;
        *ends = (struct stream_files){ options->in,
                                       on_errors ? options->errors : options->out, NULL };
        return true;
    }
    struct program_file *file = &m->files[number - FIRST_FILE];
    *ends = (struct stream_files){ file->stream, file->stream, file };
    return file->stream != NULL;
}

/* Closes a file of the program; returns false when not all was written: the run then ends
 * with an error.  The caller holds out_lock. */
static bool close_file(struct machine *m, int64_t number)
{
    struct program_file *file = number < FIRST_FILE ? NULL : &m->files[number - FIRST_FILE];
    if (!file || !file->stream)
        return true;
    if (fclose(file->stream) != 0 && !file->error)
        file->error = errno;
    file->stream = NULL;
    if (file->error && !m->lost.code) {
        errno = file->error;
        weft_fail_errno(&m->lost, WEFT_ERR_WRITE, "cannot write %s", file->path);
    }
    return !file->error;
}

void close_files(struct machine *m)
{
    for (size_t i = 0; i < m->n_files; i++) {
        close_file(m, FIRST_FILE + (int64_t)i);
        free(m->files[i].path);
    }
    free(m->files);
    if (m->lost.code)
        stop_with(m, m->lost.code, 0, "%s", m->lost.message);
}

/* Keeps errno of a failed write to a file of the program, since the stream does not. */
static void note_error(struct program_file *file)
{
    if (file && !file->error && ferror(file->stream))
        file->error = errno ? errno : EIO;
}

/* Carries out a command whose inputs are ground; returns false when the goal has failed and
 * is freed, or is pushed again since the run ends. */
static bool carry_out(struct pe *pe, struct goal *goal, term t)
{
    uint32_t arity;
    const term *arguments;
    enum command command = command_of(pe->machine->program, t, &arity, &arguments);
    term first = arity ? term_deref(arguments[0]) : t, answer = 0;
    int64_t number = term_integer(goal->arguments[2]);
    struct stream_files ends;
    pthread_mutex_lock(&pe->machine->out_lock);
    bool is_open = ends_of(pe->machine, number, &ends);
    errno = 0;
    bool ok = is_open && command != COMMAND_NONE
              && run_command(pe, &ends, command, first, &answer);
    bool failed = is_open && ends.in && command >= COMMAND_GET && ferror(ends.in);
    if (ok && command < COMMAND_GET)
        note_error(ends.file);
    if (ok && command == COMMAND_CLOSE && !close_file(pe->machine, number))
        answer = term_small(-1);
    pthread_mutex_unlock(&pe->machine->out_lock);
    /* The end of the run interrupted the reading: there is no answer. */
    if ((failed || (!ok && command == COMMAND_TERM_IN)) && is_ending(pe->machine)) {
        push_goal(pe, goal);
        return false;
    }
    if (!ok || failed) {
        builtin_fail(pe, goal,
                     !is_open ? "the file is closed"
                     : failed ? "its input cannot be read"
                     : command == COMMAND_TERM_IN
                         ? "what was read is no term, or has too many names"
                         : "the stream does not know this command");
        return false;
    }
    /* The answer goes to the last argument, unless that is the input. */
    if (arity > takes_term(command)
        && unify(pe, arguments[arity - 1], answer) != OUTCOME_YES) {
        builtin_fail(pe, goal, "the answer to a command has another value already");
        return false;
    }
    return true;
}

static void end_stream(struct pe *pe, struct goal *goal)
{
    pthread_mutex_lock(&pe->machine->out_lock);
    close_file(pe->machine, term_integer(goal->arguments[2]));
    pthread_mutex_unlock(&pe->machine->out_lock);
    goal_free(pe, goal);
}

/*
 * writing(Stream, List, Number) carries out the commands of a stream.  A command's input
 * must be ground first, so that each schedule writes the same text: the list has its parts
 * that are not yet tested; 0 instead means that the command is new.  Number is the
 * stream's.
 */
void run_writing(struct pe *pe, struct goal *goal)
{
    const struct program *program = pe->machine->program;
    for (;;) {
        term list = term_deref(goal->arguments[0]);
        if (term_tag(list) == TERM_REF) {
            again_when(pe, goal, list);
            return;
        }
        if (list == term_atom(ATOM_NIL)) {
            end_stream(pe, goal);
            return;
        }
        if (term_tag(list) != TERM_LIST) {
            builtin_fail(pe, goal, "that is no stream");
            return;
        }
        term t = term_deref(term_cell(list)[0]);
        if (term_tag(t) == TERM_REF) {
            again_when(pe, goal, t);
            return;
        }
        if (goal->arguments[1] == term_small(0)) {
            uint32_t arity;
            const term *arguments;
            enum command command = command_of(program, t, &arity, &arguments);
            goal->arguments[1] = takes_term(command) && arity
                                     ? heap_list(pe, arguments[0], term_atom(ATOM_NIL))
                                     : term_atom(ATOM_NIL);
        }
        if (!when_known(pe, goal, 1) || !carry_out(pe, goal, t))
            return;
        goal->arguments[1] = term_small(0);
        goal->arguments[0] = term_cell(list)[1];
        if (is_wanted(pe)) { /* the list may be long, or endless */
            push_goal(pe, goal);
            return;
        }
    }
}

void run_outstream(struct pe *pe, struct goal *goal)
{
    struct goal *writing = process_of(pe, goal, BUILTIN_WRITING, 3);
    writing->arguments[0] = goal->arguments[0];
    writing->arguments[1] = writing->arguments[2] = term_small(0);
    goal_free(pe, goal);
    run_writing(pe, writing);
}

/* ---- klicio([stdout(Result)|...]): each result is normal(Stream) ---- */

static const struct {
    const char *name;
    uint32_t arity;
    int stream;
    const char *mode; /* of a file, whose path is the first argument */
} requests[] = {
    { "stdin", 1, STREAM_OF_RUN, NULL },     { "stdout", 1, STREAM_OF_RUN, NULL },
    { "stderr", 1, STREAM_OF_ERRORS, NULL }, { "read_open", 2, FIRST_FILE, "re" },
    { "write_open", 2, FIRST_FILE, "we" },   { "append_open", 2, FIRST_FILE, "ae" },
    { "update_open", 2, FIRST_FILE, "r+e" },
};

/* Opens a file; returns the number of its stream, or -1 when it cannot be opened. */
static int64_t open_file(struct pe *pe, term path, const char *mode)
{
    struct machine *m = pe->machine;
    if (memchr(term_bytes(path), 0, term_length(path))) /* no file has such a name */
        return -1;
    char *text = weft_strndup(term_bytes(path), term_length(path));
    FILE *file = end_of_path(m, text, mode);
    if (!file) {
        free(text);
        return -1;
    }
    pthread_mutex_lock(&m->out_lock);
    m->files = weft_grow(m->files, &m->file_capacity, m->n_files + 1, sizeof *m->files);
    m->files[m->n_files] = (struct program_file){ file, text, 0 };
    int64_t number = FIRST_FILE + (int64_t)m->n_files++;
    pthread_mutex_unlock(&m->out_lock);
    return number;
}

/* Returns normal(Stream), and pushes a process for the stream. */
static term normal_stream(struct pe *pe, const struct goal *goal, int64_t number)
{
    struct goal *stream = process_of(pe, goal, BUILTIN_WRITING, 3);
    stream->arguments[0] = heap_variable(pe);
    stream->arguments[1] = term_small(0);
    stream->arguments[2] = term_small(number);
    term *normal = heap_alloc(pe, 2);
    normal[0] = term_functor(ATOM_NORMAL, 1);
    normal[1] = stream->arguments[0];
    push_goal(pe, stream);
    return term_of(normal, TERM_STRUCT);
}

/* Answers a request; returns false when the goal is suspended, or has failed and is
 * freed. */
static bool open_stream(struct pe *pe, struct goal *goal, term request)
{
    const struct program *program = pe->machine->program;
    const term *at = term_tag(request) == TERM_STRUCT ? term_cell(request) : NULL;
    const char *name = at ? program->names[term_name(at[0])] : "";
    size_t i = 0, n = sizeof requests / sizeof *requests;
    while (
        i < n
        && (strcmp(name, requests[i].name) != 0 || term_arity(at[0]) != requests[i].arity))
        i++;
    if (i == n) {
        builtin_fail(pe, goal,
                     "only stdin, stdout and stderr(Result), and read_open, write_open, "
                     "append_open and update_open(\"path\", Result) can be asked for");
        return false;
    }
    int64_t number = requests[i].stream;
    if (requests[i].mode) {
        term path = term_deref(at[1]);
        if (term_tag(path) == TERM_REF) {
            again_when(pe, goal, path);
            return false;
        }
        if (term_tag(path) != TERM_STRING) {
            builtin_fail(pe, goal, "a path is a string");
            return false;
        }
        number = open_file(pe, path, requests[i].mode);
    }
    term result = number < 0 ? term_atom(ATOM_ABNORMAL) : normal_stream(pe, goal, number);
    if (unify(pe, at[requests[i].arity], result) == OUTCOME_YES)
        return true;
    builtin_fail(pe, goal, "the result has another value already");
    return false;
}

void run_klicio(struct pe *pe, struct goal *goal)
{
    for (;;) {
        term list = term_deref(goal->arguments[0]);
        if (term_tag(list) == TERM_REF) {
            again_when(pe, goal, list);
            return;
        }
        if (term_tag(list) != TERM_LIST) {
            goal_free(pe, goal);
            return;
        }
        term request = term_deref(term_cell(list)[0]);
        if (term_tag(request) == TERM_REF) {
            again_when(pe, goal, request);
            return;
        }
        if (!open_stream(pe, goal, request))
            return;
        goal->arguments[0] = term_cell(list)[1];
        if (is_wanted(pe)) { /* likewise */
            push_goal(pe, goal);
            return;
        }
    }
}

/* ---- merge(In, Out) ---- */

/* Returns true for the end of a stream: [], or {}, which merges no streams. */
static bool is_closed(term t)
{
    return t == term_atom(ATOM_NIL)
           || (term_tag(t) == TERM_STRUCT && *term_cell(t) == term_functor(ATOM_VECTOR, 0));
}

/* Returns the vector of streams IN without part I, rotated so that the part after I comes
 * first, and with *WITH, the rest of stream I, as its last part unless WITH is NULL. */
static term other_inputs(struct pe *pe, term in, uint32_t i, const term *with)
{
    const term *at = term_cell(in);
    uint32_t n = term_arity(at[0]);
    if (!with && n == 1)
        return term_atom(ATOM_NIL);
    uint32_t rest = with ? n : n - 1;
    term *fresh = heap_alloc(pe, 1 + (size_t)rest);
    fresh[0] = term_functor(ATOM_VECTOR, rest);
    /* The streams after I come first, so that each has its turn. */
    for (uint32_t k = 1; k < n; k++)
        fresh[k] = at[1 + (i + k) % n];
    if (with)
        fresh[n] = *with;
    return term_of(fresh, TERM_STRUCT);
}

/* Appends an element to the merged stream, whose new end becomes the goal's second
 * argument. */
static bool put_element(struct pe *pe, struct goal *goal, term element)
{
    term rest = heap_variable(pe);
    if (unify(pe, goal->arguments[1], heap_list(pe, element, rest)) != OUTCOME_YES) {
        builtin_fail(pe, goal, "the merged stream has another value already");
        return false;
    }
    goal->arguments[1] = rest;
    return true;
}

/*
 * Takes one element of the first stream in {A,B,...} that has one, drops the stream if it
 * has ended, or starts another merge if it is a vector itself; suspends when all are
 * unbound.
 */
static void merge_several(struct pe *pe, struct goal *goal, term in)
{
    const term *at = term_cell(in);
    pe->n_waited = 0;
    for (uint32_t i = 0; i < term_arity(at[0]); i++) {
        term one = term_deref(at[1 + i]);
        if (term_tag(one) == TERM_REF) {
            wait_for(pe, one);
            continue;
        }
        if (is_closed(one)) {
            goal->arguments[0] = other_inputs(pe, in, i, NULL);
        } else if (term_tag(one) == TERM_LIST) {
            if (!put_element(pe, goal, term_cell(one)[0]))
                return;
            goal->arguments[0] = other_inputs(pe, in, i, &term_cell(one)[1]);
        } else if (term_tag(one) == TERM_STRUCT
                   && term_name(*term_cell(one)) == ATOM_VECTOR) {
            /* Another merge process makes one stream of them. */
            struct goal *inner = process_of(pe, goal, BUILTIN_MERGE, 2);
            inner->arguments[0] = one;
            inner->arguments[1] = heap_variable(pe);
            goal->arguments[0] = other_inputs(pe, in, i, &inner->arguments[1]);
            push_goal(pe, inner);
        } else {
            builtin_fail(pe, goal, "only lists can be merged");
            return;
        }
        push_goal(pe, goal);
        return;
    }
    suspend(pe, goal);
}

void run_merge(struct pe *pe, struct goal *goal)
{
    term in = term_deref(goal->arguments[0]);
    if (term_tag(in) == TERM_REF) {
        again_when(pe, goal, in);
    } else if (is_closed(in)) {
        if (unify(pe, goal->arguments[1], term_atom(ATOM_NIL)) != OUTCOME_YES)
            builtin_fail(pe, goal, "the merged stream has another end");
        else
            goal_free(pe, goal);
    } else if (term_tag(in) == TERM_LIST) {
        if (!put_element(pe, goal, term_cell(in)[0]))
            return;
        goal->arguments[0] = term_cell(in)[1];
        push_goal(pe, goal);
    } else if (term_tag(in) == TERM_STRUCT && term_name(*term_cell(in)) == ATOM_VECTOR) {
        merge_several(pe, goal, in);
    } else {
        builtin_fail(pe, goal, "only lists can be merged");
    }
}
