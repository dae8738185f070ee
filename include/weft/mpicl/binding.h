/* SPDX-License-Identifier: Apache-2.0 */
/*
 * MPICL's tracing commands (Heath and Finger, ParaGraph's guide, appendix B), so that
 * programs which call them need not be changed: compile them with this header, link
 * nothing, and run them under `weft record`.  When no recording runs they do nothing.
 *
 *     tracefiles("", "tracefile", 0);
 *     tracelevel(1, 1, 0);
 *     tracenode(100000, 0, 1);
 *     traceevent("entry", 3, 0);            task 3 begins
 *     traceevent("exit", 3, 1, &work);      and has done so much work
 *     traceevent("mark", 7, 2, pair);       with two integers
 *     traceevent("label", 7, 5, "solve");   characters; also "message"
 *     tracedata(7, 1, "double", 3, values);
 *
 * Differences from MPICL's tracing:
 *
 * The trace is the file of `weft record`.  The permanent file that tracefiles names is made
 * from it if there are processors (`weft record --with mpi`); `weft recover` does not make
 * it, and `weft convert -o tracefile.trf --order node` makes one at any time.
 *
 * The arguments of tracenode are ignored: buffers grow until the disk is full, and clocks
 * are compared when MPI begins and ends, and by clocksync0.
 *
 * The user's level decides whether tasks, marks and data are recorded; MPI's level decides,
 * by MPI_Pcontrol, whether the calls of MPI are.  The third level has no effect: calls of
 * this header are not recorded themselves.  Level 0, statistics alone, records nothing,
 * since statistics follow from records.
 */
#ifndef WEFT_BINDING_H
#define WEFT_BINDING_H

#include <stdarg.h>
#include <string.h>

#include "../weft.h"

/*
 * The level of the user's events (tasks, marks, data), for all files of the program: above
 * 0 they are recorded.  It is 0 until tracelevel() is called.
 */
__attribute__((weak)) int weft_mpicl_user_level = 0;

/*
 * Returns the recorder's functions if the user's level is above 0 and the recorder has
 * version 2 at least, else NULL.
 */
static inline __attribute__((unused)) const struct weft_runtime *weft_mpicl_(void)
{
    const struct weft_runtime *runtime = weft_mpicl_user_level > 0 ? weft_get_() : NULL;

    return runtime != NULL && runtime->version >= 2 ? runtime : NULL;
}

/*
 * Asks for a PICL trace in order of nodes, to be made at PERMFILE (NULL or "": none) when
 * the recording is joined.  A relative path counts from the working directory now.  The
 * absolute path has 240 bytes at most, and a run 16 different ones: beyond that no trace is
 * made, with a problem in the trace.  TEMPFILE and VERBOSE have no effect.
 */
static inline __attribute__((unused)) void tracefiles(const char *tempfile,
                                                      const char *permfile, int verbose)
{
    const struct weft_runtime *runtime = weft_get_();

    (void)tempfile;
    (void)verbose;
    if (runtime != NULL && runtime->version >= 3 && permfile != NULL && *permfile != '\0')
        runtime->trace_file(permfile);
}

/*
 * Sets whether calls of MPI (MPICL) are shown, and the events that the program tells by
 * this header (USER) are recorded, from now on: above 0 they are.  Calls MPI_Pcontrol(1 or
 * 0), if the program has MPI.  TRACE has no effect.
 */
static inline __attribute__((unused)) void tracelevel(int mpicl, int user, int trace)
{
    int (*control)(int level, ...) = NULL;
    void *found = weft_dlsym_ != NULL ? weft_dlsym_(NULL, "MPI_Pcontrol") : NULL;

    (void)trace;
    weft_mpicl_user_level = user;
    memcpy(&control, &found, sizeof control);
    if (control != NULL)
        (void)control(mpicl > 0);
}

/*
 * Has no effect: buffers grow as needed, and clocks are compared when MPI begins and ends.
 */
static inline __attribute__((unused)) void tracenode(int tracesize, int flush, int sync)
{
    (void)tracesize;
    (void)flush;
    (void)sync;
}

/*
 * Compares the clocks of hosts now, if MPI is recorded; else no effect.  Collective: all
 * ranks call it.
 */
static inline __attribute__((unused)) void clocksync0(void)
{
    void (*synchronize)(void) = NULL;
    void *found = weft_dlsym_ != NULL ? weft_dlsym_(NULL, "weft_mpi_synchronize_v1") : NULL;

    memcpy(&synchronize, &found, sizeof synchronize);
    if (synchronize != NULL)
        synchronize();
}

/*
 * Records an event, if the user's level (tracelevel()) is above 0 and EVENTID is not
 * negative: EVENTTYPE "entry" begins task EVENTID, "exit" ends the task that the thread
 * began last, whatever EVENTID is, "mark" and "label" are an event of that kind, and any
 * other type, also NULL, is a message.  The argument after NPARAMS points to NPARAMS ints,
 * or chars of a label or message, which are copied; it may be missing if NPARAMS is 0.  The
 * first int of an exit is the task's work; an entry's are ignored.
 */
static __attribute__((unused)) void traceevent(const char *eventtype, int eventid,
                                               int nparams, ...)
{
    const struct weft_runtime *runtime = weft_mpicl_();
    const void *params = NULL;
    va_list arguments;

    if (runtime == NULL || eventid < 0)
        return;
    eventtype = eventtype ? eventtype : ""; /* an unknown type is a message */
    if (nparams > 0) {
        va_start(arguments, nparams);
        params = va_arg(arguments, const void *);
        va_end(arguments);
    }
    if (strcmp(eventtype, "entry") == 0)
        runtime->numbered_begin((uint32_t)eventid);
    else if (strcmp(eventtype, "exit") == 0)
        runtime->numbered_end((uint32_t)eventid, params != NULL,
                              params ? *(const int *)params : 0);
    else if (runtime->version < 4 || (params == NULL && strcmp(eventtype, "mark") == 0))
        runtime->numbered_mark((uint32_t)eventid);
    else if (strcmp(eventtype, "mark") == 0)
        runtime->numbered_values(WEFT_SAID_MARK, (uint32_t)eventid, 0, WEFT_ITEM_INTEGER,
                                 (uint32_t)nparams, params);
    else
        runtime->numbered_values(strcmp(eventtype, "label") == 0 ? WEFT_SAID_LABEL
                                                                 : WEFT_SAID_NOTE,
                                 (uint32_t)eventid, 0, WEFT_ITEM_CHARACTER,
                                 params ? (uint32_t)nparams : 0, params);
}

/*
 * Records event EVENTID about the program's data with the number DATAID, with the SIZE
 * items at DATA, which are copied, if the user's level (tracelevel()) is above 0 and
 * EVENTID is not negative.  DATATYPE is "character", "integer" (int), "long", "float",
 * "real" (float) or "double"; for another, or NULL, the event has no items.
 */
static __attribute__((unused)) void tracedata(int eventid, int dataid, const char *datatype,
                                              int size, const void *data)
{
    static const char *const types[] = { "character", "integer", "long",
                                         "float",     "real",    "double" };
    const struct weft_runtime *runtime = weft_mpicl_();
    unsigned item = 0;

    if (runtime == NULL || eventid < 0)
        return;
    while (item < WEFT_ITEMS && (!datatype || strcmp(datatype, types[item]) != 0))
        item++;
    if (runtime->version < 4)
        runtime->numbered_mark((uint32_t)eventid);
    else if (item < WEFT_ITEMS && size > 0 && data != NULL)
        runtime->numbered_values(WEFT_SAID_DATA, (uint32_t)eventid, dataid, item,
                                 (uint32_t)size, data);
    else
        runtime->numbered_values(WEFT_SAID_DATA, (uint32_t)eventid, dataid,
                                 WEFT_ITEM_INTEGER, 0, NULL);
}

#endif
