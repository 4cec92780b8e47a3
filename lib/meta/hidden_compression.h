/* Writers whose V2 pages are compressed and say that they are not. */
#ifndef LAM_META_HIDDEN_COMPRESSION_H
#define LAM_META_HIDDEN_COMPRESSION_H

#include "meta/metadata.h"

/*
 * True of a file in which DataPageHeaderV2.is_compressed says nothing: whatever it is, the values
 * of V2 pages are compressed, where the column chunk has a codec.
 */
bool lam_meta_hides_compression(const lam_meta_file *file);

#endif
