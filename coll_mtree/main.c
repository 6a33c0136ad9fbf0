/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/main.h"

#include "coll_mtree/coll_mtree.h"

#include "coll_mtree/base/log.h"
#include "coll_mtree/base/params.h"
#include "coll_mtree/call/plan_entry.h"
#include "coll_mtree/call/request.h"
#include "coll_mtree/control/btl_network.h"
#include "coll_mtree/control/modex.h"
#include "coll_mtree/plan/plan_file.h"
#include "coll_mtree/plan/proc_group.h"
#include "coll_mtree/relay/links.h"
#include "coll_mtree/relay/relays.h"
#include "coll_mtree/relay/world.h"
#include "coll_mtree/report/report.h"
#include "coll_mtree/report/statistics.h"
#include "coll_mtree/tcp/contact.h"
#include "coll_mtree/tcp/endpoints.h"
#include "coll_mtree/topology/source.h"
#include "coll_mtree/transport/transport.h"

static void main_register(const mca_base_component_t *component)
{
    coll_mtree_params_register(component, true);
    coll_mtree_pvars_register(component);
}

static int main_open(void)
{
    coll_mtree_log_open();
    coll_mtree_params_confine(coll_mtree_world_rank() == 0);
    coll_mtree_requests_open();
    if (coll_mtree_has_modex()) {
        coll_mtree_relay_world_publish();
        coll_mtree_btl_network_publish();
        coll_mtree_contact_publish(
            coll_mtree_world_rank() == 0 ? coll_mtree_source_user_trip() : 0);
        coll_mtree_modex_publish();
    }
    return OMPI_SUCCESS;
}

/* From the top down: a room uses those that are closed after it. */
static int main_close(void)
{
    coll_mtree_report_outcome();
    coll_mtree_plan_exchange_close();
    coll_mtree_relays_close();
    coll_mtree_relay_links_close();
    coll_mtree_relay_world_close();
    coll_mtree_endpoints_close();
    coll_mtree_transport_close();
    coll_mtree_modex_close();
    coll_mtree_proc_group_close();
    coll_mtree_statistics_finish();
    coll_mtree_plan_file_close();
    coll_mtree_source_close();
    coll_mtree_log_close();
    return OMPI_SUCCESS;
}

const coll_mtree_main_t coll_mtree_main = {.register_all = main_register,
                                           .open = main_open,
                                           .close = main_close,
                                           .init_query = coll_mtree_init_query,
                                           .comm_query = coll_mtree_comm_query};
