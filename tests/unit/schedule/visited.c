/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/schedule/visited.h"

#include <stdlib.h>

uint64_t visited_mix(uint64_t hash, uint64_t number)
{
    hash = (hash ^ number) * 0x9e3779b97f4a7c15u;
    hash = (hash ^ (hash >> 32)) * 0xd6e8feb86659fd93u;
    return hash ^ (hash >> 29);
}

void visited_init(visited_t *visited, size_t max)
{
    *visited = (visited_t){.slots = calloc(2 * max, sizeof(*visited->slots)), .max = max};
    if (visited->slots == NULL) {
        abort();
    }
}

void visited_cleanup(visited_t *visited)
{
    free(visited->slots);
}

bool visited_add(visited_t *visited, uint64_t hash)
{
    size_t at;

    hash += hash == 0;
    at = hash % (2 * visited->max);
    while (visited->slots[at] != 0 && visited->slots[at] != hash) {
        at = (at + 1) % (2 * visited->max);
    }
    if (visited->slots[at] == hash) {
        return false;
    }
    if (visited->count == visited->max) {
        abort();
    }
    visited->slots[at] = hash;
    visited->count++;
    return true;
}
