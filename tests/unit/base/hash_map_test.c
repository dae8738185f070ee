/* SPDX-License-Identifier: Apache-2.0 */
/* The hash maps against an array: what was put last under a key is what get returns. */
#include "base/hash.h"
#include "base/hash_map.h"
#include "tests/test.h"

enum { KEYS = 5000 };

static void test_empty_maps(void **state)
{
    (void)state;
    struct weft_text_map texts = { 0 };
    struct weft_id_map ids = { 0 };
    assert_int_equal(weft_text_map_get(&texts, "a", 1), WEFT_MAP_NONE);
    assert_int_equal(weft_id_map_get(&ids, 1), WEFT_MAP_NONE);
    weft_text_map_free(&texts);
    weft_id_map_free(&ids);
}

static void test_text_keys_are_copied_and_replaced(void **state)
{
    (void)state;
    struct weft_text_map map = { 0 };
    char key[16];
    for (uint32_t round = 0; round < 2; round++)
        for (uint32_t i = 0; i < KEYS; i++) {
            int length = snprintf(key, sizeof key, "key %u", i);
            weft_text_map_put(&map, key, (size_t)length, i * 3 + round);
        }
    assert_int_equal(map.count, KEYS);
    for (uint32_t i = 0; i < KEYS; i++) {
        int length = snprintf(key, sizeof key, "key %u", i);
        assert_int_equal(weft_text_map_get(&map, key, (size_t)length), i * 3 + 1);
    }
    assert_int_equal(weft_text_map_get(&map, "key 5000", 8), WEFT_MAP_NONE);
    weft_text_map_free(&map);
}

static void test_text_keys_may_hold_any_byte(void **state)
{
    (void)state;
    struct weft_text_map map = { 0 };
    weft_text_map_put(&map, "", 0, 1);
    weft_text_map_put(&map, "\0", 1, 2);
    weft_text_map_put(&map, "\0\0", 2, 3);
    weft_text_map_put(&map, "\0a", 2, 4);
    weft_text_map_put(&map, "12345678", 8, 5);
    weft_text_map_put(&map, "12345678\0", 9, 6);
    assert_int_equal(weft_text_map_get(&map, "", 0), 1);
    assert_int_equal(weft_text_map_get(&map, "\0", 1), 2);
    assert_int_equal(weft_text_map_get(&map, "\0\0", 2), 3);
    assert_int_equal(weft_text_map_get(&map, "\0a", 2), 4);
    assert_int_equal(weft_text_map_get(&map, "12345678", 8), 5);
    assert_int_equal(weft_text_map_get(&map, "12345678\0", 9), 6);
    weft_text_map_free(&map);
}

static void test_id_keys(void **state)
{
    (void)state;
    struct weft_id_map map = { 0 };
    /* Pointers and multiples of powers of two are the keys that poor hashes trip over. */
    for (uint32_t i = 0; i < KEYS; i++)
        weft_id_map_put(&map, (uint64_t)i << 32, i);
    for (uint32_t i = 0; i < KEYS; i++)
        weft_id_map_put(&map, (uint64_t)i << 32, i + 1);
    weft_id_map_put(&map, UINT64_MAX, 9);
    assert_int_equal(map.count, KEYS + 1);
    for (uint32_t i = 0; i < KEYS; i++)
        assert_int_equal(weft_id_map_get(&map, (uint64_t)i << 32), i + 1);
    assert_int_equal(weft_id_map_get(&map, UINT64_MAX), 9);
    assert_int_equal(weft_id_map_get(&map, 1), WEFT_MAP_NONE);
    weft_id_map_free(&map);
}

enum { PAIRS = 12, TWINS = 1 << PAIRS, BYTES = 16 * PAIRS };

/*
 * The key of a number, a pair of words a bit.  In weft_hash, which has no secret, a difference in
 * the highest bit of a word becomes one in bits 63 and 34 after it, which the next word takes away.
 */
static void twin(uint32_t number, unsigned char *key)
{
    for (uint32_t pair = 0; pair < PAIRS; pair++) {
        uint64_t flip = number >> pair & 1;
        uint64_t words[2] = { flip << 63, flip << 63 | flip << 34 };
        memcpy(key + 16 * pair, words, sizeof words);
    }
}

static void test_keys_made_to_meet_do_not(void **state)
{
    (void)state;
    unsigned char key[BYTES];
    struct weft_id_map seen = { 0 };
    struct weft_text_map map = { 0 };
    memset(key, 0, sizeof key);
    uint64_t first = weft_hash(key, sizeof key);
    uint32_t n_met = 0;
    for (uint32_t i = 0; i < TWINS; i++) {
        twin(i, key);
        assert_int_equal(weft_hash(key, sizeof key), first);
        uint64_t hash = weft_hash_text(key, sizeof key) & 0xffffff;
        n_met += weft_id_map_get(&seen, hash) != WEFT_MAP_NONE;
        weft_id_map_put(&seen, hash, i);
        weft_text_map_put(&map, key, sizeof key, i);
    }
    /* By chance half a pair of 4,096 meets in 2^24 places. */
    assert_true(n_met < 16);
    for (uint32_t i = 0; i < TWINS; i++) {
        twin(i, key);
        assert_int_equal(weft_text_map_get(&map, key, sizeof key), i);
    }
    weft_id_map_free(&seen);
    weft_text_map_free(&map);
}

/* Against an array: what was taken out is gone, and nothing else. */
static void test_ids_are_taken_out(void **state)
{
    (void)state;
    enum { NUMBERS = 97, ROUNDS = 20000 };
    uint32_t there[NUMBERS];
    memset(there, 0xff, sizeof there);
    struct weft_id_map map = { 0 };
    weft_id_map_remove(&map, 1);
    uint32_t number = 1;
    for (uint32_t i = 0; i < ROUNDS; i++) {
        number = number * 1103515245u + 12345u;
        uint32_t at = (number >> 16) % NUMBERS;
        bool puts = number & 1u << 8;
        there[at] = puts ? i : WEFT_MAP_NONE;
        if (puts)
            weft_id_map_put(&map, at, i);
        else
            weft_id_map_remove(&map, at);
        size_t count = 0;
        for (uint32_t k = 0; k < NUMBERS; k++) {
            assert_int_equal(weft_id_map_get(&map, k), there[k]);
            count += there[k] != WEFT_MAP_NONE;
        }
        assert_int_equal(map.count, count);
    }
    weft_id_map_free(&map);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_empty_maps),
        cmocka_unit_test(test_text_keys_are_copied_and_replaced),
        cmocka_unit_test(test_text_keys_may_hold_any_byte),
        cmocka_unit_test(test_id_keys),
        cmocka_unit_test(test_keys_made_to_meet_do_not),
        cmocka_unit_test(test_ids_are_taken_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
