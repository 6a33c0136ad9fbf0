/* SPDX-License-Identifier: BSD-3-Clause */
#include "topo/probe/state.h"

#include "base/array.h"
#include "base/log.h"

mtree_status_t mtree_probe_add_experiment(mtree_probe_t *probe,
                                          mtree_probe_experiment_t experiment)
{
    if (mtree_array_reserve(&probe->experiments, &probe->experiment_capacity,
                            probe->num_experiments + 1,
                            sizeof(*probe->experiments)) != MTREE_OK) {
        return mtree_no_memory("a round of %d experiments", probe->num_experiments + 1);
    }
    probe->experiments[probe->num_experiments++] = experiment;
    return MTREE_OK;
}
