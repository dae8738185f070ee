/* SPDX-License-Identifier: Apache-2.0 */
/* Distributions against the formulas written out naively, and what directives say. */
#include "array_store.h"

#include "domains/arrays/model/distribution.h"
#include "tests/random.h"
#include "tests/test.h"

/* ---- A profile with the arrays of the report, and some more ---- */

static struct array_store arrays;

static int make_arrays(void **state)
{
    (void)state;
    arrays = array_store_begin();
    array_store_array(&arrays, "CHESS", 2, (const uint64_t[]){ 8, 8 });
    array_store_array(&arrays, "GO", 2, (const uint64_t[]){ 19, 19 });
    array_store_array(&arrays, "CARDS", 1, (const uint64_t[]){ 52 });
    array_store_array(&arrays, "B", 2, (const uint64_t[]){ 10, 10 });
    array_store_array(&arrays, "M", 2, (const uint64_t[]){ 10, 10 });
    array_store_array(&arrays, "v", 1, (const uint64_t[]){ 10 });
    array_store_array(&arrays, "SIX", 6, (const uint64_t[]){ 4, 5, 3, 4, 9, 2 });
    struct weft_pattern pattern = array_reference(99, 0, 0, 0, 0, WEFT_REFERENCE_READ);
    assert_true(weft_profile_writer_add(arrays.writer, &pattern));
    array_store_open(&arrays);
    return 0;
}

static int free_arrays(void **state)
{
    (void)state;
    array_store_free(&arrays);
    return 0;
}

static struct weft_distributions *parse(const char *text)
{
    struct weft_err err = { 0 };
    struct weft_distributions *set =
        weft_distributions_parse("d.hpf", text, strlen(text), arrays.profile, &err);
    if (!set)
        print_message("%s:%lu: %s\n", err.file, (unsigned long)err.line, err.message);
    assert_non_null(set);
    return set;
}

static const struct weft_distribution *of(const struct weft_distributions *set,
                                          const char *name, uint32_t step)
{
    uint32_t array = weft_profile_array_named(arrays.profile, name);
    const struct weft_distribution *distribution = weft_distributions_of(set, array, step);
    assert_non_null(distribution);
    return distribution;
}

static uint64_t owner(const struct weft_distributions *set, const char *name, uint32_t step,
                      uint64_t row, uint64_t column)
{
    uint32_t array = weft_profile_array_named(arrays.profile, name);
    const uint64_t index[WEFT_ARRAY_RANK] = { row, column };
    return weft_distribution_owner(of(set, name, step),
                                   weft_profile_array(arrays.profile, array), index);
}

/* ---- The report's own examples ---- */

static void chess(void **state)
{
    (void)state;
    struct weft_distributions *set = parse("      INTEGER CHESS(8,8)\n"
                                           "      INTEGER GO(19,19)\n"
                                           "!HPF$ PROCESSORS BOARD(2,4), LINE(5)\n"
                                           "!HPF$ DISTRIBUTE CHESS(BLOCK,BLOCK)\n"
                                           "!HPF$ DISTRIBUTE GO(CYCLIC,*)\n");
    for (uint64_t i = 0; i < 8; i++)
        for (uint64_t j = 0; j < 8; j++)
            assert_int_equal(owner(set, "CHESS", 0, i, j), i / 4 * 4 + j / 2);
    for (uint64_t i = 0; i < 19; i++)
        for (uint64_t j = 0; j < 19; j++)
            assert_int_equal(owner(set, "GO", 3, i, j), i % 5);
    assert_string_equal(of(set, "CHESS", 0)->text, "(BLOCK, BLOCK) ONTO BOARD(2,4)");
    assert_int_equal(weft_distributions_processors(set), 8);
    weft_distributions_free(set);
}

/* Four players get 15, 13, 12 and 12 cards. */
static void cards(void **state)
{
    (void)state;
    struct weft_distributions *set =
        parse("        INTEGER CARDS(52)\n"
              "!HPF$ PROCESSORS PLAYERS(4)\n"
              "!HPF$ DISTRIBUTE CARDS(CYCLIC(3)) ONTO PLAYERS\n");
    int hands[4] = { 0 };
    for (uint64_t card = 0; card < 52; card++)
        hands[owner(set, "CARDS", 0, card, 0)]++;
    assert_int_equal(hands[0], 15);
    assert_int_equal(hands[1], 13);
    assert_int_equal(hands[2], 12);
    assert_int_equal(hands[3], 12);
    weft_distributions_free(set);
}

static void arrangements(void **state)
{
    (void)state;
    struct weft_distributions *set = parse("!HPF$ PROCESSORS A_SCALAR\n"
                                           "!HPF$ PROCESSORS A_VECTOR(16)\n"
                                           "!HPF$ PROCESSORS A_GRID(32,32)\n"
                                           "!HPF$ PROCESSORS A_CUBE(8,8,8)\n"
                                           "!HPF$ PROCESSORS A_MESS(2,5,3,4,8,1)\n"
                                           "!HPF$ DISTRIBUTE B(*,*) ONTO A_SCALAR\n"
                                           "!HPF$ DISTRIBUTE M(*,*)\n"
                                           "!HPF$ DISTRIBUTE SIX(BLOCK,CYCLIC,BLOCK,CYCLIC,"
                                           "BLOCK(2),CYCLIC) ONTO A_MESS\n");
    assert_int_equal(weft_distributions_processors(set), 2 * 5 * 3 * 4 * 8 * 1);
    assert_int_equal(owner(set, "B", 0, 9, 9), 0);
    assert_int_equal(owner(set, "M", 0, 9, 9), 0);
    uint32_t six = weft_profile_array_named(arrays.profile, "SIX");
    const uint64_t index[] = { 3, 4, 2, 1, 7, 1 };
    assert_int_equal(weft_distribution_owner(
                         of(set, "SIX", 0), weft_profile_array(arrays.profile, six), index),
                     ((((1 * 5 + 4) * 3 + 2) * 4 + 1) * 8 + 3) * 1 + 0);
    weft_distributions_free(set);
}

/* Figure 5.1: 10 x 10 on 2 x 8, cyclic in both dimensions. */
static void elimination(void **state)
{
    (void)state;
    struct weft_distributions *set =
        parse("PROCESSORS P(2,8)\nDISTRIBUTE B(CYCLIC,CYCLIC) ONTO P\n");
    static const uint32_t even[10] = { 0, 1, 2, 3, 4, 5, 6, 7, 0, 1 };
    int owned[16] = { 0 };
    for (uint64_t i = 0; i < 10; i++)
        for (uint64_t j = 0; j < 10; j++) {
            assert_int_equal(owner(set, "B", 0, i, j), even[j] + (i % 2 ? 8 : 0));
            owned[owner(set, "B", 0, i, j)]++;
        }
    for (int p = 0; p < 16; p++)
        assert_int_equal(owned[p], p % 8 < 2 ? 10 : 5);
    weft_distributions_free(set);
}

/* ---- All formats against the formulas of section 4.2.2, with indices from 1 ---- */

static int64_t ceiling(int64_t j, int64_t k)
{
    return (j + k - 1) / k;
}

struct naive {
    char format; /* B, C or * */
    int64_t m, p;
};

static int64_t naive_coordinate(const struct naive *naive, int64_t j)
{
    return naive->format == 'B' ? ceiling(j, naive->m)
                                : 1 + (ceiling(j, naive->m) - 1) % naive->p;
}

static void write_case(struct naive *naive, const uint64_t *shape, uint32_t rank,
                       char *text)
{
    char extents[100] = "", formats[200] = "";
    for (uint32_t k = 0; k < rank; k++) {
        int64_t d = (int64_t)shape[k];
        naive[k].format = "BC*"[roll(3)];
        naive[k].p = 1 + (int64_t)roll(6);
        bool said = roll(2);
        int64_t least = ceiling(d, naive[k].p);
        if (naive[k].format == 'B')
            naive[k].m = said ? least + (int64_t)roll(3) : least;
        else
            naive[k].m = said ? 1 + (int64_t)roll(5) : 1;
        char *at = formats + strlen(formats);
        if (naive[k].format == '*') {
            sprintf(at, "%s*", k ? "," : "");
            continue;
        }
        sprintf(extents + strlen(extents), "%s%d", *extents ? "," : "", (int)naive[k].p);
        sprintf(at, "%s%s", k ? "," : "", naive[k].format == 'B' ? "BLOCK" : "cyclic");
        if (said)
            sprintf(formats + strlen(formats), "(%d)", (int)naive[k].m);
    }
    sprintf(text,
            *extents ? "PROCESSORS P(%s)\nDISTRIBUTE A(%s) ONTO P\n"
                     : "PROCESSORS P%s\ndistribute a(%s) onto p\n",
            extents, formats);
}

static void compare_case(const struct array_store *store, const struct naive *naive,
                         const char *text)
{
    const struct weft_array *array = weft_profile_array(store->profile, 0);
    struct weft_distributions *set =
        weft_distributions_parse("case", text, strlen(text), store->profile, NULL);
    assert_non_null(set);
    const struct weft_distribution *distribution = weft_distributions_of(set, 0, 0);
    uint64_t processors = weft_distribution_processors(distribution);
    for (uint64_t e = 0; e < weft_array_elements(array); e++) {
        uint64_t index[WEFT_ARRAY_RANK], rest = e;
        int64_t expected = 0;
        for (uint32_t k = array->rank; k-- > 0; rest /= array->shape[k])
            index[k] = rest % array->shape[k];
        for (uint32_t k = 0; k < array->rank; k++)
            if (naive[k].format != '*')
                expected = expected * naive[k].p
                           + naive_coordinate(&naive[k], (int64_t)index[k] + 1) - 1;
        assert_int_equal(weft_distribution_owner(distribution, array, index), expected);
        for (uint64_t p = 0; p <= processors; p++)
            assert_int_equal(weft_distribution_owns(distribution, array, index, p),
                             p == (uint64_t)expected);
    }
    weft_distributions_free(set);
}

static void formulas(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 120; seed++) {
        roll_from(seed);
        uint64_t shape[WEFT_ARRAY_RANK];
        uint32_t rank = 1 + (uint32_t)roll(4);
        for (uint32_t k = 0; k < rank; k++)
            shape[k] = 1 + roll(rank < 3 ? 30 : 6);
        struct array_store store = array_store_begin();
        array_store_array(&store, "A", rank, shape);
        struct weft_pattern pattern = array_reference(0, 0, 0, 0, 0, WEFT_REFERENCE_READ);
        assert_true(weft_profile_writer_add(store.writer, &pattern));
        array_store_open(&store);
        for (int i = 0; i < 20; i++) {
            struct naive naive[WEFT_ARRAY_RANK];
            char text[400];
            write_case(naive, shape, rank, text);
            compare_case(&store, naive, text);
        }
        array_store_free(&store);
    }
}

/* ---- Alignment ---- */

static void alignments(void **state)
{
    (void)state;
    struct weft_distributions *set = parse("PROCESSORS P(4), Q(2,3)\n"
                                           "TEMPLATE T(40), U(0:24,10)\n"
                                           "DISTRIBUTE T(BLOCK) ONTO P\n"
                                           "DISTRIBUTE U(CYCLIC(2),BLOCK) ONTO Q\n"
                                           "ALIGN v(I) WITH T(3*I+2)\n"
                                           "ALIGN M(I,J) WITH U(2*J+1,11-I)\n"
                                           "ALIGN B(:,*) WITH T(1:40:4)\n");
    for (uint64_t i = 0; i < 10; i++) {
        int64_t index = (int64_t)i + 1;
        assert_int_equal(owner(set, "v", 0, i, 0), ceiling(3 * index + 2, 10) - 1);
        for (uint64_t j = 0; j < 10; j++) {
            int64_t place = 2 * ((int64_t)j + 1) + 1; /* U counts from 0 there */
            assert_int_equal(owner(set, "M", 0, i, j),
                             place / 2 % 2 * 3 + (ceiling(11 - index, 4) - 1));
            assert_int_equal(owner(set, "B", 0, i, j), ceiling(1 + 4 * (int64_t)i, 10) - 1);
        }
    }
    weft_distributions_free(set);
}

/* Through another array, with a constant, and with copies everywhere. */
static void alignments_of_alignments(void **state)
{
    (void)state;
    struct weft_distributions *set = parse("PROCESSORS Q(2,5)\n"
                                           "DISTRIBUTE (BLOCK, CYCLIC) ONTO Q :: M\n"
                                           "ALIGN B(I,J) WITH M(J,I)\n"
                                           "ALIGN v(I) WITH B(I,*)\n"
                                           "ALIGN (I,*) WITH M(7,I) :: CHESS\n");
    uint32_t v = weft_profile_array_named(arrays.profile, "v");
    for (uint64_t i = 0; i < 10; i++) {
        for (uint64_t j = 0; j < 10; j++)
            assert_int_equal(owner(set, "B", 0, i, j), j / 5 * 5 + i % 5);
        if (i < 8)
            assert_int_equal(owner(set, "CHESS", 0, i, 3), 5 + i % 5);
        /* v(I) is wherever M(any, I) is: on one processor of each row of Q. */
        for (uint64_t p = 0; p < 10; p++)
            assert_int_equal(weft_distribution_owns(of(set, "v", 0),
                                                    weft_profile_array(arrays.profile, v),
                                                    &i, p),
                             p % 5 == i % 5);
    }
    weft_distributions_free(set);
}

static void redistribution(void **state)
{
    (void)state;
    struct weft_distributions *set = parse("!HPF$ PROCESSORS P(5)\n"
                                           "!HPF$ DISTRIBUTE B(BLOCK,*) ONTO P\n"
                                           "!HPF$ ALIGN v(I) WITH B(I,*)\n"
                                           "!HPF$ DYNAMIC B\n"
                                           "!WEFT$ STEP 20\n"
                                           "!HPF$ REDISTRIBUTE B(*,CYCLIC) ONTO P\n"
                                           "!WEFT$ STEP 60\n"
                                           "!HPF$ REALIGN v(I) WITH B(3,I)\n");
    assert_int_equal(owner(set, "B", 19, 9, 3), 4);
    assert_int_equal(owner(set, "B", 20, 9, 3), 3);
    assert_int_equal(owner(set, "B", 99, 9, 3), 3);
    assert_int_equal(owner(set, "v", 19, 9, 0), 4);
    /* What it is aligned with has moved: it lies everywhere now, since columns do. */
    uint32_t v = weft_profile_array_named(arrays.profile, "v");
    for (uint64_t p = 0; p < 5; p++)
        assert_true(weft_distribution_owns(
            of(set, "v", 20), weft_profile_array(arrays.profile, v), &(uint64_t){ 9 }, p));
    assert_int_equal(owner(set, "v", 60, 9, 0), 4);
    assert_int_equal(owner(set, "v", 60, 6, 0), 1);
    weft_distributions_free(set);
}

/* ---- Spelling ---- */

/* Each says that B is (BLOCK(3), CYCLIC) on P(4,2). */
static void spellings(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "PROCESSORS P(4,2)\nDISTRIBUTE B(BLOCK(3),CYCLIC) ONTO P\n",
        "!hpf$ processors p(4,2)\r\n!hpf$ distribute b(block(3),cyclic) onto p\r\n",
        "CHPF$ PROCESSORS P(4,2)\nCHPF$ DISTRIBUTE B(BLOCK(3),\nCHPF$*CYCLIC) ONTO P\n",
        "*HPF$ PROCESSORS P(4,2)\n*HPF$ DISTRIBUTE B(BLOCK(3),\nC a comment\n"
        "*HPF$& CYCLIC) ONTO P\n",
        "  !HPF$ PROCESSORS :: P(4,2)\n  !HPF$ DISTRIBUTE (BLOCK(3), &\n\n  !HPF$ & CYCLIC) "
        "ONTO P :: B ! and why\n",
        "!HPF$ PROCESSORS, DIMENSION(4,2) :: P\n!HPF$ TEMPLATE, DISTRIBUTE(BLOCK(3),CYCLIC) "
        "ONTO P :: T(10,10)\n!HPF$ ALIGN (:,:) WITH T(:,:) :: B\n",
        "      PROGRAM GAUSS\n      INTEGER N\n      PARAMETER (N = 10, NB = N / 3)\n"
        "      REAL*8 B(N,N), X(N)\n!HPF$ PROCESSORS P(0:3,-1:0)\n"
        "!HPF$ DISTRIBUTE B(BLOCK(NB),CYCLIC(2-1)) ONTO P\n!HPF$ DISTRIBUTE X(*)\n"
        "!HPF$ INDEPENDENT\n      DO 10 I = 1, N\n      step = 5\n"
        "   10 B(I,I) = 1\n      END\n",
        "integer, parameter :: n = 10\nreal(kind=8), dimension(0:n-1,0:n-1) :: b\n"
        "real, allocatable :: work(:,:)\ncharacter*8 name\n"
        "!HPF$ PROCESSORS P(4,2)\n!HPF$ TEMPLATE T(0:n-1,0:n-1)\n"
        "!HPF$ ALIGN b(i,j) WITH T(i,j)\n!HPF$ DISTRIBUTE T(BLOCK(3),CYCLIC) ONTO P\n",
        "# ours\nPROCESSORS P(4,2)\n! also ours\n\nDISTRIBUTE B(BLOCK(3), & ! here\n"
        "   CYCLIC)\n",
    };
    for (size_t t = 0; t < sizeof texts / sizeof *texts; t++) {
        struct weft_distributions *set = parse(texts[t]);
        for (uint64_t i = 0; i < 10; i++)
            for (uint64_t j = 0; j < 10; j++)
                assert_int_equal(owner(set, "B", 0, i, j), i / 3 * 2 + j % 2);
        weft_distributions_free(set);
    }
}

/* ScaLAPACK's example, and with its first block elsewhere. */
static void descriptors(void **state)
{
    (void)state;
    struct weft_distributions *set =
        parse("PROCESSORS P(2,3)\nDESCRIPTOR B(1, 0, 10, 10, 2, 3, 1, 2, 10) ONTO P\n");
    for (uint64_t i = 0; i < 10; i++)
        for (uint64_t j = 0; j < 10; j++) /* INDXG2P of ScaLAPACK's tools */
            assert_int_equal(owner(set, "B", 0, i, j),
                             (1 + i / 2) % 2 * 3 + (2 + j / 3) % 3);
    weft_distributions_free(set);
}

static void maps(void **state)
{
    (void)state;
    char text[600] = "MAP v\n0 1 2, 3\n4 0\n1,2,3,4\nPROCESSORS P(2,3)\nMAP B ONTO P\n";
    for (int i = 0; i < 100; i++)
        sprintf(text + strlen(text), "%d%s", i * 7 % 6, i % 10 == 9 ? "\n" : " ");
    struct weft_distributions *set = parse(text);
    assert_int_equal(weft_distributions_processors(set), 6);
    for (uint64_t i = 0; i < 10; i++) {
        assert_int_equal(owner(set, "v", 0, i, 0), i % 5);
        for (uint64_t j = 0; j < 10; j++)
            assert_int_equal(owner(set, "B", 0, i, j), (i * 10 + j) * 7 % 6);
    }
    weft_distributions_free(set);
}

/* ---- Errors ---- */

static const struct {
    const char *text;
    uint64_t line;
    const char *says;
} faults[] = {
    { "PROCESSORS P(3)\nDISTRIBUTE B(BLOCK(3),*) ONTO P\n", 2, "BLOCK(4) or more" },
    { "PROCESSORS P(3)\n\nDISTRIBUTE C(BLOCK,*) ONTO P\n", 3, "CHESS, GO, CARDS, B, M, v" },
    { "PROCESSORS P(3)\nDISTRIBUTE B(BLOCK,*) ONTO Q\n", 2, "there are: P" },
    { "PROCESSORS P(3)\nDISTRIBUTE B(BLOCK) ONTO P\n", 2, "B has 2 dimensions, and 1" },
    { "PROCESSORS P(3)\nDISTRIBUTE B(BLOCK,BLOCK) ONTO P\n", 2, "P has 1" },
    { "PROCESSORS P(3,3)\nDISTRIBUTE B(BLOCK,*)\n", 2, "PROCESSORS P(4)" },
    { "PROCESSORS P(3), Q(4)\nDISTRIBUTE B(BLOCK,*)\n", 2, "say which" },
    { "DISTRIBUTE CHESS(BLOCK,BLOCK)\n", 1, "PROCESSORS P(2,4)" },
    { "PROCESSORS P(2000,2000)\n", 1, "more than 1048576 processors" },
    { "PROCESSORS P(0)\n", 1, "hold nothing" },
    { "PROCESSORS P(3)\nDISTRIBUTE B(BLOCK(0),*) ONTO P\n", 2, "at least 1" },
    { "PROCESSORS P(3)\nDISTRIBUTE B(BLOK,*) ONTO P\n", 2, "CYCLIC(m)" },
    { "PROCESSORS P(3)\nDISTRIBUTE B(BLOCK,*) ONTO P Q\n", 2, "should end" },
    { "PROCESSORS P(3)\nDISTRUBUTE B(BLOCK,*) ONTO P\n", 2, "no directive" },
    { "!HPF$ PROCESSORS P(3)\n!HPF$ DISTRUBUTE B(BLOCK,*) ONTO P\n", 2, "no directive" },
    { "PROCESSORS P(3)\nDISTRIBUTE B(BLOCK,*)\nDISTRIBUTE B(*,BLOCK)\n", 3, "line 2 says" },
    { "PROCESSORS P(3)\nREDISTRIBUTE B(BLOCK,*)\n", 2, "STEP 60" },
    { "PROCESSORS P(3)\nDISTRIBUTE B(BLOCK,*)\nSTEP 5\nSTEP 5\n", 4, "steps rise" },
    { "PROCESSORS P(3)\nDISTRIBUTE M(BLOCK,*)\nALIGN v(I) WITH M(I+1,1)\n", 3,
      "some element of v" },
    { "ALIGN v(I) WITH B(I,J)\n", 1, "no index" },
    { "ALIGN v(I) WITH B(I*I,1)\n", 1, "constants only" },
    { "ALIGN v(I) WITH B(I,I)\n", 1, "one dimension only" },
    { "ALIGN v(I) WITH B(I)\n", 1, "2 dimensions, and 1" },
    { "ALIGN v(I) WITH B(I,1)\n", 1, "DISTRIBUTE B(BLOCK)" },
    { "ALIGN v(I) WITH B(I,1)\nALIGN B(I,J) WITH M(I,J)\nALIGN M(I,*) WITH v(I)\n", 1,
      "aligned with itself" },
    { "      REAL B(10,11)\n!HPF$ PROCESSORS P(3)\n", 1, "B(10,10)" },
    { "MAP v\n1 2 3\n", 1, "3 owners" },
    { "MAP v\n1 2 3 4 5\n6 7 8 9 10 11\n", 3, "an owner more" },
    { "PROCESSORS P(4)\nMAP v ONTO P\n1 2 3 4\n", 3, "no processor 4 (0 to 3)" },
    { "MAP v\n1 2 x\n", 2, "is a number" },
    { "1 2 3\n", 1, "MAP CHESS" },
    { "PROCESSORS P(2,3)\nDESCRIPTOR B(1,0,10,11,2,2,0,0,10) ONTO P\n", 2, "N is 11" },
    { "PROCESSORS P(2,3)\nDESCRIPTOR B(1,0,10,10,2,2,0,3,10) ONTO P\n", 2, "CSRC is 3" },
    { "PROCESSORS P(2,3)\nDESCRIPTOR B(1,0,10,10,2,2) ONTO P\n", 2, "nine numbers" },
    { "", 0, "nothing is said" },
    { "PROCESSORS P(99999999999999999999)\n", 1, "too large" },
    { "PROCESSORS P(1,1,1,1,1,1,1,1)\n", 1, "more than 7 dimensions" },
    { "TEMPLATE T(10,1,1,1,1,1,1), S(10)\n"
      "ALIGN (I) WITH T(I,*,*,*,*,*,*), ALIGN (J) WITH S(J) :: v\n",
      2, "given twice" },
    { "PROCESSORS P(4)\nDISTRIBUTE (BLOCK) ONTO P, DISTRIBUTE (*) ONTO P :: v\n", 2,
      "given twice" },
    { "PROCESSORS P(1048576,1)\n"
      "DESCRIPTOR B(1,0,10,10,281474976710655,1,1048575,0,10) ONTO P\n",
      2, "too much with this RSRC" },
};

static void errors(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        struct weft_err err = { 0 };
        assert_null(weft_distributions_parse("d.hpf", faults[i].text,
                                             strlen(faults[i].text), arrays.profile, &err));
        if (!strstr(err.message, faults[i].says) || err.line != faults[i].line)
            fail_msg("\"%s\" gives %s:%lu: %s", faults[i].text, err.file,
                     (unsigned long)err.line, err.message);
        assert_int_equal(err.code, WEFT_ERR_FORMAT);
        assert_string_equal(err.file, "d.hpf");
        assert_null(weft_distributions_parse("d.hpf", faults[i].text,
                                             strlen(faults[i].text), arrays.profile, NULL));
    }
}

/* An array of another unit has the same name and fewer rows: what is aligned with the first stays. */
static void declared_again(void **state)
{
    (void)state;
    struct weft_distributions *set = parse("      REAL A(10,10)\n"
                                           "!HPF$ PROCESSORS P(2)\n"
                                           "!HPF$ ALIGN B(I,J) WITH A(I,J)\n"
                                           "!HPF$ DISTRIBUTE A(BLOCK,*) ONTO P\n"
                                           "      REAL A(2,10)\n");
    for (uint64_t i = 0; i < 10; i++)
        assert_int_equal(owner(set, "B", 0, i, 0), i / 5);
    weft_distributions_free(set);
}

/* As many names as a text has place for, and chains of alignments: the latter have an end. */
static void many_names(void **state)
{
    enum { NAMES = 30000 };
    (void)state;
    for (uint32_t chain = 100; chain <= 400; chain += 300) {
        char *text = weft_alloc(NAMES * 100);
        size_t n = 0;
        struct weft_err err = { 0 };
        for (uint32_t i = 0; i < NAMES; i++)
            n += (size_t)sprintf(
                text + n, "      PARAMETER (N%u = 10)\n      REAL A%u(N%u)\n", i, i, i);
        n += (size_t)sprintf(text + n, "!HPF$ PROCESSORS P(5)\n");
        for (uint32_t i = 1; i < chain; i++)
            n += (size_t)sprintf(text + n, "!HPF$ ALIGN A%u(I) WITH A%u(I)\n", i, i - 1);
        n += (size_t)sprintf(text + n,
                             "!HPF$ DISTRIBUTE A0(BLOCK) ONTO P\n"
                             "!HPF$ ALIGN v(I) WITH A%u(I)\n",
                             chain - 1);
        struct weft_distributions *set =
            weft_distributions_parse("many", text, n, arrays.profile, &err);
        if (chain == 100)
            assert_int_equal(owner(set, "v", 0, 9, 0), 4);
        else
            assert_non_null(strstr(err.message, "more than 256 alignments"));
        weft_distributions_free(set);
        free(text);
    }
}

/* Texts that are cut or have other bytes in them are refused or read; nothing else happens. */
static void damaged_texts(void **state)
{
    (void)state;
    static const char text[] =
        "      REAL*8 B(N,N), X(N)\n!HPF$ PROCESSORS P(0:3,-1:0)\n"
        "!HPF$ TEMPLATE, DISTRIBUTE(BLOCK(3),CYCLIC) ONTO P :: T(10,10)\n"
        "!HPF$ ALIGN (:,J) WITH T(1:10:1,11-J) :: &\n!HPF$& B\n!WEFT$ STEP 7\n"
        "!HPF$ REALIGN B(I,J) WITH T(J,I)\n!WEFT$ MAP v\n1 2 3\n";
    static const char others[] = "(),:*+-=&/!\n 09AB";
    for (uint64_t seed = 1; seed <= 20000; seed++) {
        char bytes[sizeof text];
        roll_from(seed);
        memcpy(bytes, text, sizeof text);
        size_t n = roll(4) ? sizeof text - 1 : roll(sizeof text);
        for (uint64_t i = 0, changes = roll(4); i < changes && n; i++)
            bytes[roll(n)] = roll(8) ? others[roll(sizeof others - 1)] : (char)roll(256);
        char *exact = weft_alloc(n + 1);
        memcpy(exact, bytes, n);
        struct weft_err err = { 0 };
        struct weft_distributions *set =
            weft_distributions_parse("d", exact, n, arrays.profile, &err);
        assert_true(set || err.message[0]);
        weft_distributions_free(set);
        free(exact);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chess),
        cmocka_unit_test(cards),
        cmocka_unit_test(arrangements),
        cmocka_unit_test(elimination),
        cmocka_unit_test(formulas),
        cmocka_unit_test(alignments),
        cmocka_unit_test(alignments_of_alignments),
        cmocka_unit_test(redistribution),
        cmocka_unit_test(spellings),
        cmocka_unit_test(descriptors),
        cmocka_unit_test(maps),
        cmocka_unit_test(errors),
        cmocka_unit_test(declared_again),
        cmocka_unit_test(many_names),
        cmocka_unit_test(damaged_texts),
    };
    return cmocka_run_group_tests(tests, make_arrays, free_arrays);
}
