/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Structs that grow from version to version, where they cross the public interface (docs/abi.md):
 * options that come in, and infos that go out. Both begin with `size_t struct_size`, set by the
 * caller.
 *
 *     options   LAM_OPTIONS_READ copies the caller's members into a full struct of this version;
 *               only the copy may be used from there on, as the caller's may be shorter
 *     infos     LAM_INFO_WRITE copies as much of a full struct as the caller has room for
 *
 * The size is that of some version of the struct: at least a size_t, a multiple of it, and no more
 * than LAM_STRUCT_SIZE_MAX, so that uninitialized memory is not taken for a size.
 */
#ifndef LAM_BASE_OPTIONS_H
#define LAM_BASE_OPTIONS_H

#include <lamella/common.h>

enum { LAM_STRUCT_SIZE_MAX = 4096 };

/*
 * Fills `ret_copy`, of the `known` bytes that `type` has in this version. Members that the caller's
 * struct is too short for are zero, and all are if `given` is NULL; struct_size becomes `known`.
 * INVALID, with the name of the type, when the size is impossible or bytes beyond `known` are not
 * zero.
 */
lam_status lam_options_read(const void *given, void *ret_copy, size_t known, const char *type,
                            lam_error *error);

/* INVALID, with the name of the type, when the caller's struct_size is impossible. */
lam_status lam_info_check(const void *info, const char *type, lam_error *error);

/*
 * Copies `info`, of `known` bytes, into the caller's struct as far as that reaches; its bytes
 * beyond `known` become zero, and its struct_size stays. INVALID as above, with nothing written.
 */
lam_status lam_info_write(const void *info, size_t known, void *ret_info, const char *type,
                          lam_error *error);

/* INVALID, with the name of the option, for a number that is no lam_switch. */
lam_status lam_switch_check(lam_switch given, const char *option, lam_error *error);

/* For a lam_switch that was checked: DEFAULT is on. */
static inline bool lam_switch_is_on(lam_switch given) {
    return given != LAM_SWITCH_OFF;
}

/* The same with types checked by the compiler: the conditional only accepts pointers to `type`. */
#define LAM_OPTIONS_READ(type, given, ret_copy, error)                                             \
    lam_options_read((1 ? (given) : (const type *)NULL), (1 ? (ret_copy) : (type *)NULL),          \
                     sizeof(type), #type, (error))
#define LAM_INFO_CHECK(type, info, error)                                                          \
    lam_info_check((1 ? (info) : (const type *)NULL), #type, (error))
#define LAM_INFO_WRITE(type, info, ret_info, error)                                                \
    lam_info_write((1 ? (info) : (const type *)NULL), sizeof(type),                                \
                   (1 ? (ret_info) : (type *)NULL), #type, (error))

#endif
