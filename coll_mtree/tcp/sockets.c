/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/tcp/sockets.h"

#include "coll_mtree/base/params.h"

#include "base/log.h"
#include "tcp/socket.h"

#include <stdatomic.h>
#include <stddef.h>

static mtree_tcp_ports_t ports_of_btl(void)
{
    const int *least = coll_mtree_params_btl("tcp", "port_min_v4");
    const int *number = coll_mtree_params_btl("tcp", "port_range_v4");

    return least == NULL || number == NULL ? (mtree_tcp_ports_t){0, 0}
                                           : mtree_tcp_ports_from(*least, *number);
}

bool coll_mtree_listening_ports(mtree_tcp_ports_t *ports)
{
    static atomic_flag is_logged = ATOMIC_FLAG_INIT;

    if (mtree_tcp_ports_parse(coll_mtree_params.tcp_ports, ports) != MTREE_OK) {
        if (!atomic_flag_test_and_set(&is_logged)) {
            mtree_error("coll_mtree_tcp_ports %s is no range of ports (FIRST-LAST)",
                        coll_mtree_params.tcp_ports);
        }
        return false;
    }
    *ports = ports->first == 0 ? ports_of_btl() : *ports;
    return true;
}

const char *coll_mtree_congestion_control(void)
{
    const char *name = coll_mtree_params.tcp_congestion_control;

    return name == NULL || name[0] == '\0' ? NULL : name;
}

void coll_mtree_socket_tune(int socket)
{
    static atomic_flag is_logged = ATOMIC_FLAG_INIT;
    const char *name = coll_mtree_congestion_control();

    if (!mtree_tcp_socket_tune(socket, name) && !atomic_flag_test_and_set(&is_logged)) {
        mtree_warn("TCP connections keep the kernel's congestion control: %s is not one "
                   "of net.ipv4.tcp_allowed_congestion_control",
                   name);
    }
}
