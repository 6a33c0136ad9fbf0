/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/printable.h"

/* The first byte of U+0080 to U+00BF in UTF-8, of which the first 32 are controls. */
#define LATIN 0xc2

static bool is_control(const unsigned char *at)
{
    return *at < ' ' || *at == 0x7f || (*at == LATIN && at[1] >= 0x80 && at[1] < 0xa0);
}

bool mtree_make_printable(char *text)
{
    bool replaced = false;

    for (char *at = text; *at != '\0'; at++) {
        if (is_control((unsigned char *)at)) {
            if ((unsigned char)*at == LATIN) {
                *at++ = '?';
            }
            *at = '?';
            replaced = true;
        }
    }
    return replaced;
}
