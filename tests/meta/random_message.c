/* SPDX-License-Identifier: Apache-2.0 */
/* Apart from any_message.c, which programs without Criterion link. */
#include "meta/any_message.h"
#include "meta/meta_tree.h"
#include "meta/page_header.h"

void lam_test_message_random(lam_random *random, const lam_test_message *message,
                             unsigned abundance, lam_arena *arena, lam_test_any *ret) {
    lam_meta_tree_random(random, message->table, abundance, arena, ret);
    if (message->table != &lam_meta_page_header_table)
        return;
    lam_meta_page_header *header = &ret->page_header;
    if (lam_page_header_check(header, NULL) == LAM_STATUS_OK)
        return;
    header->type = header->data_page_header != NULL         ? LAM_PAGE_DATA
                   : header->data_page_header_v2 != NULL    ? LAM_PAGE_DATA_V2
                   : header->dictionary_page_header != NULL ? LAM_PAGE_DICTIONARY
                                                            : LAM_PAGE_INDEX;
}
