/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "coll_mtree/base/params.h"

#include "coll_mtree/coll_mtree.h"

#include "base/log.h"
#include "base/memory.h"
#include "base/nearest.h"

#include "opal/mca/base/mca_base_var.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define LONGEST_HELP 1024

static const mca_base_var_type_t types[] = {
    [COLL_MTREE_PARAM_BOOL] = MCA_BASE_VAR_TYPE_BOOL,
    [COLL_MTREE_PARAM_INT] = MCA_BASE_VAR_TYPE_INT,
    [COLL_MTREE_PARAM_SIZE] = MCA_BASE_VAR_TYPE_SIZE_T,
    [COLL_MTREE_PARAM_DOUBLE] = MCA_BASE_VAR_TYPE_DOUBLE,
    [COLL_MTREE_PARAM_STRING] = MCA_BASE_VAR_TYPE_STRING};

static const mca_base_var_scope_t scopes[] = {
    [COLL_MTREE_PARAM_READ_ONCE] = MCA_BASE_VAR_SCOPE_READONLY,
    [COLL_MTREE_PARAM_LOCAL] = MCA_BASE_VAR_SCOPE_LOCAL,
    [COLL_MTREE_PARAM_COLLECTIVE] = MCA_BASE_VAR_SCOPE_ALL_EQ};

static void param_register(const mca_base_component_t *component,
                           const coll_mtree_param_t *param)
{
    bool settable = param->scope != COLL_MTREE_PARAM_READ_ONCE;
    char help[LONGEST_HELP];

    snprintf(help, sizeof(help), "%s%s%s", param->help,
             param->agree != NULL ? ". Must be the same on all ranks" : "",
             param->scope == COLL_MTREE_PARAM_COLLECTIVE
                 ? "; MPI_T may write it, between the same calls on all"
                 : "");
    (void)mca_base_component_var_register(component, param->name, help,
                                          types[param->type], NULL, 0,
                                          settable ? MCA_BASE_VAR_FLAG_SETTABLE : 0,
                                          (mca_base_var_info_lvl_t)(param->level - 1),
                                          scopes[param->scope], param->value.any);
}

void coll_mtree_params_register(const mca_base_component_t *component, bool all)
{
    size_t count;
    const coll_mtree_param_t *table = coll_mtree_params_table(&count);

    coll_mtree_params_reset();
    for (size_t i = 0; i < count; i++) {
        if (all || table[i].is_request ||
            table[i].value.integer == &coll_mtree_params.verbose) {
            param_register(component, &table[i]);
        }
    }
}

/* A line if @a name is no parameter. */
static void tell_unknown(const char *name)
{
    size_t count;
    const coll_mtree_param_t *table = coll_mtree_params_table(&count);
    mtree_nearest_t nearest = mtree_nearest_begin(name);
    char advice[MTREE_NEAREST_ADVICE];

    for (size_t i = 0; i < count; i++) {
        if (strcmp(table[i].name, name) == 0) {
            return;
        }
        mtree_nearest_offer(&nearest, table[i].name);
    }
    mtree_error("coll_mtree_%s is no parameter of mtree%s; 'ompi_info --param coll mtree "
                "--level 9' lists them",
                name, mtree_nearest_advice(&nearest, "coll_mtree_", advice));
}

void coll_mtree_params_tell_unknown(void)
{
    static const char prefix[] = "OMPI_MCA_coll_mtree_";

    for (char *const *variable = environ; *variable != NULL; variable++) {
        char name[COLL_MTREE_PARAM_TEXT];
        const char *given = *variable + strlen(prefix);

        if (strncmp(*variable, prefix, strlen(prefix)) != 0) {
            continue;
        }
        snprintf(name, sizeof(name), "%.*s", (int)strcspn(given, "="), given);
        tell_unknown(name);
    }
}

/* Has the parameter of this @a number its value from the command line, which mpirun makes
 * a part of the environment, or from there? */
static bool is_of_this_job(int number)
{
    mca_base_var_source_t source;

    return number >= 0 &&
           mca_base_var_get_value(number, NULL, &source, NULL) == OPAL_SUCCESS &&
           (source == MCA_BASE_VAR_SOURCE_ENV ||
            source == MCA_BASE_VAR_SOURCE_COMMAND_LINE);
}

bool coll_mtree_params_named(void)
{
    return (coll_mtree_params_selected(ompi_coll_base_framework.framework_selection) &&
            is_of_this_job(mca_base_var_find("ompi", "coll", NULL, NULL))) ||
           (coll_mtree_params_topology() == COLL_MTREE_TOPOLOGY_FILE &&
            is_of_this_job(mca_base_var_find("ompi", "coll", "mtree", "topology")));
}

const void *coll_mtree_params_btl(const char *btl, const char *name)
{
    int number = mca_base_var_find("opal", "btl", btl, name);
    const void *value = NULL;

    return number >= 0 &&
                   mca_base_var_get_value(number, &value, NULL, NULL) == OPAL_SUCCESS
               ? value
               : NULL;
}

bool coll_mtree_params_keep_btl_tcp_to(const char *interfaces)
{
    static const char *const names[] = {"if_include", "if_exclude"};
    const void *value;

    for (int i = 0; i < 2; i++) {
        int number = mca_base_var_find("opal", "btl", "tcp", names[i]);
        mca_base_var_source_t source;

        if (number < 0 ||
            mca_base_var_get_value(number, NULL, &source, NULL) != OPAL_SUCCESS ||
            source != MCA_BASE_VAR_SOURCE_DEFAULT) {
            return false;
        }
    }
    value = coll_mtree_params_btl("tcp", "if_include");
    if (value == NULL) {
        return false;
    }
    /* mca_base_var_set_value() does not set it. */
    *(char **)(uintptr_t)value = mtree_strdup(interfaces);
    return true;
}

const char *coll_mtree_params_btl_tcp(const char *name)
{
    const char *const *value = coll_mtree_params_btl("tcp", name);

    return value == NULL || *value == NULL || **value == '\0' ? NULL : *value;
}
