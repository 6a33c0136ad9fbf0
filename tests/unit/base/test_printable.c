/* SPDX-License-Identifier: BSD-3-Clause */
/* What text becomes before it is shown on a terminal. */
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
