/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A page is opened into three sections, one of them is changed, and it is closed again:
 *
 *     V1          | length | repetition | length | definition | values |   all compressed
 *     V2          | repetition | definition |                              values compressed
 *     dictionary  | values |
 *
 * (parquet.thrift, DataPageHeader and DataPageHeaderV2; Encodings.md)
 */
#include "fuzz/page_change.h"

#include <string.h>

#include "base/bytes.h"
#include "codec/codec.h"
#include "fuzz/harness.h"

enum { PAGE_MOST = 64 << 10, GROWTH = 64, LENGTH_SIZE = 4, RUNS_MOST = 8 };

/* Of a page that is open. */
typedef struct sections {
    lam_bytes repetition;
    lam_bytes definition;
    lam_bytes values;
    int32_t encoding; /* of the values */
    int32_t count;    /* of triples, or of entries */
} sections;

/* --- Codec --------------------------------------------------------------------------------- */

static bool can_recode(int32_t codec) {
    return codec >= 0 && codec <= 7 &&
           lam_codec_check_read((lam_codec)(codec + 1), NULL) == LAM_STATUS_OK &&
           lam_codec_check_write((lam_codec)(codec + 1), 0, NULL) == LAM_STATUS_OK;
}

static bool unpack(lam_fuzz_draft *draft, int32_t codec, lam_bytes packed, int64_t size,
                   lam_bytes *ret_bytes) {
    lam_codec_context *codecs;
    uint8_t *bytes;
    if (!can_recode(codec) || size < 0 || size > PAGE_MOST ||
        lam_arena_bytes(&draft->arena, (size_t)size + 1, &bytes, NULL) != LAM_STATUS_OK ||
        lam_codec_context_create(&draft->allocator, &codecs, NULL) != LAM_STATUS_OK)
        return false;
    bool is_good = lam_codec_decompress(codecs, (lam_codec)(codec + 1), packed, bytes, (size_t)size,
                                        NULL) == LAM_STATUS_OK;
    lam_codec_context_destroy(codecs);
    *ret_bytes = (lam_bytes){bytes, (size_t)size};
    return is_good;
}

static bool pack(lam_fuzz_draft *draft, int32_t codec, lam_bytes bytes, lam_bytes *ret_packed) {
    lam_codec_context *codecs;
    lam_buffer packed;
    char *copy = NULL;
    if (!can_recode(codec) ||
        lam_codec_context_create(&draft->allocator, &codecs, NULL) != LAM_STATUS_OK)
        return false;
    lam_buffer_init(&packed, &draft->allocator);
    bool is_good =
        lam_codec_compress(codecs, (lam_codec)(codec + 1), 0, bytes, &packed, NULL) ==
            LAM_STATUS_OK &&
        lam_arena_copy(&draft->arena, packed.data, packed.size, &copy, NULL) == LAM_STATUS_OK;
    *ret_packed = (lam_bytes){(const uint8_t *)copy, packed.size};
    lam_buffer_finish(&packed);
    lam_codec_context_destroy(codecs);
    return is_good;
}

/* --- Sections ------------------------------------------------------------------------------ */

static bool take(lam_bytes *from, size_t size, lam_bytes *ret_section) {
    if (size > from->size)
        return false;
    *ret_section = (lam_bytes){from->data, size};
    *from = (lam_bytes){from->data + size, from->size - size};
    return true;
}

/* Levels behind their length. */
static bool take_levels(lam_bytes *from, unsigned maximum, lam_bytes *ret_section) {
    lam_bytes length;
    *ret_section = (lam_bytes){NULL, 0};
    return maximum == 0 || (take(from, LENGTH_SIZE, &length) &&
                            take(from, lam_load_le32(length.data), ret_section));
}

static bool is_packed(const lam_fuzz_page *page) {
    const lam_meta_data_page_header_v2 *v2 = page->header.data_page_header_v2;
    return page->header.type != LAM_PAGE_DATA_V2 || v2 == NULL || v2->is_compressed;
}

static bool open_page(lam_fuzz_draft *draft, const lam_fuzz_page *page,
                      const lam_fuzz_page_kind *kind, sections *ret) {
    const lam_meta_page_header *header = &page->header;
    const lam_meta_data_page_header_v2 *v2 = header->data_page_header_v2;
    lam_bytes rest = page->body;
    *ret = (sections){.encoding = 0};
    if (header->type == LAM_PAGE_DATA_V2 && v2 != NULL) {
        ret->encoding = v2->encoding;
        ret->count = v2->num_values;
        int64_t levels =
            (int64_t)v2->repetition_levels_byte_length + (int64_t)v2->definition_levels_byte_length;
        if (v2->repetition_levels_byte_length < 0 || v2->definition_levels_byte_length < 0 ||
            !take(&rest, (size_t)v2->repetition_levels_byte_length, &ret->repetition) ||
            !take(&rest, (size_t)v2->definition_levels_byte_length, &ret->definition))
            return false;
        ret->values = rest;
        return !v2->is_compressed || unpack(draft, kind->codec, rest,
                                            header->uncompressed_page_size - levels, &ret->values);
    }
    if (!unpack(draft, kind->codec, rest, header->uncompressed_page_size, &rest))
        return false;
    if (header->type == LAM_PAGE_DATA && header->data_page_header != NULL) {
        ret->encoding = header->data_page_header->encoding;
        ret->count = header->data_page_header->num_values;
        if (!take_levels(&rest, kind->max_repetition, &ret->repetition) ||
            !take_levels(&rest, kind->max_definition, &ret->definition))
            return false;
    } else if (header->dictionary_page_header != NULL) {
        ret->count = header->dictionary_page_header->num_values;
    }
    ret->values = rest;
    return true;
}

static void put_levels(lam_buffer *out, unsigned maximum, lam_bytes levels, bool *is_good) {
    uint8_t length[LENGTH_SIZE];
    if (maximum == 0)
        return;
    lam_store_le32(length, (uint32_t)levels.size);
    *is_good = *is_good && lam_buffer_append(out, length, LENGTH_SIZE, NULL) == LAM_STATUS_OK &&
               lam_buffer_append(out, levels.data, levels.size, NULL) == LAM_STATUS_OK;
}

/* The header of a V2 page gets the lengths of its levels. */
static bool set_lengths(lam_fuzz_draft *draft, lam_fuzz_page *page, const sections *from) {
    void *copy;
    if (lam_arena_alloc(&draft->arena, sizeof(lam_meta_data_page_header_v2), &copy, NULL) !=
        LAM_STATUS_OK)
        return false;
    lam_meta_data_page_header_v2 *v2 = copy;
    *v2 = *page->header.data_page_header_v2;
    v2->repetition_levels_byte_length = (int32_t)from->repetition.size;
    v2->definition_levels_byte_length = (int32_t)from->definition.size;
    page->header.data_page_header_v2 = v2;
    return true;
}

static bool close_page(lam_fuzz_draft *draft, lam_fuzz_page *page, const lam_fuzz_page_kind *kind,
                       const sections *from, int32_t codec) {
    bool is_v2 = page->header.type == LAM_PAGE_DATA_V2 && page->header.data_page_header_v2 != NULL;
    lam_bytes values = from->values;
    lam_buffer out;
    char *copy = NULL;
    bool is_good = !is_v2 || (set_lengths(draft, page, from) &&
                              (!is_packed(page) || pack(draft, codec, values, &values)));
    lam_buffer_init(&out, &draft->allocator);
    if (is_v2) {
        is_good = is_good &&
                  lam_buffer_append(&out, from->repetition.data, from->repetition.size, NULL) ==
                      LAM_STATUS_OK &&
                  lam_buffer_append(&out, from->definition.data, from->definition.size, NULL) ==
                      LAM_STATUS_OK;
    } else if (page->header.type == LAM_PAGE_DATA) {
        put_levels(&out, kind->max_repetition, from->repetition, &is_good);
        put_levels(&out, kind->max_definition, from->definition, &is_good);
    }
    is_good = is_good && lam_buffer_append(&out, values.data, values.size, NULL) == LAM_STATUS_OK &&
              lam_arena_copy(&draft->arena, out.data, out.size, &copy, NULL) == LAM_STATUS_OK;
    lam_bytes body = {(const uint8_t *)copy, out.size};
    size_t size =
        is_v2 ? from->repetition.size + from->definition.size + from->values.size : out.size;
    lam_buffer_finish(&out);
    if (!is_good || (!is_v2 && !pack(draft, codec, body, &body)))
        return false;
    page->body = body;
    page->header.uncompressed_page_size = (int32_t)size;
    return true;
}

/* --- Numbers ------------------------------------------------------------------------------- */

static uint64_t any_number(lam_random *random) {
    static const uint64_t edges[] = {
        0,      1,       2,         7,           8,          31,        32,
        64,     65,      127,       128,         255,        256,       0x7FFF,
        0xFFFF, 0x10000, INT32_MAX, 0x80000000u, UINT32_MAX, INT64_MAX, UINT64_MAX};
    return lam_random_chance(random, 60)
               ? edges[lam_random_below(random, sizeof edges / sizeof edges[0])]
               : lam_random_next(random) >> lam_random_below(random, 64);
}

static size_t store_varint(uint8_t *to, uint64_t number) {
    size_t size = 0;
    for (; number >= 0x80; number >>= 7)
        to[size++] = (uint8_t)(number | 0x80);
    to[size++] = (uint8_t)number;
    return size;
}

/* A copy with room behind it; NULL when memory ends. */
static uint8_t *copy_section(lam_fuzz_draft *draft, lam_bytes section, size_t room) {
    uint8_t *copy;
    if (lam_arena_bytes(&draft->arena, section.size + room, &copy, NULL) != LAM_STATUS_OK)
        return NULL;
    if (section.size > 0)
        memcpy(copy, section.data, section.size);
    return copy;
}

/* Replaces a varint of the first ones, which head a delta encoding or a run. */
static void change_varint(lam_fuzz_draft *draft, lam_bytes *section, lam_random *random) {
    uint8_t *copy = copy_section(draft, *section, GROWTH), number[10];
    size_t begin = 0, end;
    if (copy == NULL)
        return;
    for (uint64_t skip = lam_random_below(random, 5); skip > 0 && begin < section->size; skip--) {
        while (begin < section->size && (copy[begin] & 0x80) != 0)
            begin++;
        begin += begin < section->size;
    }
    for (end = begin; end < section->size && (copy[end] & 0x80) != 0;)
        end++;
    end += end < section->size;
    size_t size = store_varint(number, any_number(random));
    memmove(copy + begin + size, copy + end, section->size - end);
    memcpy(copy + begin, number, size);
    *section = (lam_bytes){copy, section->size - (end - begin) + size};
}

/* Sets a byte near the front: bit widths, an exponent. */
static void change_width(lam_fuzz_draft *draft, lam_bytes *section, lam_random *random) {
    static const uint8_t widths[] = {0, 1, 7, 8, 9, 31, 32, 33, 63, 64, 65, 255};
    uint8_t *copy = copy_section(draft, *section, 1);
    if (copy == NULL || section->size == 0)
        return;
    copy[lam_random_below(random, section->size < 16 ? section->size : 16)] =
        widths[lam_random_below(random, sizeof widths)];
    *section = (lam_bytes){copy, section->size};
}

/* The length of a string of PLAIN, or four bytes anywhere. */
static void change_length(lam_fuzz_draft *draft, lam_bytes *section, lam_random *random) {
    uint8_t *copy = copy_section(draft, *section, 1);
    size_t at = 0;
    if (copy == NULL || section->size < LENGTH_SIZE)
        return;
    for (uint64_t skip = lam_random_below(random, 6); skip > 0; skip--) {
        uint64_t next = at + LENGTH_SIZE + (uint64_t)lam_load_le32(copy + at);
        if (next > section->size - LENGTH_SIZE)
            break;
        at = (size_t)next;
    }
    lam_store_le32(copy + at, (uint32_t)any_number(random));
    *section = (lam_bytes){copy, section->size};
}

static void change_bytes(lam_fuzz_draft *draft, lam_bytes *section) {
    uint8_t *copy = copy_section(draft, *section, GROWTH);
    if (copy != NULL)
        *section = (lam_bytes){copy, LLVMFuzzerMutate(copy, section->size, section->size + GROWTH)};
}

/* --- Runs ---------------------------------------------------------------------------------- */

static unsigned width_of(uint64_t maximum) {
    unsigned width = 0;
    for (; maximum > 0; maximum >>= 1)
        width++;
    return width;
}

static uint64_t any_element(lam_random *random, uint64_t maximum) {
    /* Now and then one above, where the bits have room for it. */
    return lam_random_below(random, maximum + 1) + lam_random_chance(random, 3);
}

/* Eight elements, least bit first. */
static void pack_group(uint8_t *to, unsigned width, uint64_t maximum, lam_random *random) {
    memset(to, 0, width);
    for (unsigned i = 0; i < 8; i++) {
        uint64_t element = any_element(random, maximum);
        for (unsigned bit = 0; bit < width; bit++)
            if ((element >> bit & 1) != 0)
                to[(i * width + bit) / 8] |= (uint8_t)(1u << (i * width + bit) % 8);
    }
}

/*
 * As many elements as are wanted, or one more or less, in runs of both kinds. (Encodings.md, "Run
 * Length Encoding / Bit-Packing Hybrid")
 */
static void make_runs(lam_fuzz_draft *draft, lam_bytes *section, size_t front, uint64_t maximum,
                      int32_t count, lam_random *random) {
    enum { GROUPS_MOST = 16, RUN_SIZE = 10 + GROUPS_MOST * 32 };
    unsigned width = width_of(maximum);
    int64_t left = count;
    uint8_t *bytes;
    if (width > 32 || front > section->size ||
        lam_arena_bytes(&draft->arena, front + RUNS_MOST * RUN_SIZE, &bytes, NULL) != LAM_STATUS_OK)
        return;
    if (front > 0)
        memcpy(bytes, section->data, front);
    size_t size = front;
    left += lam_random_chance(random, 10) - (int64_t)lam_random_chance(random, 10);
    for (unsigned run = 0; run < RUNS_MOST && left > 0; run++) {
        uint64_t length = 1 + lam_random_below(random, (uint64_t)left);
        if (run == RUNS_MOST - 1)
            length = (uint64_t)left;
        uint64_t groups = (length + 7) / 8;
        if (groups <= GROUPS_MOST && lam_random_chance(random, 50)) {
            size += store_varint(bytes + size, groups << 1 | 1);
            for (; groups > 0; groups--, size += width, left -= 8)
                pack_group(bytes + size, width, maximum, random);
            continue;
        }
        size += store_varint(bytes + size, length << 1);
        uint64_t element = any_element(random, maximum);
        for (unsigned i = 0; i < (width + 7) / 8; i++)
            bytes[size++] = (uint8_t)(element >> 8 * i);
        left -= (int64_t)length;
    }
    *section = (lam_bytes){bytes, size};
}

static void change_levels(lam_fuzz_draft *draft, lam_bytes *section, unsigned maximum,
                          int32_t count, lam_random *random) {
    switch (lam_random_below(random, 5)) {
    case 0:
        change_varint(draft, section, random);
        break;
    case 1:
        change_bytes(draft, section);
        break;
    default:
        make_runs(draft, section, 0, maximum, count, random);
    }
}

static void change_indexes(lam_fuzz_draft *draft, lam_bytes *section, int32_t count,
                           lam_random *random) {
    if (section->size == 0 || section->data[0] > 32 || lam_random_chance(random, 30)) {
        change_width(draft, section, random);
        return;
    }
    unsigned width = section->data[0];
    uint64_t maximum = width == 0 ? 0 : (UINT64_C(1) << width) - 1;
    if (maximum > 3 && lam_random_chance(random, 70))
        maximum -= lam_random_below(random, maximum / 2); /* as many as there may be entries */
    make_runs(draft, section, 1, width_of(maximum) == width ? maximum : 0, count, random);
}

/* Runs behind their length. */
static void make_booleans(lam_fuzz_draft *draft, lam_bytes *section, int32_t count,
                          lam_random *random) {
    uint8_t *copy;
    make_runs(draft, section, LENGTH_SIZE, 1, count, random);
    copy = copy_section(draft, *section, 1);
    if (copy == NULL || section->size < LENGTH_SIZE)
        return;
    lam_store_le32(copy, (uint32_t)(section->size - LENGTH_SIZE));
    section->data = copy;
}

/* Values as their encoding has them. */
static void change_values(lam_fuzz_draft *draft, sections *of, const lam_fuzz_page_kind *kind,
                          lam_random *random) {
    if (lam_random_chance(random, 25)) {
        change_bytes(draft, &of->values);
        return;
    }
    switch (of->encoding) {
    case LAM_ENCODING_PLAIN_DICTIONARY:
    case LAM_ENCODING_RLE_DICTIONARY:
        change_indexes(draft, &of->values, of->count, random);
        break;
    case LAM_ENCODING_DELTA_BINARY_PACKED:
    case LAM_ENCODING_DELTA_LENGTH_BYTE_ARRAY:
    case LAM_ENCODING_DELTA_BYTE_ARRAY:
        if (lam_random_chance(random, 60))
            change_varint(draft, &of->values, random);
        else
            change_width(draft, &of->values, random);
        break;
    case LAM_ENCODING_PLAIN:
        if (kind->type == LAM_PHYSICAL_BYTE_ARRAY)
            change_length(draft, &of->values, random);
        else
            change_bytes(draft, &of->values);
        break;
    case LAM_ENCODING_RLE:
        if (lam_random_chance(random, 50))
            change_length(draft, &of->values, random);
        else
            make_booleans(draft, &of->values, of->count, random);
        break;
    default:
        change_width(draft, &of->values, random);
    }
}

/* --- Pages --------------------------------------------------------------------------------- */

bool lam_fuzz_page_change(lam_fuzz_draft *draft, lam_fuzz_page *page,
                          const lam_fuzz_page_kind *kind, lam_random *random) {
    sections of;
    if (!open_page(draft, page, kind, &of))
        return false;
    uint64_t choice = lam_random_below(random, 10);
    if (choice < 2 && kind->max_repetition > 0)
        change_levels(draft, &of.repetition, kind->max_repetition, of.count, random);
    else if (choice < 5 && kind->max_definition > 0)
        change_levels(draft, &of.definition, kind->max_definition, of.count, random);
    else
        change_values(draft, &of, kind, random);
    return close_page(draft, page, kind, &of, kind->codec);
}

bool lam_fuzz_page_recompress(lam_fuzz_draft *draft, lam_fuzz_page *page,
                              const lam_fuzz_page_kind *kind, int32_t codec) {
    sections of;
    return can_recode(codec) && open_page(draft, page, kind, &of) &&
           close_page(draft, page, kind, &of, codec);
}
