/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/transport/packing.h"

#include "opal/datatype/opal_convertor.h"

/* Longer than two basic elements of any datatype. */
#define SPARE_BYTES 128

/* Of a basic element that Open MPI unpacks a part of, by way of its stack. */
#define MOST_CUT_BYTES 16

bool coll_mtree_elements_are_packed(const coll_mtree_elements_t *elements)
{
    return ompi_datatype_is_contiguous_memory_layout(elements->type,
                                                     elements->count > 1 ? 2 : 1);
}

/*
 * A convertor at byte @a offset of the packed image; for packing, up to one basic element
 * before.  Each part has a new one, because Open MPI's convertors are wrong after they
 * are positioned a second time.  Returns its offset.
 */
static size_t convertor_init(const coll_mtree_elements_t *elements, size_t offset,
                             bool pack, opal_convertor_t *convertor)
{
    OBJ_CONSTRUCT(convertor, opal_convertor_t);
    if (pack) {
        opal_convertor_copy_and_prepare_for_send(ompi_mpi_local_convertor,
                                                 &elements->type->super, elements->count,
                                                 elements->address, 0, convertor);
    } else {
        opal_convertor_copy_and_prepare_for_recv(ompi_mpi_local_convertor,
                                                 &elements->type->super, elements->count,
                                                 elements->address, 0, convertor);
    }
    opal_convertor_set_position(convertor, &offset);
    return offset;
}

/* Pack up to @a length bytes from the convertor's position; how many. */
static size_t convertor_pack(opal_convertor_t *convertor, void *bytes, size_t length)
{
    struct iovec iov = {.iov_base = bytes, .iov_len = length};
    uint32_t num_iovs = 1;
    size_t done = length;

    opal_convertor_pack(convertor, &iov, &num_iovs, &done);
    return done;
}

/*
 * Open MPI packs whole basic elements only: it begins at the start of one, and stops
 * before one that does not fit.  Elements that a part's ends cut are packed into `spare`.
 */
void coll_mtree_pack(const coll_mtree_elements_t *elements, size_t offset, void *bytes,
                     size_t length)
{
    char *to = bytes;

    while (length > 0) {
        opal_convertor_t convertor;
        char spare[SPARE_BYTES];
        size_t before = offset - convertor_init(elements, offset, true, &convertor);
        size_t done = before == 0 ? convertor_pack(&convertor, to, length) : 0;

        if (done == 0) {
            done = convertor_pack(&convertor, spare, sizeof(spare)) - before;
            done = done < length ? done : length;
            memcpy(to, spare + before, done);
        }
        OBJ_DESTRUCT(&convertor);
        to += done;
        offset += done;
        length -= done;
    }
}

bool coll_mtree_elements_are_long(const coll_mtree_elements_t *elements)
{
    const opal_datatype_t *type = &elements->type->super;

    for (int basic = 0; basic < OPAL_DATATYPE_MAX_PREDEFINED; basic++) {
        if ((type->bdt_used >> basic & 1) != 0 &&
            opal_datatype_basicDatatypes[basic]->size > MOST_CUT_BYTES) {
            return true;
        }
    }
    return false;
}

void coll_mtree_unpack(const coll_mtree_elements_t *elements, size_t offset,
                       const void *bytes, size_t length)
{
    struct iovec iov = {.iov_base = (void *)bytes, .iov_len = length};
    opal_convertor_t convertor;
    uint32_t num_iovs = 1;
    size_t done = length;

    (void)convertor_init(elements, offset, false, &convertor);
    opal_convertor_unpack(&convertor, &iov, &num_iovs, &done);
    OBJ_DESTRUCT(&convertor);
}
