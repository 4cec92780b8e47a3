/*
 * What comes in is a footer, what goes out is whether is_compressed of its V2 pages can be
 * believed. (parquet.thrift, DataPageHeaderV2.is_compressed)
 *
 * Arrow before 3.0 (ARROW-10353; for readers ARROW-17100) left is_compressed false in pages without
 * a dictionary, and compressed them. It called itself "parquet-cpp version 1.5.1-SNAPSHOT" then,
 * and so did 3.0, which says what is true; both compress every page that has a codec. Later
 * versions are "parquet-cpp-arrow".
 */
#include "meta/hidden_compression.h"

#include <string.h>

bool lam_meta_hides_compression(const lam_meta_file *file) {
    static const char start[] = "parquet-cpp version ";
    const lam_bytes by = file->created_by;
    return (file->has & LAM_META_FILE_HAS_CREATED_BY) != 0 && by.size >= sizeof start - 1 &&
           memcmp(by.data, start, sizeof start - 1) == 0;
}
