/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compresses and uncompresses SNAPPY blocks with the C++ interface of libsnappy. A page becomes one
 * block, which states the size of its output first:
 *
 *   size of the output, varint | literals and copies ...
 *   00                           the block of no bytes
 *
 * The invariant: no exception leaves this file. The library throws when it has no memory, from its
 * C interface, too, and an exception must not pass through C. The stated size is compared with that
 * of the page before anything is written. (Compression.md, section "SNAPPY")
 */
#include <snappy.h>

extern "C" { /* these headers are C */
#include "base/error.h"
#include "codec/codec_snappy.h"
}

namespace {

/* The outcome of a call: the library may also refuse the bytes. */
enum class outcome { done, refused, no_memory };

/*
 * Calls the library and catches what it throws; `act` returns whether the library accepted the
 * bytes.
 */
template <typename Act> outcome call(Act act) noexcept {
    try {
        return act() ? outcome::done : outcome::refused;
    } catch (...) { /* the library throws only what operator new throws */
        return outcome::no_memory;
    }
}

lam_status codec_snappy_no_memory(size_t size, lam_error *error) noexcept {
    LAM_FAIL(error, LAM_STATUS_NOMEM, "no memory for SNAPPY and %zu bytes", size);
}

} // namespace

/* Reserves the library's bound, with which compression cannot fail but for memory. */
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

/* RawUncompress writes exactly the stated size, which is why that size must be the page's. */
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
    if (result == outcome::no_memory)
        return codec_snappy_no_memory(in.size, error);
    if (result == outcome::refused)
        LAM_FAIL(error, LAM_ERROR_CODE_PAGE_BODY, "a damaged SNAPPY block of %zu bytes", in.size);
    return LAM_STATUS_OK;
}
