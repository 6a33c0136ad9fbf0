#include "coll_mtree/control/exchange.h"

#include "coll_mtree/transport/transport.h"

#include "schedule/inbox.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { TAG_SAID, TAG_NUMBERS, TAG_TEXT };

/* A rank's parent lacks the lowest digit, to this base, that is not 0. */
#define BASE 8

#define FIRST_HOST 3

/* Numbers that a locality takes. */
#define LOCALITY_NUMBERS (sizeof(mtree_locality_t) / sizeof(int))

/* A message whose length both ends know: in parts as long as messages may be, one after
 * the other. */
typedef struct {
    mtree_event_t event;                       /* of the part; must be first */
    void (*came)(coll_mtree_exchange_t *talk); /* when all has come; NULL: it is sent */
    int rank, tag;
    char *bytes;
    size_t left;
} letter_t;

typedef struct {
    int rank;
    letter_t said, numbers, text;
} child_t;

struct coll_mtree_exchange {
    mtree_inbox_t inbox;
    coll_mtree_transport_t transport;
    coll_mtree_exchange_decide_t decide;
    coll_mtree_exchange_end_t end;
    void *arg;
    int rank, ranks;
    int parent; /* -1 on rank 0 */
    int num_children;
    child_t *child; /* [num_children] in the order of their ranks */
    mtree_event_t open;
    letter_t said_up, numbers_down, text_down;
    size_t longest;  /* of a message's bytes */
    size_t missing;  /* of what rank 0 decides on, or a rank sends up */
    size_t underway; /* messages; and the opening */
    mtree_status_t status;
    bool ended;
    bool with_hosts;   /* the ranks say where they are, and rank 0 who is where */
    size_t said_bytes; /* by each rank */
    char *said;        /* by this rank and those below it, in order; or NULL */
    /* The length of the text, the number of hosts, the plan's forecast; from FIRST_HOST
     * on the hosts of the ranks, and behind them their localities. */
    int *numbers;
    size_t num_numbers;
    char *text;
};

/* Nothing new is started after an error. */
static void talk_fail(coll_mtree_exchange_t *talk, mtree_status_t status)
{
    if (talk->status == MTREE_OK) {
        talk->status = status;
    }
}

static coll_mtree_exchange_t *inbox_talk(mtree_inbox_t *inbox)
{
    return (coll_mtree_exchange_t *)((char *)inbox -
                                     offsetof(coll_mtree_exchange_t, inbox));
}

/* One message less is under way; the talk, or NULL when it has failed. */
static coll_mtree_exchange_t *talk_of_event(mtree_event_t *event)
{
    coll_mtree_exchange_t *talk = inbox_talk(event->inbox);

    talk->underway--;
    if (event->status != MTREE_OK) {
        talk_fail(talk, event->status);
    }
    return talk->status == MTREE_OK ? talk : NULL;
}

static void letter_moved(mtree_event_t *event);

static void letter_go(coll_mtree_exchange_t *talk, letter_t *letter)
{
    mtree_transport_t *transport = &talk->transport.super;
    size_t length = letter->left < talk->longest ? letter->left : talk->longest;
    char *bytes = letter->bytes;
    mtree_status_t status;

    letter->bytes += length;
    letter->left -= length;
    mtree_event_init(&letter->event, &talk->inbox, letter_moved);
    talk->underway++;
    status = letter->came == NULL
                 ? transport->ops->send(transport, letter->rank, letter->tag, bytes,
                                        length, false, &letter->event.completion)
                 : transport->ops->recv(transport, letter->rank, letter->tag, bytes,
                                        length, &letter->event.completion);
    if (status != MTREE_OK) {
        talk->underway--;
        talk_fail(talk, status);
    }
}

static void letter_moved(mtree_event_t *event)
{
    coll_mtree_exchange_t *talk = talk_of_event(event);
    letter_t *letter = (letter_t *)event;

    if (talk == NULL) {
        return;
    }
    if (letter->left > 0) {
        letter_go(talk, letter);
    } else if (letter->came != NULL) {
        letter->came(talk);
    }
}

/* Begin to send, or where @a came is given to receive, @a length bytes. */
static void talk_post(coll_mtree_exchange_t *talk, letter_t *letter,
                      void (*came)(coll_mtree_exchange_t *talk), int rank, int tag,
                      void *bytes, size_t length)
{
    if (talk->status == MTREE_OK) {
        letter->came = came;
        letter->rank = rank;
        letter->tag = tag;
        letter->bytes = bytes;
        letter->left = length;
        letter_go(talk, letter);
    }
}

static void talk_forward_text(coll_mtree_exchange_t *talk)
{
    for (int i = 0; i < talk->num_children; i++) {
        talk_post(talk, &talk->child[i].text, NULL, talk->child[i].rank, TAG_TEXT,
                  talk->text, (size_t)talk->numbers[0]);
    }
}

static void talk_forward_numbers(coll_mtree_exchange_t *talk)
{
    for (int i = 0; i < talk->num_children; i++) {
        talk_post(talk, &talk->child[i].numbers, NULL, talk->child[i].rank, TAG_NUMBERS,
                  talk->numbers, talk->num_numbers * sizeof(int));
    }
}

static void numbers_came(coll_mtree_exchange_t *talk)
{
    talk_forward_numbers(talk);
    if (talk->numbers[0] > 0) {
        talk->text = malloc((size_t)talk->numbers[0]);
        if (talk->text == NULL) {
            talk_fail(talk, MTREE_ERR_NO_MEMORY);
            return;
        }
        talk_post(talk, &talk->text_down, talk_forward_text, talk->parent, TAG_TEXT,
                  talk->text, (size_t)talk->numbers[0]);
    }
}

/* What a rank's lowest digit that is not 0 counts; rank 0: not less than all ranks. */
static int64_t talk_unit(const coll_mtree_exchange_t *talk, int rank)
{
    int64_t unit = 1;

    while (unit < talk->ranks && rank / unit % BASE == 0) {
        unit *= BASE;
    }
    return unit;
}

/* Ranks below this one, itself included: they follow one another. */
static size_t talk_below(const coll_mtree_exchange_t *talk, int rank)
{
    int64_t most = talk_unit(talk, rank);

    return (size_t)(most < talk->ranks - rank ? most : talk->ranks - rank);
}

/* One thing less is missing. */
static void talk_gather(coll_mtree_exchange_t *talk)
{
    if (--talk->missing > 0) {
        return;
    }
    if (talk->rank == 0) {
        talk->decide(talk, talk->said, talk->arg);
    } else if (talk->said != NULL) {
        talk_post(talk, &talk->said_up, NULL, talk->parent, TAG_SAID, talk->said,
                  talk_below(talk, talk->rank) * talk->said_bytes);
    }
}

static void opened(mtree_event_t *event)
{
    coll_mtree_exchange_t *talk = talk_of_event(event);

    if (talk != NULL && talk->rank == 0) {
        talk_gather(talk);
    }
}

/* Where the localities of the ranks are in the numbers. */
static mtree_locality_t *talk_localities(coll_mtree_exchange_t *talk)
{
    return (mtree_locality_t *)(void *)(talk->numbers + FIRST_HOST + talk->ranks);
}

void coll_mtree_exchange_answer(coll_mtree_exchange_t *talk, int num_hosts,
                                const int *hosts, const char *text,
                                mtree_forecast_t forecast)
{
    size_t length = text == NULL ? 0 : strlen(text);

    if (length > 0 && length < INT_MAX) {
        talk->text = malloc(length);
    }
    /* Without memory there is no plan, on any rank. */
    if (text != NULL && talk->text != NULL) {
        memcpy(talk->text, text, length);
        talk->numbers[0] = (int)length;
    }
    talk->numbers[1] = num_hosts;
    talk->numbers[2] = mtree_forecast_encode(forecast);
    if (talk->with_hosts && hosts != NULL) {
        const coll_mtree_host_t *said = (const void *)talk->said;

        memcpy(talk->numbers + FIRST_HOST, hosts, (size_t)talk->ranks * sizeof(int));
        for (int rank = 0; rank < talk->ranks; rank++) {
            talk_localities(talk)[rank] = said[rank].locality;
        }
    }
    talk_forward_numbers(talk);
    if (talk->numbers[0] > 0) {
        talk_forward_text(talk);
    }
}

static void talk_tell_end(coll_mtree_exchange_t *talk)
{
    coll_mtree_answer_t answer = {
        .num_hosts = talk->numbers[1],
        .hosts = talk->with_hosts ? talk->numbers + FIRST_HOST : NULL,
        .localities = talk->with_hosts ? talk_localities(talk) : NULL,
        .text = talk->text,
        .length = (size_t)talk->numbers[0],
        .forecast = mtree_forecast_decode(talk->numbers[2]),
        .code = coll_mtree_transport_code(&talk->transport, talk->status)};

    talk->ended = true;
    talk->end(talk, &answer, talk->arg);
}

static void talk_free(coll_mtree_exchange_t *talk)
{
    free(talk->child);
    free(talk->said);
    free(talk->numbers);
    free(talk->text);
    free(talk);
}

/* One that has failed ends at once; messages that stay under way keep its memory. */
static bool talk_idle(mtree_inbox_t *inbox)
{
    coll_mtree_exchange_t *talk = inbox_talk(inbox);

    if (talk->status != MTREE_OK && !talk->ended && talk->underway > 0) {
        talk_tell_end(talk);
    }
    return talk->underway == 0;
}

static void talk_finish(mtree_inbox_t *inbox)
{
    coll_mtree_exchange_t *talk = inbox_talk(inbox);

    if (!talk->ended) {
        talk_tell_end(talk);
    }
    talk_free(talk);
}

/* False: no memory. */
static bool talk_init_tree(coll_mtree_exchange_t *talk)
{
    int64_t unit = talk_unit(talk, talk->rank);
    size_t most = 0;

    for (int64_t below = 1; below < unit; below *= BASE) {
        most += BASE - 1;
    }
    talk->parent =
        talk->rank == 0 ? -1 : (int)(talk->rank - talk->rank / unit % BASE * unit);
    talk->child = calloc(most > 0 ? most : 1, sizeof(*talk->child));
    if (talk->child == NULL) {
        return false;
    }
    for (int64_t below = 1; below < unit; below *= BASE) {
        for (int digit = 1; digit < BASE; digit++) {
            int64_t child = talk->rank + digit * below;

            if (child < talk->ranks) {
                talk->child[talk->num_children++].rank = (int)child;
            }
        }
    }
    return true;
}

static coll_mtree_exchange_t *talk_alloc(const mca_coll_mtree_module_t *module,
                                         ompi_communicator_t *comm, bool with_hosts,
                                         size_t bytes)
{
    coll_mtree_exchange_t *talk = calloc(1, sizeof(*talk));

    if (talk == NULL) {
        return NULL;
    }
    talk->rank = ompi_comm_rank(comm);
    talk->ranks = ompi_comm_size(comm);
    talk->longest = module->longest_bytes;
    talk->with_hosts = with_hosts;
    talk->said_bytes = bytes;
    talk->num_numbers =
        FIRST_HOST + (with_hosts ? (size_t)talk->ranks * (1 + LOCALITY_NUMBERS) : 0);
    talk->numbers = calloc(talk->num_numbers, sizeof(int));
    if (bytes > 0) {
        talk->said = calloc(talk_below(talk, talk->rank), bytes);
    }
    if (!talk_init_tree(talk) || talk->numbers == NULL ||
        (bytes > 0 && talk->said == NULL)) {
        talk_free(talk);
        return NULL;
    }
    return talk;
}

/* Hear what the ranks below say; what this one says is there. */
static void talk_listen(coll_mtree_exchange_t *talk)
{
    for (int i = 0; i < talk->num_children; i++) {
        child_t *child = &talk->child[i];

        talk_post(talk, &child->said, talk_gather, child->rank, TAG_SAID,
                  talk->said + (size_t)(child->rank - talk->rank) * talk->said_bytes,
                  talk_below(talk, child->rank) * talk->said_bytes);
    }
    /* A leaf has nothing to wait for. */
    if (talk->missing == 0) {
        talk->missing = 1;
        talk_gather(talk);
    }
}

/* Start; what this rank says is there. */
static void talk_begin(coll_mtree_exchange_t *talk, ompi_communicator_t *comm,
                       int first_tag, coll_mtree_exchange_decide_t decide,
                       coll_mtree_exchange_end_t end, void *arg)
{
    coll_mtree_transport_init(&talk->transport, comm, MPI_BYTE, first_tag);
    mtree_inbox_init(&talk->inbox, talk_idle, talk_finish);
    talk->decide = decide;
    talk->end = end;
    talk->arg = arg;
    /* What the ranks below say, and on rank 0 the opening. */
    talk->missing =
        (talk->rank == 0) + (talk->said != NULL ? (size_t)talk->num_children : 0);
    mtree_event_init(&talk->open, &talk->inbox, opened);
    talk->underway = 1;
    if (talk->rank > 0) {
        talk_post(talk, &talk->numbers_down, numbers_came, talk->parent, TAG_NUMBERS,
                  talk->numbers, talk->num_numbers * sizeof(int));
    }
    if (talk->said != NULL) {
        talk_listen(talk);
    }
    mtree_inbox_open(&talk->inbox);
}

coll_mtree_exchange_t *coll_mtree_exchange_start(const mca_coll_mtree_module_t *module,
                                                 ompi_communicator_t *comm, int first_tag,
                                                 bool with_hosts,
                                                 coll_mtree_exchange_decide_t decide,
                                                 coll_mtree_exchange_end_t end, void *arg)
{
    coll_mtree_exchange_t *talk =
        talk_alloc(module, comm, with_hosts, with_hosts ? sizeof(coll_mtree_host_t) : 0);

    if (talk != NULL) {
        if (with_hosts) {
            coll_mtree_host_describe((coll_mtree_host_t *)(void *)talk->said);
        }
        talk_begin(talk, comm, first_tag, decide, end, arg);
    }
    return talk;
}

coll_mtree_exchange_t *
coll_mtree_exchange_start_with(const mca_coll_mtree_module_t *module,
                               ompi_communicator_t *comm, int first_tag, const void *mine,
                               size_t bytes, coll_mtree_exchange_decide_t decide,
                               coll_mtree_exchange_end_t end, void *arg)
{
    coll_mtree_exchange_t *talk = talk_alloc(module, comm, false, bytes);

    if (talk != NULL) {
        if (talk->said != NULL) {
            memcpy(talk->said, mine, bytes);
        }
        talk_begin(talk, comm, first_tag, decide, end, arg);
    }
    return talk;
}

void coll_mtree_exchange_open(coll_mtree_exchange_t *talk)
{
    talk->open.completion.func(&talk->open.completion, MTREE_OK);
}
