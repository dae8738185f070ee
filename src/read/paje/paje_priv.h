/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inside the reader of Paje.  Two threads share the work:
 *
 *   the lexer (lex.c, number.c, definitions.c) reads text in blocks of whole lines, splits
 *   lines into words, knows the event definitions, and turns names into small numbers;
 *
 *   the simulator (build.c, tables.c, links.c, late.c) knows what Paje means and pushes what
 *   it reads into the builder of the store.  It never touches a name that it has seen before.
 *
 * Between them goes a ring of batches (paje.c): a block of text and a record for each event
 * line in it.
 *
 * Vocabulary: a symbol is the number of a text that names something; a pair is the number of
 * (symbol of a container, symbol of a type), a choice that of (symbol of a type, symbol of a
 * value).  All count from 0 in the order of first sight, so they are the same each time that a
 * file is read.
 */
#ifndef WEFT_READ_PAJE_PRIV_H
#define WEFT_READ_PAJE_PRIV_H

#include "base/map.h"
#include "base/memory.h"
#include "read/reader.h"

enum paje_event {
    PAJE_DEFINE_CONTAINER_TYPE,
    PAJE_DEFINE_STATE_TYPE,
    PAJE_DEFINE_EVENT_TYPE,
    PAJE_DEFINE_VARIABLE_TYPE,
    PAJE_DEFINE_LINK_TYPE,
    PAJE_DEFINE_ENTITY_VALUE,
    PAJE_CREATE_CONTAINER,
    PAJE_DESTROY_CONTAINER,
    PAJE_NEW_EVENT,
    PAJE_SET_STATE,
    PAJE_PUSH_STATE,
    PAJE_POP_STATE,
    PAJE_RESET_STATE,
    PAJE_SET_VARIABLE,
    PAJE_ADD_VARIABLE,
    PAJE_SUB_VARIABLE,
    PAJE_START_LINK,
    PAJE_END_LINK,
    PAJE_TRACE_FILE,
    PAJE_UNKNOWN_EVENT, /* a definition that makes no sense: its lines are skipped */
};

enum paje_field_name {
    PAJE_TIME,
    PAJE_NAME,
    PAJE_TYPE,
    PAJE_CONTAINER,
    PAJE_START_TYPE,
    PAJE_END_TYPE,
    PAJE_START,
    PAJE_END,
    PAJE_VALUE,
    PAJE_KEY,
    PAJE_ALIAS,
    PAJE_COLOR,
    PAJE_LINE,
    PAJE_FILE,
    PAJE_EXTRA, /* a field of the user's */
    PAJE_FIELD_NAMES,
};

enum paje_field_type {
    PAJE_STRING,
    PAJE_INT,
    PAJE_DOUBLE,
    PAJE_FLOAT,
    PAJE_HEX,
    PAJE_DATE,
    PAJE_COLOR_TYPE,
};

/* What the lexer does with the value of a field. */
enum paje_step {
    PAJE_STEP_TEXT,   /* keep where it is, when the definition keeps texts */
    PAJE_STEP_SYMBOL, /* the same, and look its symbol up */
    PAJE_STEP_TIME,
    PAJE_STEP_TYPE,
    PAJE_STEP_CONTAINER,
    PAJE_STEP_VALUE,  /* a symbol: the value of a state, event or link */
    PAJE_STEP_NUMBER, /* the value of a variable */
    PAJE_STEP_OTHER,  /* a symbol: the container at the end of a link */
};

enum { PAJE_MOST_FIELDS = 256 };

struct paje_field {
    enum paje_field_name name;
    enum paje_field_type type;
    uint32_t symbol; /* of the field's name */
    enum paje_step step;
};

struct paje_definition {
    enum paje_event event;
    uint32_t n_fields;
    bool keeps_texts;
    bool has_extras; /* fields that become fields of the entity */
    uint64_t line;
    char *id;
    int16_t place[PAJE_FIELD_NAMES]; /* of each standard field, or -1 */
    struct paje_field *fields;
    size_t field_capacity;
};

/* The faults that can be found; see paje_faults[] in faults.c for names and sentences. */
enum paje_fault {
    PAJE_FAULT_EVENT_NAME,
    PAJE_FAULT_EVENT_ID,
    PAJE_FAULT_DUPLICATE_ID,
    PAJE_FAULT_FIELD_TYPE,
    PAJE_FAULT_DUPLICATE_FIELD,
    PAJE_FAULT_MISSING_FIELD,
    PAJE_FAULT_MANY_FIELDS,
    PAJE_FAULT_BAD_DEFINITION,
    PAJE_FAULT_NO_END,
    PAJE_FAULT_FEW_VALUES,
    PAJE_FAULT_MANY_VALUES,
    PAJE_FAULT_TRUNCATED,
    PAJE_FAULT_QUOTE,
    PAJE_FAULT_GARBAGE,
    PAJE_FAULT_LONG_LINE,
    PAJE_FAULT_TIME,
    PAJE_FAULT_TIME_FINE,
    PAJE_FAULT_TIME_RANGE,
    PAJE_FAULT_NUMBER,
    PAJE_FAULT_COLOR,
    PAJE_FAULT_TYPE,
    PAJE_FAULT_DUPLICATE_TYPE,
    PAJE_FAULT_KIND,
    PAJE_FAULT_CONTAINER,
    PAJE_FAULT_DUPLICATE_CONTAINER,
    PAJE_FAULT_WRONG_TYPE,
    PAJE_FAULT_DUPLICATE_VALUE,
    PAJE_FAULT_DESTROYED,
    PAJE_FAULT_DESTROYED_TWICE,
    PAJE_FAULT_ORDER,
    PAJE_FAULT_BEFORE_CREATION,
    PAJE_FAULT_EMPTY_STACK,
    PAJE_FAULT_DEEP,
    PAJE_FAULT_UNSET,
    PAJE_FAULT_HALF_LINK,
    PAJE_FAULT_LINK_VALUES,
    PAJE_FAULT_LINK_REUSED,
    PAJE_FAULT_LINK_BACKWARD,
    PAJE_FAULT_DAMAGED,
    PAJE_FAULTS,
};

struct paje_fault_kind {
    const char *name;
    enum weft_severity severity;
    const char *sentence; /* with one %.*s: the text at fault */
};
extern const struct paje_fault_kind paje_faults[PAJE_FAULTS];

struct paje_text {
    uint32_t offset, length; /* in the batch's text */
    uint32_t symbol;         /* or WEFT_NONE */
};

struct paje_record {
    int64_t time;
    union {
        double number;   /* variables */
        uint32_t choice; /* states, events, links */
    };
    const struct paje_definition *definition;
    uint32_t line; /* from the batch's first */
    uint32_t pair;
    uint32_t other;      /* links: symbol of the container at this end */
    uint64_t hash;       /* links: of pair and key */
    uint32_t first_text; /* when the definition keeps texts: n_fields of them */
};

struct paje_report {
    enum paje_fault fault;
    uint32_t line;
    uint32_t length;
    char text[84]; /* the text at fault, or its begin */
};

/* Block of text with what was found in it. */
struct paje_batch {
    char *text;
    size_t size, capacity;
    uint64_t first_line;
    uint64_t n_events; /* event lines, good or bad */
    uint64_t taken;    /* of the input, for progress */
    bool last;
    struct paje_record *records;
    size_t n_records, record_capacity;
    struct paje_text *texts;
    size_t n_texts, text_capacity;
    struct paje_report *reports;
    size_t n_reports, report_capacity;
};

/*
 * Numbers for things in order of first sight.  One thread adds; another may read entries that
 * it was told of: entries never move.
 */
enum { PAJE_CHUNK = 4096, PAJE_CHUNKS = 1 << 16 };

struct paje_symbol {
    const char *text; /* terminated */
    uint32_t length;
};

struct paje_symbols {
    struct paje_symbol **chunks;
    uint32_t count;
    struct paje_symbol_slot *slots; /* texts of up to 16 bytes */
    size_t capacity, n_slots;
    struct weft_text_map longer;
    struct weft_arena arena;
};

struct paje_pairs {
    uint64_t **chunks; /* first << 32 | second */
    uint32_t count;
    struct paje_pair_slot *slots;
    size_t capacity;
};

void paje_symbols_init(struct paje_symbols *symbols);
void paje_symbols_free(struct paje_symbols *symbols);
/* TEXT must be readable for 16 bytes, whatever its length. */
uint32_t paje_symbol(struct paje_symbols *symbols, const char *text, size_t length);
static inline const struct paje_symbol *paje_symbol_text(const struct paje_symbols *symbols,
                                                         uint32_t symbol)
{
    return &symbols->chunks[symbol / PAJE_CHUNK][symbol % PAJE_CHUNK];
}

void paje_pairs_init(struct paje_pairs *pairs);
void paje_pairs_free(struct paje_pairs *pairs);
uint32_t paje_pair(struct paje_pairs *pairs, uint32_t first, uint32_t second);
static inline uint64_t paje_pair_members(const struct paje_pairs *pairs, uint32_t pair)
{
    return pairs->chunks[pair / PAJE_CHUNK][pair % PAJE_CHUNK];
}

/* Times: decimal text to whole ticks, exactly. */
struct paje_clock {
    int decimals; /* a tick is 10^-decimals seconds */
    int unit;     /* a number in the text counts 10^-unit seconds */
    int most;     /* decimals must not exceed this: some time would not fit */
    int wanted;   /* what the finest time so far needs; above decimals: read again */
};

enum paje_time {
    PAJE_TIME_OK,
    PAJE_TIME_BAD,
    PAJE_TIME_ROUNDED, /* it has digits finer than 10^-15 s, or than `most` allows */
    PAJE_TIME_TOO_LARGE,
};
/* TEXT must be readable for 8 bytes beyond its end. */
enum paje_time paje_parse_time(struct paje_clock *clock, const char *text, size_t length,
                               int64_t *ticks);
/* A finite number, correctly rounded; false: it is none. */
bool paje_parse_number(const char *text, size_t length, double *number);
bool paje_parse_integer(const char *text, size_t length, int64_t *integer);
/* "1 0.5 0", "1 0 0 1" or "ff0000"; 0xAARRGGBB. */
bool paje_parse_color(const char *text, size_t length, uint32_t *color);

struct paje_id_slot { /* event id of up to 8 bytes */
    uint64_t word;
    struct paje_definition *definition;
};

enum {
    PAJE_ID_SLOTS = 256,
    PAJE_SPARE = 80 /* readable bytes after the text of a batch */
};

struct paje_lexer {
    struct weft_input *input;
    struct paje_clock clock;
    struct paje_symbols symbols;
    struct paje_pairs pairs, choices;

    struct paje_definition **definitions;
    size_t n_definitions, definition_capacity;
    struct weft_text_map ids;
    struct paje_id_slot id_slots[PAJE_ID_SLOTS];
    struct paje_definition *open; /* between %EventDef and %EndEventDef */

    char *rest; /* the begin of a line whose end is not read yet */
    size_t n_rest, rest_capacity;
    bool skipping; /* within a line that is too long */
    bool at_end;
    bool truncated; /* the last line has no newline */
    uint64_t line;  /* of the next line */
    struct paje_text *words;
    size_t word_capacity;
};

void paje_lexer_init(struct paje_lexer *lexer, struct weft_input *input,
                     struct paje_clock clock);
void paje_lexer_free(struct paje_lexer *lexer);
/* Fill BATCH with the next block.  Damaged compression becomes a report. */
void paje_lex(struct paje_lexer *lexer, struct paje_batch *batch);
void paje_batch_free(struct paje_batch *batch);

void paje_report(struct paje_lexer *lexer, struct paje_batch *batch, enum paje_fault fault,
                 const char *text, size_t length);
/* A line that begins with %; WORDS without the %. */
void paje_definition_line(struct paje_lexer *lexer, struct paje_batch *batch,
                          const struct paje_text *words, size_t n_words);
/* What is open when an event comes or the text ends is closed. */
void paje_definition_end(struct paje_lexer *lexer, struct paje_batch *batch, bool missing);
struct paje_definition *paje_definition_find(struct paje_lexer *lexer, const char *id,
                                             size_t length);

/* The simulator. */
struct paje_track { /* by pair */
    int64_t last;   /* INT64_MAX: look closer before anything happens on it */
    int64_t newest; /* latest time seen, for tracks that are read in sorted order */
    uint32_t track;
    uint32_t container;
    uint32_t type;
    uint32_t next; /* pair of the same container */
    uint8_t kind;
    bool resolved;
    bool sorted; /* its events are put aside and sorted by time */
};

struct paje_container {
    int64_t begin, end; /* end: INT64_MAX while it lives */
    uint32_t type, parent;
    uint32_t first_pair;
    uint32_t live_children;
    bool late; /* events after its destruction have times before it: destroyed at the end */
};

struct paje_type {
    enum weft_kind kind;
    uint32_t parent, start_type, end_type;
};

struct paje_late { /* an event that waits for its turn in time */
    uint64_t line;
    double number;
    uint32_t pair, value;
    uint32_t n_fields;
    enum paje_event event;
    size_t first_field;
};

struct paje_half { /* one end of a link */
    uint64_t hash, line;
    int64_t time;
    char *key;
    uint32_t key_length;
    uint32_t pair, value, container;
    uint32_t n_fields;
    uint32_t next;
    bool start;
    struct weft_field_value *fields;
};

struct paje_links {
    struct paje_half *halves;
    size_t n_halves, half_capacity;
    uint32_t free;
    uint32_t *buckets;
    size_t n_buckets, n_open;
    uint64_t *used; /* hashes of keys that were used */
    size_t used_capacity, n_used;
};

struct paje_destruction {
    uint32_t container;
    int64_t time;
};

/* What one reading of the file learns for the next. */
struct paje_lesson {
    struct weft_id_map sorted; /* pairs that must be sorted: value 1 */
    struct weft_id_map late;   /* containers with events after their destruction */
    bool again;
};

struct paje_simulator {
    struct weft_builder *builder;
    struct paje_lexer *lexer; /* its symbols, pairs, choices and definitions */
    struct paje_lesson *lesson;
    const struct paje_batch *batch;
    uint64_t line; /* of the current record */

    struct paje_track *tracks; /* by pair */
    size_t n_tracks, track_capacity;
    uint32_t *values; /* by choice: value, or WEFT_NONE */
    size_t n_values, value_capacity;
    uint32_t *container_of, *type_of; /* by symbol */
    size_t n_containers_of, n_types_of, container_of_capacity, type_of_capacity;
    struct weft_id_map value_index; /* type << 32 | symbol */
    struct paje_container *containers;
    size_t n_containers, container_capacity;
    struct paje_type *types;
    size_t n_types, type_capacity;
    struct weft_id_map fields; /* see tables.c */
    struct weft_field_value *field_values;
    size_t field_value_capacity;

    struct paje_links links;
    struct paje_destruction *destructions; /* put off to the end */
    size_t n_destructions, destruction_capacity;

    struct paje_late *late;
    int64_t *late_times;
    size_t n_late, late_capacity, late_time_capacity;
    struct weft_field_value *late_fields;
    size_t n_late_fields, late_field_capacity;
};

void paje_simulator_init(struct paje_simulator *simulator, struct weft_builder *builder,
                         struct paje_lexer *lexer, struct paje_lesson *lesson);
void paje_simulator_free(struct paje_simulator *simulator);
void paje_simulate(struct paje_simulator *simulator, const struct paje_batch *batch);
/* After the last batch: what was put aside, half links, destructions that were put off. */
void paje_simulate_end(struct paje_simulator *simulator);

/* Report at the current line. */
void paje_fault(struct paje_simulator *simulator, enum paje_fault fault, const char *text,
                size_t length);
void paje_fault_symbol(struct paje_simulator *simulator, enum paje_fault fault,
                       uint32_t symbol);

/* tables.c: types, values, containers, fields. */
void paje_define_type(struct paje_simulator *simulator, const struct paje_record *record);
void paje_define_value(struct paje_simulator *simulator, const struct paje_record *record);
void paje_create(struct paje_simulator *simulator, const struct paje_record *record);
void paje_destroy(struct paje_simulator *simulator, const struct paje_record *record);
uint32_t paje_type_index(const struct paje_simulator *simulator, uint32_t symbol);
uint32_t paje_container_index(const struct paje_simulator *simulator, uint32_t symbol);
/* The value of a choice on a type: found, or made of the text as it stands. */
uint32_t paje_value(struct paje_simulator *simulator, uint32_t type, uint32_t choice);
/* The fields of the user's on a line: filled into field_values; returns how many. */
uint32_t paje_fields(struct paje_simulator *simulator, const struct paje_record *record,
                     uint32_t type);
const struct paje_text *paje_text_of(const struct paje_simulator *simulator,
                                     const struct paje_record *record,
                                     enum paje_field_name name);

/* build.c */
struct paje_action {
    enum paje_event event;
    int64_t time;
    double number;
    uint32_t value;
    const struct weft_field_value *fields;
    uint32_t n_fields;
};
void paje_apply(struct paje_simulator *simulator, const struct paje_track *track,
                const struct paje_action *action);

/* links.c */
void paje_link_end(struct paje_simulator *simulator, const struct paje_record *record,
                   const struct paje_track *track);
/* A hint: an end with this hash comes soon. */
void paje_link_expect(const struct paje_links *links, uint64_t hash);
void paje_links_finish(struct paje_simulator *simulator);
void paje_links_free(struct paje_links *links);

/* late.c */
void paje_late_add(struct paje_simulator *simulator, uint32_t pair,
                   const struct paje_action *action);
void paje_late_apply(struct paje_simulator *simulator);

extern const struct weft_reader weft_reader_paje;

#endif
