/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The component, as Open MPI sees it: opened once per process, asked for a module per
 * communicator (module.c), and closed at MPI_Finalize.
 */
#include "coll_mtree/coll_mtree.h"

#include "coll_mtree/adapt/bandwidth_monitor.h"
#include "coll_mtree/base/log.h"
#include "coll_mtree/base/params.h"
#include "coll_mtree/call/arrival.h"
#include "coll_mtree/control/btl_network.h"
#include "coll_mtree/control/modex.h"
#include "coll_mtree/plan/decision.h"
#include "coll_mtree/plan/planning_context.h"
#include "coll_mtree/plan/proc_group.h"
#include "coll_mtree/relay/links.h"
#include "coll_mtree/relay/relays.h"
#include "coll_mtree/relay/world.h"
#include "coll_mtree/report/outcome.h"
#include "coll_mtree/report/pvars.h"
#include "coll_mtree/report/statistics.h"
#include "coll_mtree/tcp/transport.h"
#include "coll_mtree/transport/transport.h"

static int mtree_register(void);
static int mtree_open(void);
static int mtree_close(void);

mca_coll_base_component_t mca_coll_mtree_component = {
    .collm_version = {MTREE_COLL_BASE_VERSION, .mca_component_name = "mtree",
                      .mca_component_major_version = 0, .mca_component_minor_version = 1,
                      .mca_component_release_version = 0,
                      .mca_register_component_params = mtree_register,
                      .mca_open_component = mtree_open,
                      .mca_close_component = mtree_close},
    .collm_data = {MCA_BASE_METADATA_PARAM_NONE},
    .collm_init_query = coll_mtree_init_query,
    .collm_comm_query = coll_mtree_comm_query};

static int mtree_register(void)
{
    const mca_base_component_t *component = &mca_coll_mtree_component.collm_version;

    coll_mtree_params_register(component);
    coll_mtree_pvars_register(component);
    return OMPI_SUCCESS;
}

/* Open MPI closes and unloads a component that is not available, without a word: a job
 * that does not ask for mtree pays nothing for it. */
static int mtree_open(void)
{
    coll_mtree_log_open();
    if (coll_mtree_world_rank() == 0) {
        coll_mtree_params_tell_unknown();
    }
    if (!coll_mtree_params_ask(ompi_coll_base_framework.framework_selection)) {
        if (coll_mtree_world_rank() == 0) {
            mtree_info("not asked for: the fallback serves; name it (--mca coll mtree) "
                       "or set coll_mtree_topology");
        }
        return OPAL_ERR_NOT_AVAILABLE;
    }
    coll_mtree_params_confine(coll_mtree_world_rank() == 0);
    coll_mtree_arrival_open();
    coll_mtree_modex_publish();
    coll_mtree_relay_world_publish();
    coll_mtree_btl_network_publish();
    return OMPI_SUCCESS;
}

/* From the top down: a room uses those that are closed after it. */
static int mtree_close(void)
{
    coll_mtree_outcome_tell();
    coll_mtree_decisions_close();
    coll_mtree_bandwidth_monitor_close();
    coll_mtree_relays_close();
    coll_mtree_relay_links_close();
    coll_mtree_relay_world_close();
    coll_mtree_tcp_close();
    coll_mtree_transport_close();
    coll_mtree_modex_close();
    coll_mtree_proc_group_close();
    coll_mtree_statistics_finish();
    coll_mtree_planning_context_close();
    coll_mtree_log_close();
    return OMPI_SUCCESS;
}
