/* SPDX-License-Identifier: Apache-2.0 */
/* The open requests of each processor, by number. */
#include "domains/messages/read/picl_priv.h"

enum {              /* values in the map of open requests */
       OPEN,        /* a send, or a receive that is no longer posted */
       OPEN_POSTED, /* OPEN_POSTED + the index of the posted receive */
};

void picl_forget_request(struct picl_import *import, struct picl_processor *p,
                         int64_t request)
{
    uint32_t is = weft_id_map_get(&p->requests, (uint64_t)request);
    if (is == WEFT_MAP_NONE || is < OPEN_POSTED)
        return;
    weft_id_map_put(&p->requests, (uint64_t)request, OPEN);
    picl_unpost(import, p, is - OPEN_POSTED);
}

void picl_begin_request(struct picl_import *import, struct picl_processor *p,
                        const struct picl_frame *f, int64_t request)
{
    picl_forget_request(import, p, request);
    uint32_t is = OPEN;
    if (f->of->shape == PICL_SHAPE_RECEIVE_BEGIN) {
        bool known = f->n_values >= 2;
        is = OPEN_POSTED
             + picl_post(import, p, known ? f->values[0] : -1, known ? f->values[1] : -1,
                         f->order);
    }
    weft_id_map_put(&p->requests, (uint64_t)request, is);
}

void picl_end_request(struct picl_import *import, struct picl_processor *p, int64_t request,
                      uint64_t line)
{
    if (weft_id_map_get(&p->requests, (uint64_t)request) == WEFT_MAP_NONE) {
        picl_report(import, PICL_FAULT_REQUEST, line, p->number, request);
        return;
    }
    picl_forget_request(import, p, request);
    weft_id_map_remove(&p->requests, (uint64_t)request);
}

bool picl_complete_request(struct picl_import *import, struct picl_processor *p,
                           int64_t request, const struct picl_message *message)
{
    uint32_t is = weft_id_map_get(&p->requests, (uint64_t)request);
    if (is == WEFT_MAP_NONE || is < OPEN_POSTED)
        return false;
    weft_id_map_put(&p->requests, (uint64_t)request, OPEN);
    picl_complete(import, p, is - OPEN_POSTED, message);
    return true;
}
