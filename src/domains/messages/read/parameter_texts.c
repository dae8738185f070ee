/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps parameters as texts in the store. */
#include <stdlib.h>
#include <string.h>

#include "domains/messages/read/picl_priv.h"

uint32_t picl_text_of(const struct picl_import *import, const struct picl_record *record)
{
    char *copy = NULL;
    for (uint32_t i = 0; i < record->length; i++) {
        if (!picl_is_blank(record->parameters[i]) || record->parameters[i] == ' ')
            continue;
        if (!copy)
            copy = memcpy(weft_alloc(record->length), record->parameters, record->length);
        copy[i] = ' ';
    }
    uint32_t text = weft_builder_string(import->builder, copy ? copy : record->parameters,
                                        record->length);
    free(copy);
    return text;
}

/* Prints a number; quicker than printf, as many calls have such texts. */
static char *put_number(char *at, int64_t number)
{
    char digits[20];
    int n = 0;
    uint64_t rest = number < 0 ? -(uint64_t)number : (uint64_t)number;
    do
        digits[n++] = (char)('0' + rest % 10);
    while (rest /= 10);
    if (number < 0)
        *at++ = '-';
    while (n)
        *at++ = digits[--n];
    return at;
}

uint32_t picl_numbers_text(const struct picl_import *import, const int64_t *numbers,
                           uint32_t n)
{
    enum { LONGEST = 20 /* digits and a sign */ };
    char text[(LONGEST + 1) * (PICL_VALUES + 2)];
    char *at = put_number(text, n);
    *at++ = ' ';
    *at++ = '2';
    for (uint32_t i = 0; i < n; i++) {
        *at++ = ' ';
        at = put_number(at, numbers[i]);
    }
    return weft_builder_string(import->builder, text, (size_t)(at - text));
}
