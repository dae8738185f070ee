/* SPDX-License-Identifier: Apache-2.0 */
/* Adds a part's own names to the trace's tables. */
#include "read/paje/lexed_lines.h"

static uint32_t translated(const uint32_t *numbers, uint32_t number)
{
    return paje_is_own(number) ? numbers[number & ~PAJE_OWN] : number;
}

static uint32_t *add_pairs(struct paje_pairs *pairs, const struct paje_pairs *own,
                           const uint32_t *symbols, uint32_t *numbers, size_t *capacity)
{
    numbers = weft_grow(numbers, capacity, own->count, sizeof *numbers);
    for (uint32_t i = 0; i < own->count; i++)
        numbers[i] =
            paje_pair_add(pairs, translated(symbols, (uint32_t)(own->list[i] >> 32)),
                          translated(symbols, (uint32_t)own->list[i]));
    return numbers;
}

/* Translate all own numbers: only marked records and texts have them. */
static void translate(struct paje_part *part)
{
    for (size_t i = 0; i < part->attend.n; i++) {
        struct paje_record *record = paje_record_at(part, part->attend.items[i]);
        record->pair = translated(part->pairs, record->pair);
    }
    for (size_t i = 0; i < part->own_choices.n; i++) {
        struct paje_record *record = paje_record_at(part, part->own_choices.items[i]);
        record->choice = translated(part->choices, record->choice);
    }
    for (size_t i = 0; i < part->n_links; i++)
        part->links[i].other = translated(part->symbols, part->links[i].other);
    for (size_t i = 0; i < part->n_texts; i++)
        part->texts[i].symbol = translated(part->symbols, part->texts[i].symbol);
}

void paje_part_adopt(struct paje_part *part, struct paje_names *names)
{
    const struct paje_names *own = &part->own;
    if (!own->symbols.count && !own->pairs.count && !own->choices.count)
        return;
    part->symbols = weft_grow(part->symbols, &part->symbol_capacity, own->symbols.count,
                              sizeof *part->symbols);
    for (uint32_t i = 0; i < own->symbols.count; i++) {
        const struct paje_symbol *symbol = &own->symbols.list[i];
        struct paje_key key = paje_key(symbol->text, symbol->length);
        part->symbols[i] =
            paje_symbol_add(&names->symbols, &key, symbol->text, symbol->length);
    }
    part->pairs = add_pairs(&names->pairs, &own->pairs, part->symbols, part->pairs,
                            &part->pair_capacity);
    part->choices = add_pairs(&names->choices, &own->choices, part->symbols, part->choices,
                              &part->choice_capacity);
    translate(part);
}
