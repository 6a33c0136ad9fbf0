/* SPDX-License-Identifier: BSD-3-Clause */
#include "papers/baselines/steiner_machines.h"

#include "base/log.h"

#include <stdbool.h>
#include <stdio.h>

/* Are GPUs @a a and @a b of one machine joined? */
static bool are_joined(int num_gpus, int a, int b)
{
    if (num_gpus == 4) {
        return true;
    }
    return a / 4 == b / 4 || b - a == 4;
}

static mtree_status_t add_gpus(const mtree_steiner_machines_t *machines,
                               mtree_topology_t *topology)
{
    mtree_status_t status = MTREE_OK;

    for (int m = 0; m < machines->num_machines; m++) {
        for (int g = 0; g < machines->num_gpus && status == MTREE_OK; g++) {
            char name[32];

            snprintf(name, sizeof(name), "m%d%c", m, 'A' + g);
            status =
                mtree_topology_add_vertex(topology, name, NULL, MTREE_VERTEX_HOST, NULL);
        }
    }
    return status;
}

mtree_status_t mtree_steiner_machines_create(const mtree_steiner_machines_t *machines,
                                             mtree_topology_t **topology_p)
{
    int per_machine = machines->num_gpus;
    int num_gpus = machines->num_machines * per_machine;
    mtree_topology_t *topology;
    mtree_status_t status;

    if (machines->num_machines < 1 || (per_machine != 4 && per_machine != 8)) {
        mtree_error(
            "machines: %d machines of %d GPUs; give at least one machine, of 4 or 8",
            machines->num_machines, per_machine);
        return MTREE_ERR_INVALID;
    }
    topology = mtree_topology_create("machines", "generated");
    status = add_gpus(machines, topology);
    for (int a = 0; a < num_gpus; a++) {
        for (int b = a + 1; b < num_gpus && status == MTREE_OK; b++) {
            bool same = a / per_machine == b / per_machine;
            double capacity = same ? machines->inside : machines->outside;

            if (!same || are_joined(per_machine, a % per_machine, b % per_machine)) {
                status = mtree_topology_add_link(topology, a, b, capacity, capacity, 0.0,
                                                 NULL);
            }
        }
    }
    if (status != MTREE_OK) {
        mtree_topology_destroy(topology);
        return status;
    }
    *topology_p = topology;
    return MTREE_OK;
}
