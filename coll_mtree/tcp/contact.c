/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/tcp/contact.h"

#include "coll_mtree/base/params.h"
#include "coll_mtree/tcp/sockets.h"

#include <stdatomic.h>
#include <string.h>

#define KEY "mtree.contact"

_Static_assert(MTREE_TCP_ADDRESSES == COLL_MTREE_HOST_ADDRESSES, "a host's addresses");
_Static_assert(MTREE_TCP_ADDRESSES >= MTREE_TOPOLOGY_MAX_CABLES, "a link's cables");

static struct {
    mtree_tcp_listener_t *listener; /* NULL: nobody is expected */
    coll_mtree_contact_t contact;   /* its secret is drawn once */
    bool is_drawn, is_described;
    bool has_published;       /* something, if only that nobody listens */
    atomic_bool is_published; /* what others may connect to; read without a lock */
} this_process;

/* By what is known now; true: it has the addresses that it had before. */
static bool describe_own(void)
{
    coll_mtree_contact_t *own = &this_process.contact;
    mtree_address_t before[MTREE_TCP_ADDRESSES];

    memcpy(before, own->addresses, sizeof(before));
    (void)coll_mtree_host_name(own->host);
    (void)coll_mtree_host_addresses(own->addresses);
    own->num_addresses = 0;
    while (own->num_addresses < MTREE_TCP_ADDRESSES &&
           own->addresses[own->num_addresses].family != AF_UNSPEC) {
        own->num_addresses++;
    }
    return memcmp(own->addresses, before, sizeof(before)) == 0;
}

/* Without a secret, or a port that is free, nobody listens. */
static void begin_to_listen(void)
{
    mtree_tcp_ports_t ports;

    this_process.is_drawn = this_process.is_drawn ||
                            mtree_crypto_draw(&this_process.contact.secret,
                                              sizeof(mtree_tcp_secret_t)) == MTREE_OK;
    if (coll_mtree_listening_ports(&ports) && this_process.is_drawn) {
        this_process.listener =
            mtree_tcp_listener_create(&ports, &this_process.contact.secret);
    }
    this_process.contact.port = mtree_tcp_listener_port(this_process.listener);
}

/* A process that cannot be reached publishes that: a question for what was not published
 * takes Open MPI 4.1 seconds. */
void coll_mtree_contact_publish(double trip)
{
    if (!coll_mtree_has_modex() || coll_mtree_params.encrypt) {
        return;
    }
    (void)describe_own();
    this_process.contact.trip = trip;
    this_process.contact.port = 0;
    if (!coll_mtree_ports_are_shared()) {
        begin_to_listen();
    }
    this_process.has_published =
        coll_mtree_modex_put(KEY, &this_process.contact, sizeof(this_process.contact)) ==
        OPAL_SUCCESS;
    this_process.is_published =
        this_process.has_published && this_process.listener != NULL;
}

const coll_mtree_contact_t *coll_mtree_contact_own(void)
{
    /* As Open MPI's transports have chosen by now. */
    if (!this_process.is_described) {
        this_process.is_described = true;
        this_process.is_published = describe_own() && this_process.is_published;
    }
    if (this_process.listener == NULL) {
        begin_to_listen();
    }
    return &this_process.contact;
}

bool coll_mtree_contact_is_published(void)
{
    return this_process.is_published;
}

/* Where this process has published nothing, the others have not: of a lost process the
 * question would never end. */
bool coll_mtree_contact_read(const opal_process_name_t *name,
                             coll_mtree_contact_t *contact)
{
    if (!this_process.has_published ||
        !coll_mtree_modex_read(KEY, name, contact, sizeof(*contact))) {
        return false;
    }
    contact->host[sizeof(contact->host) - 1] = '\0';
    return true;
}

/* Of @a rank in MPI_COMM_WORLD, which sessions may be without. */
static bool read_of_rank(int rank, coll_mtree_contact_t *contact)
{
    const opal_process_name_t name = {.jobid = OPAL_PROC_MY_NAME.jobid,
                                      .vpid = (opal_vpid_t)rank};

    return coll_mtree_contact_read(&name, contact);
}

double coll_mtree_contact_trip(void)
{
    coll_mtree_contact_t first;

    return read_of_rank(0, &first) ? first.trip : 0;
}

bool coll_mtree_contact_find(int rank, coll_mtree_contact_t *contact)
{
    return this_process.is_published && read_of_rank(rank, contact) &&
           contact->port != 0 && contact->num_addresses > 0 &&
           contact->num_addresses <= MTREE_TCP_ADDRESSES;
}

mtree_tcp_listener_t *coll_mtree_contact_listener(void)
{
    return this_process.listener;
}

void coll_mtree_contact_close(void)
{
    mtree_tcp_listener_destroy(this_process.listener);
    this_process.listener = NULL;
    this_process.is_described = false;
    this_process.is_published = false;
}
