/* SPDX-License-Identifier: Apache-2.0 */
/* Records for journals in tests, and a storage of one file in memory whose calls may fail. */
#ifndef LAM_TESTS_JOURNAL_SAMPLE_H
#define LAM_TESTS_JOURNAL_SAMPLE_H

#include <lamella/dremel.h>
#include <lamella/storage.h>

#include "base/buffer.h"
#include "log/journal/journal_write.h"
#include "support/random.h"

/* --- A storage ----------------------------------------------------------------------------- */

/* Zero it, set what is to fail, and free it at the end. */
typedef struct lam_journal_store {
    size_t fail_at;  /* the call that fails, from 1, be it create, append, sync, truncate,
                       sync_folder or remove; 0: none. An append leaves half of its bytes. */
    bool fails_full; /* it finds the disk full */
    size_t calls;    /* so far, the failed one included */
    lam_buffer bytes;
    bool exists;
    bool open;
    size_t appends;
    size_t syncs;
    size_t truncates;
    size_t removes;
    size_t folder_syncs;
    char path[64];
    char folder[64]; /* that was synced last */
} lam_journal_store;

lam_storage lam_journal_store_storage(lam_journal_store *store);
lam_input lam_journal_store_input(const lam_journal_store *store);
void lam_journal_store_free(lam_journal_store *store);

/* --- Records ------------------------------------------------------------------------------- */

extern const uint8_t lam_journal_sample_id[LAM_JOURNAL_ID_SIZE]; /* 0, 1, 2, ... */

typedef struct lam_journal_sample {
    lam_schema *schema;
    lam_arena arena;
    lam_shredder *shredder;
    size_t record_count;
} lam_journal_sample;

/* Makes records; `presence` of 100 optional fields are there. The schema is the sample's own. */
void lam_journal_sample_init(lam_journal_sample *sample, lam_schema *schema, size_t record_count,
                             unsigned presence, lam_random *random);
void lam_journal_sample_free(lam_journal_sample *sample);

/* The columns of some records, borrowed until the sample is freed. */
lam_triples *lam_journal_sample_columns(lam_journal_sample *sample, size_t first, size_t count);

/* Whether columns are those of these records. */
bool lam_journal_sample_equals(lam_journal_sample *sample, size_t first, size_t count,
                               const lam_triples *columns);

/* Adds these records to a journal, as rows and records of the same numbers. */
lam_status lam_journal_sample_add(lam_journal_sample *sample, lam_journal_writer *writer,
                                  uint32_t file, size_t first, size_t count, lam_error *error);

/* --- Journals ------------------------------------------------------------------------------ */

enum { LAM_JOURNAL_MIXED_FILES = 3, LAM_JOURNAL_MIXED_BATCHES = 40 };

/* What a journal has: files, each with a sample of its own, and batches of their records. */
typedef struct lam_journal_mixed {
    lam_journal_store store;
    size_t file_count;
    uint8_t ids[LAM_JOURNAL_MIXED_FILES][LAM_JOURNAL_ID_SIZE];
    lam_journal_sample samples[LAM_JOURNAL_MIXED_FILES];
    size_t batch_count;
    struct {
        size_t file;
        size_t first;
        size_t count;
        size_t end; /* offset in the journal */
    } batches[LAM_JOURNAL_MIXED_BATCHES];
} lam_journal_mixed;

/* The path of a file in it. */
const char *lam_journal_mixed_path(size_t file);

/* Batches of all files in any order; each file's rows are consecutive. With a depth of 0 all files
 * have one small schema, otherwise any. */
void lam_journal_mixed_init(lam_journal_mixed *j, lam_random *random, size_t depth_max);
void lam_journal_mixed_finish(lam_journal_mixed *j);

/* A journal of one file, written by hand. */
typedef struct lam_journal_single {
    lam_journal_store store;
    lam_journal_sample sample;
    lam_journal_writer *writer;
    uint32_t file;
} lam_journal_single;

extern const uint8_t lam_journal_single_id[LAM_JOURNAL_ID_SIZE]; /* of its file */

void lam_journal_single_init(lam_journal_single *s, size_t record_count, const uint8_t *log_id);
/* Adds records and flushes; the number of bytes of the journal then. */
size_t lam_journal_single_add(lam_journal_single *s, size_t first, size_t count);
void lam_journal_single_finish(lam_journal_single *s);

#endif
