/* What is true of an encoding whichever way it is used. */
#ifndef LAM_ENCODING_ENCODING_H
#define LAM_ENCODING_ENCODING_H

#include <lamella/common.h>
#include <lamella/format.h>

/* Whether values of that type may be in that encoding. (Encodings.md, section "Supported
 * Encodings") */
bool lam_encoding_takes(lam_encoding encoding, lam_physical_type type);

/* The name of a physical type in the format's spelling, for messages; static. */
const char *lam_encoding_type_name(lam_physical_type type);

#endif
