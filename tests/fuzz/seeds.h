/* SPDX-License-Identifier: Apache-2.0 */
/* The seed corpus: one folder per target, and one for all targets of files, made by the project's
 * own writer and encoders. */
#ifndef LAM_FUZZ_SEEDS_H
#define LAM_FUZZ_SEEDS_H

#include "base/buffer.h"

/* Writes `bytes` to the next file of a folder; ends the program when it cannot. */
void lam_seed_write(const char *folder, lam_bytes bytes);

/* Ends the program when a status is not OK. */
void lam_seed_check(lam_status status, const char *what, const lam_error *error);
#define LAM_SEED_TRY(call)                                                                         \
    do {                                                                                           \
        lam_error error = lam_error_none();                                                        \
        lam_seed_check((call), #call, &error);                                                     \
    } while (0)

/* Message texts, NULL at the end. */
extern const char *const lam_seed_schemas[];

void lam_seed_files(void);  /* files, for every target of files; their heads: metadata */
void lam_seed_values(void); /* levels, decoder, encoder, codec */
void lam_seed_texts(void);  /* schema, json_reader, json_inference */
void lam_seed_arrow(void);  /* arrow_schema */
void lam_seed_arrow_plan(void);
void lam_seed_arrow_write(void);
void lam_seed_contents(void);
void lam_seed_csv_header(void);
void lam_seed_folder(void);
void lam_seed_journal(void);
void lam_seed_recover(void);
void lam_seed_union(void);
void lam_seed_variants(void); /* variant, variant_shred */

#endif
