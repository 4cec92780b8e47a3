/* SPDX-License-Identifier: Apache-2.0 */
/* Chunks made by hand: pages one behind the other, without codec and checksum, right or wrong. */
#ifndef LAM_TESTS_HAND_MADE_H
#define LAM_TESTS_HAND_MADE_H

#include "chunk/chunk_sample.h"
#include "page/page.h"

typedef struct lam_hand_made {
    lam_chunk_sample sample; /* its bytes are set by the test */
    lam_buffer pages;
    lam_page_writer writer;
} lam_hand_made;

void lam_hand_made_start(lam_hand_made *made, const char *schema, int32_t version);
void lam_hand_made_finish(lam_hand_made *made);

void lam_hand_made_data(lam_hand_made *made, const lam_page_sections *sections);
void lam_hand_made_dictionary(lam_hand_made *made, uint32_t count, lam_bytes values);
/* A page of a type that is neither data nor dictionary. */
void lam_hand_made_other(lam_hand_made *made, int32_t type);

#endif
