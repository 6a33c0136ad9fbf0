/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The name that somebody may have meant who wrote another one: of those that are offered,
 * the one that takes the fewest edits.  An edit is a letter that is left out, added,
 * replaced, or exchanged with the next one; letters have no case, and - is _.
 */
#ifndef MTREE_BASE_NEAREST_H
#define MTREE_BASE_NEAREST_H

/* Bytes of what mtree_nearest_advice() writes. */
#define MTREE_NEAREST_ADVICE 96

typedef struct {
    const char *word; /* as it was written */
    const char *name; /* the nearest, the first of several; NULL: none was offered */
    int edits;
} mtree_nearest_t;

/* Nothing has been offered for @a word, which stays the caller's. */
mtree_nearest_t mtree_nearest_begin(const char *word);

/* Offer @a name, which has to stay as long as @a nearest is used. */
void mtree_nearest_offer(mtree_nearest_t *nearest, const char *name);

/*
 * Write " (did you mean X?)" into @a buffer of MTREE_NEAREST_ADVICE bytes where the
 * nearest name is so near that it may have been meant, else nothing; returns @a buffer.
 * X is the name behind @a prefix.
 */
const char *mtree_nearest_advice(const mtree_nearest_t *nearest, const char *prefix,
                                 char *buffer);

/* The same for the names of a list that ends with NULL, without a prefix. */
const char *mtree_nearest_advice_of(const char *word, const char *const *names,
                                    char *buffer);

#endif
