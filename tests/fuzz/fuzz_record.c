/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What somebody without the key may send over an encrypted connection: before each piece
 * there is a byte with its length.  Nothing of it is taken for data.
 */
#include "tests/fuzz/fuzz.h"

#include "tcp/sealed.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const mtree_record_keys_t keys = {{{1}}, {{2}}};
    mtree_sealed_t *sealed;
    unsigned char bytes[64];
    const struct iovec part = {bytes, sizeof(bytes)};
    int pair[2];

    fuzz_start();
    if (!mtree_crypto_is_supported()) {
        return 0;
    }
    sealed = mtree_sealed_create(&keys);
    if (sealed == NULL ||
        socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair) != 0) {
        abort();
    }
    while (size > 0) {
        size_t length = data[0] < size - 1 ? data[0] : size - 1;

        (void)send(pair[1], data + 1, length, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (mtree_sealed_read(sealed, pair[0], &part, 1) >= 0 ||
            (errno != EAGAIN && errno != MTREE_SEALED_ERRNO)) {
            abort();
        }
        data += 1 + length;
        size -= 1 + length;
    }
    mtree_sealed_destroy(sealed);
    (void)close(pair[0]);
    (void)close(pair[1]);
    return 0;
}
