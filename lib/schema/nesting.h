/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recognizes lists and maps and finds their elements, by the backward-compatibility rules of
 * LogicalTypes.md, sections "Lists" and "Maps".
 *
 *     group a (LIST) {                         a list with a wrapper: its element is `element`
 *       repeated group list { T element; } }
 *     group a (LIST) { repeated T array; }     a list without: its element is `array`
 *     group a (MAP) {                          a map of entries `key_value`; the value may be
 *       repeated group key_value {             missing, and keys in files of others may be
 *         required K key; V value; } }         optional
 *     repeated T a;                            not annotated: a required list of required
 *                                              elements
 */
#ifndef LAM_SCHEMA_NESTING_H
#define LAM_SCHEMA_NESTING_H

#include "schema/tree.h"

static inline bool lam_is_group(const lam_field *field) {
    return field->physical_type == LAM_PHYSICAL_GROUP;
}

static inline bool lam_is_repeated(const lam_field *field) {
    return field->repetition == LAM_REPETITION_REPEATED;
}

/* True for a group that is annotated as a list and has the one repeated child of a list. */
bool lam_is_list(const lam_field *field);

/* For a list: true when its repeated child wraps the element, false when it is the element. */
bool lam_list_has_wrapper(const lam_field *list);

/* For a list: true when the name of its repeated child says that it is the element. */
bool lam_list_names_element(const lam_field *list);

/*
 * True for a group that is annotated as a map and has the one repeated child of a map, with a key,
 * or a key and a value.
 */
bool lam_is_map(const lam_field *field);

#endif
