/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One value in the values of a run of triples: from the address of an element, and the layout of
 * the leaf's values, a lam_value, whose bytes are borrowed from the run. The element types are
 * those that lam_triples (lamella/record.h) lists for each physical type.
 */
#ifndef LAM_DREMEL_ELEMENT_H
#define LAM_DREMEL_ELEMENT_H

#include <lamella/record.h>
#include <string.h>

static inline lam_value lam_element_value(uint8_t physical_type, size_t element_size,
                                          const uint8_t *element) {
    lam_value value = LAM_ZERO_INIT;
    switch ((lam_physical_type)physical_type) {
    case LAM_PHYSICAL_BOOLEAN:
        value.boolean = *element != 0;
        break;
    case LAM_PHYSICAL_INT32:
    case LAM_PHYSICAL_FLOAT:
        memcpy(&value, element, sizeof(int32_t));
        break;
    case LAM_PHYSICAL_INT64:
    case LAM_PHYSICAL_DOUBLE:
        memcpy(&value, element, sizeof(int64_t));
        break;
    case LAM_PHYSICAL_BYTE_ARRAY:
        memcpy(&value.bytes, element, sizeof(lam_bytes));
        break;
    default: /* FIXED_LEN_BYTE_ARRAY and INT96: type_length bytes, one element after the other */
        value.bytes.data = element;
        value.bytes.size = element_size;
        break;
    }
    return value;
}

#endif
