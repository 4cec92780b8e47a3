/* SPDX-License-Identifier: Apache-2.0 */
/* A Parquet file as fuzz input, whose first four bytes choose how it is read. */
#include "fuzz/any_file.h"

#include <lamella/reader.h>
#include <stdlib.h>

#include "fuzz/harness.h"

enum { MAGIC = 4, USUAL_LIMIT = 4 << 20, SMALL_LIMIT = 16 << 10, MANY_LEAVES = 16 };

bool lam_fuzz_file_judge(const lam_fuzz_file *file, lam_status status, const lam_error *error) {
    unsigned allowed = LAM_FUZZ_OF_FILE;
    /* The limit holds for each open column, so that many of them may need more than there is. */
    if (file->reader != NULL &&
        lam_schema_leaf_count(lam_reader_schema(file->reader)) > MANY_LEAVES)
        allowed |= 1 << LAM_STATUS_NOMEM;
    return lam_fuzz_judge(status, error, allowed);
}

void lam_fuzz_file_open(lam_fuzz_file *file, const uint8_t *data, size_t size) {
    lam_fuzz_input whole = {data, size}, front = {data, size < MAGIC ? size : MAGIC};
    lam_bytes bytes;
    file->bytes = lam_fuzz_rest(&whole, &bytes);
    file->size = size;
    file->choice = (unsigned)lam_fuzz_number(&front, 1);
    file->seed = (uint32_t)lam_fuzz_number(&front, 3);
    file->reader = NULL;
    if (size >= MAGIC)
        memcpy(file->bytes, "PAR1", MAGIC);
    lam_allocator allocator = lam_fuzz_allocator();
    lam_reader_options options = lam_reader_options_default();
    options.allocator = &allocator;
    options.page_crc = (file->choice & LAM_FUZZ_FILE_NO_CRC) ? LAM_SWITCH_OFF : LAM_SWITCH_ON;
    options.memory_limit = file->choice & LAM_FUZZ_FILE_SMALL_LIMIT ? SMALL_LIMIT : USUAL_LIMIT;
    lam_input input = lam_input_memory(file->bytes, size);
    if (file->choice & LAM_FUZZ_FILE_NO_BORROW)
        input.borrow = NULL;
    lam_error error = lam_error_none();
    lam_reader *reader = NULL;
    file->opened = lam_reader_open(&input, &options, &reader, &error);
    if (lam_fuzz_file_judge(file, file->opened, &error))
        file->reader = reader;
    lam_input_close(&input);
}

void lam_fuzz_file_close(lam_fuzz_file *file) {
    lam_reader_close(file->reader);
    free(file->bytes);
}
