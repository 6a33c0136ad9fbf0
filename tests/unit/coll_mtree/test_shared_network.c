/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which interfaces are in networks that all hosts share: the second of four hosts in a
 * ring with networks 10.88.0 to 10.88.3, beside a LAN, 10.99.0.
 */
#include "coll_mtree/control/shared_network.h"
#include "tests/unit/runner.h"

#define LAN                                                                              \
    {                                                                                    \
        "lan", 2, "10.99.0.2"                                                            \
    }
#define OWN                                                                              \
    LAN, {"c1", 3, "10.88.0.2"},                                                         \
    {                                                                                    \
        "c0", 4, "10.88.1.1"                                                             \
    }

/* Own interfaces, the addresses of each of the other hosts, and what is shared. */
static const struct {
    struct {
        const char *name;
        int device;
        const char *address;
    } own[5];
    const char *others[3][3];
    const char *names; /* NULL: all interfaces are used */
} cases[] = {
    /* Cables are left out. */
    {{OWN},
     {{"10.88.0.1", "10.88.3.2", "10.99.0.1"},
      {"10.99.0.3", "10.88.1.2", "10.88.2.1"},
      {"10.99.0.4", "10.88.2.2", "10.88.3.1"}},
     "lan"},
    /* Several may be shared: each interface is named once, whatever its addresses. */
    {{OWN, {"fast", 5, "10.77.0.2"}, {"lan", 2, "10.66.0.2"}},
     {{"10.99.0.1", "10.77.0.1", "10.66.0.1"}},
     "lan,fast"},
    /* The first one has to be: Open MPI would connect from a cable. */
    {{{"c1", 3, "10.88.0.2"}, LAN}, {{"10.99.0.1", "10.88.3.2", "10.88.2.1"}}, NULL},
    /* All are shared, or none. */
    {{OWN}, {{"10.99.0.1", "10.88.0.1", "10.88.1.9"}}, NULL},
    {{OWN}, {{"10.1.0.1", "10.2.0.1", "10.3.0.9"}}, NULL},
};

UNIT_EACH(what_all_hosts_share_is_used_alone, cases)
{
    coll_mtree_shared_networks_t networks = {.count = 0};
    char names[64];

    while (networks.count < 5 && cases[_i].own[networks.count].name != NULL) {
        mtree_interface_t *own = &networks.own[networks.count];

        own->address = mtree_address_parse(cases[_i].own[networks.count].address);
        own->prefix = 24;
        own->device = cases[_i].own[networks.count].device;
        (void)snprintf(own->name, sizeof(own->name), "%s",
                       cases[_i].own[networks.count].name);
        networks.count++;
    }
    for (int h = 0; h < 3 && cases[_i].others[h][0] != NULL; h++) {
        mtree_address_t addresses[3];

        for (int i = 0; i < 3; i++) {
            addresses[i] = mtree_address_parse(cases[_i].others[h][i]);
        }
        coll_mtree_shared_networks_meet(&networks, addresses, 3);
    }
    ck_assert(coll_mtree_shared_networks_name(&networks, names, sizeof(names)) ==
              (cases[_i].names != NULL));
    if (cases[_i].names != NULL) {
        ck_assert_str_eq(names, cases[_i].names);
    }
}
