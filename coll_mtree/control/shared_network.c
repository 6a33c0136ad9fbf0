/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/control/shared_network.h"

#include <stdio.h>
#include <string.h>

void coll_mtree_shared_networks_meet(coll_mtree_shared_networks_t *networks,
                                     const mtree_address_t *addresses, int num)
{
    for (int i = 0; i < networks->count; i++) {
        bool is_met = false;

        for (int a = 0; a < num && !is_met; a++) {
            is_met = mtree_interface_reaches(&networks->own[i], &addresses[a]);
        }
        networks->is_apart[i] = networks->is_apart[i] || !is_met;
    }
}

/* Is one of the networks of the interface @a device shared? */
static bool is_shared(const coll_mtree_shared_networks_t *networks, int device)
{
    for (int i = 0; i < networks->count; i++) {
        if (networks->own[i].device == device && !networks->is_apart[i]) {
            return true;
        }
    }
    return false;
}

/* Is an address before number @a i one of the same interface? */
static bool is_known(const coll_mtree_shared_networks_t *networks, int i)
{
    for (int before = 0; before < i; before++) {
        if (networks->own[before].device == networks->own[i].device) {
            return true;
        }
    }
    return false;
}

bool coll_mtree_shared_networks_name(const coll_mtree_shared_networks_t *networks,
                                     char *names, size_t size)
{
    bool has_others = false;
    size_t length = 0;

    names[0] = '\0';
    for (int i = 0; i < networks->count; i++) {
        const mtree_interface_t *own = &networks->own[i];

        if (!is_shared(networks, own->device)) {
            has_others = true;
        } else if (!is_known(networks, i) && length < size) {
            length += (size_t)snprintf(names + length, size - length, "%s%s",
                                       length > 0 ? "," : "", own->name);
        }
    }
    return has_others && length > 0 && length < size &&
           is_shared(networks, networks->own[0].device);
}
