/* SPDX-License-Identifier: Apache-2.0 */
/* Inputs of import that are Parquet files. */
#ifndef LAMELLA_TOOLS_IMPORT_PARQUET_H
#define LAMELLA_TOOLS_IMPORT_PARQUET_H

#include <lamella/dataset.h>
#include <lamella/reader.h>
#include <lamella/writer.h>

#include "import_choice.h"
#include "import_text.h"

/* The bytes of an input, which is copied in the same cases. */
lam_status import_parquet_bytes(tool_text *input, lam_input *ret_input, lam_error *error);
/* Opens an input, which is copied to a temporary file if it is packed or can be read only once. */
lam_status import_parquet_open(tool_text *input, lam_reader **ret_reader, lam_error *error);

/*
 * Unites the schemas of all inputs, and gives the reader of the first, too; both are the caller's.
 * On failure prints why and gives the exit status.
 */
int import_parquet_unite(tool_text *inputs, int count, lam_clash on_clash, lam_reader **ret_first,
                         lam_union **ret_all);

/* Adds the key-value metadata of an input, without the keys that --meta gives. */
lam_status import_parquet_metadata(const lam_reader *reader, const import_choices *choices,
                                   lam_writer *writer, lam_error *error);

/* Writes all records of a reader to a writer whose schema has the same shape. */
lam_status import_parquet_records(const lam_reader *reader, lam_writer *writer, lam_error *error);
/*
 * Writes all records of an input to a writer whose schema its own was united into. On failure
 * `*ret_is_input` says whether the input is at fault, and not the output.
 */
lam_status import_parquet_input(tool_text *input, lam_writer *writer, bool *ret_is_input,
                                lam_error *error);

#endif
