/* SPDX-License-Identifier: Apache-2.0 */
/* Loads a recording: its files, and the processes and threads that they belong to. */
#include "read/recording/logs/load_recording.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/compare.h"
#include "read/recording/logs/logs.h"
#include "read/recording/logs/records.h"

struct image_key {
    uint32_t folder, pid;
    uint64_t image;
};

struct piece_key {
    uint64_t log, offset;
};

void recording_lose(struct recording *recording, enum recording_loss loss, const char *file,
                    int error)
{
    struct loss *to = &recording->losses[loss];

    if (to->n++ == 0)
        to->example =
            error ? weft_asprintf("%s: %s", file, strerror(error)) : weft_strdup(file);
}

bool recording_map(struct recording *recording, struct weft_mapping *map, const char *path)
{
    errno = 0;
    if (weft_map_file(map, path, NULL))
        return true;
    recording_lose(recording, RECORDING_UNREAD, path, errno);
    return false;
}

/* Read a small file; "" if there is none, NULL with *err if it cannot be read. */
static char *read_text(const char *path, struct weft_err *err)
{
    struct weft_mapping map;
    char *text;

    errno = 0;
    if (!weft_map_file(&map, path, err))
        return errno == ENOENT ? weft_strdup("") : NULL;
    text = weft_strndup((const char *)map.data, map.size);
    weft_unmap(&map);
    return text;
}

/* Returns true for the same boot of the same machine. */
static bool same_host(const struct host *host, const char *name, const char *boot)
{
    return strcmp(host->name, name) == 0 && strcmp(host->boot, boot) == 0;
}

static uint32_t find_host(struct recording *recording, const char *name, const char *boot)
{
    for (uint32_t i = 0; i < recording->n_hosts; i++)
        if (same_host(&recording->hosts[i], name, boot))
            return i;
    recording->hosts = weft_grow(recording->hosts, &recording->hosts_capacity,
                                 recording->n_hosts + 1, sizeof *recording->hosts);
    recording->hosts[recording->n_hosts] =
        (struct host){ weft_strdup(name), weft_strdup(boot) };
    return (uint32_t)recording->n_hosts++;
}

/* Containers of a machine differ in name, but not in clock.  Names if no boot is known. */
static bool same_machine(const struct clock_domain *domain, const char *host,
                         const char *boot)
{
    return *boot ? strcmp(domain->boot, boot) == 0
                 : !*domain->boot && strcmp(domain->host, host) == 0;
}

static uint32_t find_domain(struct recording *recording,
                            const struct weft_process_header *header)
{
    enum weft_clock_source clock =
        header->clock == WEFT_CLOCK_TSC ? WEFT_CLOCK_TSC : WEFT_CLOCK_MONOTONIC_NS;

    for (uint32_t i = 0; i < recording->n_domains; i++)
        if (recording->domains[i].clock == clock
            && same_machine(&recording->domains[i], header->host, header->boot))
            return i;
    recording->domains = weft_grow(recording->domains, &recording->domains_capacity,
                                   recording->n_domains + 1, sizeof *recording->domains);
    recording->domains[recording->n_domains] = (struct clock_domain){
        .host = weft_strdup(header->host), .boot = weft_strdup(header->boot), .clock = clock
    };
    return (uint32_t)recording->n_domains++;
}

static int compare_images(const void *a, const void *b)
{
    const struct image *x = a, *y = b;

    return strcmp(x->header.host, y->header.host) ?: strcmp(x->header.boot, y->header.boot)
           ?: WEFT_COMPARE(x->header.pid_namespace, y->header.pid_namespace)
           ?: WEFT_COMPARE(x->header.pid, y->header.pid)
           ?: WEFT_COMPARE(x->header.image, y->header.image) ?: WEFT_COMPARE(x->log, y->log)
           ?: WEFT_COMPARE(x->offset, y->offset);
}

static int compare_starts(const void *a, const void *b)
{
    const struct stream *x = a, *y = b;

    return WEFT_COMPARE(x->header->first_ticks, y->header->first_ticks)
           ?: WEFT_COMPARE(x->header->ordinal, y->header->ordinal)
           ?: WEFT_COMPARE(x->image, y->image);
}

/* Returns true if IMAGE continues the process of the one before; pids are reused. */
static bool goes_on(const struct image *image)
{
    const struct weft_process_header *before = &image[-1].header, *now = &image->header;

    return image[-1].host == image->host && before->pid == now->pid
           && before->pid_namespace == now->pid_namespace && !before->exited
           && now->forked_pid == 0;
}

/*
 * Returns the clock domain of an image that was only observed: that of recorded processes
 * on its machine, if there are any.
 */
static uint32_t find_domain_of_observed(struct recording *recording,
                                        const struct weft_process_header *header)
{
    for (uint32_t i = 0; i < recording->n_domains; i++)
        if (same_machine(&recording->domains[i], header->host, header->boot))
            return i;
    return find_domain(recording, header);
}

static void find_domains(struct recording *recording)
{
    for (size_t i = 0; i < recording->n_images; i++)
        if (!recording->images[i].observed)
            recording->images[i].domain =
                find_domain(recording, &recording->images[i].header);
    for (size_t i = 0; i < recording->n_images; i++)
        if (recording->images[i].observed)
            recording->images[i].domain =
                find_domain_of_observed(recording, &recording->images[i].header);
}

/* Find the process, the host and the clock of each image. */
static void relate_images(struct recording *recording)
{
    if (recording->n_images > 1)
        qsort(recording->images, recording->n_images, sizeof *recording->images,
              compare_images);
    find_domains(recording);
    for (uint32_t i = 0; i < recording->n_images; i++) {
        struct image *image = &recording->images[i];
        image->host = find_host(recording, image->header.host, image->header.boot);
        if (i == 0 || !goes_on(image)) {
            recording->processes =
                weft_grow(recording->processes, &recording->processes_capacity,
                          recording->n_processes + 1, sizeof *recording->processes);
            recording->processes[recording->n_processes++] = (struct process){
                image->host, image->header.pid, i, i, WEFT_NONE, INT64_MIN
            };
        }
        image->process = (uint32_t)recording->n_processes - 1;
        recording->processes[image->process].last_image = i;
    }
}

/* A forked child shares its parent's names and maps. */
static void relate_forks(struct recording *recording)
{
    struct weft_text_map map = { 0 };

    for (uint32_t i = 0; i < recording->n_images; i++) {
        const struct image *image = &recording->images[i];
        struct image_key key = { image->folder, image->header.pid, image->header.image };
        weft_text_map_put(&map, &key, sizeof key, i);
    }
    for (uint32_t i = 0; i < recording->n_images; i++) {
        struct image *image = &recording->images[i];
        struct image_key key = { image->folder, image->header.forked_pid,
                                 image->header.forked_image };
        uint32_t parent = image->header.forked_pid != 0
                              ? weft_text_map_get(&map, &key, sizeof key)
                              : WEFT_MAP_NONE;
        /* A parent is older: damage must not make cycles. */
        if (parent == WEFT_MAP_NONE
            || recording->images[parent].header.image >= image->header.image)
            continue;
        image->inherits = parent;
        image->maps.before = &recording->images[parent].maps;
    }
    weft_text_map_free(&map);
}

/* Find the image of each stream. */
static void relate_streams(struct recording *recording)
{
    struct weft_text_map map = { 0 };
    size_t kept = 0;

    for (uint32_t i = 0; i < recording->n_images; i++) {
        struct piece_key key = { recording->images[i].log, recording->images[i].offset };
        weft_text_map_put(&map, &key, sizeof key, i);
    }
    for (size_t i = 0; i < recording->n_streams; i++) {
        struct stream *stream = &recording->streams[i];
        struct piece_key key = { stream->log, stream->process };
        stream->image = weft_text_map_get(&map, &key, sizeof key);
        stream->spans = recording->spans + stream->first_span;
        if (stream->image == WEFT_NONE) { /* which is WEFT_MAP_NONE */
            char name[64];
            snprintf(name, sizeof name, "thread %u", stream->header->tid);
            recording_lose(recording, RECORDING_WITHOUT_PROCESS, name, 0);
        } else {
            recording->streams[kept++] = *stream;
        }
    }
    recording->n_streams = kept;
    if (kept > 1)
        qsort(recording->streams, kept, sizeof *recording->streams, compare_starts);
    for (size_t i = 0; i < kept; i++)
        recording_rewind(&recording->streams[i]);
    weft_text_map_free(&map);
}

/* Parse four integers, separated by spaces. */
static bool parse_sample(const char *text, struct weft_clock_sample *sample)
{
    uint64_t numbers[4];

    for (int i = 0; i < 4; i++) {
        char *end;
        if (i > 0 && *text++ != ' ')
            return false;
        errno = 0;
        numbers[i] = strtoull(text, &end, 10);
        if (*text < '0' || *text > '9' || errno != 0 || numbers[i] > INT64_MAX)
            return false;
        text = end;
    }
    *sample = (struct weft_clock_sample){ .ticks = numbers[0],
                                          .monotonic_ns = (int64_t)numbers[1],
                                          .realtime_ns = (int64_t)numbers[2],
                                          .error_ticks = numbers[3] };
    return *text == 0 && sample->ticks != 0;
}

/*
 * Parse the clocks that weft record wrote when it began (AT 0) and when its program had
 * ended (AT 1; missing after a kill).  Returns false if they are missing or damaged; the
 * caller that reads all facts reports it.
 */
static bool clocks_of(struct recording *recording, const char *facts, int at,
                      struct weft_clock_sample *sample)
{
    static const char *const keys[] = { "clocks-begin", "clocks-end" };
    const char *text = recording_fact(&recording->arena, facts, keys[at]);

    return text && parse_sample(text, sample);
}

/* Returns true if the clocks of the facts are undamaged, and increase. */
static bool clocks_whole(struct recording *recording, const char *facts)
{
    struct weft_clock_sample begin, end;
    bool has_begin = clocks_of(recording, facts, 0, &begin),
         has_end = clocks_of(recording, facts, 1, &end);

    if (has_begin != (recording_fact(&recording->arena, facts, "clocks-begin") != NULL)
        || has_end != (recording_fact(&recording->arena, facts, "clocks-end") != NULL))
        return false;
    return !has_begin || !has_end
           || (begin.ticks <= end.ticks && begin.monotonic_ns <= end.monotonic_ns);
}

/* Returns true if DOMAIN is of the machine on which weft record wrote the facts. */
static bool is_of_facts(struct recording *recording, const char *facts,
                        const struct clock_domain *domain)
{
    const char *host = recording_fact(&recording->arena, facts, "host");
    const char *boot = recording_fact(&recording->arena, facts, "boot");

    return same_machine(domain, host ? host : "", boot ? boot : "");
}

/* Add the clock samples that weft record itself took on its machine. */
static void add_facts(struct recording *recording, const char *facts)
{
    for (int at = 0; at < 2 && clocks_whole(recording, facts); at++) {
        struct weft_clock_sample sample;
        if (!clocks_of(recording, facts, at, &sample))
            continue;
        for (size_t i = 0; i < recording->n_domains; i++)
            if (is_of_facts(recording, facts, &recording->domains[i]))
                clock_domain_add(&recording->domains[i], &sample);
    }
}

/* Note when weft record saw its program end, for processes on its machine. */
static void note_ends(struct recording *recording, uint32_t folder)
{
    struct weft_clock_sample end;
    const char *facts = recording->all_facts[folder];

    if (!clocks_whole(recording, facts) || !clocks_of(recording, facts, 1, &end))
        return;
    for (size_t i = 0; i < recording->n_images; i++) {
        const struct image *image = &recording->images[i];
        const struct clock_domain *domain = &recording->domains[image->domain];
        if (image->folder / RECORDING_FOLDER_STRIDE == folder
            && is_of_facts(recording, facts, domain))
            recording->processes[image->process].ended =
                clock_domain_of_monotonic(domain, end.monotonic_ns);
    }
}

/* Fit every domain, and shift all to the time of the first image's machine. */
static void calibrate(struct recording *recording)
{
    for (size_t i = 0; i < recording->n_images; i++) {
        const struct weft_process_header *header = &recording->images[i].header;
        struct clock_domain *domain = &recording->domains[recording->images[i].domain];
        if (recording->images[i].observed)
            continue;
        clock_domain_add(domain, &header->first);
        clock_domain_add(domain, &header->last);
        for (uint32_t k = 0; k < header->n_samples; k++)
            clock_domain_add(domain, &header->samples[k]);
    }
    for (size_t i = 0; i < recording->n_folders; i++)
        add_facts(recording, recording->all_facts[i]);
    for (size_t i = 0; i < recording->n_domains; i++)
        clock_domain_fit(&recording->domains[i]);
    for (size_t i = 1; i < recording->n_domains; i++)
        if (!same_machine(&recording->domains[i], recording->domains[0].host,
                          recording->domains[0].boot))
            clock_domain_align(&recording->domains[i], &recording->domains[0]);
    for (uint32_t i = 0; i < recording->n_folders; i++)
        note_ends(recording, i);
}

int64_t recording_ns(const struct recording *recording, uint32_t image, uint64_t ticks)
{
    const struct image *of = &recording->images[image];
    const struct clock_domain *domain = &recording->domains[of->domain];
    size_t piece = 0;

    return of->observed ? clock_domain_of_monotonic(domain, (int64_t)ticks)
                        : clock_domain_ns(domain, ticks, &piece);
}

const char *recording_fact(struct weft_arena *arena, const char *facts, const char *key)
{
    size_t length = strlen(key);

    for (const char *line = facts; line && *line;) {
        size_t size = strcspn(line, "\n");
        if (size > length && strncmp(line, key, length) == 0 && line[length] == '=')
            return weft_arena_printf(arena, "%.*s", (int)(size - length - 1),
                                     line + length + 1);
        line += size + (line[size] == '\n');
    }
    return NULL;
}

enum weft_recording_file weft_recording_file_of(const char *name)
{
    const char *digits = "0123456789";
    size_t of_process = *name ? strspn(name + 1, digits) : 0;
    const char *rest = name + (*name ? 1 : 0) + of_process;
    size_t of_file = *rest == '-' ? strspn(rest + 1, digits) : 0;

    if (of_process == 0 || of_file == 0 || rest[1 + of_file])
        return WEFT_RECORDING_OTHER;
    return *name == 'l'   ? WEFT_RECORDING_LOG
           : *name == 'x' ? WEFT_RECORDING_WORD
                          : WEFT_RECORDING_OTHER;
}

/* A file x<pid>-<errno>: a process that could not make a log. */
static void note_unrecorded(struct recording *recording, const char *name)
{
    char *end;
    unsigned long pid = strtoul(name + 1, &end, 10);

    recording->unrecorded =
        weft_grow(recording->unrecorded, &recording->unrecorded_capacity,
                  recording->n_unrecorded + 1, sizeof *recording->unrecorded);
    recording->unrecorded[recording->n_unrecorded++] =
        (struct unrecorded){ (uint32_t)pid, (int)strtol(end + 1, NULL, 10) };
}

/* Returns NULL if there are no more entries, or they cannot be read. */
static struct dirent *next_entry(struct recording *recording, DIR *directory,
                                 const char *path)
{
    struct dirent *entry;

    errno = 0;
    entry = readdir(directory);
    if (!entry && errno != 0)
        recording_lose(recording, RECORDING_UNREAD, path, errno);
    return entry;
}

/* Load the files of one machine. */
static void load_machine(struct recording *recording, uint32_t folder, const char *path)
{
    /* Do not follow symbolic links. */
    int folder_file = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *directory = folder_file >= 0 ? fdopendir(folder_file) : NULL;
    struct dirent *entry;

    if (!directory) {
        recording_lose(recording, RECORDING_UNREAD, path, errno);
        if (folder_file >= 0)
            close(folder_file);
        return;
    }
    while ((entry = next_entry(recording, directory, path))) {
        const char *name = entry->d_name;
        char *file = weft_asprintf("%s/%s", path, name);
        switch (weft_recording_file_of(name)) {
        case WEFT_RECORDING_LOG: log_load(recording, folder, file); break;
        case WEFT_RECORDING_WORD: note_unrecorded(recording, name); break;
        default: break;
        }
        free(file);
    }
    closedir(directory);
}

/*
 * Returns true if the facts are whole: weft record begins them with the command, and ends
 * the part before the program runs with the clocks.
 */
static bool facts_whole(struct weft_arena *arena, const char *facts)
{
    size_t size = strlen(facts);

    return facts[size - 1] == '\n'
           && (!recording_fact(arena, facts, "command")
               || recording_fact(arena, facts, "clocks-begin"));
}

/* Load what a weft record observed from outside. */
static void load_observed(struct recording *recording, uint32_t folder, const char *path)
{
    struct weft_mapping map;
    struct observed *observed;

    if (!recording_map(recording, &map, path))
        return;
    recording->observed = weft_grow(recording->observed, &recording->observed_capacity,
                                    recording->n_observed + 1, sizeof *observed);
    observed = &recording->observed[recording->n_observed];
    if (!observed_read(observed, map.data, map.size)) {
        recording_lose(recording, RECORDING_DAMAGED, path, 0);
        weft_unmap(&map);
        return;
    }
    if (observed->damaged)
        recording_lose(recording, RECORDING_INCOMPLETE, path, 0);
    recording->n_observed++;
    observed->folder = folder * RECORDING_FOLDER_STRIDE;
    observed->log = (uint32_t)recording->n_logs;
    recording->logs = weft_grow(recording->logs, &recording->logs_capacity,
                                recording->n_logs + 1, sizeof *recording->logs);
    recording->logs[recording->n_logs++] = (struct log_file){ .file = map,
                                                              .path = weft_strdup(path),
                                                              .folder = observed->folder };
}

/* Load one of the folders. */
static bool load_folder(struct recording *recording, uint32_t number, const char *path,
                        struct weft_err *err)
{
    DIR *directory = opendir(path);
    struct dirent *entry;
    char *facts_path, *facts;
    uint32_t machine = 0;

    if (!directory)
        return weft_fail_errno(err, WEFT_ERR_READ, "cannot open the recording %s", path);
    recording->paths[number] = realpath(path, NULL);
    facts_path = weft_asprintf("%s/recording", path);
    facts = recording->all_facts[number] = read_text(facts_path, err);
    if (!facts) {
        free(facts_path);
        closedir(directory);
        return false;
    }
    if (strncmp(facts, WEFT_RECORDING_MAGIC, strlen(WEFT_RECORDING_MAGIC)) != 0) {
        free(facts_path);
        closedir(directory);
        return weft_fail_at(
            err, WEFT_ERR_FORMAT, path, 0,
            "not a recording (a file \"recording\" that begins with \"%s\")",
            WEFT_RECORDING_MAGIC);
    }
    if (!facts_whole(&recording->arena, facts) || !clocks_whole(recording, facts))
        recording_lose(recording, RECORDING_INCOMPLETE, facts_path, 0);
    free(facts_path);
    while ((entry = next_entry(recording, directory, path))) {
        bool is_machine = strncmp(entry->d_name, "h-", 2) == 0;
        char *file;
        if (!is_machine
            && strncmp(entry->d_name, WEFT_SCHEDULE_PREFIX, strlen(WEFT_SCHEDULE_PREFIX))
                   != 0)
            continue;
        file = weft_asprintf("%s/%s", path, entry->d_name);
        if (!is_machine)
            load_observed(recording, number, file);
        else if (machine < RECORDING_FOLDER_STRIDE - 1)
            load_machine(recording, number * RECORDING_FOLDER_STRIDE + machine++, file);
        else
            recording_lose(recording, RECORDING_UNREAD, file, 0);
        free(file);
    }
    closedir(directory);
    return true;
}

bool recording_load(struct recording *recording, const char *const *folders,
                    size_t n_folders, struct weft_err *err)
{
    *recording = (struct recording){ .n_folders = n_folders };
    recording->all_facts = weft_zalloc(n_folders + 1, sizeof *recording->all_facts);
    recording->paths = weft_zalloc(n_folders + 1, sizeof *recording->paths);
    for (uint32_t i = 0; i < n_folders; i++)
        if (!load_folder(recording, i, folders[i], err)) {
            recording_free(recording);
            return false;
        }
    recording->facts = recording->all_facts[0];
    observed_add_processes(recording);
    relate_images(recording);
    relate_forks(recording);
    relate_streams(recording);
    calibrate(recording);
    observed_relate(recording);
    observed_relate_code(recording);
    recording->report.lost = recording->lost;
    for (size_t i = 0; i < recording->n_images; i++)
        recording->report.lost += recording->images[i].header.lost;
    recording->report.processes = recording->n_processes;
    /* A process may be killed at its start; but if nothing else is there, it is a loss. */
    for (size_t i = 0; i < RECORDING_LOSSES; i++)
        if (i != RECORDING_EMPTY || recording->n_images == 0)
            recording->report.unread += recording->losses[i].n;
    return true;
}

void recording_free(struct recording *recording)
{
    for (size_t i = 0; i < RECORDING_LOSSES; i++)
        free(recording->losses[i].example);
    for (size_t i = 0; i < recording->n_logs; i++) {
        weft_unmap(&recording->logs[i].file);
        free(recording->logs[i].path);
    }
    for (size_t i = 0; i < recording->n_images; i++) {
        maps_free(&recording->images[i].maps);
        maps_free(&recording->images[i].code.maps);
    }
    for (size_t i = 0; i < recording->n_domains; i++)
        clock_domain_free(&recording->domains[i]);
    for (size_t i = 0; i < recording->n_hosts; i++) {
        free(recording->hosts[i].name);
        free(recording->hosts[i].boot);
    }
    for (size_t i = 0; i < recording->n_folders; i++) {
        free(recording->all_facts[i]);
        free(recording->paths[i]);
    }
    for (size_t i = 0; i < recording->n_observed; i++)
        observed_free(&recording->observed[i]);
    free(recording->observed);
    free(recording->all_facts);
    free(recording->paths);
    free(recording->hosts);
    free(recording->domains);
    free(recording->images);
    free(recording->processes);
    free(recording->streams);
    free(recording->spans);
    free(recording->logs);
    free(recording->unrecorded);
    free(recording->names);
    free(recording->births);
    free(recording->program_starts);
    weft_text_map_free(&recording->name_map);
    weft_text_map_free(&recording->birth_map);
    weft_arena_free(&recording->arena);
}
