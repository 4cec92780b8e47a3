/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads one value out of a run of triples of a leaf, as a lam_value, whose bytes are borrowed from
 * the run.
 *
 * Values are always packed without gaps for the nulls, so `index` counts values and not triples: it
 * is the number of definition levels at the maximum before the wanted one. Name.Language.Country of
 * the paper's first record has four triples and two values:
 *
 *     definition   3    2    1    3
 *     values       us             gb       values[0] is "us", values[1] is "gb"
 */
#include <lamella/record.h>

#include "dremel/element.h"
#include "schema/tree.h"

lam_value lam_triples_value(const lam_triples *triples, const lam_field *leaf, size_t index) {
    size_t size = lam_element_size(leaf);
    return lam_element_value(leaf->physical_type, size,
                             (const uint8_t *)triples->values + index * size);
}
