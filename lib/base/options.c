/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Translates structs between versions of the library: takes the caller's struct, whose first member
 * is its size, and gives a struct of this version (options), or fills the caller's as far as it
 * reaches (infos).
 *
 *     caller's is shorter   [ struct_size | members ]           the members it lacks are zero
 *     caller's is longer    [ struct_size | members | newer ]   newer ones must be zero
 *
 * A member that an old library does not know is only ever ignored when it asks for nothing.
 */
#include "base/options.h"

#include <string.h>

#include "base/error.h"

/*
 * Reads struct_size, the only member that every version has; by memcpy, as the type is unknown
 * here.
 */
static lam_status options_read_size(const void *given, const char *type, size_t *ret_size,
                                    lam_error *error) {
    size_t size;
    memcpy(&size, given, sizeof size);
    if (size < sizeof size || size % sizeof size != 0 || size > LAM_STRUCT_SIZE_MAX)
        LAM_FAIL(error, LAM_STATUS_INVALID,
                 "%s: struct_size %zu is not the size of any version of it: start from "
                 "%s_default() or lam_struct_init()",
                 type, size, type);
    *ret_size = size;
    return LAM_STATUS_OK;
}

lam_status lam_options_read(const void *given, void *ret_copy, size_t known, const char *type,
                            lam_error *error) {
    const uint8_t *bytes = given;
    size_t size = 0;
    if (given != NULL)
        LAM_TRY(options_read_size(given, type, &size, error));
    /* An option of a later version that is set: ignoring it would not do what was asked. */
    for (size_t i = known; i < size; i++)
        if (bytes[i] != 0)
            LAM_FAIL(error, LAM_STATUS_INVALID,
                     "%s: %zu bytes beyond the %zu that this version knows are not all zero", type,
                     size - known, known);
    memset(ret_copy, 0, known);
    if (given != NULL)
        memcpy(ret_copy, given, size < known ? size : known);
    memcpy(ret_copy, &known, sizeof known);
    return LAM_STATUS_OK;
}

/* For functions that must fail before they begin to collect what they return. */
lam_status lam_info_check(const void *info, const char *type, lam_error *error) {
    size_t size;
    return options_read_size(info, type, &size, error);
}

lam_status lam_info_write(const void *info, size_t known, void *ret_info, const char *type,
                          lam_error *error) {
    size_t size;
    LAM_TRY(options_read_size(ret_info, type, &size, error));
    /* Everything but struct_size, which belongs to the caller. */
    size_t shared = size < known ? size : known;
    memcpy((uint8_t *)ret_info + sizeof size, (const uint8_t *)info + sizeof size,
           shared - sizeof size);
    memset((uint8_t *)ret_info + shared, 0, size - shared);
    return LAM_STATUS_OK;
}

/* Unsigned, so that a negative number is refused as well. */
lam_status lam_switch_check(lam_switch given, const char *option, lam_error *error) {
    if ((unsigned)given > LAM_SWITCH_OFF)
        LAM_FAIL(error, LAM_STATUS_INVALID, "%s is %d, which is not a lam_switch", option,
                 (int)given);
    return LAM_STATUS_OK;
}
