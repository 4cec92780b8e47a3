/*
 * The metadata that values are assembled with: it stays the same from record to record, mostly, and
 * is checked and put in order once. Names that it lacks can be added behind the ones it has, which
 * changes no id.
 */
#ifndef LAM_VARIANT_VARIANT_DICTIONARY_H
#define LAM_VARIANT_VARIANT_DICTIONARY_H

#include "base/buffer.h"
#include "variant/variant_layout.h"

typedef struct lam_variant_dictionary {
    lam_buffer original;          /* as it was given, but that it claims no order that is not so */
    uint8_t header;               /* its first byte as it was given */
    lam_buffer extended;          /* with names added; empty when none was */
    lam_buffer spare;             /* where it grows */
    lam_variant_names_view names; /* with those added */
    lam_variant_names_view given; /* without: what values may refer to */
    bool is_known;                /* `original` is valid */
    bool is_ordered;              /* there are ranks, or names that need none */
    lam_buffer order;             /* ids by name, and room to sort; of names that are not sorted */
    lam_buffer ranks;             /* by id; ids of one name have one rank */
} lam_variant_dictionary;

/* Allocates nothing yet. */
void lam_variant_dictionary_init(lam_variant_dictionary *dictionary,
                                 const lam_allocator *allocator);
void lam_variant_dictionary_finish(lam_variant_dictionary *dictionary);

/*
 * Makes it that of a metadata; `*ret_same` tells whether it is the one of the last call. CORRUPT,
 * UNSUPPORTED when it is none; NOMEM.
 */
lam_status lam_variant_dictionary_set(lam_variant_dictionary *dictionary, lam_bytes metadata,
                                      bool *ret_same, lam_error *error);

/* Puts the names in order, which `find` and `ranks` need. NOMEM. */
lam_status lam_variant_dictionary_order(lam_variant_dictionary *dictionary, lam_error *error);

/* The id of a name; of one that is there twice, any. False when there is none. */
bool lam_variant_dictionary_find(const lam_variant_dictionary *dictionary, lam_bytes name,
                                 uint32_t *ret_id);

/* By id: the order of the names; NULL when they are sorted, and the id says it. */
static inline const uint32_t *
lam_variant_dictionary_ranks(const lam_variant_dictionary *dictionary) {
    return dictionary->names.is_sorted ? NULL
                                       : (const uint32_t *)(const void *)dictionary->ranks.data;
}

/* Adds names, which it does not have, behind its own; it must be put in order again. */
lam_status lam_variant_dictionary_extend(lam_variant_dictionary *dictionary, const lam_bytes *names,
                                         size_t count, lam_error *error);

/* The metadata with what was added. */
lam_bytes lam_variant_dictionary_metadata(const lam_variant_dictionary *dictionary);

#endif
