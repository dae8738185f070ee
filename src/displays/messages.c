/* SPDX-License-Identifier: Apache-2.0 */
#include "displays/messages.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

void message_put(struct message *message, const void *bytes, size_t size)
{
    message->bytes = weft_grow(message->bytes, &message->capacity, message->size + size, 1);
    if (size)
        memcpy(message->bytes + message->size, bytes, size);
    message->size += size;
}

void message_begin(struct message *message, enum message_kind kind)
{
    message->size = 0;
    message_put_u32(message, 0);
    message_put_u32(message, kind);
}

void message_put_u32(struct message *message, uint32_t number)
{
    message_put(message, &number, sizeof number);
}

void message_put_i64(struct message *message, int64_t number)
{
    message_put(message, &number, sizeof number);
}

void message_put_real(struct message *message, double number)
{
    message_put(message, &number, sizeof number);
}

void message_put_text(struct message *message, const char *text)
{
    size_t length = text ? strlen(text) : 0;
    message_put_u32(message, (uint32_t)length);
    message_put(message, text ? text : "", length + 1);
}

const unsigned char *message_end(struct message *message)
{
    uint32_t length = (uint32_t)(message->size - MESSAGE_HEAD);
    memcpy(message->bytes, &length, sizeof length);
    return message->bytes;
}

void message_free(struct message *message)
{
    free(message->bytes);
    *message = (struct message){ 0 };
}

/* Copies the next SIZE bytes to OUT; zeros, if they are not there. */
static void take(struct message_reader *reader, void *out, size_t size)
{
    memset(out, 0, size);
    if ((size_t)(reader->end - reader->at) < size) {
        reader->at = reader->end;
        reader->wrong = true;
        return;
    }
    memcpy(out, reader->at, size);
    reader->at += size;
}

uint32_t message_u32(struct message_reader *reader)
{
    uint32_t number;
    take(reader, &number, sizeof number);
    return number;
}

int64_t message_i64(struct message_reader *reader)
{
    int64_t number;
    take(reader, &number, sizeof number);
    return number;
}

double message_real(struct message_reader *reader)
{
    double number;
    take(reader, &number, sizeof number);
    return number;
}

const char *message_text(struct message_reader *reader)
{
    size_t length = message_u32(reader), left = (size_t)(reader->end - reader->at);
    const char *text = (const char *)reader->at;
    if (reader->wrong || length >= left || text[length] || strlen(text) != length) {
        reader->at = reader->end;
        reader->wrong = true;
        return "";
    }
    reader->at += length + 1;
    return text;
}

void message_points(struct message_reader *reader, double *xy, size_t n)
{
    size_t size = n * 2 * sizeof *xy;
    if ((size_t)(reader->end - reader->at) < size) {
        reader->at = reader->end;
        reader->wrong = true;
        return;
    }
    memcpy(xy, reader->at, size);
    reader->at += size;
}
