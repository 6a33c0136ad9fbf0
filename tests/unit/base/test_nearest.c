/* SPDX-License-Identifier: BSD-3-Clause */
/* What may have been meant by names that are misspelt. */
#include "base/nearest.h"
#include "tests/unit/runner.h"

static const struct {
    const char *word, *name;
    int edits;
} cases[] = {
    {"topology", "topology", 0},
    {"TOPOLOGY", "topology", 0},
    {"min-rate", "min_rate", 0},
    {"topologie", "topology", 2},
    {"plna", "plan", 1},
    {"pln", "plan", 1},
    {"plann", "plan", 1},
    {"plin", "plan", 1},
    {"", "plan", 4},
    {"sim", "simulate", 1},
    {"si", "simulate", 6},
    {"abc", "xyz", 3},
    {"ca", "abc", 3},
};

UNIT_EACH(the_nearest_name_takes_the_fewest_edits, cases)
{
    mtree_nearest_t nearest = mtree_nearest_begin(cases[_i].word);

    ck_assert_ptr_null(nearest.name);
    mtree_nearest_offer(&nearest, cases[_i].name);
    ck_assert_str_eq(nearest.name, cases[_i].name);
    ck_assert_int_eq(nearest.edits, cases[_i].edits);
}

UNIT_TEST(only_what_is_near_is_advised)
{
    static const char *const names[] = {"topology", "plan",  "simulate", "hostfile",
                                        "draw",     "hosts", NULL};
    static const struct {
        const char *word, *advice;
    } cases[] = {
        {"Topologi", " (did you mean topology?)"},
        {"plam", " (did you mean plan?)"},
        {"darw", " (did you mean draw?)"},
        {"simul", " (did you mean simulate?)"},
        {"host", " (did you mean hosts?)"},
        {"nonsense", ""},
        {"", ""},
        {"pl", ""},
        {"plum", ""},
    };
    static const char *const none[] = {NULL};
    char buffer[MTREE_NEAREST_ADVICE];

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        ck_assert_str_eq(mtree_nearest_advice_of(cases[i].word, names, buffer),
                         cases[i].advice);
    }
    ck_assert_str_eq(mtree_nearest_advice_of("plan", none, buffer), "");
}

UNIT_TEST(long_names_are_cut)
{
    char word[300], name[300], buffer[MTREE_NEAREST_ADVICE];
    mtree_nearest_t nearest;

    memset(word, 'a', sizeof(word) - 1);
    word[sizeof(word) - 1] = '\0';
    memcpy(name, word, sizeof(word));
    name[0] = 'b';
    nearest = mtree_nearest_begin(word);
    mtree_nearest_offer(&nearest, name);
    ck_assert_int_eq(nearest.edits, 1);
    ck_assert_uint_eq(strlen(mtree_nearest_advice(&nearest, "coll_", buffer)),
                      strlen(" (did you mean coll_?)") + 63);
}
