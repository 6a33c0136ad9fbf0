/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A library to be preloaded: from failing_begin() on, or from the start, one allocation
 * of mtree's own or of its solver's fails (none of jansson's, whose reader crashes
 * in 2.14: test_plan_json.c has those of its writer); as told by the environment:
 *
 *   FAIL_RANK   the rank of MPI_COMM_WORLD (default: none)
 *   FAIL_AT     the number of its allocation that fails, from 1 (0: none, they are
 *               counted alone)
 *   FAIL_BYTES  if it is set, all of its allocations of so many bytes fail, and no other
 *   FAIL_EARLY  if it is set, MPI_Init's are counted, too
 *   FAIL_MODEX  if it is set, PMIx has no memory to tell what another rank's mtree is set
 *               to
 *   FAIL_PUT    if it is set, it has none to take what this rank's is set to
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* glibc's own, by the names that stay when malloc is replaced. */
extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

static bool counting;
static long fail_at, count;

long failing_begin(void);
long failing_end(void);

static bool is_rank(void)
{
    const char *rank = getenv("OMPI_COMM_WORLD_RANK"), *which = getenv("FAIL_RANK");

    return rank != NULL && which != NULL && strcmp(rank, which) == 0;
}

/* Called by the test program when MPI is there.  The number of allocations before. */
long failing_begin(void)
{
    const char *at = getenv("FAIL_AT");

    fail_at = at == NULL ? 0 : atol(at);
    counting = is_rank();
    return count;
}

__attribute__((constructor)) static void begin_early(void)
{
    if (getenv("FAIL_EARLY") != NULL) {
        (void)failing_begin();
    }
}

/* The number of allocations since. */
long failing_end(void)
{
    counting = false;
    return count;
}

/* Is it this one, of @a bytes?  Asking who the caller is may allocate, too. */
static bool fails(const void *caller, size_t bytes)
{
    static bool asking;
    const char *failing = getenv("FAIL_BYTES");
    bool ours;
    const char *file;
    Dl_info info;

    if (!counting || asking) {
        return false;
    }
    asking = true;
    file = dladdr(caller, &info) != 0 && info.dli_fname != NULL ? info.dli_fname : "";
    ours = strstr(file, "coll_mtree.so") != NULL;
    asking = false;
    if (failing != NULL) {
        return ours && bytes == strtoul(failing, NULL, 10);
    }
    return ours && ++count == fail_at;
}

#define FAIL_IF_TOLD(_bytes)                                                             \
    if (fails(__builtin_return_address(0), _bytes)) {                                    \
        errno = ENOMEM;                                                                  \
        return NULL;                                                                     \
    }

void *malloc(size_t size)
{
    FAIL_IF_TOLD(size)
    return __libc_malloc(size);
}

void *calloc(size_t number, size_t size)
{
    FAIL_IF_TOLD(number * size)
    return __libc_calloc(number, size);
}

void *realloc(void *old, size_t size)
{
    FAIL_IF_TOLD(size)
    return __libc_realloc(old, size);
}

int posix_memalign(void **memory, size_t alignment, size_t size)
{
    if (fails(__builtin_return_address(0), size)) {
        return ENOMEM;
    }
    *memory = __libc_memalign(alignment, size);
    return *memory == NULL ? ENOMEM : 0;
}

/* PMIx's functions of these names, whose library is there when they are called. */
int PMIx_Get(const void *process, const char *key, const void *info, size_t num_info,
             void **value);
int PMIx_Put(unsigned char scope, const char *key, void *value);

typedef int (*pmix_get_t)(const void *, const char *, const void *, size_t, void **);
typedef int (*pmix_put_t)(unsigned char, const char *, void *);

static const int no_memory = -32; /* PMIX_ERR_NOMEM */

/* Does the variable @a told have PMIx fail with @a key, which is @a its? */
static bool fails_with(const char *told, const char *key, const char *its)
{
    return getenv(told) != NULL && is_rank() && key != NULL && strcmp(key, its) == 0;
}

static void *pmix_function(const char *name)
{
    return dlsym(dlopen("libpmix.so.2", RTLD_LAZY | RTLD_NOLOAD), name);
}

int PMIx_Get(const void *process, const char *key, const void *info, size_t num_info,
             void **value)
{
    if (fails_with("FAIL_MODEX", key, "mtree.settings")) {
        return atoi(getenv("FAIL_MODEX"));
    }
    return ((pmix_get_t)pmix_function("PMIx_Get"))(process, key, info, num_info, value);
}

int PMIx_Put(unsigned char scope, const char *key, void *value)
{
    return fails_with("FAIL_PUT", key, "mtree.settings")
               ? no_memory
               : ((pmix_put_t)pmix_function("PMIx_Put"))(scope, key, value);
}
