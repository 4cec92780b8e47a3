/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Converts UTF-16 to UTF-8: bytes of a text, cut anywhere, give the complete characters in them.
 *
 *     EF BB BF   UTF-8          FF FE   UTF-16, low byte first          FE FF   high byte first
 *
 *     D83D DE00        two surrogates, U+1F600          F0 9F 98 80
 *     D83D 0041        a lone one, and a letter         none: the text is broken there
 *
 * The output is always valid UTF-8, and no unit is passed over. (RFC 2781, section 2.2; RFC 3629,
 * section 3)
 */
#include "text/utf16.h"

#include <string.h>

#include "base/utf8.h"

lam_text_encoding lam_text_encoding_of(const uint8_t *bytes, size_t size, size_t *ret_mark) {
    *ret_mark = size >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    if (size < 2 || *ret_mark != 0)
        return LAM_TEXT_UTF8;
    bool is_low_first = memcmp(bytes, "\xff\xfe", 2) == 0;
    if (!is_low_first && memcmp(bytes, "\xfe\xff", 2) != 0)
        return LAM_TEXT_UTF8;
    *ret_mark = 2;
    return is_low_first ? LAM_TEXT_UTF16_LE : LAM_TEXT_UTF16_BE;
}

size_t lam_utf16_to_utf8(lam_text_encoding encoding, const uint8_t *bytes, size_t size,
                         uint8_t *out, size_t *ret_used, lam_utf16_end *ret_end) {
    size_t i = 0, written = 0;
    *ret_end = LAM_UTF16_CUT;
    while (size - i >= 2) {
        uint32_t unit = lam_utf16_unit(encoding, bytes + i);
        bool is_high = unit >= 0xd800 && unit < 0xdc00;
        if (is_high && size - i < 4)
            break;
        uint32_t low = is_high ? lam_utf16_unit(encoding, bytes + i + 2) : 0;
        if ((unit >= 0xdc00 && unit < 0xe000) || (is_high && (low < 0xdc00 || low > 0xdfff))) {
            *ret_end = LAM_UTF16_LONE;
            break;
        }
        if (is_high)
            unit = 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00);
        written += lam_utf8_put(out + written, unit);
        i += is_high ? 4 : 2;
    }
    *ret_used = i;
    return written;
}
