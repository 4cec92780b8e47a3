/*
 * SNAPPY blocks (Compression.md), by the C++ interface of the library: it throws where it has no
 * memory, through its C interface too, and no exception may go on into C.
 */
#include <snappy.h>

extern "C" { /* these headers are C */
#include "base/error.h"
#include "codec/codec_snappy.h"
}

namespace {

enum class outcome { done, refused, codec_snappy_no_memory };

/* Calls the library; `act` says whether it did what it was asked for. */
template <typename Act> outcome call(Act act) noexcept {
    try {
        return act() ? outcome::done : outcome::refused;
    } catch (...) { /* it throws nothing else than what operator new throws */
        return outcome::codec_snappy_no_memory;
    }
}

lam_status codec_snappy_no_memory(size_t size, lam_error *error) noexcept {
    LAM_FAIL(error, LAM_STATUS_NOMEM, "no memory for SNAPPY and %zu bytes", size);
}

} // namespace

lam_status lam_snappy_compress(lam_bytes in, lam_buffer *out, lam_error *error) {
    if (in.size > INT32_MAX)
        LAM_FAIL(error, LAM_ERROR_CODE_FORMAT_LIMIT, "%zu bytes are too many for SNAPPY", in.size);
    LAM_TRY(lam_buffer_reserve(out, snappy::MaxCompressedLength(in.size), error));
    const char *from = in.size > 0 ? reinterpret_cast<const char *>(in.data) : "";
    char *to = reinterpret_cast<char *>(out->data + out->size);
    size_t written = 0;
    outcome result = call([&] {
        snappy::RawCompress(from, in.size, to, &written);
        return true;
    });
    if (result != outcome::done)
        return codec_snappy_no_memory(in.size, error);
    out->size += written;
    return LAM_STATUS_OK;
}

lam_status lam_snappy_decompress(lam_bytes in, uint8_t *out, size_t size, lam_error *error) {
    const char *from = reinterpret_cast<const char *>(in.data);
    char nothing[1];
    char *to = size > 0 ? reinterpret_cast<char *>(out) : nothing;
    size_t stated = 0;
    if (in.size == 0 || !snappy::GetUncompressedLength(from, in.size, &stated))
        LAM_FAIL(error, LAM_ERROR_CODE_PAGE_BODY, "not a SNAPPY block: its length is missing");
    if (stated != size)
        LAM_FAIL(error, LAM_ERROR_CODE_PAGE_BODY, "SNAPPY gives %zu bytes where %zu are stated",
                 stated, size);
    outcome result = call([&] { return snappy::RawUncompress(from, in.size, to); });
    if (result == outcome::codec_snappy_no_memory)
        return codec_snappy_no_memory(in.size, error);
    if (result == outcome::refused)
        LAM_FAIL(error, LAM_ERROR_CODE_PAGE_BODY, "a damaged SNAPPY block of %zu bytes", in.size);
    return LAM_STATUS_OK;
}
