/* SPDX-License-Identifier: BSD-3-Clause */
/* Apart from the rest: also for those that do not load libcrypto. */
#include "config/mtree_config.h"

#include "tcp/crypto.h"

bool mtree_crypto_is_supported(void)
{
#ifdef HAVE_LIBCRYPTO
    return true;
#else
    return false;
#endif
}
