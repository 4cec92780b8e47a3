/* SPDX-License-Identifier: Apache-2.0 */
/* Everything of a file that is no page: footers, page indexes, Bloom filters, magic. */
#ifndef LAM_BYTE_MAP_FILE_INDEX_RANGES_H
#define LAM_BYTE_MAP_FILE_INDEX_RANGES_H

#include "byte_map/walk/byte_walk.h"

/* A column index or an offset index, by `kind`. */
lam_status lam_byte_index(lam_byte_walk *walk, lam_byte_kind kind, uint64_t begin, uint64_t size,
                          lam_error *error);
/* A Bloom filter: header and bitset. */
lam_status lam_byte_bloom(lam_byte_walk *walk, uint64_t begin, uint64_t size, lam_error *error);
/* A footer without length and magic; `note` may be NULL. */
lam_status lam_byte_footer(lam_byte_walk *walk, uint64_t begin, uint64_t size, const char *note,
                           lam_error *error);
/* FileCryptoMetaData and the footer that it encrypts. */
lam_status lam_byte_encrypted_footer(lam_byte_walk *walk, uint64_t begin, uint64_t size,
                                     lam_error *error);
/* The 8 bytes after a footer: its length and the magic. */
lam_status lam_byte_footer_tail(lam_byte_walk *walk, uint64_t begin, lam_error *error);
lam_status lam_byte_magic(lam_byte_walk *walk, uint64_t begin, lam_error *error);

#endif
