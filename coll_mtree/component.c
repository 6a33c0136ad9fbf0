/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The component's door: all that a process loads in which nobody asks for mtree.  It
 * looks at the parameters that ask for it, and opens the rest, which lies beside it
 * (main.h).
 */
#include "coll_mtree/main.h"

#include "coll_mtree/base/log.h"
#include "coll_mtree/base/params.h"

#include "base/log.h"

#include "ompi/runtime/mpiruntime.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdlib.h>

#define LIBRARY "coll_mtree.so"

static int mtree_register(void);
static int mtree_open(void);
static int mtree_close(void);

OMPI_DECLSPEC mca_coll_base_component_t mca_coll_mtree_component = {
    .collm_version = {MTREE_COLL_BASE_VERSION, .mca_component_name = "mtree",
                      .mca_component_major_version = 0, .mca_component_minor_version = 1,
                      .mca_component_release_version = 0,
                      .mca_register_component_params = mtree_register,
                      .mca_open_component = mtree_open,
                      .mca_close_component = mtree_close},
    .collm_data = {MCA_BASE_METADATA_PARAM_NONE}};

/* The rest, once it is opened. */
static struct {
    bool is_asked_for;
    void *library;
    const coll_mtree_main_t *main; /* NULL: not opened */
    char failure[MTREE_LOG_LINE];
} rest;

static void rest_open(void)
{
    char path[PATH_MAX];
    const char *slash;
    Dl_info here;

    if (dladdr(&mca_coll_mtree_component, &here) == 0 ||
        (slash = strrchr(here.dli_fname, '/')) == NULL ||
        snprintf(path, sizeof(path), "%.*s/%s", (int)(slash - here.dli_fname),
                 here.dli_fname, LIBRARY) >= (int)sizeof(path)) {
        return;
    }
    rest.library = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
    if (rest.library != NULL) {
        rest.main = dlsym(rest.library, "coll_mtree_main");
    } else {
        (void)snprintf(rest.failure, sizeof(rest.failure), "%s", dlerror());
    }
}

/* With the component: its parameters lie in the library until it is unloaded. */
__attribute__((destructor)) static void rest_close(void)
{
    if (rest.library != NULL) {
        dlclose(rest.library);
    }
}

/* The library has registered its own values. */
static void forget_strings(void)
{
    size_t count;
    const coll_mtree_param_t *table = coll_mtree_params_table(&count);

    for (size_t i = 0; i < count; i++) {
        if (table[i].type == COLL_MTREE_PARAM_STRING) {
            free(*table[i].value.string);
            *table[i].value.string = NULL;
        }
    }
}

/* ompi_info and MPI_T, which show all parameters, register them before MPI_Init; to MPI
 * sessions that is no different. */
static int mtree_register(void)
{
    const mca_base_component_t *component = &mca_coll_mtree_component.collm_version;

    coll_mtree_params_register(component, false);
    rest.is_asked_for =
        coll_mtree_params_ask(ompi_coll_base_framework.framework_selection);
    if (rest.is_asked_for || ompi_mpi_state == OMPI_MPI_STATE_NOT_INITIALIZED) {
        rest_open();
    }
    if (rest.main != NULL) {
        rest.main->register_all(component);
        forget_strings();
    }
    return OMPI_SUCCESS;
}

/* What rank 0 says of what the user has set. */
static void tell(void)
{
    coll_mtree_log_open();
    coll_mtree_params_tell_unknown();
    if (!rest.is_asked_for) {
        mtree_info("not asked for: the fallback serves; name it (--mca coll mtree) "
                   "or set coll_mtree_topology");
    } else if (rest.main == NULL) {
        mtree_error("the component's library is missing: %s; install mtree again; the "
                    "fallback serves",
                    rest.failure);
    }
    coll_mtree_log_close();
}

/* Open MPI closes and unloads a component that is not available, without a word: a job
 * that does not ask for mtree pays nothing for it. */
static int mtree_open(void)
{
    if (coll_mtree_world_rank() == 0) {
        tell();
    }
    if (!rest.is_asked_for || rest.main == NULL) {
        return OPAL_ERR_NOT_AVAILABLE;
    }
    mca_coll_mtree_component.collm_init_query = rest.main->init_query;
    mca_coll_mtree_component.collm_comm_query = rest.main->comm_query;
    return rest.main->open();
}

static int mtree_close(void)
{
    return rest.is_asked_for && rest.main != NULL ? rest.main->close() : OMPI_SUCCESS;
}
