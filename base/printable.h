/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Text from users, such as names of communicators and paths, on terminals.
 */
#ifndef MTREE_BASE_PRINTABLE_H
#define MTREE_BASE_PRINTABLE_H

#include <stdbool.h>

/* Replace the control characters of @a text, newlines too, by question marks: ASCII's,
 * and those that UTF-8 encodes in two bytes.  False: there were none. */
bool mtree_make_printable(char *text);

#endif
