/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the journal that has rows of a file. */
#ifndef LAM_LOG_JOURNAL_JOURNAL_SEARCH_H
#define LAM_LOG_JOURNAL_JOURNAL_SEARCH_H

#include <lamella/storage.h>

#include "base/buffer.h"
#include "log/journal/journal_frame.h"

/* A journal, and the id that the file has there. */
typedef struct lam_journal_found {
    lam_buffer path; /* NUL-terminated; empty: none */
    uint8_t file_id[LAM_JOURNAL_ID_SIZE];
    lam_schema *schema; /* of the file, to be destroyed; or NULL */
    lam_arena arena;
    lam_meta_key_value_list key_values; /* for its footer, in the arena */
    bool has_ended;                     /* the file was final: it needs no replay */
    bool has_unreadable; /* one of the file's log was passed over: it may have rows of the file */
} lam_journal_found;

void lam_journal_found_init(lam_journal_found *found, const lam_allocator *allocator);
void lam_journal_found_finish(lam_journal_found *found);

/*
 * Searches for a journal that mentions the file with the final path `path`, in its folder, and
 * above that while folders are named NAME=VALUE. The one with the most rows of the file is taken. A
 * journal is of this user, or of the owner of the file that `original` reads (a zeroed one: none).
 * Files that are no journals are passed over.
 */
lam_status lam_journal_search(const lam_storage *storage, const char *path,
                              const lam_input *original, lam_journal_found *found,
                              lam_error *error);

#endif
