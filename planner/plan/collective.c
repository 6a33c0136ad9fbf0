/* SPDX-License-Identifier: BSD-3-Clause */
#include "planner/plan/collective.h"

#include "base/log.h"

#include <stddef.h>
#include <string.h>

#define NONE   MTREE_PART_NONE
#define BLOCK  MTREE_PART_BLOCK
#define VECTOR MTREE_PART_VECTOR

#define ROW(_value, _name, ...) [_value] = {#_name, __VA_ARGS__},

static const mtree_collective_traits_t traits[] = {MTREE_COLLECTIVES(ROW, )};

const mtree_collective_traits_t *mtree_collective_traits(mtree_collective_t collective)
{
    return (unsigned)collective < MTREE_COLLECTIVE_LAST ? &traits[collective] : NULL;
}

mtree_status_t mtree_collective_check(mtree_collective_t collective)
{
    if (mtree_collective_traits(collective) != NULL) {
        return MTREE_OK;
    }
    mtree_error("collective %d is not known; use one of %s", (int)collective,
                MTREE_COLLECTIVE_NAMES);
    return MTREE_ERR_INVALID;
}

const char *mtree_collective_name(mtree_collective_t collective)
{
    const mtree_collective_traits_t *row = mtree_collective_traits(collective);

    return row == NULL ? "unknown" : row->name;
}

mtree_status_t mtree_collective_parse(const char *name, mtree_collective_t *collective_p)
{
    for (int c = 0; c < MTREE_COLLECTIVE_LAST; ++c) {
        if (strcmp(name, traits[c].name) == 0) {
            *collective_p = (mtree_collective_t)c;
            return MTREE_OK;
        }
    }
    return MTREE_ERR_NOT_FOUND;
}
