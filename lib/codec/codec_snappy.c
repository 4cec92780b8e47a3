#include "codec/codec_snappy.h"

#include <snappy-c.h>

#include "base/error.h"
#include "codec/snappy_expand.h"

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
    uint8_t nothing[1];
    uint32_t length;
    lam_bytes elements = in;
    if (!lam_snappy_length(&elements, &length))
        LAM_FAIL(error, LAM_STATUS_CORRUPT, "not a SNAPPY block: no length in front");
    if (length != size)
        LAM_FAIL(error, LAM_STATUS_CORRUPT, "SNAPPY gives %zu bytes where %zu are stated",
                 (size_t)length, size);
    if (!lam_snappy_expand(elements, size > 0 ? out : nothing, size))
        LAM_FAIL(error, LAM_STATUS_CORRUPT, "a damaged SNAPPY block of %zu bytes", in.size);
    return LAM_STATUS_OK;
}
