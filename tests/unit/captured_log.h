/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What mtree logs in a test, for those that assert what the user is told.
 */
#ifndef MTREE_TESTS_UNIT_CAPTURED_LOG_H
#define MTREE_TESTS_UNIT_CAPTURED_LOG_H

#include <string.h>

/* Forget what was heard; each test begins so. */
void heard_start(void);

/* Lines heard since then, and the last of them ("" when there was none). */
int heard_lines(void);
const char *heard_last(void);

/* The last line has, or is, @a text; or it is the only one, and has it or begins with it.
 */
#define heard_text(text) unit_has(heard_last(), text)
#define heard_is(text)   ck_assert_str_eq(heard_last(), text)
#define heard_only(text)                                                                 \
    do {                                                                                 \
        ck_assert_int_eq(heard_lines(), 1);                                              \
        heard_text(text);                                                                \
    } while (0)
#define heard_line(text)                                                                 \
    do {                                                                                 \
        heard_only(text);                                                                \
        ck_assert_msg(strncmp(heard_last(), text, strlen(text)) == 0,                    \
                      "'%s' does not begin with '%s'", heard_last(), text);              \
    } while (0)

#endif
