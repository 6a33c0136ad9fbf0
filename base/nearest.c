/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/nearest.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Letters that are compared: those beyond are as good as equal. */
#define MOST_LETTERS 63

/* So many letters of a word have an edit more between it and what is still near. */
#define LETTERS_PER_EDIT 3

/* The beginning of a name is near from so many letters on. */
#define LEAST_BEGINNING 3

static int least(int a, int b)
{
    return a < b ? a : b;
}

static int letters(const char *word)
{
    return (int)strnlen(word, MOST_LETTERS);
}

static char fold(char letter)
{
    return letter >= 'A' && letter <= 'Z' ? (char)(letter - 'A' + 'a')
           : letter == '-'                ? '_'
                                          : letter;
}

static bool is_same(char a, char b)
{
    return fold(a) == fold(b);
}

static bool is_beginning(const char *word, const char *name)
{
    int at = 0;

    while (word[at] != '\0' && is_same(word[at], name[at])) {
        at++;
    }
    return word[at] == '\0' && at >= LEAST_BEGINNING;
}

/* Three rows of the table of distances between beginnings suffice: an exchange looks back
 * by two. */
static int count_edits(const char *a, const char *b)
{
    const int a_letters = letters(a), b_letters = letters(b);
    int rows[3][MOST_LETTERS + 1];

    for (int j = 0; j <= b_letters; j++) {
        rows[0][j] = j;
    }
    for (int i = 1; i <= a_letters; i++) {
        const int *before = rows[(i + 1) % 3], *above = rows[(i + 2) % 3];
        int *row = rows[i % 3];

        row[0] = i;
        for (int j = 1; j <= b_letters; j++) {
            row[j] = least(least(above[j], row[j - 1]) + 1,
                           above[j - 1] + !is_same(a[i - 1], b[j - 1]));
            if (i > 1 && j > 1 && is_same(a[i - 1], b[j - 2]) &&
                is_same(a[i - 2], b[j - 1])) {
                row[j] = least(row[j], before[j - 2] + 1);
            }
        }
    }
    return rows[a_letters % 3][b_letters];
}

mtree_nearest_t mtree_nearest_begin(const char *word)
{
    return (mtree_nearest_t){.word = word, .edits = INT_MAX};
}

void mtree_nearest_offer(mtree_nearest_t *nearest, const char *name)
{
    const int distance = count_edits(nearest->word, name);
    const int edits = is_beginning(nearest->word, name) ? least(distance, 1) : distance;

    if (edits < nearest->edits ||
        (edits == nearest->edits &&
         distance < count_edits(nearest->word, nearest->name))) {
        nearest->edits = edits;
        nearest->name = name;
    }
}

const char *mtree_nearest_advice(const mtree_nearest_t *nearest, const char *prefix,
                                 char *buffer)
{
    const int most = letters(nearest->word) / LETTERS_PER_EDIT;

    buffer[0] = '\0';
    if (nearest->edits <= (most > 1 ? most : 1)) {
        (void)snprintf(buffer, MTREE_NEAREST_ADVICE, " (did you mean %s%.*s?)", prefix,
                       MOST_LETTERS, nearest->name);
    }
    return buffer;
}

const char *mtree_nearest_advice_of(const char *word, const char *const *names,
                                    char *buffer)
{
    mtree_nearest_t nearest = mtree_nearest_begin(word);

    for (; *names != NULL; names++) {
        mtree_nearest_offer(&nearest, *names);
    }
    return mtree_nearest_advice(&nearest, "", buffer);
}
