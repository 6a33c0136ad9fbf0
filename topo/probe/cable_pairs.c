/* SPDX-License-Identifier: BSD-3-Clause */
#include "topo/probe/cable_pairs.h"

#include "base/array.h"

#include <stdlib.h>

typedef struct {
    const mtree_host_interfaces_t *hosts;
    int num_hosts;
    mtree_cable_pair_t *pairs;
    int num, capacity;
} finder_t;

/* Are the two in one network, and each other's only neighbours there? */
static bool are_in_one_network(const mtree_interface_t *a, const mtree_interface_t *b)
{
    return a->prefix == b->prefix && mtree_interface_reaches(a, &b->address) &&
           !mtree_address_equals(&a->address, &b->address);
}

/* Does a host other than these two have an address in the network of @a interface? */
static bool is_crowded(const finder_t *finder, int a, int b,
                       const mtree_interface_t *interface)
{
    for (int host = 0; host < finder->num_hosts; host++) {
        for (int i = 0; i < finder->hosts[host].count && host != a && host != b; i++) {
            if (mtree_interface_reaches(interface,
                                        &finder->hosts[host].list[i].address)) {
                return true;
            }
        }
    }
    return false;
}

/* Is an end of a pair of these two hosts on the device of @a interface of @a host? */
static bool has_device(const finder_t *finder, int first, int end, int host,
                       const mtree_interface_t *interface)
{
    const mtree_host_interfaces_t *at = &finder->hosts[host];

    for (int p = first; p < finder->num; p++) {
        for (int i = 0; i < at->count; i++) {
            if (at->list[i].device == interface->device &&
                mtree_address_equals(&at->list[i].address, &finder->pairs[p].ends[end])) {
                return true;
            }
        }
    }
    return false;
}

static mtree_status_t add_pairs(finder_t *finder, int a, int b)
{
    const mtree_host_interfaces_t *one = &finder->hosts[a], *other = &finder->hosts[b];
    const int first = finder->num;
    mtree_status_t status = MTREE_OK;

    for (int at = 0; at < one->count * other->count && status == MTREE_OK; at++) {
        const mtree_interface_t *i = &one->list[at / other->count];
        const mtree_interface_t *j = &other->list[at % other->count];

        if (!are_in_one_network(i, j) || is_crowded(finder, a, b, i) ||
            has_device(finder, first, 0, a, i) || has_device(finder, first, 1, b, j)) {
            continue;
        }
        status = mtree_array_reserve(&finder->pairs, &finder->capacity, finder->num + 1,
                                     sizeof(*finder->pairs));
        if (status == MTREE_OK) {
            finder->pairs[finder->num++] =
                (mtree_cable_pair_t){{a, b}, {i->address, j->address}};
        }
    }
    return status;
}

mtree_status_t mtree_cable_pairs_find(const mtree_host_interfaces_t *hosts, int num_hosts,
                                      mtree_cable_pair_t **pairs_p, int *num_p)
{
    finder_t finder = {.hosts = hosts, .num_hosts = num_hosts};
    mtree_status_t status = MTREE_OK;

    for (int a = 0; a < num_hosts && status == MTREE_OK; a++) {
        for (int b = a + 1; b < num_hosts && status == MTREE_OK; b++) {
            status = add_pairs(&finder, a, b);
        }
    }
    if (status != MTREE_OK) {
        free(finder.pairs);
        return status;
    }
    *pairs_p = finder.pairs;
    *num_p = finder.num;
    return MTREE_OK;
}
