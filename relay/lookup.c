/* SPDX-License-Identifier: BSD-3-Clause */
#include "relay/lookup.h"

#include <netdb.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct mtree_relay_lookup {
    atomic_int holders; /* the caller and the thread */
    atomic_bool is_done;
    mtree_relay_found_t found;
    char address[];
};

/* Add the addresses of the host whose name, maybe in brackets, has @a length characters.
 */
static void look_up_host(mtree_relay_found_t *found, const char *name, size_t length)
{
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM};
    struct addrinfo *all, *at;
    char host[256];

    if (length > 1 && name[0] == '[' && name[length - 1] == ']') {
        name++;
        length -= 2;
    }
    if (length == 0 || length >= sizeof(host)) {
        return;
    }
    memcpy(host, name, length);
    host[length] = '\0';
    if (getaddrinfo(host, NULL, &hints, &all) != 0) {
        return;
    }
    for (at = all; at != NULL && found->count < MTREE_RELAY_ADDRESSES; at = at->ai_next) {
        found->addresses[found->count] = mtree_address_from_sockaddr(at->ai_addr);
        found->count += found->addresses[found->count].family != AF_UNSPEC;
    }
    freeaddrinfo(all);
}

void mtree_relay_look_up(const char *address, mtree_relay_found_t *found)
{
    const char *colon = strrchr(address, ':');
    char *end;
    long port = colon == NULL ? 0 : strtol(colon + 1, &end, 10);

    *found = (mtree_relay_found_t){.count = 0};
    if (port < 1 || port > UINT16_MAX || *end != '\0') {
        return;
    }
    found->port = (uint16_t)port;
    while (address < colon) {
        size_t length = strcspn(address, ",");

        length = address + length > colon ? (size_t)(colon - address) : length;
        look_up_host(found, address, length);
        address += length + 1;
    }
}

void mtree_relay_lookup_destroy(mtree_relay_lookup_t *lookup)
{
    if (lookup != NULL && atomic_fetch_sub(&lookup->holders, 1) == 1) {
        free(lookup);
    }
}

static void *run(void *arg)
{
    mtree_relay_lookup_t *lookup = arg;

    mtree_relay_look_up(lookup->address, &lookup->found);
    atomic_store(&lookup->is_done, true);
    mtree_relay_lookup_destroy(lookup);
    return NULL;
}

/* Signals are for the caller's threads. */
static bool start(mtree_relay_lookup_t *lookup)
{
    sigset_t all, before;
    pthread_t thread;
    int code;

    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    code = pthread_create(&thread, NULL, run, lookup);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    return code == 0 && pthread_detach(thread) == 0;
}

mtree_relay_lookup_t *mtree_relay_lookup_create(const char *address)
{
    size_t bytes = strlen(address) + 1;
    mtree_relay_lookup_t *lookup = calloc(1, sizeof(*lookup) + bytes);

    if (lookup == NULL) {
        return NULL;
    }
    memcpy(lookup->address, address, bytes);
    atomic_init(&lookup->holders, 2);
    atomic_init(&lookup->is_done, false);
    if (!start(lookup)) {
        free(lookup);
        return NULL;
    }
    return lookup;
}

bool mtree_relay_lookup_poll(mtree_relay_lookup_t *lookup, mtree_relay_found_t *found)
{
    bool is_done = atomic_load(&lookup->is_done);

    if (is_done) {
        *found = lookup->found;
    }
    return is_done;
}
