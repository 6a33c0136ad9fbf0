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

int mtree_utf8_length(const char *character)
{
    const unsigned char *text = (const unsigned char *)character;
    int length = (text[0] < 0x80)                      ? 1
                 : (text[0] >= 0xc2 && text[0] < 0xe0) ? 2
                 : (text[0] >= 0xe0 && text[0] < 0xf0) ? 3
                 : (text[0] >= 0xf0 && text[0] < 0xf5) ? 4
                                                       : 0;

    for (int i = 1; i < length; ++i) {
        if ((text[i] & 0xc0) != 0x80) {
            return 0;
        }
    }
    if ((text[0] == 0xe0 && text[1] < 0xa0) || (text[0] == 0xed && text[1] >= 0xa0) ||
        (text[0] == 0xf0 && text[1] < 0x90) || (text[0] == 0xf4 && text[1] >= 0x90)) {
        return 0; /* overlong, a surrogate, or above U+10FFFF */
    }
    return length;
}

void mtree_make_utf8(char *text)
{
    int length;

    for (char *at = text; *at != '\0'; at += length) {
        length = mtree_utf8_length(at);
        if (length == 0) {
            *at = '?';
            length = 1;
        }
    }
}
