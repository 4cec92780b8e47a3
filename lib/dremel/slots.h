/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The slots of a field in the levels of a leaf. The levels of a leaf describe every field on its
 * path, not the leaf alone: cut at the levels of a field F, they list the slots of F, which are the
 * positions at which F is or could be. In:
 *
 *     optional group a (LIST) { repeated group list { optional group element { optional x; } } }
 *
 *                                               slot of
 *     record                           r  d     a          list       element    x
 *     {a: [{x: 7}, {}, null]}          0  4     present    element    present    present
 *                                      1  3     -          element    present    missing
 *                                      1  2     -          element    missing    missing
 *     {a: []}                          0  1     present    -          -          -
 *     {a: null}                        0  0     missing    -          -          -
 *
 *                        R    E    P
 *     a                  0    0    1     A triple begins a slot of F, or is where F has none,
 *     list               1    2    2     if r <= R; with a larger r it is a further element of a
 *     element            1    2    3     list inside of F. The slot exists if d >= E: below that, a
 *     x                  1    2    4     list around F is empty or missing. F is present if d >= P.
 *
 * All leaves at or below F have the same slots of F. Their triples with r <= R therefore come in
 * pairs of equal r, with equal d as far as d < P: `value` and `typed_value` of a VARIANT can be
 * read side by side, and neither has to be assembled. (Dremel paper, section 4.1)
 */
#ifndef LAM_DREMEL_SLOTS_H
#define LAM_DREMEL_SLOTS_H

#include "schema/tree.h"

typedef struct lam_slots {
    uint8_t repetition; /* R: repeated fields on the path, F included */
    uint8_t definition; /* E: level of the innermost of them; 0 without any */
    uint8_t present;    /* P: level of F; equals E if F itself is repeated */
} lam_slots;

static inline lam_slots lam_slots_of(const lam_field *field) {
    lam_slots slots = {field->max_repetition, 0, field->max_definition};
    const lam_field *repeated = field;
    while (repeated->index > 0 && repeated->repetition != LAM_REPETITION_REPEATED)
        repeated = lam_parent_of(repeated);
    slots.definition = repeated->max_definition;
    return slots;
}

/* True if a triple with these levels is a slot of the field. */
static inline bool lam_slots_has(lam_slots slots, uint8_t repetition, uint8_t definition) {
    return repetition <= slots.repetition && definition >= slots.definition;
}

/*
 * Gives for each repetition level of a leaf the definition level of the field that repeats at it:
 * an element of that field exists from there on. `least` has room for all of the leaf's levels;
 * least[0] is 0, as a record always exists.
 */
static inline void lam_slots_least(const lam_field *leaf, uint8_t *least) {
    least[0] = 0;
    for (const lam_field *field = leaf; field->index > 0; field = lam_parent_of(field))
        if (field->repetition == LAM_REPETITION_REPEATED)
            least[field->max_repetition] = field->max_definition;
}

/*
 * True if a triple may follow one of definition level `before` in the same column. A triple with
 * r > 0 is another element of a list, so that both the element before it and itself must exist:
 *
 *     r  d      0 2   1 2   another element of the same list
 *     r  d      0 1   1 2   wrong: the list was empty, so it has no other element
 *     r  d      0 2   1 1   wrong: an element that is not there
 */
static inline bool lam_slots_may_follow(const uint8_t *least, uint8_t before, uint8_t repetition,
                                        uint8_t definition) {
    return before >= least[repetition] && definition >= least[repetition];
}

/* True if the definition levels of two leaves below the field say the same of one slot. */
static inline bool lam_slots_agree(lam_slots slots, uint8_t a, uint8_t b) {
    return a == b || (a >= slots.present && b >= slots.present);
}

#endif
