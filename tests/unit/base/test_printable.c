/* SPDX-License-Identifier: BSD-3-Clause */
/* What text becomes before it is shown on a terminal, or written as JSON. */
#include "base/printable.h"
#include "tests/unit/runner.h"

static const struct {
    const char *text, *printable;
} controls[] = {
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

UNIT_EACH(test_controls_are_replaced, controls)
{
    char text[64];
    bool differs;

    snprintf(text, sizeof(text), "%s", controls[_i].text);
    differs = mtree_make_printable(text);
    ck_assert_str_eq(text, controls[_i].printable);
    ck_assert_int_eq(differs, strcmp(controls[_i].text, text) != 0);
    ck_assert_int_eq(mtree_make_printable(text), false);
}

static const struct {
    const char *text, *utf8;
} bytes[] = {
    {"", ""},
    {"Z\xc3\xbcrich \xe4\xb8\xad \xf0\x9f\x8c\xb3",
     "Z\xc3\xbcrich \xe4\xb8\xad \xf0\x9f\x8c\xb3"},
    {"Z\xfcrich", "Z?rich"},
    {"cut \xe4\xb8", "cut ??"},
    {"\xed\xa0\x80", "???"},
};

UNIT_EACH(test_bytes_that_are_no_characters_are_replaced, bytes)
{
    char text[64];

    snprintf(text, sizeof(text), "%s", bytes[_i].text);
    mtree_make_utf8(text);
    ck_assert_str_eq(text, bytes[_i].utf8);
}
