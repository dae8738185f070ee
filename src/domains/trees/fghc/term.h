/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Terms of a running FGHC program: one 64-bit word each, its lowest three bits the tag.
 *
 *     REF     address of a cell.  A cell that holds itself is an unbound variable; one with
 *             a WAIT word is unbound and goals wait for it; any other word is its value
 *     INT     61 bits, signed
 *     BOX     address of a 64-bit integer that does not fit; in the heap a word follows, in
 *             which garbage_collector.c notes the address of its copy
 *     ATOM    index into the program's names
 *     LIST    address of two words, head and tail
 *     STRUCT  address of a functor word, then its arguments
 *     STRING  address of its length, as an INT, then its bytes and a NUL
 *     WAIT    address of a struct waiter (machine_priv.h), a suspended goal; only in a cell
 *             or a waiter, and during a collection in words that have been copied
 *
 * A REF always points to a cell that stands alone, never into a list or a structure.
 * Constants of the source are outside the heap, and the collector does not move them.
 * Several threads read and bind cells: always through term_load() and unify_and_suspend.c.
 */
#ifndef WEFT_FGHC_TERM_H
#define WEFT_FGHC_TERM_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A term of a running program: the lowest three bits are its enum term_tag, the rest is a
 * number or an address that is a multiple of 8. */
typedef uint64_t term;

/* The kind of a term, in the lowest three bits of its word.  The other bits: */
enum term_tag {
    TERM_REF,    /* address of a cell: a variable, or the value that it is bound to */
    TERM_INT,    /* a signed integer of 61 bits */
    TERM_BOX,    /* address of a 64-bit integer that does not fit into 61 bits */
    TERM_ATOM,   /* index in program.names */
    TERM_LIST,   /* address of two words, head and tail */
    TERM_STRUCT, /* address of a functor word (term_functor()), then the arguments */
    TERM_STRING, /* address of the length as an INT, then the bytes and a NUL */
    TERM_WAIT    /* address of a struct waiter: goals wait for the unbound cell it is in */
};

/* The indices in program.names of the atoms and functors that the machine itself uses. */
enum {
    ATOM_NIL,  /* "[]" */
    ATOM_PLUS, /* arithmetic, in the order of enum operation */
    ATOM_MINUS,
    ATOM_TIMES,
    ATOM_SLASH,
    ATOM_MOD,
    ATOM_AND,
    ATOM_OR,
    ATOM_XOR,
    ATOM_LEFT,     /* "<<" */
    ATOM_RIGHT,    /* ">>" */
    ATOM_POWER,    /* "^" */
    ATOM_SLASHES,  /* "//", the same as "/" */
    ATOM_NOT,      /* "\", the complement */
    ATOM_VECTOR,   /* the functor of {A,B,...} */
    ATOM_NORMAL,   /* the functor of normal(Stream), klicio's answer */
    ATOM_ABNORMAL, /* klicio's answer for a file that cannot be opened */
    ATOM_DOT,      /* the functor of lists */
    ATOM_FIXED     /* number of fixed names */
};

/* Returns the kind of a term. */
static inline enum term_tag term_tag(term t)
{
    return (enum term_tag)(t & 7);
}
/* Returns the address in a term of any kind but INT and ATOM: the first of its words. */
static inline term *term_cell(term t)
{
    return (term *)(uintptr_t)(t & ~UINT64_C(7)); /* NOLINT: an address with a tag */
}
/* Makes a term of a tag and an ADDRESS, which must be a multiple of 8. */
static inline term term_of(const void *address, enum term_tag tag)
{
    return (term)(uintptr_t)address | (term)tag;
}
/* Returns the atom whose name has this INDEX in program.names. */
static inline term term_atom(uint32_t index)
{
    return (term)index << 3 | TERM_ATOM;
}
/* Returns the index in program.names of the name of T, which must be an ATOM. */
static inline uint32_t term_atom_index(term t)
{
    return (uint32_t)(t >> 3);
}
/* Returns true for an integer of at most 61 bits with its sign, which an INT can hold. */
static inline bool term_fits(int64_t value)
{
    return value >= -(INT64_C(1) << 60) && value < INT64_C(1) << 60;
}
/* Returns VALUE as an INT; term_fits(VALUE) must be true, or its upper bits are lost. */
static inline term term_small(int64_t value)
{
    return (term)value << 3 | TERM_INT;
}
/* Returns true for an INT or a BOX.  A REF to an integer is none: dereference it first. */
static inline bool term_is_integer(term t)
{
    return term_tag(t) == TERM_INT || term_tag(t) == TERM_BOX;
}
/* Returns the value of an INT or a BOX. */
static inline int64_t term_integer(term t)
{
    return term_tag(t) == TERM_INT ? (int64_t)t >> 3 : (int64_t)*term_cell(t);
}
/* Returns the functor word, which stands before a structure's arguments: NAME is an index
 * in program.names, ARITY the number of arguments, less than 65,536. */
static inline term term_functor(uint32_t name, uint32_t arity)
{
    return ((term)name << 16 | arity) << 3 | TERM_INT;
}
/* Returns the number of arguments in a functor word, a structure's first word. */
static inline uint32_t term_arity(term functor)
{
    return (uint32_t)(functor >> 3 & 0xffff);
}
/* Returns the index in program.names of the name in a functor word, a structure's first
 * word. */
static inline uint32_t term_name(term functor)
{
    return (uint32_t)(functor >> 19);
}

/* Returns the length in bytes of a STRING, without the NUL behind it. */
static inline size_t term_length(term string)
{
    return (size_t)(*term_cell(string) >> 3);
}
/* Returns the bytes of a STRING, which may hold zeros; a NUL follows.  Valid until the term
 * is collected or moved by the garbage collector. */
static inline const char *term_bytes(term string)
{
    return (const char *)(term_cell(string) + 1);
}
enum { BOX_WORDS = 2 }; /* words of a BOX in the heap: integer, collector's mark */

/* Returns the size in words (8 bytes) of a STRING of LENGTH bytes: its length, its bytes
 * and a NUL. */
static inline size_t term_string_words(size_t length)
{
    return 2 + length / sizeof(term);
}

/* Reads a cell, which another thread may bind at the same time: an atomic load with acquire
 * order, so that the words the value refers to are visible, too. */
static inline term term_load(const term *cell)
{
    return __atomic_load_n(cell, __ATOMIC_ACQUIRE);
}

/* Follows the references of T to its value, which is returned: no REF, or the REF of an
 * unbound cell.  Another thread may bind that cell at any time. */
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
