/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Turns addresses into places in source text, names of functions and variables, and
 * callers: by the recorded maps, and the symbols, lines and unwinding tables of the files
 * in them (by elfutils; C++ and Rust names by libiberty).  Files are read as they are now;
 * one that is gone, or has no symbols, gives no names.  A mangled symbol that is too long
 * to demangle (1 KiB, or 64 KiB demangled) is returned as it is.
 *
 * IMAGE is the index of a process image in the recording; ADDRESS is one in its memory.
 */
#ifndef WEFT_READ_RECORDING_SITES_H
#define WEFT_READ_RECORDING_SITES_H

#include "read/recording/logs/load_recording.h"
#include "store/build/builder.h"

/* Look-ups of the addresses of one recording, with open symbol files and caches. */
struct sites;
/*
 * Returns look-ups of addresses of RECORDING, which put the places they find into BUILDER;
 * both must live until the last look-up.  No file is opened yet.  The caller frees the
 * result by sites_free().
 */
struct sites *sites_new(const struct recording *recording, struct weft_builder *builder);
/* Frees SITES (or NULL) and all names that it has returned. */
void sites_free(struct sites *sites);

/*
 * Library functions that programs call instead of the recorded ones, which they call in
 * turn.
 */
struct sites_wrapper {
    const char *name; /* demangled, without parameters */
    bool begins;      /* all functions whose names begin with `name` */
    bool library;     /* all code of files whose names, without folder, begin with `name` */
};
/*
 * Adds the N wrappers of TABLE to those that SITES knows.  TABLE must outlive SITES.  Call
 * it before the first look-up: results are cached.
 */
void sites_know_wrappers(struct sites *sites, const struct sites_wrapper *table, size_t n);
/*
 * Returns true if the code of the call that returns to ADDRESS, in process image IMAGE (an
 * index in the recording), is no part of the program: its file is a library in a table of
 * wrappers, or its function and all that are inlined there are in such a table, in headers
 * of the system or a compiler, or marked as artificial.  Returns false if the file is
 * unknown or has no symbols.
 */
bool sites_is_wrapper(struct sites *sites, uint32_t image, uint64_t address);

/*
 * Returns the index of the innermost of N ADDRESSES in process image IMAGE, N >= 1, that is
 * the program's own: in no system library (those of C and C++, and the recorder's), and in
 * a function that is no wrapper.  ADDRESSES are in the calls (return addresses less 1), the
 * innermost first.  If that one has no source line, a following one in the same file that
 * has is preferred: a static program has the C library in its own file.  Returns N - 1, the
 * outermost, if none is the program's own.
 */
size_t sites_own(struct sites *sites, uint32_t image, const uint64_t *addresses, size_t n);

/*
 * The rule to unwind one call, by the unwinding tables of its file: the frame (CFA, the
 * caller's stack pointer) is `offset` bytes above the stack pointer or, if
 * by_frame_pointer, the frame pointer.  The return address lies at the frame + `returns`;
 * the caller's frame pointer, if saves_frame_pointer, at the frame + `frame_pointer`, else
 * it is still in the register.
 */
struct sites_frame {
    bool by_frame_pointer, saves_frame_pointer;
    int64_t offset;                 /* bytes from the register */
    int64_t returns, frame_pointer; /* bytes from the frame: mostly -8 and -16 */
};

/*
 * Sets *FRAME to the rule to unwind the function that contains the call which returns to
 * ADDRESS in process image IMAGE (an index in the recording).  Returns false if the file is
 * unknown or not for x86-64, or the rule is unknown or too complex; then *FRAME may be
 * partly set.
 */
bool sites_unwind(struct sites *sites, uint32_t image, uint64_t address,
                  struct sites_frame *frame);

/*
 * Returns true if the call that returns to RETURNS, in process image IMAGE (an index in the
 * recording), is a direct one of the function around ADDRESS, by the code in its file.
 */
bool sites_calls(struct sites *sites, uint32_t image, uint64_t returns, uint64_t address);

/*
 * Returns the index of the builder's site (file, function and line) of the call that
 * returns to ADDRESS in process image IMAGE (an index in the recording); the first call for
 * an ADDRESS makes it.  It has the innermost of the functions inlined there that is the
 * program's own (see sites_is_wrapper), else the outermost.  Without symbols the site has
 * only the file of code and the address in it; outside of mapped files only ADDRESS - 1.
 * Returns WEFT_NONE for ADDRESS 0.
 */
uint32_t sites_find(struct sites *sites, uint32_t image, uint64_t address);
/*
 * Sets *PLACE to the site (file, function and line) of the call that returns to ADDRESS,
 * not 0, in process image IMAGE (an index in the recording), like that of sites_find(),
 * without adding it to the builder; its texts live as long as SITES, and are "" if unknown.
 * Returns true if it is known to be the program's own: it is in a file that is no library
 * of C or C++ and no recorder, and not in a wrapper (a file without symbols has none).
 */
bool sites_place(struct sites *sites, uint32_t image, uint64_t address,
                 struct weft_site *place);
/*
 * Returns the index of the builder's site of the instruction at ADDRESS itself, in process
 * image IMAGE (an index in the recording), made like that of a call (sites_find()); for a
 * return address that is the code after the call, mostly the next statement.  WEFT_NONE for
 * ADDRESS 0.
 */
uint32_t sites_find_after(struct sites *sites, uint32_t image, uint64_t address);
/*
 * Returns the name of the function that begins at or covers ADDRESS in process image IMAGE
 * (an index in the recording); NULL if unknown.  It is demangled, without parameters, and
 * lives as long as SITES.
 */
const char *sites_function(struct sites *sites, uint32_t image, uint64_t address);
/*
 * Returns what to call the function around ADDRESS in process image IMAGE (an index in the
 * recording): "lambda at worker.cc:12" or "main at heat.c:5" for one that the compiler made
 * of a part of another one, else as sites_function(); NULL if unknown.  The functions of a
 * C++ library that do nothing but call a lambda are called like it; sets *CALLS to true
 * for these, else to false.  The name lives as long as SITES.
 */
const char *sites_label(struct sites *sites, uint32_t image, uint64_t address, bool *calls);
/*
 * Returns what to call the lambda that a thread of libstdc++ runs ("lambda at x.cc:12");
 * ADDRESS, in process image IMAGE (an index in the recording), is in the virtual table of
 * the thread's state.  NULL if the thread runs something else, or it is unknown.  The name
 * lives as long as SITES.
 */
const char *sites_thread_lambda(struct sites *sites, uint32_t image, uint64_t address);
/*
 * Returns true if ADDRESS, in process image IMAGE (an index in the recording), is in the
 * executable mapping of a file whose name, without its folder, begins with NAME.  The file
 * need not exist any more.
 */
bool sites_is_in(struct sites *sites, uint32_t image, uint64_t address, const char *name);
/*
 * Returns the name of the function that begins exactly at ADDRESS in process image IMAGE
 * (an index in the recording); NULL if none is known.  It is demangled, without parameters,
 * and lives as long as SITES.
 */
const char *sites_function_at(struct sites *sites, uint32_t image, uint64_t address);
/*
 * Returns a short text for the call that returns to ADDRESS in process image IMAGE (an
 * index in the recording), in ARENA: "heat.c:41", "function" or "libheat.so+0x41"; NULL if
 * it is not the program's own (sites_place()), or ADDRESS is 0.
 */
const char *sites_text(struct sites *sites, struct weft_arena *arena, uint32_t image,
                       uint64_t address);
/*
 * Returns the name of the static variable that covers ADDRESS in process image IMAGE (an
 * index in the recording), and sets *WITHIN to the bytes from its begin to ADDRESS.
 * Returns NULL if unknown; *WITHIN is then not set.  The name is demangled, without
 * parameters of functions in it, and lives as long as SITES.
 */
const char *sites_variable(struct sites *sites, uint32_t image, uint64_t address,
                           uint64_t *within);
/*
 * Like sites_variable() (name of the static variable that covers ADDRESS in process image
 * IMAGE, and *WITHIN, the bytes from its begin to ADDRESS; NULL, *WITHIN not set: unknown),
 * but types of functions in the name have their parameters: "vtable for A<void (*)(int)>".
 */
const char *sites_variable_in_full(struct sites *sites, uint32_t image, uint64_t address,
                                   uint64_t *within);
/*
 * Returns the name of the static variable that covers ADDRESS in process image IMAGE (an
 * index in the recording), demangled, and the part of it that begins there, by its type in
 * DWARF (static_variables.h): "queue.lock", "table[3].lock", or without such a type
 * "table+64".  The caller frees it; NULL if there is no variable.
 */
char *sites_variable_part(struct sites *sites, uint32_t image, uint64_t address);

#endif
