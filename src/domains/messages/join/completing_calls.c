/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The fields of a call that completes requests: a text that names the operations,
 * "MPI_Isend to 3, tag 7", and, if all are sends, the last one's partner and tag.  The
 * sender of a received message is in the message's link.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "domains/messages/join/mpi_join.h"

enum { OPERATION_TEXT = 96 /* bytes */, REST_TEXT = 32 /* bytes: " and N more" */ };

/* "MPI_Isend to 3, tag 7", or the call alone if the peer is unknown. */
static void name_operation(const struct mpi_deed *deed, uint32_t peer, int32_t tag,
                           char text[OPERATION_TEXT])
{
    const char *call = mpi_calls[deed->call].name;
    const char *way = deed->what == MPI_SEND ? "to" : "from";

    if ((deed->what == MPI_SEND || deed->what == MPI_RECEIVE) && peer != WEFT_NONE)
        snprintf(text, OPERATION_TEXT, "%s %s %" PRIu32 ", tag %" PRId32, call, way, peer,
                 tag);
    else
        snprintf(text, OPERATION_TEXT, "%s", call);
}

void mpi_note_completed(struct mpi_join *mpi, const struct join_thread *thread,
                        const struct mpi_deed *deed, uint64_t peer_and_tag)
{
    struct mpi_completed *all = &mpi->threads[thread->index].completed;
    char text[OPERATION_TEXT];
    uint32_t peer = WEFT_NONE;
    int32_t tag = 0;
    size_t length;

    if (deed->what == MPI_NOTHING)
        return;
    if (all->n++ == 0) {
        all->length = all->named = 0;
        all->received = false;
        all->partner = WEFT_NONE;
    }
    if (deed->what == MPI_SEND || deed->what == MPI_RECEIVE) {
        int32_t rank = weft_mpi_peer(deed->peer_and_tag);
        tag = weft_mpi_tag(deed->peer_and_tag);
        if (rank == WEFT_MPI_ANY)
            rank = weft_mpi_peer(peer_and_tag);
        if (tag == WEFT_MPI_ANY)
            tag = weft_mpi_tag(peer_and_tag);
        peer = mpi_peer(mpi, deed->member, rank);
    }
    all->received |= deed->what == MPI_RECEIVE;
    if (deed->what == MPI_SEND && peer != WEFT_NONE) {
        all->partner = mpi_processor(mpi, peer);
        all->tag = tag;
    }
    name_operation(deed, peer, tag, text);
    length = strlen(text);
    if (all->length + length + 2 + REST_TEXT > sizeof all->text)
        return; /* counted only */
    all->length += (size_t)snprintf(all->text + all->length, sizeof all->text - all->length,
                                    "%s%s", all->length ? "; " : "", text);
    all->named++;
}

void mpi_say_completed(struct mpi_join *mpi, struct mpi_thread *thread)
{
    const struct mpi_types *types = &mpi->types;
    struct weft_builder *builder = mpi->join->builder;
    struct mpi_completed *all = &thread->completed;

    if (all->n == 0 || thread->state == WEFT_NO_ID)
        return;
    if (all->n > all->named)
        all->length +=
            (size_t)snprintf(all->text + all->length, sizeof all->text - all->length,
                             " and %zu more", all->n - all->named);
    weft_builder_field_now(
        builder, thread->state,
        &(struct weft_field_value){
            types->call_completes,
            { .index = weft_builder_string(builder, all->text, all->length) } });
    if (all->received || all->partner == WEFT_NONE)
        return;
    weft_builder_field_now(
        builder, thread->state,
        &(struct weft_field_value){ types->call_partner, { .index = all->partner } });
    weft_builder_field_now(
        builder, thread->state,
        &(struct weft_field_value){ types->call_tag, { .integer = all->tag } });
}
