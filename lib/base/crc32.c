/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Computes the CRC-32 of gzip (polynomial 04C11DB7, reflected) of bytes that come in one piece or
 * in several: the writer checksums the sections of a page one after the other, as they are in the
 * file. libdeflate selects the fastest version for the CPU.
 */
#include "base/crc32.h"

#include <libdeflate.h>

/* libdeflate returns 0, the initial value, for NULL: no bytes must leave `crc` as it is. */
uint32_t lam_crc32(uint32_t crc, const void *data, size_t size) {
    return size == 0 ? crc : libdeflate_crc32(crc, data, size);
}
