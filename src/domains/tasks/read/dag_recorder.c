/* SPDX-License-Identifier: Apache-2.0 */
/* The reader of DAG Recorder's files: the head, the table of names, the workers. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "domains/tasks/read/dag_recorder_priv.h"
#include "store/build/spill.h"

static int probe(const unsigned char *head, size_t size)
{
    static const char begin[] = "DAG_RECORDER FORMAT VERSION";
    return size >= sizeof begin - 1 && memcmp(head, begin, sizeof begin - 1) == 0 ? 100 : 0;
}

static bool fail(const struct weft_input *input, struct weft_err *err, const char *what)
{
    return weft_fail_at(err, WEFT_ERR_FORMAT, weft_input_path(input), 0, "%s", what);
}

/* Checks the first line, which has the version as text. */
static bool read_version(const struct dag_file *file, const struct weft_input *input,
                         struct weft_err *err)
{
    size_t most = file->size < DAG_FILE_VERSION_SIZE ? file->size : DAG_FILE_VERSION_SIZE,
           n = 0;
    if (most == DAG_FILE_VERSION_SIZE && memcmp(file->data, DAG_FILE_VERSION, most) == 0)
        return true;
    while (n < most && file->data[n] >= ' ' && file->data[n] < 127)
        n++;
    return weft_fail_at(err, WEFT_ERR_FORMAT, weft_input_path(input), 0,
                        "DAG Recorder's format \"%.*s\" is not the one that Weft reads "
                        "(version 1.24 2014/09/18)",
                        (int)n, (const char *)file->data);
}

static bool read_head(struct dag_file *file, const struct weft_input *input,
                      struct weft_err *err)
{
    if (!read_version(file, input, err))
        return false;
    if (file->size < DAG_FILE_HEAD)
        return fail(input, err, "the file is cut short: it ends within its head");
    int64_t n = dag_file_i64(file, 45), m = dag_file_i64(file, 53);
    uint64_t here = (file->size - DAG_FILE_HEAD) / DAG_FILE_NODE;
    if (n < 1 || m < 0 || n >= INT64_MAX / DAG_FILE_NODE)
        return weft_fail_at(err, WEFT_ERR_FORMAT, weft_input_path(input), 0,
                            "the head says that there are %" PRId64 " nodes and %" PRId64
                            " edges, which is absurd",
                            n, m);
    if (!here)
        return fail(input, err, "the file is cut short: it ends before its first node");
    file->said_nodes = (uint64_t)n;
    file->said_edges = (uint64_t)m;
    file->cut = file->said_nodes > here;
    if ((file->cut ? here : file->said_nodes) >= WEFT_NONE - 1)
        return weft_fail_at(err, WEFT_ERR_LIMIT, weft_input_path(input), 0,
                            "%" PRId64 " nodes are more than Weft reads (2^32)", n);
    file->n = (uint32_t)(file->cut ? here : file->said_nodes);
    return true;
}

/* Locates edges and names, as far as they are in the file. */
static void find_tables(struct dag_file *file)
{
    uint64_t at = dag_file_node(file->n), left = file->size - at;
    if (file->cut || file->said_edges > left / DAG_FILE_EDGE) {
        file->cut = true;
        return;
    }
    file->n_edges = file->said_edges;
    at += file->n_edges * DAG_FILE_EDGE;
    left = file->size - at;
    if (left < DAG_FILE_NAMES_HEAD) {
        file->cut = true;
        return;
    }
    int64_t names = dag_file_i64(file, at);
    left -= DAG_FILE_NAMES_HEAD;
    if (names < 0 || (uint64_t)names > left / 8) {
        file->cut = true;
        return;
    }
    file->n_names = (uint64_t)names;
    file->names = at + DAG_FILE_NAMES_HEAD + 8 * file->n_names;
}

static void report_cut(struct dag_file *file)
{
    if (file->cut)
        weft_builder_problem(file->builder, WEFT_ERROR, "cut-short", 0,
                             "the file is cut short, or its head is wrong: %" PRIu32
                             " of %" PRIu64 " nodes are here, %" PRIu64 " of %" PRIu64
                             " edges, and %s file names",
                             file->n, file->said_nodes, file->n_edges, file->said_edges,
                             file->names ? "the" : "no");
}

static uint32_t new_type(struct weft_builder *b, uint32_t parent, const char *name,
                         enum weft_role role)
{
    return weft_builder_type(b, &(struct weft_type){ .kind = WEFT_CONTAINER,
                                                     .parent = parent,
                                                     .name = name,
                                                     .role = role,
                                                     .start_type = WEFT_NONE,
                                                     .end_type = WEFT_NONE });
}

/*
 * Counts the workers.  The head's number is lower than the highest worker number if some
 * workers had nothing to do.  The workers that nodes name are known already; the others get
 * the lowest free numbers.
 */
static void count_workers(struct dag_file *file)
{
    int64_t said = dag_file_i64(file, 69);
    uint32_t seen = 0;
    for (uint32_t w = 0; w < file->worker_limit; w++)
        seen += file->workers[w];
    if (said < 1 || said > DAG_MAX_WORKERS || said < (int64_t)seen)
        weft_builder_problem(file->builder, WEFT_ERROR, "absurd-workers", 0,
                             "the head says that %" PRId64
                             " workers ran, and the nodes name %" PRIu32,
                             said, seen);
    uint32_t all = said >= 1 && said <= DAG_MAX_WORKERS ? (uint32_t)said : 1;
    for (uint32_t w = 0; seen < all && w < DAG_MAX_WORKERS; w++) {
        if (file->workers[w])
            continue;
        file->workers[w] = true;
        file->worker_limit = w >= file->worker_limit ? w + 1 : file->worker_limit;
        seen++;
    }
}

static struct weft_dag_writer *begin_writer(struct dag_file *file)
{
    uint32_t process_type = new_type(file->builder, 0, "process", WEFT_ROLE_PROCESS);
    uint32_t worker_type =
        new_type(file->builder, process_type, "worker", WEFT_ROLE_WORKER);
    uint32_t process =
        weft_builder_container(file->builder, process_type, 0, "run", NULL, 0);
    uint32_t *workers = weft_alloc(file->worker_limit * sizeof *workers);
    for (uint32_t w = 0; w < file->worker_limit; w++) {
        char name[32];
        snprintf(name, sizeof name, "worker %" PRIu32, w);
        workers[w] = file->workers[w] ? weft_builder_container(file->builder, worker_type,
                                                               process, name, NULL, 0)
                                      : WEFT_NONE;
    }
    struct weft_dag_writer *writer =
        weft_dag_writer_new(&(struct weft_dag_target){ .builder = file->builder,
                                                       .process = process,
                                                       .process_type = process_type,
                                                       .workers = workers,
                                                       .n_workers = file->worker_limit,
                                                       .worker_type = worker_type });
    free(workers);
    return writer;
}

static bool read_all(struct dag_file *file, struct weft_job *job, struct weft_err *err)
{
    char text[32];
    report_cut(file);
    if (!dag_find_structure(file, job, err))
        return false;
    count_workers(file);
    struct weft_dag_writer *writer = begin_writer(file);
    if (!dag_read_nodes(file, writer, job, err)) {
        weft_dag_writer_abandon(writer);
        return false;
    }
    if (!weft_dag_writer_finish(writer, job, err))
        return false;
    snprintf(text, sizeof text, "%" PRId64, dag_file_i64(file, 61));
    weft_builder_note(file->builder, "clock at the start", text);
    weft_builder_records(file->builder, file->n);
    return true;
}

/* Ticks per second, or 0 with an error. */
static uint64_t resolution(const char *text, struct weft_err *err)
{
    enum { DIGITS = 15 }; /* so many digits do not overflow: 10^15 ticks a second */
    uint64_t ticks = 0;
    size_t zeros = strspn(text, "0"), n = zeros + strspn(text + zeros, "0123456789");
    for (size_t i = zeros; i < n && n - zeros <= DIGITS; i++)
        ticks = 10 * ticks + (uint64_t)(text[i] - '0');
    if (text[n] || !ticks) {
        weft_fail(err, WEFT_ERR_USAGE,
                  "\"%s\" is no number of ticks per second (a whole number, as 2400000000)",
                  text);
        return 0;
    }
    return ticks;
}

static bool is_resolution(const char *text, struct weft_err *err)
{
    return resolution(text, err);
}

static const struct weft_reader_option option = {
    .name = "ticks-per-second",
    .argument = "N",
    .help = "of the clock of a DAG Recorder file (10^9 unless given)",
    .check = is_resolution,
};

/* Copies input that is compressed or from a pipe into a temporary file. */
static bool unpack(struct dag_file *file, struct weft_input *input, const char *folder,
                   struct weft_spill *spill, struct weft_err *damage, struct weft_err *err)
{
    enum { BLOCK = 1 << 20 };
    unsigned char *buffer = weft_alloc(BLOCK);
    int64_t got;
    while ((got = weft_input_read(input, buffer, BLOCK, damage)) > 0)
        weft_spill_append(spill, folder, buffer, (size_t)got);
    free(buffer);
    if (got < 0 && damage->code != WEFT_ERR_FORMAT) {
        if (err)
            *err = *damage;
        return false;
    }
    file->data = weft_spill_read(spill, &file->size, err);
    return file->data != NULL;
}

/* Maps the file, then reads it. */
static bool read_input(struct dag_file *file, struct weft_input *input,
                       struct weft_spill *spill, struct weft_job *job, struct weft_err *err)
{
    struct weft_err damage = { 0 };
    bool plain = weft_input_is_plain(input);
    if (plain) {
        if (!weft_input_map(input, &file->map, err))
            return false;
        file->data = file->map.data;
        file->size = file->map.size;
    } else if (!unpack(file, input, weft_builder_folder(file->builder), spill, &damage,
                       err)) {
        return false;
    }
    if (!read_head(file, input, err))
        return false;
    if (damage.code)
        weft_builder_problem(file->builder, WEFT_ERROR, "damaged-compression", 0, "%s",
                             damage.message);
    find_tables(file);
    return read_all(file, job, err)
           && (!plain || weft_input_is_unchanged(input, &file->map, err));
}

static bool read_dag(struct weft_input *input, const struct weft_read_options *options,
                     const char *store_path, struct weft_job *job, struct weft_err *err)
{
    const char *text = weft_read_option(options, option.name);
    uint64_t ticks = text ? resolution(text, err) : 1000000000;
    struct dag_file file = { 0 };
    struct weft_spill spill;
    if (!ticks || !(file.builder = weft_builder_new(store_path, "dag", err)))
        return false;
    weft_spill_init(&spill);
    weft_builder_resolution(file.builder, ticks, 1);
    bool ok = read_input(&file, input, &spill, job, err);
    if (ok) {
        weft_input_tell(input, file.builder);
        ok = weft_builder_finish(file.builder, job, err);
    } else {
        weft_builder_abandon(file.builder);
    }
    weft_unmap(&file.map);
    weft_spill_free(&spill);
    weft_id_map_free(&file.sites);
    weft_id_map_free(&file.name_numbers);
    for (size_t i = 0; i < file.n_file_names; i++)
        free(file.file_names[i]);
    free(file.file_names);
    free(file.workers);
    free(file.parents);
    free(file.counts);
    free(file.numbers);
    free(file.earliest);
    return ok;
}

const struct weft_reader weft_reader_dag = {
    .name = "dag",
    .description = "DAG Recorder file (.dag)",
    .probe = probe,
    .read = read_dag,
    .options = &option,
    .n_options = 1,
};
