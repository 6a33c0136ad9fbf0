/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/tcp/sockets.h"

#include "coll_mtree/base/log.h"
#include "coll_mtree/base/params.h"
#include "coll_mtree/control/host.h"
#include "coll_mtree/tcp/streams.h"

#include "tcp/socket.h"

#include <stddef.h>
#include <string.h>
#include <sys/resource.h>

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
        if (coll_mtree_log_is_first("coll_mtree_tcp_ports")) {
            mtree_error("coll_mtree_tcp_ports %s is no range of ports (FIRST-LAST)",
                        coll_mtree_params.tcp_ports);
        }
        return false;
    }
    *ports = ports->first == 0 ? ports_of_btl() : *ports;
    return true;
}

bool coll_mtree_ports_are_shared(void)
{
    const char *own = coll_mtree_params.tcp_ports;

    return (own == NULL || own[0] == '\0') && ports_of_btl().first != 0;
}

const char *coll_mtree_congestion_control(void)
{
    const char *name = coll_mtree_params.tcp_congestion_control;

    return name == NULL || name[0] == '\0' ? NULL : name;
}

const char *coll_mtree_congestion_of_sockets(void)
{
    const char *name = coll_mtree_congestion_control();

    if (name != NULL && !mtree_tcp_socket_may_have(name) &&
        coll_mtree_log_is_first("coll_mtree_tcp_congestion_control")) {
        mtree_warn("TCP connections keep the kernel's congestion control: %s is not one "
                   "of net.ipv4.tcp_allowed_congestion_control",
                   name);
    }
    return name;
}

bool coll_mtree_sockets_bear_losses(void)
{
    const char *name = coll_mtree_congestion_control();

    return (name == NULL || strcmp(name, MTREE_TCP_BBR) == 0) &&
           mtree_tcp_socket_may_have(MTREE_TCP_BBR);
}

/* Connections that Open MPI may have to a process: over each interface so many links. */
static int openmpi_connections(void)
{
    const unsigned *links = coll_mtree_params_btl("tcp", "links");
    mtree_address_t addresses[COLL_MTREE_HOST_ADDRESSES];
    int interfaces = 0;

    (void)coll_mtree_host_addresses(addresses);
    for (int i = 0; i < COLL_MTREE_HOST_ADDRESSES; i++) {
        interfaces += addresses[i].family == AF_INET;
    }
    return (links == NULL ? 1 : (int)*links) * (interfaces > 0 ? interfaces : 1);
}

int coll_mtree_sockets_share(int peers, int wanted)
{
    const int openmpi = openmpi_connections();
    const double enough = coll_mtree_streams_files(peers, openmpi, wanted);
    struct rlimit limit = {.rlim_cur = 0}, raised;

    (void)getrlimit(RLIMIT_NOFILE, &limit);
    raised = limit;
    raised.rlim_cur = enough < (double)limit.rlim_max ? (rlim_t)enough : limit.rlim_max;
    if (raised.rlim_cur > limit.rlim_cur && setrlimit(RLIMIT_NOFILE, &raised) == 0) {
        limit = raised;
    }
    return coll_mtree_streams_within((double)limit.rlim_cur, peers, openmpi, wanted);
}
