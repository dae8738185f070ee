/* SPDX-License-Identifier: Apache-2.0 */
#include "analyse/awaited_processor.h"

#include "base/domain.h"

const struct weft_wait_partners *weft_wait_partners(void)
{
    for (size_t i = 0; i < weft_n_domains; i++)
        if (weft_domains[i]->wait_partners)
            return weft_domains[i]->wait_partners;
    return NULL;
}
