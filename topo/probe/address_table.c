/* SPDX-License-Identifier: BSD-3-Clause */
#include "topo/probe/address_table.h"

#include "base/log.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define NONE (-1)

void mtree_probe_addresses_clear(mtree_probe_addresses_t *addresses)
{
    int i;

    for (i = 0; i < addresses->num_addresses; ++i) {
        free(addresses->texts[i]);
    }
    free(addresses->texts);
    free(addresses->owners);
    free(addresses->slots);
    *addresses = (mtree_probe_addresses_t){0};
}

/* FNV-1a. */
static uint64_t hash(const char *text)
{
    uint64_t value = UINT64_C(0xcbf29ce484222325);

    for (; *text != '\0'; ++text) {
        value = (value ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
    }
    return value;
}

/* The slot where @a text is, or the free one where it belongs. */
static int find_slot(const mtree_probe_addresses_t *addresses, const char *text)
{
    int slot = (int)(hash(text) % (uint64_t)addresses->num_slots);

    while (addresses->slots[slot] != NONE &&
           strcmp(addresses->texts[addresses->slots[slot]], text) != 0) {
        slot = (slot + 1) % addresses->num_slots;
    }
    return slot;
}

/* Room for twice as many; at most half of the slots are ever taken. */
static mtree_status_t grow(mtree_probe_addresses_t *addresses)
{
    int room = 2 * addresses->room + 64;
    char **texts = realloc(addresses->texts, (size_t)room * sizeof(*texts));
    int *owners, *slots;
    int i;

    if (texts == NULL) {
        return MTREE_ERR_NO_MEMORY;
    }
    addresses->texts = texts;
    owners = realloc(addresses->owners, (size_t)room * sizeof(*owners));
    if (owners == NULL) {
        return MTREE_ERR_NO_MEMORY;
    }
    addresses->owners = owners;
    slots = malloc((size_t)(2 * room) * sizeof(*slots));
    if (slots == NULL) {
        return MTREE_ERR_NO_MEMORY;
    }
    free(addresses->slots);
    addresses->slots = slots;
    addresses->num_slots = 2 * room;
    addresses->room = room;
    for (i = 0; i < addresses->num_slots; ++i) {
        slots[i] = NONE;
    }
    for (i = 0; i < addresses->num_addresses; ++i) {
        slots[find_slot(addresses, texts[i])] = i;
    }
    return MTREE_OK;
}

mtree_status_t mtree_probe_addresses_find(mtree_probe_addresses_t *addresses,
                                          const char *text, int *address_p)
{
    char *copy;
    int slot;

    if (addresses->num_addresses == addresses->room && grow(addresses) != MTREE_OK) {
        goto err;
    }
    slot = find_slot(addresses, text);
    if (addresses->slots[slot] == NONE) {
        copy = strdup(text);
        if (copy == NULL) {
            goto err;
        }
        addresses->texts[addresses->num_addresses] = copy;
        addresses->owners[addresses->num_addresses] = NONE;
        addresses->slots[slot] = addresses->num_addresses++;
    }
    *address_p = addresses->slots[slot];
    return MTREE_OK;

err:
    mtree_error("out of memory for the addresses of routes");
    return MTREE_ERR_NO_MEMORY;
}
