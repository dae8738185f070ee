/* SPDX-License-Identifier: Apache-2.0 */
#include "base/domain.h"

#include <string.h>

const void *weft_domain_element(const void *const *core, size_t list, size_t index)
{
    size_t domain = 0;
    const void *const *at = core;
    for (;;) {
        for (; at && *at; at++)
            if (index-- == 0)
                return *at;
        if (domain == weft_n_domains)
            return NULL;
        memcpy(&at, (const char *)weft_domains[domain++] + list, sizeof at);
    }
}
