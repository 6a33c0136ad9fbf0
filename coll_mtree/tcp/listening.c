/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/tcp/listening.h"

#include "coll_mtree/base/params.h"

#include "base/log.h"

static mtree_tcp_ports_t ports_of_btl(void)
{
    const int *least = coll_mtree_params_btl("tcp", "port_min_v4");
    const int *number = coll_mtree_params_btl("tcp", "port_range_v4");

    return least == NULL || number == NULL ? (mtree_tcp_ports_t){0, 0}
                                           : mtree_tcp_ports_from(*least, *number);
}

bool coll_mtree_listening_ports(mtree_tcp_ports_t *ports)
{
    if (mtree_tcp_ports_parse(coll_mtree_params.tcp_ports, ports) != MTREE_OK) {
        mtree_error("coll_mtree_tcp_ports %s is no range of ports (FIRST-LAST)",
                    coll_mtree_params.tcp_ports);
        return false;
    }
    *ports = ports->first == 0 ? ports_of_btl() : *ports;
    return true;
}
