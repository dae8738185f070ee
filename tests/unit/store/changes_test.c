/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The check of a block of state changes against a slow one that follows the stack step by step:
 * blocks of all kinds and widths, as they should be and with one thing changed, and with a right
 * checksum always.
 */
#include "store/column.h"
#include "store/trace/trace_priv.h"
#include "tests/random.h"
#include "tests/test.h"

enum { MAX_DEPTH = 600, BYTES = 1 << 15, ROUNDS = 60000 };

/* A block, its entry in the directory and the next one, and its track. */
struct sample {
    struct weft_file_track track;
    struct weft_file_block blocks[2];
    size_t n, depth, n_long, n_codes;
    unsigned delta_width, operation_width, sum_width;
    uint64_t stack[MAX_DEPTH], sums[64];
    uint64_t deltas[WEFT_BLOCK_ROWS], operations[WEFT_BLOCK_ROWS];
    uint64_t long_deltas[WEFT_BLOCK_ROWS], long_rows[WEFT_BLOCK_ROWS];
};

/* ---- The slow check ---- */

static bool times_agree(const struct sample *s)
{
    unsigned __int128 sum = 0;
    for (size_t i = 0; i < s->n; i++)
        sum += s->deltas[i];
    for (size_t i = 0; i < s->n_long; i++) {
        if (s->long_rows[i] >= s->n || s->deltas[s->long_rows[i]]
            || (i && s->long_rows[i] <= s->long_rows[i - 1]))
            return false;
        sum += s->long_deltas[i];
    }
    return sum <= (uint64_t)(s->blocks[1].time - s->blocks[0].time);
}

static bool head_agrees(const struct sample *s)
{
    bool ok = s->depth <= s->track.max_depth && s->n_codes <= s->track.n_codes;
    for (size_t i = 0; i < s->depth; i++) {
        uint64_t code = s->stack[i] >> 40, ordinal = weft_entity_ordinal(s->stack[i]);
        ok &= code && code <= s->track.n_codes && ordinal < s->blocks[0].ordinal;
        ok &= !i || ordinal > weft_entity_ordinal(s->stack[i - 1]);
    }
    for (size_t i = 0; i < 2 * s->n_codes; i++)
        ok &= s->sums[i] <= (uint64_t)(s->blocks[0].time - s->track.begin);
    return ok;
}

static bool changes_agree(const struct sample *s)
{
    uint64_t open[MAX_DEPTH + WEFT_BLOCK_ROWS + 1], opened = 0;
    size_t depth = s->depth, low = depth;
    for (size_t i = 0; i < depth; i++)
        open[i] = s->stack[i] >> 40;
    for (size_t i = 0; i < s->n; i++) {
        uint64_t code = s->operations[i] >> 2;
        enum weft_change_kind kind = s->operations[i] & 3;
        if (kind == WEFT_CHANGE_POP && depth-- == 0)
            return false;
        if (kind == WEFT_CHANGE_SET || kind == WEFT_CHANGE_RESET)
            depth = 0;
        low = depth < low ? depth : low;
        if (kind == WEFT_CHANGE_PUSH || kind == WEFT_CHANGE_SET) {
            if (!code || code > s->track.n_codes)
                return false;
            open[depth++] = code;
            opened++;
        }
        if (code != (depth ? open[depth - 1] : 0) || depth > s->track.max_depth)
            return false;
    }
    return low == s->blocks[0].low && opened == s->blocks[1].ordinal - s->blocks[0].ordinal;
}

/* ---- Blocks ---- */

/* Changes of KINDS (a bit each) that agree with all that the sample says. */
static void change_at_random(struct sample *s, unsigned kinds, size_t deepest)
{
    uint64_t open[MAX_DEPTH + WEFT_BLOCK_ROWS + 1], opened = 0;
    size_t depth = s->depth, low = depth, high = depth;
    for (size_t i = 0; i < depth; i++)
        open[i] = s->stack[i] >> 40;
    for (size_t i = 0; i < s->n; i++) {
        enum weft_change_kind kind = WEFT_CHANGE_PUSH;
        do
            kind = (enum weft_change_kind)roll(4);
        while (!(kinds & 1u << kind)
               || (kind == WEFT_CHANGE_PUSH && depth >= deepest && kinds & 14 && depth)
               || (kind == WEFT_CHANGE_POP && !depth));
        depth -= kind == WEFT_CHANGE_POP;
        depth = kind == WEFT_CHANGE_SET || kind == WEFT_CHANGE_RESET ? 0 : depth;
        low = depth < low ? depth : low;
        if (kind == WEFT_CHANGE_PUSH || kind == WEFT_CHANGE_SET) {
            open[depth++] = 1 + roll(s->track.n_codes);
            opened++;
        }
        high = depth > high ? depth : high;
        s->operations[i] = (depth ? open[depth - 1] : 0) << 2 | (uint64_t)kind;
    }
    s->blocks[0].low = (uint16_t)low;
    s->blocks[1].ordinal = s->blocks[0].ordinal + opened;
    s->track.max_depth = (uint32_t)(high + roll(3));
}

static void time_at_random(struct sample *s)
{
    uint64_t most =
        s->delta_width == 8 ? UINT64_C(1) << 40 : (UINT64_C(1) << 8 * s->delta_width) - 1;
    uint64_t sum = 0;
    s->n_long = 0;
    for (size_t i = 0; i < s->n; i++) {
        s->deltas[i] = roll(most + 1);
        if (roll(40) == 0) {
            s->deltas[i] = 0;
            s->long_rows[s->n_long] = i;
            s->long_deltas[s->n_long] = roll(UINT64_C(1) << 45);
            sum += s->long_deltas[s->n_long++];
        }
        sum += s->deltas[i];
    }
    s->blocks[1].time = s->blocks[0].time + (int64_t)(sum + roll(2));
}

static void make(struct sample *s)
{
    static const unsigned kinds[] = { 3, 3, 3, 4, 12, 15, 11, 1 };
    static const size_t depths[] = { 0, 1, 3, 8, 200, 231, 239, 300, MAX_DEPTH };
    static const uint32_t codes[] = { 1, 2, 7, 63, 64, 300, 0x3fff, 0x4000, 1 << 20 };
    *s = (struct sample){ .n = roll(3) ? WEFT_BLOCK_ROWS : 1 + roll(WEFT_BLOCK_ROWS) };
    size_t deepest = depths[roll(sizeof depths / sizeof *depths)];
    s->track.n_codes = codes[roll(sizeof codes / sizeof *codes)];
    s->track.begin = -(int64_t)roll(1000000);
    s->track.n_blocks = 2;
    s->blocks[0] = (struct weft_file_block){ .n = (uint16_t)s->n };
    s->depth = deepest ? roll(deepest + 1) : 0;
    for (size_t i = 0; i < s->depth; i++) {
        s->stack[i] = (1 + roll(s->track.n_codes)) << 40 | s->blocks[0].ordinal;
        s->blocks[0].ordinal += 1 + roll(3);
    }
    change_at_random(s, kinds[roll(sizeof kinds / sizeof *kinds)], deepest);
    s->delta_width = 1u << roll(4);
    time_at_random(s);
    s->n_codes = roll(2) && s->track.n_codes <= 32 ? s->track.n_codes : 0;
    s->sum_width = 3 + (unsigned)roll(6);
    for (size_t i = 0; i < 2 * s->n_codes; i++)
        s->sums[i] = roll((uint64_t)-s->track.begin + 1);
    uint64_t highest = s->track.n_codes << 2 | 3;
    s->operation_width = highest <= UINT8_MAX ? 1 : highest <= UINT16_MAX ? 2 : 4;
}

/* One thing is not as it was; it may still agree with the rest. */
static void spoil(struct sample *s)
{
    size_t row = roll(s->n);
    uint64_t most = s->operation_width == 4 ? UINT32_MAX >> 6
                                            : (UINT64_C(1) << 8 * s->operation_width) - 1;
    switch (roll(13)) {
    case 0: s->operations[row] = roll(most + 1); break;
    case 1: s->operations[row] = roll(8); break;
    case 2: s->operations[row] ^= UINT64_C(1) << roll(8 * s->operation_width); break;
    case 3: s->blocks[0].low = (uint16_t)(s->blocks[0].low + 1 - 2 * roll(2)); break;
    case 4: s->blocks[1].ordinal += 1 - 2 * roll(2); break;
    case 5: s->track.max_depth -= s->track.max_depth > 0; break;
    case 6: s->track.n_codes--; break;
    case 7: s->blocks[1].time -= (int64_t)roll(3); break;
    case 8: s->deltas[row]++; break;
    case 9:
        if (s->depth)
            s->stack[roll(s->depth)] ^= UINT64_C(1) << (roll(2) ? 40 + roll(3) : roll(2));
        break;
    case 10:
        if (s->n_codes)
            s->sums[roll(2 * s->n_codes)] += roll(UINT64_C(1) << 22);
        break;
    case 11: /* codes of the stack may be larger than those that fit */
        for (size_t i = 0; i < s->n && s->operation_width == 4; i++)
            s->operations[i] &= UINT16_MAX;
        s->operation_width = s->operation_width == 4 ? 2 : s->operation_width;
        break;
    default:
        if (s->n_long)
            s->long_rows[roll(s->n_long)] = roll(s->n + 1);
    }
    uint64_t cell =
        s->delta_width == 8 ? UINT64_MAX : (UINT64_C(1) << 8 * s->delta_width) - 1;
    s->deltas[row] &= cell;
}

static size_t encode(struct sample *s, unsigned char *out)
{
    struct weft_change_header header = { .n = (uint16_t)s->n,
                                         .delta_width = (uint8_t)s->delta_width,
                                         .operation_width = (uint8_t)s->operation_width,
                                         .depth = (uint16_t)s->depth,
                                         .n_long = (uint16_t)s->n_long,
                                         .n_codes = (uint32_t)s->n_codes,
                                         .sum_width = (uint8_t)s->sum_width };
    size_t size = sizeof header;
    memcpy(out, &header, sizeof header);
    size += weft_pack(out + size, s->stack, s->depth, 8);
    uint64_t sums = weft_sums_size(s->n_codes, s->sum_width);
    memset(out + size, 0, sums);
    for (size_t i = 0; i < 2 * s->n_codes; i++)
        memcpy(out + size + i * s->sum_width, &s->sums[i], s->sum_width);
    size += sums;
    size += weft_pack(out + size, s->deltas, s->n, s->delta_width);
    size += weft_pack(out + size, s->long_deltas, s->n_long, 8);
    size += weft_pack(out + size, s->long_rows, s->n_long, 2);
    size += weft_pack(out + size, s->operations, s->n, s->operation_width);
    s->blocks[0].checksum = weft_checksum(out, size);
    return size;
}

static bool is_good(const struct sample *s, const unsigned char *bytes, size_t size)
{
    struct weft_trace trace = { .directory = s->blocks };
    return weft_trace_changes_good(&trace, &s->track, 0, bytes, size);
}

static void test_blocks_are_good_when_they_agree(void **unused)
{
    (void)unused;
    static uint64_t room[BYTES / 8];
    unsigned char *bytes = (unsigned char *)room;
    unsigned good = 0, bad = 0;
    for (int round = 0; round < ROUNDS; round++) {
        struct sample s;
        make(&s);
        assert_true(is_good(&s, bytes, encode(&s, bytes)));
        spoil(&s);
        bool wanted = times_agree(&s) && head_agrees(&s) && changes_agree(&s);
        size_t size = encode(&s, bytes);
        if (is_good(&s, bytes, size) != wanted)
            fail_msg("round %d: %s", round, wanted ? "is good" : "is bad");
        good += wanted;
        bad += !wanted;
        assert_false(is_good(&s, bytes, size - 8));
        bytes[roll(size)] ^= 1;
        assert_false(is_good(&s, bytes, size));
    }
    assert_true(good > ROUNDS / 10);
    assert_true(bad > ROUNDS / 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_blocks_are_good_when_they_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
