/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What comes over a control channel of a relay: messages, and calls that begin in them.
 * Whatever is read is written the same, and what is taken lies within the bytes.
 */
#include "tests/fuzz/fuzz.h"

#include "relay/channel.h"
#include "relay/greeting.h"
#include "relay/plan.h"

#include <string.h>

static void expect_start(const mtree_relay_message_t *message)
{
    unsigned char bytes[2][MTREE_RELAY_START_BYTES];
    mtree_relay_start_t start, again;

    if (mtree_relay_start_read(message->bytes, message->length, &start) != MTREE_OK) {
        return;
    }
    mtree_relay_start_write(&start, bytes[0]);
    fuzz_expect(mtree_relay_start_read(bytes[0], sizeof(bytes[0]), &again) == MTREE_OK);
    mtree_relay_start_write(&again, bytes[1]);
    fuzz_expect(memcmp(bytes[0], bytes[1], sizeof(bytes[0])) == 0 &&
                mtree_relay_serves(&start.call));
}

static void expect_hello(const uint8_t *data)
{
    unsigned char bytes[MTREE_TCP_SAID];
    mtree_relay_hello_t hello;

    if (mtree_relay_hello_read(data, &hello) == MTREE_OK) {
        mtree_relay_hello_write(&hello, bytes);
        fuzz_expect(memcmp(bytes, data, sizeof(bytes)) == 0);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    mtree_relay_message_t message;
    size_t taken;

    fuzz_start();
    if (size >= MTREE_TCP_SAID) {
        expect_hello(data);
    }
    while (mtree_relay_message_read(data, size, &message, &taken) > 0) {
        fuzz_expect(taken <= size && message.bytes >= data &&
                    message.bytes + message.length <= data + taken);
        if (message.kind == MTREE_RELAY_START) {
            expect_start(&message);
        }
        data += taken;
        size -= taken;
    }
    return 0;
}
