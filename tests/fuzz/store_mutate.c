/* SPDX-License-Identifier: Apache-2.0 */
#include "store_mutate.h"

#include <stdbool.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "store/column.h"
#include "store/trace/trace_priv.h"
#include "tests/random.h"

enum { MAX_CHANGES = 4 };

/* The size of an element of a section; 1: bytes. */
static size_t element_of(enum weft_section_kind kind)
{
    switch (kind) {
    case WEFT_SECTION_TYPES: return sizeof(struct weft_file_type);
    case WEFT_SECTION_CONTAINERS: return sizeof(struct weft_file_container);
    case WEFT_SECTION_VALUES: return sizeof(struct weft_file_value);
    case WEFT_SECTION_FIELDS: return sizeof(struct weft_file_field);
    case WEFT_SECTION_SITES: return sizeof(struct weft_file_site);
    case WEFT_SECTION_TRACKS: return sizeof(struct weft_file_track);
    case WEFT_SECTION_DIRECTORY:
    case WEFT_SECTION_LINK_ENDS:
    case WEFT_SECTION_INDEX_BLOCKS: return sizeof(struct weft_file_block);
    case WEFT_SECTION_DEPTHS: return 2;
    case WEFT_SECTION_SAMPLES: return sizeof(struct weft_file_sample_block);
    case WEFT_SECTION_COLUMNS: return sizeof(struct weft_file_column);
    case WEFT_SECTION_LINK_INDEX: return sizeof(struct weft_file_link_index);
    case WEFT_SECTION_PROBLEMS: return sizeof(struct weft_file_problem);
    case WEFT_SECTION_NOTES: return sizeof(struct weft_file_note);
    case WEFT_SECTION_MIPS: return sizeof(struct weft_file_mip);
    case WEFT_SECTION_CONTAINER_FIELDS: return sizeof(struct weft_file_container_field);
    case WEFT_SECTION_HOSTS: return sizeof(struct weft_file_host);
    case WEFT_SECTION_CLOCKS: return sizeof(struct weft_file_clock);
    case WEFT_SECTION_CLOCK_KNOTS: return sizeof(struct weft_file_clock_knot);
    case WEFT_SECTION_INDEXES: return sizeof(struct weft_file_index);
    case WEFT_SECTION_PAIR_TREES: return sizeof(struct weft_file_pair_tree);
    case WEFT_SECTION_PAIR_NODES: return sizeof(struct weft_file_pair_node);
    case WEFT_SECTION_GRIDS: return sizeof(struct weft_file_grid);
    case WEFT_SECTION_GRID_BLOCKS: return sizeof(struct weft_file_grid_block);
    case WEFT_SECTION_CODES:
    case WEFT_SECTION_TRACK_NUMBERS:
    case WEFT_SECTION_PAIR_ENDS:
    case WEFT_SECTION_SHARE_CHECKSUMS: return 4;
    case WEFT_SECTION_STRINGS:
    case WEFT_SECTION_REACH: return 8;
    default: return 1;
    }
}

static struct weft_file_header *header_of(uint8_t *data)
{
    return (struct weft_file_header *)(void *)data;
}

static bool lies_within(const struct weft_file_section *section, size_t size)
{
    return section->size && section->offset % 8 == 0 && section->offset < size
           && section->size <= size - section->offset;
}

/* A number that a file may hold to do harm, or one that is nearly right. */
static uint64_t hostile(uint64_t old)
{
    static const uint64_t numbers[] = {
        0,          1,          2,           7,          8,          9,
        16,         255,        256,         257,        65534,      65535,
        65536,      INT32_MAX,  UINT32_MAX,  1ull << 31, 1ull << 32, 1ull << 40,
        1ull << 61, 1ull << 62, 1ull << 63,  UINT64_MAX, INT64_MAX,  INT64_MAX - 1,
        1ull << 56, 1ull << 48, 0xff << 24u, 0xffffff,   4096,       1000000000,
    };
    switch (roll(6)) {
    case 0: return old + 1;
    case 1: return old - 1;
    case 2: return old + roll(512) - 256;
    case 3: return old ^ UINT64_C(1) << roll(64);
    case 4: return roll(40);
    default: return numbers[roll(sizeof numbers / sizeof *numbers)];
    }
}

static void change_number(uint8_t *at, size_t width)
{
    uint64_t number = 0;
    memcpy(&number, at, width);
    number = hostile(number);
    memcpy(at, &number, width);
}

/* A number within an element of ELEMENT bytes: 8, 4, 2 or 1 of them, aligned. */
static void change_within(uint8_t *element, size_t size)
{
    size_t width = roll(2) ? 8 : roll(2) ? 4 : roll(2) ? 2 : 1;
    while (width > size)
        width /= 2;
    change_number(element + roll(size / width) * width, width);
}

static const struct weft_file_section *some_section(uint8_t *data, size_t size,
                                                    enum weft_section_kind *kind)
{
    for (int tries = 0; tries < 40; tries++) {
        *kind = 1 + (enum weft_section_kind)roll(WEFT_SECTION_LIMIT - 1);
        const struct weft_file_section *section = &header_of(data)->sections[*kind];
        if (lies_within(section, size))
            return section;
    }
    return NULL;
}

/* In a table: change a number, or put one element into the place of another. */
static void change_table(uint8_t *data, size_t size)
{
    enum weft_section_kind kind;
    const struct weft_file_section *section = some_section(data, size, &kind);
    size_t element = element_of(kind);
    if (!section || section->size < element)
        return;
    uint8_t *rows = data + section->offset;
    size_t n = section->size / element;
    uint8_t *a = rows + roll(n) * element, *b = rows + roll(n) * element;
    uint8_t kept[128];
    switch (roll(8)) {
    case 0: memmove(a, b, element); break;
    case 1:
        memcpy(kept, a, element);
        memmove(a, b, element);
        memcpy(b, kept, element);
        break;
    case 2: memset(a, roll(2) ? 0 : 0xff, element); break;
    default: change_within(a, element); break;
    }
}

/* One of the first numbers of a block, or any byte in it. */
static void change_block(uint8_t *data, size_t size)
{
    static const enum weft_section_kind directories[] = { WEFT_SECTION_DIRECTORY,
                                                          WEFT_SECTION_LINK_ENDS,
                                                          WEFT_SECTION_INDEX_BLOCKS };
    const struct weft_file_section *section =
        &header_of(data)->sections[directories[roll(4) ? 0 : roll(3)]];
    if (!lies_within(section, size) || section->size < sizeof(struct weft_file_block))
        return;
    const struct weft_file_block *blocks = (const void *)(data + section->offset);
    const struct weft_file_block *block = &blocks[roll(section->size / sizeof *blocks)];
    if (block->offset % 8 || block->offset >= size || size - block->offset < 64)
        return;
    uint8_t *at = data + block->offset;
    size_t most = size - block->offset < 1024 ? size - block->offset : 1024;
    switch (roll(4)) {
    case 0: change_within(at, 16); break;
    case 1: change_within(at, 64); break;
    case 2: at[roll(most)] ^= (uint8_t)(1u << roll(8)); break;
    default: change_within(at + roll(most / 8) * 8, 8); break;
    }
}

/* In a block of a grid: its head, what it says of a column, or the cells of one. */
static void change_grid(uint8_t *data, size_t size)
{
    const struct weft_file_section *section =
        &header_of(data)->sections[WEFT_SECTION_GRID_BLOCKS];
    if (!lies_within(section, size))
        return;
    const struct weft_file_grid_block *blocks = (const void *)(data + section->offset);
    size_t n = section->size / sizeof *blocks;
    const struct weft_file_grid_block *block = n ? &blocks[roll(n)] : NULL;
    if (!block || block->offset % 8 || block->offset >= size
        || block->size > size - block->offset || block->size < 64)
        return;
    uint8_t *at = data + block->offset;
    size_t columns = sizeof(struct weft_grid_column) * 12;
    size_t most = block->size - 8 < columns ? block->size - 8 : columns;
    switch (roll(4)) {
    case 0: change_within(at, 8); break;
    case 1: change_within(at + 8 + roll(most / 8) * 8 - 8, 8); break;
    default: change_within(at + roll(block->size / 8) * 8, 8); break;
    }
}

/* The header: numbers from the span on, or where a section lies. */
static void change_header(uint8_t *data)
{
    struct weft_file_header *header = header_of(data);
    size_t from = offsetof(struct weft_file_header, ticks_numerator);
    struct weft_file_section *section = &header->sections[1 + roll(WEFT_SECTION_LIMIT - 1)];
    switch (roll(4)) {
    case 0: section->size = hostile(section->size); break;
    case 1: section->offset = hostile(section->offset); break;
    case 2: *section = header->sections[1 + roll(WEFT_SECTION_LIMIT - 1)]; break;
    default:
        change_within(data + from, offsetof(struct weft_file_header, reserved) - from);
        break;
    }
}

/* ---- Making checksums good ---- */

/* The bytes of a block of rows, or 0. */
static size_t rows_size(const uint8_t *at, size_t left)
{
    struct weft_rows_header header;
    if (left < sizeof header)
        return 0;
    memcpy(&header, at, sizeof header);
    size_t size = sizeof header;
    for (unsigned c = 0; c < header.n_columns && header.n <= WEFT_BLOCK_ROWS; c++) {
        size_t column = weft_column_size(at + size, left - size, header.n);
        if (!column)
            return 0;
        size += column;
    }
    return size;
}

static void repair_block(uint8_t *data, size_t size, struct weft_file_block *block,
                         bool changes)
{
    if (block->offset % 8 || block->offset >= size)
        return;
    const uint8_t *at = data + block->offset;
    struct weft_change_parts parts;
    size_t left = size - block->offset,
           bytes = changes ? weft_change_parts(at, left, &parts) : rows_size(at, left);
    if (bytes && bytes <= left)
        block->checksum = weft_checksum(at, bytes);
}

/* Whether block I of the directory is one of state changes: its track says so. */
static bool holds_changes(uint8_t *data, size_t size, uint64_t i)
{
    const struct weft_file_section tracks = header_of(data)->sections[WEFT_SECTION_TRACKS],
                                   types = header_of(data)->sections[WEFT_SECTION_TYPES];
    if (!lies_within(&tracks, size) || !lies_within(&types, size))
        return false;
    const struct weft_file_track *track = (const void *)(data + tracks.offset);
    const struct weft_file_type *type = (const void *)(data + types.offset);
    for (size_t t = 0; t < tracks.size / sizeof *track; t++)
        if (i - track[t].first_block < track[t].n_blocks)
            return track[t].type < types.size / sizeof *type
                   && type[track[t].type].kind == 1; /* states */
    return false;
}

/* Sections are copied: what is repaired may lie over the header that says where they are. */
static void repair_directory(uint8_t *data, size_t size, enum weft_section_kind kind)
{
    const struct weft_file_section section = header_of(data)->sections[kind];
    if (!lies_within(&section, size))
        return;
    struct weft_file_block *blocks = (void *)(data + section.offset);
    for (size_t i = 0; i < section.size / sizeof *blocks; i++)
        repair_block(data, size, &blocks[i],
                     kind == WEFT_SECTION_DIRECTORY && holds_changes(data, size, i));
}

static void repair_shares(uint8_t *data, size_t size)
{
    const struct weft_file_section shares = header_of(data)->sections[WEFT_SECTION_SHARES],
                                   checksums = header_of(data)
                                                   ->sections[WEFT_SECTION_SHARE_CHECKSUMS];
    if (!lies_within(&shares, size) || !lies_within(&checksums, size))
        return;
    uint32_t *of = (void *)(data + checksums.offset);
    for (uint64_t i = 0, at = 0; i < checksums.size / 4 && at < shares.size;
         i++, at += WEFT_SHARE_PIECE) {
        uint64_t left = shares.size - at;
        of[i] = weft_checksum(data + shares.offset + at,
                              left < WEFT_SHARE_PIECE ? left : WEFT_SHARE_PIECE);
    }
}

static void repair_grids(uint8_t *data, size_t size)
{
    const struct weft_file_section section =
        header_of(data)->sections[WEFT_SECTION_GRID_BLOCKS];
    if (!lies_within(&section, size))
        return;
    struct weft_file_grid_block *blocks = (void *)(data + section.offset);
    for (size_t i = 0; i < section.size / sizeof *blocks; i++)
        if (blocks[i].offset < size && blocks[i].size <= size - blocks[i].offset)
            blocks[i].checksum = weft_checksum(data + blocks[i].offset, blocks[i].size);
}

void store_repair(uint8_t *data, size_t size)
{
    struct weft_file_header *header = header_of(data);
    repair_directory(data, size, WEFT_SECTION_DIRECTORY);
    repair_directory(data, size, WEFT_SECTION_LINK_ENDS);
    repair_directory(data, size, WEFT_SECTION_INDEX_BLOCKS);
    repair_shares(data, size);
    repair_grids(data, size);
    for (int i = 1; i < WEFT_SECTION_LIMIT; i++) {
        struct weft_file_section *section = &header->sections[i];
        if (lies_within(section, size))
            section->checksum = XXH3_64bits(data + section->offset, section->size);
    }
    header->checksum = 0;
    header->checksum = XXH3_64bits(header, sizeof *header);
}

void store_mutate(uint8_t *data, size_t size)
{
    if (size < WEFT_STORE_HEADER_SIZE)
        return;
    for (uint64_t n = 1 + roll(roll(4) ? 2 : MAX_CHANGES); n; n--) {
        uint64_t kind = roll(20);
        if (kind < 9)
            change_table(data, size);
        else if (kind < 12 && roll(2))
            change_grid(data, size);
        else if (kind < 17)
            change_block(data, size);
        else if (kind < 19)
            change_header(data);
        else
            data[roll(size)] ^= (uint8_t)(1u << roll(8));
    }
    if (roll(16))
        store_repair(data, size);
}
