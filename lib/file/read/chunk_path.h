/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks whether a column chunk is where it belongs. The chunks of a row group are in the order of
 * the leaves (parquet.thrift, RowGroup.columns), and each names its column
 * (ColumnMetaData.path_in_schema).
 */
#ifndef LAM_FILE_READ_CHUNK_PATH_H
#define LAM_FILE_READ_CHUNK_PATH_H

#include <lamella/schema.h>

#include "meta/metadata.h"

/*
 * CORRUPT if the path is that of another column of the schema. A path that no column has is
 * ignored: some writers split names at dots, and some programs rename columns in the schema alone.
 */
lam_status lam_chunk_path_check(const lam_meta_bytes_list *path, const lam_field *leaf,
                                lam_error *error);

#endif
