/* SPDX-License-Identifier: Apache-2.0 */
/* Reads .eh_frame (DWARF call frame information), as gcc, clang and linkers write it. */
#include "domains/threads/record/frame_size.h"

#include <dwarf.h>
#include <string.h>

enum {
    STACK_POINTER = 7, /* DWARF's number of rsp */
    SAVED_MAX = 8,     /* states that are remembered inside each other: mostly 1 */
    /* encodings of pointers: 4 bytes, signed, from their own place or from the table */
    FROM_PLACE = DW_EH_PE_pcrel | DW_EH_PE_sdata4,
    FROM_TABLE = DW_EH_PE_datarel | DW_EH_PE_sdata4,
};

struct bytes {
    const uint8_t *at, *end;
};

/* The entry of a function, and what it shares with others. */
struct entry {
    struct bytes first, then; /* instructions */
    uint64_t begin, size;     /* of the code */
    uint64_t step;            /* bytes of code that one unit of an advance is */
};

struct rule {
    uint64_t number; /* of the register from which the frame is counted */
    uint64_t offset;
};

static uint32_t read_u32(const uint8_t *at)
{
    uint32_t value;

    memcpy(&value, at, sizeof value);
    return value;
}

static int64_t read_s32(const uint8_t *at)
{
    return (int32_t)read_u32(at);
}

/* Reads a number of 7 bits a byte; signed ones are read as such only in their size. */
static uint64_t read_leb(struct bytes *bytes)
{
    uint64_t value = 0;

    for (unsigned shift = 0; bytes->at < bytes->end; shift += 7) {
        uint8_t byte = *bytes->at++;
        if (shift < 64)
            value |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80))
            break;
    }
    return value;
}

/* Reads the shared part of entries; returns false if it is of an unknown form. */
static bool read_common(const uint8_t *at, struct entry *entry, bool *has_data)
{
    struct bytes bytes = { at + 9, at + 4 + read_u32(at) };
    const char *letters = (const char *)at + 9;
    const uint8_t *data;
    uint64_t size;
    bool encoded = false;

    if (read_u32(at) >= 0xfffffff0 || read_u32(at + 4) != 0 || at[8] != 1)
        return false;
    bytes.at += strlen(letters) + 1;
    entry->step = read_leb(&bytes);
    (void)read_leb(&bytes); /* the unit of offsets in the frame */
    (void)read_leb(&bytes); /* the return address's register */
    *has_data = letters[0] == 'z';
    if (!*has_data)
        return false;
    size = read_leb(&bytes);
    data = bytes.at;
    bytes.at += size;
    for (letters++; *letters; letters++) {
        if (*letters == 'R') {
            encoded = *data++ == FROM_PLACE;
        } else if (*letters == 'L') {
            data++;
        } else if (*letters == 'P') {
            data += 1 + ((*data & 0x0f) == DW_EH_PE_absptr ? 8 : 4);
        } else {
            return false; /* a signal's frame, or unknown */
        }
    }
    entry->first = bytes;
    return encoded;
}

/* Reads the entry at AT; returns false if it is not that of ADDRESS, or of unknown form. */
static bool read_entry(const uint8_t *at, uint64_t address, struct entry *entry)
{
    struct bytes bytes = { at + 16, at + 4 + read_u32(at) };
    bool has_data;
    uint64_t size;

    if (read_u32(at) >= 0xfffffff0 || read_u32(at) < 12 || read_u32(at + 4) == 0
        || !read_common(at + 4 - read_u32(at + 4), entry, &has_data))
        return false;
    entry->begin = (uint64_t)(uintptr_t)(at + 8) + (uint64_t)read_s32(at + 8);
    entry->size = read_u32(at + 12);
    size = read_leb(&bytes);
    bytes.at += size;
    entry->then = bytes;
    return address - entry->begin < entry->size;
}

/* Returns the entry for ADDRESS, by the sorted table; NULL if there is none. */
static const uint8_t *search(const uint8_t *table, uint64_t address)
{
    uint64_t base = (uint64_t)(uintptr_t)table;
    uint32_t low = 0, high;

    if (table[0] != 1 || table[1] != FROM_PLACE || table[2] != DW_EH_PE_udata4
        || table[3] != FROM_TABLE)
        return NULL;
    for (high = read_u32(table + 8); low < high;) {
        uint32_t middle = low + (high - low) / 2;
        if (base + (uint64_t)read_s32(table + 12 + 8 * (uint64_t)middle) <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 ? table + read_s32(table + 12 + 8 * (uint64_t)(low - 1) + 4) : NULL;
}

/* Executes an instruction of one byte's code that has the frame as its subject. */
static bool set_frame(uint8_t code, struct bytes *bytes, struct rule *rule)
{
    switch (code) {
    case DW_CFA_def_cfa:
        rule->number = read_leb(bytes);
        rule->offset = read_leb(bytes);
        return true;
    case DW_CFA_def_cfa_register: rule->number = read_leb(bytes); return true;
    case DW_CFA_def_cfa_offset: rule->offset = read_leb(bytes); return true;
    default: return false;
    }
}

/* Skips the operands of an instruction; returns false if it is unknown, or no rule. */
static bool skip(uint8_t code, struct bytes *bytes)
{
    switch (code) {
    case DW_CFA_nop: return true;
    case DW_CFA_offset_extended:
    case DW_CFA_register:
    case DW_CFA_offset_extended_sf:
    case DW_CFA_val_offset:
        (void)read_leb(bytes);
        (void)read_leb(bytes);
        return true;
    case DW_CFA_restore_extended:
    case DW_CFA_undefined:
    case DW_CFA_same_value:
    case DW_CFA_GNU_args_size: (void)read_leb(bytes); return true;
    case DW_CFA_expression:
    case DW_CFA_val_expression: {
        uint64_t size;
        (void)read_leb(bytes);
        size = read_leb(bytes);
        bytes->at += size;
        return true;
    }
    default: return false;
    }
}

/* Executes BYTES from *PLACE on, until the code at ADDRESS; returns false if it cannot. */
static bool execute(struct bytes bytes, uint64_t *place, uint64_t address, uint64_t step,
                    struct rule *rule)
{
    struct rule saved[SAVED_MAX];
    unsigned n = 0;

    while (bytes.at < bytes.end && *place <= address) {
        uint8_t code = *bytes.at++;
        uint64_t advance = 0;
        switch (code & 0xc0) {
        case DW_CFA_advance_loc: advance = code & 0x3f; break;
        case DW_CFA_offset: (void)read_leb(&bytes); break;
        case DW_CFA_restore: break;
        default:
            if (code >= DW_CFA_advance_loc1 && code <= DW_CFA_advance_loc4) {
                size_t size = (size_t)1 << (code - DW_CFA_advance_loc1);
                memcpy(&advance, bytes.at, size);
                bytes.at += size;
            } else if (code == DW_CFA_remember_state && n < SAVED_MAX) {
                saved[n++] = *rule;
            } else if (code == DW_CFA_restore_state && n > 0) {
                *rule = saved[--n];
            } else if (!set_frame(code, &bytes, rule) && !skip(code, &bytes)) {
                return false;
            }
        }
        *place += advance * step;
    }
    return true;
}

uint64_t weft_frame_size(const void *table, uint64_t address)
{
    const uint8_t *at = search(table, address);
    struct entry entry;
    struct rule rule = { 0 };
    uint64_t place;

    if (!at || !read_entry(at, address, &entry))
        return 0;
    place = entry.begin;
    if (!execute(entry.first, &place, address, entry.step, &rule)
        || !execute(entry.then, &place, address, entry.step, &rule))
        return 0;
    return rule.number == STACK_POINTER ? rule.offset : 0;
}
