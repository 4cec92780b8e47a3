/* SPDX-License-Identifier: Apache-2.0 */
/* The name of an encoding's types and the types it may hold, for readers and writers alike. */
#ifndef LAM_ENCODING_ENCODING_H
#define LAM_ENCODING_ENCODING_H

#include <lamella/common.h>
#include <lamella/format.h>

/*
 * True if values of that type may have that encoding; false for unknown ones. (Encodings.md,
 * section "Supported Encodings")
 */
bool lam_encoding_takes(lam_encoding encoding, lam_physical_type type);

/* The name of a physical type in the format's spelling, for messages; static. */
const char *lam_encoding_type_name(lam_physical_type type);

#endif
