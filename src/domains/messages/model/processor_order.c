/* SPDX-License-Identifier: Apache-2.0 */
#include "domains/messages/model/processor_order.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

bool weft_order_has_gray(uint32_t n)
{
    return n && !(n & (n - 1));
}

void weft_order_free(struct weft_order *order)
{
    for (uint32_t q = 0; order->names && q < order->n; q++)
        free(order->names[q]);
    free(order->names);
    free(order->position);
    free(order->processor);
    *order = (struct weft_order){ 0 };
}

static void put(struct weft_order *order, uint32_t processor, uint32_t position)
{
    order->position[processor] = position;
    order->processor[position] = processor;
}

static const char *skip_blanks(const char *text)
{
    return text + strspn(text, " \t\r");
}

/* Parses a number at *TEXT and moves *TEXT behind it. */
static bool read_number(const char **text, uint64_t *number)
{
    const char *at = skip_blanks(*text);
    if (*at < '0' || *at > '9')
        return false;
    for (*number = 0; *at >= '0' && *at <= '9'; at++)
        if (*number <= UINT32_MAX)
            *number = *number * 10 + (uint64_t)(*at - '0');
    *text = at;
    return *at == ' ' || *at == '\t' || *at == '\r' || *at == '\n' || !*at;
}

/* The rest of the line is the name. */
static void read_name(struct weft_order *order, uint32_t processor, const char *text)
{
    text = skip_blanks(text);
    size_t length = strcspn(text, "\n");
    while (length && strchr(" \t\r", text[length - 1]))
        length--;
    if (!length)
        return;
    if (!order->names)
        order->names = weft_zalloc(order->n, sizeof *order->names);
    free(order->names[processor]);
    order->names[processor] = weft_strndup(text, length);
}

static bool read_line(struct weft_order *order, const char *text, unsigned line,
                      struct weft_err *err)
{
    uint64_t processor, position;
    text = skip_blanks(text);
    if (!*text || *text == '\n' || *text == '#')
        return true;
    if (!read_number(&text, &processor) || !read_number(&text, &position))
        return weft_fail(
            err, WEFT_ERR_USAGE,
            "line %u of the order is not a processor's number, its position and "
            "perhaps a name",
            line);
    if (processor >= order->n)
        return true;
    if (position >= order->n)
        return weft_fail(err, WEFT_ERR_USAGE,
                         "line %u of the order: %u processors have no position %llu", line,
                         order->n, (unsigned long long)position);
    if (order->processor[position] != UINT32_MAX
        || order->position[processor] != UINT32_MAX)
        return weft_fail(
            err, WEFT_ERR_USAGE,
            "line %u of the order: processor %u or position %u was there before", line,
            (unsigned)processor, (unsigned)position);
    put(order, (uint32_t)processor, (uint32_t)position);
    read_name(order, (uint32_t)processor, text);
    return true;
}

static bool read_file(struct weft_order *order, const char *text, struct weft_err *err)
{
    for (uint32_t i = 0; i < order->n; i++)
        order->position[i] = order->processor[i] = UINT32_MAX;
    for (unsigned line = 1; *text; line++) {
        if (!read_line(order, text, line, err))
            return false;
        text += strcspn(text, "\n");
        text += *text == '\n';
    }
    uint32_t position = 0;
    for (uint32_t q = 0; q < order->n; q++) {
        if (order->position[q] != UINT32_MAX)
            continue;
        while (order->processor[position] != UINT32_MAX)
            position++;
        put(order, q, position);
    }
    return true;
}

bool weft_order_make(uint32_t n, const char *setting, struct weft_order *order,
                     struct weft_err *err)
{
    bool gray = strcmp(setting, "gray") == 0;
    *order = (struct weft_order){ .n = n };
    order->position = weft_alloc((n + 1) * sizeof *order->position);
    order->processor = weft_alloc((n + 1) * sizeof *order->processor);
    if (gray && !weft_order_has_gray(n))
        return weft_fail(err, WEFT_ERR_USAGE,
                         "%u processors have no Gray code, since that is no power of two",
                         n);
    if (!gray && strcmp(setting, "natural") != 0)
        return read_file(order, setting, err);
    /*
     * The i-th word of the reflected Gray code (F. Gray, US patent 2,632,058) is i ^ i / 2.
     */
    for (uint32_t i = 0; i < n; i++)
        put(order, gray ? i ^ i >> 1 : i, i);
    return true;
}
