/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Text from users, such as names of communicators and paths, on terminals and in JSON.
 */
#ifndef MTREE_BASE_PRINTABLE_H
#define MTREE_BASE_PRINTABLE_H

#include <stdbool.h>

/* Replace the control characters of @a text, newlines too, by question marks: ASCII's,
 * and those that UTF-8 encodes in two bytes.  False: there were none. */
bool mtree_make_printable(char *text);

/* Bytes of the UTF-8 character that @a character begins with; 0: it is none. */
int mtree_utf8_length(const char *character);

/* Replace each byte of @a text that belongs to no UTF-8 character by a question mark. */
void mtree_make_utf8(char *text);

#endif
