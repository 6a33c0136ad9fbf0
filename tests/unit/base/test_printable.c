/* SPDX-License-Identifier: BSD-3-Clause */
/* What text becomes before it is shown on a terminal, or written as JSON. */
#include "base/printable.h"
#include "tests/unit/runner.h"

#include <stdio.h>
#include <string.h>

UNIT_TEST(test_controls_are_replaced)
{
    static const struct {
        const char *text, *printable;
    } cases[] = {
        {"", ""},
        {"MPI_COMM_WORLD", "MPI_COMM_WORLD"},
        {"\033[31mred\033[0m", "?[31mred?[0m"},
        {"two\nlines\r\177", "two?lines??"},
        /* U+009B begins commands, too; U+00A7, U+00DF and U+4E2D are letters. */
        {"\xc2\x9b"
         "31m",
         "??31m"},
        {"\xc2\xa7 \xc3\x9f \xe4\xb8\xad", "\xc2\xa7 \xc3\x9f \xe4\xb8\xad"},
        {"cut \xc2", "cut \xc2"},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char text[64];
        bool differs;

        snprintf(text, sizeof(text), "%s", cases[i].text);
        differs = mtree_make_printable(text);
        ck_assert_str_eq(text, cases[i].printable);
        ck_assert_int_eq(differs, strcmp(cases[i].text, text) != 0);
        ck_assert_int_eq(mtree_make_printable(text), false);
    }
}

UNIT_TEST(test_bytes_that_are_no_characters_are_replaced)
{
    static const struct {
        const char *text, *utf8;
    } cases[] = {
        {"", ""},
        {"Z\xc3\xbcrich \xe4\xb8\xad \xf0\x9f\x8c\xb3",
         "Z\xc3\xbcrich \xe4\xb8\xad \xf0\x9f\x8c\xb3"},
        {"Z\xfcrich", "Z?rich"},
        {"cut \xe4\xb8", "cut ??"},
        {"\xed\xa0\x80", "???"},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char text[64];

        snprintf(text, sizeof(text), "%s", cases[i].text);
        mtree_make_utf8(text);
        ck_assert_str_eq(text, cases[i].utf8);
    }
}
