/* SPDX-License-Identifier: BSD-3-Clause */
/* Plans as JSON; one that is read must give the same text when written twice. */
#include "tests/fuzz/fuzz.h"

#include "planner/plan/json.h"

#include <string.h>

static char *write_plan(const mtree_plan_t *plan)
{
    char *text = NULL;

    fuzz_expect(mtree_plan_to_json(plan, &text) == MTREE_OK);
    return text;
}

static void expect_again(const mtree_plan_t *plan)
{
    char *first = write_plan(plan), *second;
    mtree_plan_t *copy = NULL;

    fuzz_expect_told(mtree_plan_from_json(first, strlen(first), "written", &copy));
    fuzz_expect(copy != NULL);
    second = write_plan(copy);
    fuzz_expect(strcmp(first, second) == 0);
    mtree_plan_destroy(copy);
    free(first);
    free(second);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size);
    mtree_plan_t *plan = NULL;
    mtree_status_t status;

    fuzz_start();
    status = mtree_plan_from_json(text, size, "input", &plan);
    fuzz_expect_told(status);
    if (status == MTREE_OK) {
        expect_again(plan);
        mtree_plan_destroy(plan);
    }
    free(text);
    return 0;
}
