/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Picks the decimal scale of each ALP vector. A sample of its numbers is converted with a scale,
 * and the bits that this takes are the cost of the scale. Trying all scales (66 for floats, 190 for
 * doubles) is far slower than encoding, and the vectors of a column are alike: so a search leaves
 * its result as a preset, and most vectors only compare presets. Any scale is correct; a poor one
 * costs space. The choice depends only on the page's values so far, so that the same values always
 * give the same bytes. (AlpEncoding.md, "Parameter Selection")
 */
#include "encoding/alp_scale.h"

#include <stdbool.h>

#include "base/wrap.h"
#include "encoding/rle.h"

/* SAMPLE numbers of a vector are compared; PROBES of them suffice to rule out most scales. */
enum {
    SAMPLE = 32,
    PROBES = 8,
    POSITION_BITS = 16, /* of an exception, besides its value */
    /*
     * Vectors without a search: 4 after the first one, then 8, 16, 32 and 64, while presets do
     * badly; 64 while they do well.
     */
    FIRST_PAUSE = 4,
    LONGEST_PAUSE = 64
};

/* Numbers of a vector, evenly spread over it, in the array of their type. */
typedef struct sample {
    size_t count;
    unsigned bits; /* 32 or 64 */
    float floats[SAMPLE];
    double doubles[SAMPLE];
} sample;

/* Bits of an exception: its position and the number as it is. */
static size_t exception_bits(const sample *from) {
    return POSITION_BITS + from->bits;
}

/* Converts the first `count` numbers of a sample; returns the number of exceptions. */
static size_t alp_scale_convert(const sample *from, size_t count, lam_alp_scale scale,
                                int64_t *integers, uint16_t *exceptions) {
    if (from->bits == 64)
        return lam_alp_from_doubles(from->doubles, count, scale, (uint64_t *)integers, exceptions);
    uint32_t narrow[SAMPLE];
    size_t found = lam_alp_from_floats(from->floats, count, scale, narrow, exceptions);
    for (size_t i = 0; i < count; i++)
        integers[i] = (int32_t)narrow[i];
    return found;
}

/*
 * Bits that a sample takes in a scale: the integers packed with the width of their range, and the
 * exceptions, which do not widen it; or all as exceptions if that is less, as the writer does.
 */
static size_t alp_scale_cost_of(const sample *from, lam_alp_scale scale) {
    uint16_t exceptions[SAMPLE];
    int64_t integers[SAMPLE], min = INT64_MAX, max = INT64_MIN;
    size_t found = alp_scale_convert(from, from->count, scale, integers, exceptions);
    for (size_t i = 0, next = 0; i < from->count; i++) {
        if (next < found && exceptions[next] == i) {
            next++;
            continue;
        }
        min = integers[i] < min ? integers[i] : min;
        max = integers[i] > max ? integers[i] : max;
    }
    unsigned width =
        found == from->count ? 0 : lam_bit_width(lam_wrap_subtract((uint64_t)max, (uint64_t)min));
    size_t mixed = from->count * width + found * exception_bits(from);
    size_t plain = from->count * exception_bits(from);
    return mixed < plain ? mixed : plain;
}

/* True when the exceptions among a few numbers alone cost `cost` or more. */
static bool is_hopeless(const sample *from, lam_alp_scale scale, size_t cost) {
    uint16_t exceptions[PROBES];
    int64_t integers[PROBES];
    size_t count = from->count < PROBES ? from->count : PROBES;
    return alp_scale_convert(from, count, scale, integers, exceptions) * exception_bits(from) >=
           cost;
}

/* Tries all scales and returns the cheapest; of equal ones the smallest exponent, then factor. */
static lam_alp_scale search(const sample *from, size_t *ret_cost) {
    unsigned most = from->bits == 32 ? LAM_ALP_MAX_EXPONENT_32 : LAM_ALP_MAX_EXPONENT_64;
    lam_alp_scale best = {0, 0};
    size_t best_cost = SIZE_MAX;
    for (unsigned exponent = 0; exponent <= most; exponent++) {
        for (unsigned factor = 0; factor <= exponent; factor++) {
            lam_alp_scale scale = {(uint8_t)exponent, (uint8_t)factor};
            if (is_hopeless(from, scale, best_cost))
                continue;
            size_t cost = alp_scale_cost_of(from, scale);
            if (cost < best_cost) {
                best = scale;
                best_cost = cost;
            }
        }
    }
    *ret_cost = best_cost;
    return best;
}

/*
 * Picks the best of the presets, and searches all scales again after LONGEST_PAUSE vectors; or
 * after `pause` vectors when the presets do badly: more than two bits a number worse than the last
 * search promised, or no better than storing numbers as they are. `pause` doubles with each search,
 * so that a column without decimals is not searched for each vector.
 */
static lam_alp_scale alp_scale_pick(lam_alp_picker *picker, const sample *from) {
    lam_alp_scale best = {0, 0};
    size_t cost = SIZE_MAX;
    /* The presets are a ring; before the first search it is empty, and the search is forced. */
    unsigned kept = picker->searches < LAM_ALP_PRESETS ? picker->searches : LAM_ALP_PRESETS;
    for (unsigned i = 0; i < kept; i++) {
        size_t preset_cost = alp_scale_cost_of(from, picker->presets[i]);
        if (preset_cost < cost) {
            best = picker->presets[i];
            cost = preset_cost;
        }
    }
    bool poor = cost > picker->best_cost + from->count * 2 || cost > from->count * from->bits;
    unsigned pause = poor ? picker->pause : LONGEST_PAUSE;
    if (kept > 0 && picker->vectors++ < pause)
        return best;
    best = search(from, &picker->best_cost);
    picker->presets[picker->searches++ % LAM_ALP_PRESETS] = best;
    picker->vectors = 0;
    picker->pause = picker->pause == 0 ? FIRST_PAUSE : picker->pause * 2;
    picker->pause = picker->pause < LONGEST_PAUSE ? picker->pause : LONGEST_PAUSE;
    return best;
}

/* Number i of a sample is value i * count / 32 of the vector; a short vector is its own sample. */
lam_alp_scale lam_alp_pick_32(lam_alp_picker *picker, const float *numbers, size_t count) {
    sample from = {.count = count < SAMPLE ? count : SAMPLE, .bits = 32};
    for (size_t i = 0; i < from.count; i++)
        from.floats[i] = numbers[i * count / from.count];
    return alp_scale_pick(picker, &from);
}

lam_alp_scale lam_alp_pick_64(lam_alp_picker *picker, const double *numbers, size_t count) {
    sample from = {.count = count < SAMPLE ? count : SAMPLE, .bits = 64};
    for (size_t i = 0; i < from.count; i++)
        from.doubles[i] = numbers[i * count / from.count];
    return alp_scale_pick(picker, &from);
}
