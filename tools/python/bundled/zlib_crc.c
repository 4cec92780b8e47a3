/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checksums of zlib inside of a wheel are those of libdeflate, which is there, too: its own have
 * 17 KB of tables.
 */
#include <libdeflate.h>
#include <zlib.h>

uLong crc32(uLong crc, const Bytef *data, uInt size) {
    return data == NULL ? 0 : libdeflate_crc32((uint32_t)crc, data, size);
}

uLong adler32(uLong adler, const Bytef *data, uInt size) {
    return data == NULL ? 1 : libdeflate_adler32((uint32_t)adler, data, size);
}
