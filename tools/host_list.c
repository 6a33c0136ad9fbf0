/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/host_list.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_NAME   256
#define MAX_DIGITS 9

typedef struct {
    host_list_func_t func;
    void *data;
    const char **why_p;
    int count; /* names so far */
    char name[MAX_NAME];
} expansion_t;

static mtree_status_t refuse(const expansion_t *expansion, const char *why)
{
    *expansion->why_p = why;
    return MTREE_ERR_INVALID;
}

/* A number and how many digits it was written with; NULL: there is none. */
static const char *read_number(const char *text, long *number_p, int *digits_p)
{
    size_t digits = strspn(text, "0123456789");

    if (digits == 0 || digits > MAX_DIGITS) {
        return NULL;
    }
    *number_p = strtol(text, NULL, 10);
    *digits_p = (int)digits;
    return text + digits;
}

static mtree_status_t expand_from(expansion_t *expansion, const char *text,
                                  const char *end, size_t length);

/* The names with each number of the bracket that begins at @a open in its place. */
static mtree_status_t expand_bracket(expansion_t *expansion, const char *open,
                                     const char *end, size_t length)
{
    const char *close = memchr(open, ']', (size_t)(end - open));
    const char *at = open;
    mtree_status_t status = MTREE_OK;

    if (close == NULL) {
        return refuse(expansion, "a '[' without its ']'");
    }
    do {
        long first, last, number;
        int digits, last_digits;

        at = read_number(at + 1, &first, &digits);
        last = (at == NULL) ? 0 : first;
        if (at != NULL && *at == '-') {
            at = read_number(at + 1, &last, &last_digits);
        }
        if (at == NULL || (*at != ',' && at != close) || last < first) {
            return refuse(expansion, "brackets hold numbers and ranges like [0-7,12]");
        }
        for (number = first; status == MTREE_OK && number <= last; ++number) {
            int size = snprintf(expansion->name + length, MAX_NAME - length, "%0*ld",
                                digits, number);

            if (length + (size_t)size >= MAX_NAME) {
                return refuse(expansion, "a name is too long");
            }
            status = expand_from(expansion, close + 1, end, length + (size_t)size);
        }
    } while (status == MTREE_OK && at != close);
    return status;
}

/* The names that begin with the @a length bytes in `name` and continue with @a text. */
static mtree_status_t expand_from(expansion_t *expansion, const char *text,
                                  const char *end, size_t length)
{
    for (; text < end; ++text) {
        if (*text == '[') {
            return expand_bracket(expansion, text, end, length);
        }
        if (*text == ']') {
            return refuse(expansion, "a ']' without its '['");
        }
        if (length + 1 >= MAX_NAME) {
            return refuse(expansion, "a name is too long");
        }
        expansion->name[length++] = *text;
    }
    if (length == 0) {
        return refuse(expansion, "a name is missing");
    }
    if (++expansion->count > HOST_LIST_MAX) {
        return refuse(expansion, "more than 16384 names");
    }
    expansion->name[length] = '\0';
    return expansion->func(expansion->data, expansion->name);
}

/* The comma after @a text that is not in a bracket, or the end. */
static const char *find_comma(const char *text)
{
    bool inside = false;

    for (; *text != '\0' && (*text != ',' || inside); ++text) {
        inside = (*text == '[') || (inside && *text != ']');
    }
    return text;
}

mtree_status_t host_list_expand(const char *list, host_list_func_t func, void *data,
                                const char **why_p)
{
    expansion_t expansion = {.func = func, .data = data, .why_p = why_p};
    mtree_status_t status;
    const char *end;

    for (;;) {
        end = find_comma(list);
        status = expand_from(&expansion, list, end, 0);
        if (status != MTREE_OK || *end == '\0') {
            return status;
        }
        list = end + 1;
    }
}
