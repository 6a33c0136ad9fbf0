/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/base/hints.h"

#include "coll_mtree/base/algorithm_param.h"
#include "coll_mtree/base/log.h"
#include "coll_mtree/base/params.h"

#include "base/hash.h"

/* Bytes of a value with its NUL. */
#define LONGEST_VALUE 256

enum { ALGORITHM, TREES, CHUNK };

static const char *const keys[] = {
    [ALGORITHM] = "mtree_algorithm", [TREES] = "mtree_trees", [CHUNK] = "mtree_chunk"};

/* The value of @a key into @a value [LONGEST_VALUE]; false: the communicator has none. */
static bool hint_find(ompi_communicator_t *comm, const char *key, char *value)
{
    return comm->super.s_info != NULL &&
           coll_mtree_info_get(comm->super.s_info, key, value, LONGEST_VALUE) &&
           value[0] != '\0';
}

const coll_mtree_hints_t *coll_mtree_hints_get(mca_coll_mtree_module_t *module,
                                               ompi_communicator_t *comm)
{
    coll_mtree_hints_t *hints = &module->hints;
    char value[LONGEST_VALUE];

    if (hints->is_read) {
        return hints;
    }
    hints->own = (coll_mtree_hint_values_t){.trees = -1, .chunk_bytes = -1};
    hints->chunk_bytes = -1;
    if (hint_find(comm, keys[ALGORITHM], value)) {
        hints->own.algorithms = (uint32_t)mtree_hash_string(MTREE_HASH_INIT, value);
        /* Rank 0 plans. */
        if (ompi_comm_rank(comm) == 0) {
            (void)coll_mtree_algorithm_read("info key mtree_algorithm", value,
                                            "planned as without it", hints->algorithm);
        }
    }
    if (hint_find(comm, keys[TREES], value) &&
        !coll_mtree_hint_parse_trees(value, &hints->own.trees)) {
        coll_mtree_verbose(
            comm, 0,
            "info key mtree_trees: '%s' is no number from 0 to %d; planned "
            "as without it",
            value, COLL_MTREE_MOST_TREES);
    }
    if (hint_find(comm, keys[CHUNK], value) &&
        !coll_mtree_hint_parse_chunk(value, &hints->own.chunk_bytes)) {
        coll_mtree_verbose(
            comm, 0,
            "info key mtree_chunk: '%s' is no size like 32k, of at most 1G; served "
            "as without it",
            value);
    }
    hints->is_read = true;
    return hints;
}

int coll_mtree_hints_max_trees(mca_coll_mtree_module_t *module, ompi_communicator_t *comm)
{
    return coll_mtree_hint_max_trees(coll_mtree_hints_get(module, comm)->own.trees,
                                     coll_mtree_params.trees, ompi_comm_size(comm));
}
