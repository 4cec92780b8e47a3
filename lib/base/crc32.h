/* SPDX-License-Identifier: Apache-2.0 */
/* The CRC-32 of gzip, the checksum of pages. (parquet.thrift, PageHeader.crc) */
#ifndef LAM_BASE_CRC32_H
#define LAM_BASE_CRC32_H

#include <stddef.h>
#include <stdint.h>

/* Continues `crc` over more bytes; start with 0. `data` may be NULL when `size` is 0. */
uint32_t lam_crc32(uint32_t crc, const void *data, size_t size);

#endif
