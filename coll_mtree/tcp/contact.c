/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/tcp/contact.h"

#include "coll_mtree/base/params.h"
#include "coll_mtree/tcp/sockets.h"

#include <stdatomic.h>
#include <string.h>

_Static_assert(MTREE_TCP_ADDRESSES == COLL_MTREE_HOST_ADDRESSES, "a host's addresses");
_Static_assert(MTREE_TCP_ADDRESSES >= MTREE_TOPOLOGY_MAX_CABLES, "a link's cables");

static struct {
    mtree_tcp_listener_t *listener; /* NULL: nobody is expected */
    coll_mtree_contact_t contact;   /* its secret is drawn once */
    bool is_drawn, is_described;
    atomic_bool is_published; /* what others may connect to; read without a lock */
} this_process;

static void describe(coll_mtree_contact_t *contact, const char *host,
                     const mtree_address_t addresses[MTREE_TCP_ADDRESSES])
{
    memcpy(contact->host, host, sizeof(contact->host));
    memcpy(contact->addresses, addresses, sizeof(contact->addresses));
    contact->num_addresses = 0;
    while (contact->num_addresses < MTREE_TCP_ADDRESSES &&
           addresses[contact->num_addresses].family != AF_UNSPEC) {
        contact->num_addresses++;
    }
}

/* Without a secret, or a port that is free, nobody listens. */
static void begin_to_listen(void)
{
    mtree_tcp_ports_t ports;

    this_process.is_drawn = this_process.is_drawn ||
                            mtree_crypto_draw(&this_process.contact.secret,
                                              sizeof(mtree_tcp_secret_t)) == MTREE_OK;
    if (coll_mtree_listening_ports(&ports) && this_process.is_drawn) {
        this_process.listener = mtree_tcp_listener_create(&ports);
    }
    this_process.contact.port = mtree_tcp_listener_port(this_process.listener);
}

void coll_mtree_contact_publish(double trip)
{
    coll_mtree_published_t *own = coll_mtree_modex_own();

    own->tcp.trip = trip;
    if (coll_mtree_params.encrypt || coll_mtree_survives() ||
        coll_mtree_params_topology() == COLL_MTREE_TOPOLOGY_NONE ||
        coll_mtree_ports_are_shared()) {
        return;
    }
    begin_to_listen();
    own->tcp.port = this_process.contact.port;
    own->tcp.secret = this_process.contact.secret;
    this_process.is_published = this_process.listener != NULL;
}

const coll_mtree_contact_t *coll_mtree_contact_own(void)
{
    /* As Open MPI's transports have chosen by now. */
    if (!this_process.is_described) {
        const coll_mtree_host_t *host = &coll_mtree_modex_own()->host;
        mtree_address_t addresses[MTREE_TCP_ADDRESSES];

        this_process.is_described = true;
        (void)coll_mtree_host_addresses(addresses);
        describe(&this_process.contact, host->name, addresses);
        this_process.is_published =
            memcmp(addresses, host->addresses, sizeof(addresses)) == 0 &&
            this_process.is_published;
    }
    if (this_process.listener == NULL) {
        begin_to_listen();
    }
    return &this_process.contact;
}

/* Of @a rank in MPI_COMM_WORLD, which sessions may be without. */
static bool find_published(int rank, coll_mtree_published_t *published)
{
    const opal_process_name_t name = {.jobid = OPAL_PROC_MY_NAME.jobid,
                                      .vpid = (opal_vpid_t)rank};

    return coll_mtree_modex_find(&name, published);
}

double coll_mtree_contact_trip(void)
{
    coll_mtree_published_t first;

    return find_published(0, &first) ? first.tcp.trip : 0;
}

bool coll_mtree_contact_find(int rank, coll_mtree_contact_t *contact)
{
    coll_mtree_published_t theirs;

    if (!this_process.is_published || !find_published(rank, &theirs)) {
        return false;
    }
    contact->port = theirs.tcp.port;
    contact->secret = theirs.tcp.secret;
    describe(contact, theirs.host.name, theirs.host.addresses);
    return contact->port != 0 && contact->num_addresses > 0;
}

mtree_tcp_listener_t *coll_mtree_contact_listener(void)
{
    return this_process.listener;
}

const mtree_tcp_secret_t *coll_mtree_contact_secret(void)
{
    return &this_process.contact.secret;
}

void coll_mtree_contact_close(void)
{
    mtree_tcp_listener_destroy(this_process.listener);
    this_process.listener = NULL;
    this_process.is_described = false;
    this_process.is_published = false;
}
