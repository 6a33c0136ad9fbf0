/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory: what is there, and the reason that the process ends for. */
#include "base/arena.h"
#include "base/array.h"
#include "base/memory.h"
#include "tests/unit/runner.h"

#include <limits.h>
#include <setjmp.h>

static jmp_buf ended;
static char reason_given[64];

static void end(const char *reason)
{
    (void)strncpy(reason_given, reason, sizeof(reason_given) - 1);
    longjmp(ended, 1);
}

UNIT_TEST(there_is_memory_even_of_no_bytes)
{
    char *bytes = mtree_calloc(3, 5);

    for (int i = 0; i < 15; i++) {
        ck_assert_int_eq(bytes[i], 0);
    }
    bytes = mtree_realloc(bytes, 0);
    ck_assert_ptr_nonnull(bytes);
    free(bytes);
    bytes = mtree_malloc(0);
    ck_assert_ptr_nonnull(bytes);
    free(bytes);
    mtree_require(MTREE_OK);
}

UNIT_TEST(the_reason_says_how_many_bytes)
{
    mtree_memory_on_missing(end);
    if (setjmp(ended) == 0) {
        free(mtree_malloc(SIZE_MAX / 2));
    }
    ck_assert_str_eq(reason_given, "no memory for 9223372036854775807 bytes");
    if (setjmp(ended) == 0) {
        mtree_require(MTREE_ERR_NO_MEMORY);
    }
    ck_assert_str_eq(reason_given, "no memory");
}

UNIT_TEST(containers_of_too_many_bytes_end_the_process)
{
    mtree_arena_t arena = {0};
    char *bytes = NULL;
    int capacity = 0;

    mtree_memory_on_missing(end);
    if (setjmp(ended) == 0) {
        mtree_array_reserve(&bytes, &capacity, INT_MAX, SIZE_MAX / 4);
        ck_abort_msg("an array of more bytes than there are");
    }
    if (setjmp(ended) == 0) {
        (void)mtree_arena_alloc(&arena, SIZE_MAX / 2, sizeof(double));
        ck_abort_msg("an arena of more bytes than there are");
    }
    ck_assert_str_eq(reason_given, "no memory");
    if (setjmp(ended) == 0) {
        (void)mtree_calloc(SIZE_MAX / 2, sizeof(double));
        ck_abort_msg("elements of more bytes than there are");
    }
    ck_assert_str_eq(reason_given, "no memory for 18446744073709551615 bytes");
}
