/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/host_name.h"

#include "base/address.h"

#include <string.h>

/* What may be an address is read as one; most names are not. */
static bool read_address(const char *name, mtree_address_t *address)
{
    if (name[strspn(name, "0123456789.")] != '\0' && strchr(name, ':') == NULL) {
        return false;
    }
    *address = mtree_address_parse(name);
    return address->family != AF_UNSPEC;
}

/* ASCII's letters alone, in any locale. */
static int fold(char letter)
{
    return letter >= 'A' && letter <= 'Z' ? letter - 'A' + 'a' : (unsigned char)letter;
}

/* The length without the dot at the end. */
static size_t complete_length(const char *name)
{
    const size_t length = strlen(name);

    return length > 1 && name[length - 1] == '.' ? length - 1 : length;
}

static int compare_parts(const char *a, size_t a_length, const char *b, size_t b_length)
{
    size_t i = 0;

    while (i < a_length && i < b_length && fold(a[i]) == fold(b[i])) {
        i++;
    }
    return i < a_length && i < b_length ? fold(a[i]) - fold(b[i])
                                        : (a_length > i) - (b_length > i);
}

int mtree_host_name_compare(const char *a, const char *b)
{
    mtree_address_t a_address, b_address;
    const bool a_is_address = read_address(a, &a_address);
    const bool b_is_address = read_address(b, &b_address);

    if (a_is_address != b_is_address) {
        return a_is_address ? -1 : 1;
    }
    if (!a_is_address) {
        return compare_parts(a, complete_length(a), b, complete_length(b));
    }
    return a_address.family != b_address.family
               ? (a_address.family < b_address.family ? -1 : 1)
               : memcmp(a_address.bytes, b_address.bytes, sizeof(a_address.bytes));
}

size_t mtree_host_name_label(const char *name)
{
    mtree_address_t address;

    return read_address(name, &address) ? strlen(name) : strcspn(name, ".");
}

bool mtree_host_name_same_label(const char *a, const char *b)
{
    mtree_address_t address;

    return !read_address(a, &address) && !read_address(b, &address) &&
           compare_parts(a, strcspn(a, "."), b, strcspn(b, ".")) == 0;
}
