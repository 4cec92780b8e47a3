/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prints numbers as the shortest text that reads back equal, and parses JSON numbers to the nearest
 * value, integers by digits.h and all others by <charconv>: it ignores the locale, and for these
 * types allocates nothing and so throws nothing. This is C++ for that header alone.
 *
 * The caller makes LAM_NUMBER_TEXT_MAX bytes of room; parsers take all of a text or fail, and
 * write the result only on success. Reals always show that they are reals, by a point or an
 * exponent, so that a reader of JSON does not take them for integers:
 *
 *     1    -> 1.0        1e15  -> 1e+15      0.1f -> 0.1
 *     -0.0 -> -0.0       1e-6  -> 1e-06      2^53 -> 9.007199254740992e+15
 */
#include "text/number_text.h"

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>

#include "base/wrap.h"
#include "text/digits.h"

namespace {

/* Adds ".0" to digits that would read as an integer. */
size_t mark_real(char *buffer, size_t size) noexcept {
    for (size_t i = 0; i < size; i++)
        if (buffer[i] == '.' || buffer[i] == 'e')
            return size;
    buffer[size] = '.';
    buffer[size + 1] = '0';
    return size + 2;
}

/*
 * Prints without an exponent from 0.00001 up to `fixed_below`, from where on fixed notation would
 * pad with zeros that the type does not hold exactly; with one elsewhere.
 */
template <typename T> size_t print_real(T value, T fixed_below, char *buffer) noexcept {
    T size = std::fabs(value);
    bool fixed = size == 0 || (size >= T(1e-5) && size < fixed_below);
    std::to_chars_result result =
        std::to_chars(buffer, buffer + LAM_NUMBER_TEXT_MAX, value,
                      fixed ? std::chars_format::fixed : std::chars_format::scientific);
    return mark_real(buffer, size_t(result.ptr - buffer));
}

/*
 * True when a number that from_chars found out of range is tiny rather than huge: <charconv>
 * reports both alike. A number is tiny when its first digit other than 0 comes after the point once
 * the exponent has moved the point:
 *
 *     0.001e-400   before_point -2, exponent -400: tiny
 *     12e400       before_point 2, exponent 400: huge
 *     1e-99999999999999999999   an exponent that no int64_t holds: its sign decides
 */
bool underflows(const char *text, size_t size) noexcept {
    const char *end = text + size;
    int64_t before_point = 0; /* digits before the point; below 0: zeros after it */
    bool counts = false, fraction = false;
    for (; text < end && *text != 'e' && *text != 'E'; text++) {
        if (*text == '.')
            fraction = true;
        else if (*text != '-') {
            counts |= *text != '0';
            before_point += fraction ? -int64_t(!counts) : int64_t(counts);
        }
    }
    int64_t exponent = 0;
    if (text < end) {
        text += text[1] == '+' ? 2 : 1;
        if (std::from_chars(text, end, exponent).ec != std::errc())
            return *text == '-';
    }
    return exponent < -before_point;
}

#ifdef __cpp_lib_to_chars

template <typename T>
std::from_chars_result read_real(const char *text, const char *end, T &value) noexcept {
    return std::from_chars(text, end, value);
}

#else

/*
 * <charconv> of libc++ prints reals long before it reads them: there strtod does, which heeds a
 * locale that a program sets, and needs a NUL after a number. Texts too long for the copy are not
 * read.
 */
template <typename T>
std::from_chars_result read_real(const char *text, const char *end, T &value) noexcept {
    constexpr size_t LONGEST = 1000;
    char copy[LONGEST + 1];
    size_t size = size_t(end - text);
    if (size > LONGEST)
        return {text, std::errc::invalid_argument};
    std::memcpy(copy, text, size);
    copy[size] = 0;
    char *stop = copy;
    value = sizeof(T) == sizeof(float) ? T(std::strtof(copy, &stop)) : T(std::strtod(copy, &stop));
    return {text + (stop - copy), std::isinf(value) ? std::errc::result_out_of_range : std::errc()};
}

#endif

/*
 * Parses all of a text. Tiny numbers become a zero of their sign; huge ones fail, and so do those
 * that round to infinity.
 */
template <typename T> bool parse_real(const char *text, size_t size, T *ret_value) noexcept {
    T value = 0;
    std::from_chars_result result = read_real(text, text + size, value);
    if (result.ptr != text + size)
        return false;
    if (result.ec == std::errc::result_out_of_range) {
        if (!underflows(text, size))
            return false;
        *ret_value = text[0] == '-' ? -T(0) : T(0);
        return true;
    }
    if (result.ec != std::errc() || std::isinf(value))
        return false;
    *ret_value = value;
    return true;
}

/* False for a point, an exponent, a sign that the type does not have, and numbers out of range. */
template <typename T> bool parse_integer(const char *text, size_t size, T *ret_value) noexcept {
    T value = 0;
    std::from_chars_result result = std::from_chars(text, text + size, value);
    if (result.ec != std::errc() || result.ptr != text + size)
        return false;
    *ret_value = value;
    return true;
}

/*
 * A half-precision number is (-1)^s * 2^(e - 15) * 1.f, or 2^-14 * 0.f if e is 0:
 *
 *     bit   15   14 .. 10   9 .. 0
 *           s    e          f
 */
double half_to_double(uint16_t bits) noexcept {
    int exponent = bits >> 10 & 31;
    double fraction = bits & 1023;
    double value =
        exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(fraction + 1024, exponent - 25);
    return bits & 0x8000 ? -value : value;
}

/*
 * Rounds to the nearest half, ties to even; false when that is infinite. `scaled` has the unit of
 * the half's last bit as 1, 10 bits below the leading one, or 2^-24 for subnormals, so the rounding
 * is that of an integer. Rounding up may carry into a twelfth bit (2047.5 to 2048), which moves
 * the exponent.
 */
bool half_from_double(double value, uint16_t *ret_bits) noexcept {
    double size = std::fabs(value);
    uint16_t sign = std::signbit(value) ? 0x8000 : 0;
    int exponent = 0;
    if (size > 0)
        std::frexp(size, &exponent);
    int step = (exponent < -13 ? -13 : exponent) - 11; /* the exponent of the last bit */
    double scaled = std::ldexp(size, -step);
    double whole = std::floor(scaled);
    double rest = scaled - whole;
    if (rest > 0.5 || (rest == 0.5 && std::fmod(whole, 2) != 0))
        whole++;
    if (whole >= 2048) {
        whole /= 2;
        step++;
    }
    /* The largest half is 2047 * 2^5 = 65504. */
    if (step > 5)
        return false;
    unsigned digits = unsigned(whole);
    unsigned biased = digits < 1024 ? 0 : unsigned(step + 25);
    *ret_bits = uint16_t(sign | biased << 10 | (digits & 1023));
    return true;
}

} // namespace

size_t lam_double_print(double value, char *buffer) {
    return print_real<double>(value, 1e15, buffer);
}

size_t lam_float_print(float value, char *buffer) {
    return print_real<float>(value, 1e7f, buffer);
}

/*
 * <charconv> has no shortest form for halves: takes the least number of digits, five at most, that
 * reads back to the same bits, and prints the double nearest to those.
 */
double lam_half_to_double(uint16_t bits) {
    bool is_finite = (bits & 0x7C00) != 0x7C00, is_nan = !is_finite && (bits & 0x3FF) != 0;
    double special = is_nan ? NAN : HUGE_VAL;
    return is_finite ? half_to_double(bits) : std::copysign(special, bits & 0x8000 ? -1 : 1);
}

size_t lam_half_print(uint16_t bits, char *buffer) {
    double value = half_to_double(bits);
    size_t size = 0;
    /* unreachable: five digits tell any two halves apart, so the loop ends by its break */
    for (int precision = 1; precision < 6; precision++) {
        std::to_chars_result result = std::to_chars(buffer, buffer + LAM_NUMBER_TEXT_MAX, value,
                                                    std::chars_format::general, precision);
        uint16_t back = 0;
        size = size_t(result.ptr - buffer);
        if (lam_half_parse(buffer, size, &back) && back == bits)
            break;
    }
    double shortest = value;
    (void)parse_real(buffer, size, &shortest);
    return lam_double_print(shortest, buffer);
}

size_t lam_int64_print(int64_t value, char *buffer) {
    if (value >= 0)
        return lam_uint64_print(uint64_t(value), buffer);
    buffer[0] = '-';
    return 1 + lam_uint64_print(lam_magnitude(value), buffer + 1);
}

size_t lam_uint64_print(uint64_t value, char *buffer) {
    size_t count = lam_digits_count(value);
    lam_digits_put(buffer + count, count, &value);
    return count;
}

bool lam_double_parse(const char *text, size_t size, double *ret_value) {
    return parse_real(text, size, ret_value);
}

bool lam_float_parse(const char *text, size_t size, float *ret_value) {
    return parse_real(text, size, ret_value);
}

bool lam_half_parse(const char *text, size_t size, uint16_t *ret_bits) {
    double value = 0;
    return parse_real(text, size, &value) && half_from_double(value, ret_bits);
}

bool lam_int64_parse(const char *text, size_t size, int64_t *ret_value) {
    return parse_integer(text, size, ret_value);
}

bool lam_uint64_parse(const char *text, size_t size, uint64_t *ret_value) {
    /* JSON allows -0, which from_chars refuses for unsigned types. */
    if (size == 2 && text[0] == '-' && text[1] == '0') {
        *ret_value = 0;
        return true;
    }
    return parse_integer(text, size, ret_value);
}

/*
 * Compares digits, as the integer may be too long for any type. 2^53 + 1 is lost: the nearest
 * double prints as 9007199254740992. 2^60 equals its double; 10^23 does not, but is its shortest
 * text.
 */
bool lam_double_keeps_integer(const char *text, size_t size) {
    enum { EXACT_MAX = 309 + 2 }; /* digits of the largest double, and a sign */
    double value = 0;
    if (size > EXACT_MAX || !lam_double_parse(text, size, &value))
        return false;
    /* First: the double equals the integer. */
    char exact[EXACT_MAX];
    std::to_chars_result result =
        std::to_chars(exact, exact + sizeof exact, value, std::chars_format::fixed, 0);
    if (size_t(result.ptr - exact) == size && std::memcmp(exact, text, size) == 0)
        return true;
    /* The digits of the shortest text, d.ddde+dd, padded with zeros are the integer itself. */
    char shortest[LAM_NUMBER_TEXT_MAX];
    result =
        std::to_chars(shortest, shortest + sizeof shortest, value, std::chars_format::scientific);
    size_t at = 0;
    const char *c = shortest;
    for (; *c != 'e'; c++) {
        if (*c == '.')
            continue;
        /* unreachable: the integer reads back, too, so that the shortest text has no more digits */
        if (at >= size || text[at++] != *c)
            return false;
    }
    int exponent = 0;
    std::from_chars(c + 2, result.ptr, exponent);
    /* Past the digits of the shortest text the integer must have zeros alone. */
    for (; at < size; at++)
        if (text[at] != '0')
            return false;
    return size == size_t(exponent) + 1 + (text[0] == '-');
}
