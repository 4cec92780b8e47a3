#include "codec/codec_snappy.h"

#include <snappy-c.h>

#include "base/error.h"

lam_status lam_snappy_compress(lam_bytes in, lam_buffer *out, lam_error *error) {
    if (in.size > INT32_MAX)
        LAM_FAIL(error, LAM_STATUS_LIMIT, "%zu bytes are too many for SNAPPY", in.size);
    size_t written = snappy_max_compressed_length(in.size);
    LAM_TRY(lam_buffer_reserve(out, written, error));
    const char *from = in.size > 0 ? (const char *)in.data : "";
    if (snappy_compress(from, in.size, (char *)out->data + out->size, &written) != SNAPPY_OK)
        LAM_FAIL(error, LAM_STATUS_INVALID, "SNAPPY compression of %zu bytes failed", in.size);
    out->size += written;
    return LAM_STATUS_OK;
}

lam_status lam_snappy_decompress(lam_bytes in, uint8_t *out, size_t size, lam_error *error) {
    const char *from = (const char *)in.data;
    char nothing[1];
    char *to = size > 0 ? (char *)out : nothing;
    size_t written;
    if (in.size == 0 || snappy_uncompressed_length(from, in.size, &written) != SNAPPY_OK)
        LAM_FAIL(error, LAM_STATUS_CORRUPT, "not a SNAPPY block: no length in front");
    if (written != size)
        LAM_FAIL(error, LAM_STATUS_CORRUPT, "SNAPPY gives %zu bytes where %zu are stated", written,
                 size);
    if (snappy_uncompress(from, in.size, to, &written) != SNAPPY_OK)
        LAM_FAIL(error, LAM_STATUS_CORRUPT, "a damaged SNAPPY block of %zu bytes", in.size);
    return LAM_STATUS_OK;
}
