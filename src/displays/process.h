/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The process of a person's own display (displays/host/): it is started, spoken to and
 * ended here.  A fault in the display ends its process, and comes back as an error that
 * says how.
 */
#ifndef WEFT_DISPLAYS_PROCESS_H
#define WEFT_DISPLAYS_PROCESS_H

#include <sys/types.h>

#include "base/err.h"
#include "displays/messages.h"

/* A process; zeroed: it does not run. */
struct display_process {
    pid_t pid;             /* 0: it does not run */
    int socket;            /* valid if it runs; does not block */
    const char *path;      /* of the file that it has loaded; borrowed */
    unsigned char *answer; /* the content of the last message received */
    size_t capacity;
};

/*
 * Starts the process for the display with INDEX in the file at PATH, which is borrowed, and
 * receives its first message, which describes all displays of the file, into *READER, valid
 * until the next message; INDEX -1: it ends after that.  Returns false with
 * WEFT_ERR_READ if it cannot be started, or the file has no displays.
 */
bool display_process_start(struct display_process *process, const char *path, int index,
                           struct message_reader *reader,
                           struct weft_err *err) WEFT_MUST_CHECK;
/*
 * Sends MESSAGE, and returns when it is sent.  DOING is what the display does with it,
 * "took events".  Returns false with WEFT_ERR_READ if the process has ended or takes
 * nothing for ten seconds, WEFT_ERR_LIMIT if the message is too long; then the process has
 * been ended. It cannot be cancelled: all that was sent before would have to be sent again.
 */
bool display_process_send(struct display_process *process, struct message *message,
                          const char *doing, struct weft_err *err) WEFT_MUST_CHECK;
/*
 * Receives a message: sets *KIND, and *READER to its content, which is valid until the next
 * one.  Fails like display_process_send().
 */
bool display_process_receive(struct display_process *process, enum message_kind *kind,
                             struct message_reader *reader, const char *doing,
                             struct weft_err *err) WEFT_MUST_CHECK;
/* Ends the process, if it runs, and frees its memory; it can be started again. */
void display_process_end(struct display_process *process);

#endif
