/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Terms of a running FGHC program: one 64-bit word each, its lowest three bits the tag.
 *
 *     REF     address of a cell.  A cell that holds itself is an unbound variable; one with
 *             a WAIT word is unbound and goals wait for it; any other word is its value
 *     INT     61 bits, signed
 *     BOX     address of a 64-bit integer that does not fit; in the heap a word follows, in
 *             which collect.c notes the address of its copy
 *     ATOM    index into the program's names
 *     LIST    address of two words, head and tail
 *     STRUCT  address of a functor word, then its arguments
 *     STRING  address of its length, as an INT, then its bytes and a NUL
 *     WAIT    address of a struct waiter; only ever in a cell
 *
 * A REF always points to a cell that stands alone, never into a list or a structure.
 * Constants of the source are outside the heap, and the collector does not move them.
 * Several threads read and bind cells: always through term_load() and bind.c.
 */
#ifndef WEFT_FGHC_TERM_H
#define WEFT_FGHC_TERM_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint64_t term;

enum term_tag {
    TERM_REF,
    TERM_INT,
    TERM_BOX,
    TERM_ATOM,
    TERM_LIST,
    TERM_STRUCT,
    TERM_STRING,
    TERM_WAIT
};

/* Names that the machine itself uses have fixed indices. */
enum {
    ATOM_NIL,
    ATOM_PLUS, /* arithmetic, in the order of enum operation */
    ATOM_MINUS,
    ATOM_TIMES,
    ATOM_SLASH,
    ATOM_MOD,
    ATOM_AND,
    ATOM_OR,
    ATOM_XOR,
    ATOM_LEFT,
    ATOM_RIGHT,
    ATOM_POWER,
    ATOM_SLASHES, /* "//", the same as "/" */
    ATOM_NOT,     /* "\", the complement */
    ATOM_VECTOR,  /* the functor of {A,B,...} */
    ATOM_NORMAL,
    ATOM_ABNORMAL,
    ATOM_DOT,  /* the functor of lists */
    ATOM_FIXED /* number of fixed names */
};

static inline enum term_tag term_tag(term t)
{
    return (enum term_tag)(t & 7);
}
static inline term *term_cell(term t)
{
    return (term *)(uintptr_t)(t & ~UINT64_C(7)); /* NOLINT: an address with a tag */
}
static inline term term_of(const void *address, enum term_tag tag)
{
    return (term)(uintptr_t)address | (term)tag;
}
static inline term term_atom(uint32_t index)
{
    return (term)index << 3 | TERM_ATOM;
}
static inline uint32_t term_atom_index(term t)
{
    return (uint32_t)(t >> 3);
}
/* Returns true for an integer that fits into an INT. */
static inline bool term_fits(int64_t value)
{
    return value >= -(INT64_C(1) << 60) && value < INT64_C(1) << 60;
}
static inline term term_small(int64_t value)
{
    return (term)value << 3 | TERM_INT;
}
static inline bool term_is_integer(term t)
{
    return term_tag(t) == TERM_INT || term_tag(t) == TERM_BOX;
}
/* Returns the value of an INT or a BOX. */
static inline int64_t term_integer(term t)
{
    return term_tag(t) == TERM_INT ? (int64_t)t >> 3 : (int64_t)*term_cell(t);
}
/* Returns the word before a structure's arguments. */
static inline term term_functor(uint32_t name, uint32_t arity)
{
    return ((term)name << 16 | arity) << 3 | TERM_INT;
}
static inline uint32_t term_arity(term functor)
{
    return (uint32_t)(functor >> 3 & 0xffff);
}
static inline uint32_t term_name(term functor)
{
    return (uint32_t)(functor >> 19);
}

static inline size_t term_length(term string)
{
    return (size_t)(*term_cell(string) >> 3);
}
static inline const char *term_bytes(term string)
{
    return (const char *)(term_cell(string) + 1);
}
enum { BOX_WORDS = 2 }; /* size of a boxed integer in the heap */

/* Returns the size in words of a string of LENGTH bytes. */
static inline size_t term_string_words(size_t length)
{
    return 2 + length / sizeof(term);
}

/* Reads a cell, which another thread may bind at the same time. */
static inline term term_load(const term *cell)
{
    return __atomic_load_n(cell, __ATOMIC_ACQUIRE);
}

/* Follows references; returns a value, or the REF of an unbound cell. */
static inline term term_deref(term t)
{
    while (term_tag(t) == TERM_REF) {
        term value = term_load(term_cell(t));
        if (value == t || term_tag(value) == TERM_WAIT)
            return t;
        t = value;
    }
    return t;
}

#endif
