/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The metadata that shredded values are assembled with. It mostly stays the same from record to
 * record, and is validated and put in order once. Names that it lacks can be added after the ones
 * it has, which changes no id. (VariantEncoding.md, "Metadata encoding")
 */
#ifndef LAM_VARIANT_VALUE_VARIANT_DICTIONARY_H
#define LAM_VARIANT_VALUE_VARIANT_DICTIONARY_H

#include "base/buffer.h"
#include "base/list.h"
#include "variant/value/variant_layout.h"

/* One metadata at a time: as given, and as extended. */
typedef struct lam_variant_dictionary {
    lam_buffer original;          /* a copy of the given one, without a false claim of order */
    uint8_t header;               /* the first byte as it was given */
    lam_buffer extended;          /* `original` with names added; empty when none was */
    lam_buffer spare;             /* where the next `extended` is written */
    lam_variant_names_view names; /* with the names that were added */
    lam_variant_names_view given; /* without them: a `value` of the file may refer to these only */
    bool is_known;                /* `original` is valid, and the views are on it */
    bool is_ordered;              /* `ranks` are made, or the names are sorted and need none */
    LAM_LIST(uint32_t) order;     /* ids in the order of their names, and room to sort */
    LAM_LIST(uint32_t) ranks;     /* by id; ids with the same name have the same rank */
} lam_variant_dictionary;

/* Allocates nothing yet. */
void lam_variant_dictionary_init(lam_variant_dictionary *dictionary,
                                 const lam_allocator *allocator);
void lam_variant_dictionary_finish(lam_variant_dictionary *dictionary);

/*
 * Takes a copy of the metadata; `*ret_same` reports whether it is the one of the last call, in
 * which case the added names stay. CORRUPT, UNSUPPORTED for bytes that are not metadata; NOMEM.
 */
lam_status lam_variant_dictionary_set(lam_variant_dictionary *dictionary, lam_bytes metadata,
                                      bool *ret_same, lam_error *error);

/*
 * Makes the order of the names, which `find` and `ranks` need. Has no effect if it exists. NOMEM.
 */
lam_status lam_variant_dictionary_order(lam_variant_dictionary *dictionary, lam_error *error);

/*
 * Gives the id of a name; any of them for a name that appears twice. False if the dictionary lacks
 * it.
 */
bool lam_variant_dictionary_find(const lam_variant_dictionary *dictionary, lam_bytes name,
                                 uint32_t *ret_id);

/*
 * The rank of each name by its id, for lam_variant_naming; NULL when the names are sorted, as the
 * id is the rank then.
 */
static inline const uint32_t *
lam_variant_dictionary_ranks(const lam_variant_dictionary *dictionary) {
    return dictionary->names.is_sorted ? NULL : dictionary->ranks.items;
}

/*
 * Adds names, none of which it has, after its own. They need a new order afterwards. LIMIT, NOMEM.
 */
lam_status lam_variant_dictionary_extend(lam_variant_dictionary *dictionary, const lam_bytes *names,
                                         size_t count, lam_error *error);

/* The metadata with the names that were added, borrowed until the next set or extend. */
lam_bytes lam_variant_dictionary_metadata(const lam_variant_dictionary *dictionary);

#endif
