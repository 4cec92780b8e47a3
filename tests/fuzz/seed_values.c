/* SPDX-License-Identifier: Apache-2.0 */
/* Seeds that are pages of values and levels in each encoding. */
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "codec/codec.h"
#include "encoding/encoder.h"
#include "encoding/encoding.h"
#include "encoding/rle.h"
#include "fuzz/seeds.h"
#include "support/random.h"

enum { VALUES = 300, FIXED = 5, WIDEST = 16 /* bytes of a value at most */ };

static lam_random dice;

/* A seed: numbers of one byte, a count of `count_bytes`, then bytes. */
static void save(const char *target, const uint8_t *head, size_t head_size, lam_bytes bytes) {
    lam_allocator allocator = lam_allocator_default();
    lam_buffer seed;
    lam_buffer_init(&seed, &allocator);
    LAM_SEED_TRY(lam_buffer_append(&seed, head, head_size, &error));
    LAM_SEED_TRY(lam_buffer_append(&seed, bytes.data, bytes.size, &error));
    lam_seed_write(target, lam_buffer_bytes(&seed));
    lam_buffer_finish(&seed);
}

static void save_levels(unsigned width, bool runs) {
    lam_allocator allocator = lam_allocator_default();
    lam_buffer out;
    lam_rle_encoder encoder;
    lam_buffer_init(&out, &allocator);
    lam_rle_encoder_init(&encoder, lam_kernels_get(), width, &out);
    uint32_t mask = width == 32 ? UINT32_MAX : (1u << width) - 1;
    uint32_t value = 0;
    for (int i = 0; i < VALUES; i++) {
        if (!runs || lam_random_chance(&dice, 10))
            value = (uint32_t)lam_random_next(&dice) & mask;
        LAM_SEED_TRY(lam_rle_write_indexes(&encoder, &value, 1, &error));
    }
    LAM_SEED_TRY(lam_rle_encoder_flush(&encoder, &error));
    for (uint8_t kind = 0; kind < 3; kind++) {
        uint8_t head[] = {(uint8_t)width, kind, (uint8_t)(width * 7 + runs), VALUES & 255,
                          VALUES >> 8};
        if (kind == 0 || width <= 8)
            save("levels", head, sizeof head, lam_buffer_bytes(&out));
    }
    lam_buffer_finish(&out);
}

static void fill(lam_value_layout layout, uint8_t *values, uint8_t *room) {
    for (size_t i = 0; i < VALUES; i++) {
        int64_t number = (int64_t)lam_random_below(&dice, 1000) - 200;
        float real = (float)number / 8;
        double wide = (double)number / 100;
        int32_t narrow = (int32_t)number;
        lam_bytes string = {room + i, (size_t)lam_random_below(&dice, 20)};
        uint8_t *at = values + i * lam_layout_size(layout);
        switch (layout.type) {
        case LAM_PHYSICAL_BOOLEAN:
            *at = number & 1;
            break;
        case LAM_PHYSICAL_FLOAT:
            memcpy(at, &real, sizeof real);
            break;
        case LAM_PHYSICAL_DOUBLE:
            memcpy(at, &wide, sizeof wide);
            break;
        case LAM_PHYSICAL_BYTE_ARRAY:
            memcpy(at, &string, sizeof string);
            break;
        case LAM_PHYSICAL_INT32:
            memcpy(at, &narrow, sizeof narrow);
            break;
        case LAM_PHYSICAL_INT64:
            memcpy(at, &number, sizeof number);
            break;
        default: /* INT96 and FIXED_LEN_BYTE_ARRAY of 5 are bytes */
            memset(at, 'x', lam_layout_size(layout));
            lam_store_le32(at, (uint32_t)number);
        }
    }
}

static void save_encoded(lam_encoding encoding, lam_value_layout layout) {
    lam_allocator allocator = lam_allocator_default();
    lam_encoder encoder;
    lam_buffer out;
    uint8_t *values = malloc(VALUES * WIDEST), room[VALUES + 32];
    for (size_t i = 0; i < sizeof room; i++)
        room[i] = (uint8_t)('a' + i / 12 % 26);
    lam_buffer_init(&out, &allocator);
    fill(layout, values, room);
    if (lam_encoder_init(&encoder, lam_kernels_get(), encoding, layout, &allocator, NULL) ==
        LAM_STATUS_OK) {
        LAM_SEED_TRY(lam_encoder_write(&encoder, values, VALUES, &error));
        LAM_SEED_TRY(lam_encoder_end_page(&encoder, &out, &error));
        lam_encoder_finish(&encoder);
        uint8_t head[] = {
            (uint8_t)encoding, (uint8_t)layout.type, FIXED - 1, 0, (uint8_t)lam_random_next(&dice),
            VALUES & 255,      VALUES >> 8};
        save("decoder", head, sizeof head, lam_buffer_bytes(&out));
    }
    if (layout.type != LAM_PHYSICAL_BYTE_ARRAY) {
        for (uint8_t at = 0; at < 7; at++) {
            uint8_t head[] = {at, (uint8_t)layout.type, FIXED - 1, at};
            save("encoder", head, sizeof head,
                 (lam_bytes){values, VALUES * lam_layout_size(layout)});
        }
    }
    lam_buffer_finish(&out);
    free(values);
}

/* Indexes behind their bit width. */
static void save_dictionary(uint8_t type, uint8_t width) {
    lam_allocator allocator = lam_allocator_default();
    lam_buffer out;
    lam_rle_encoder encoder;
    lam_buffer_init(&out, &allocator);
    LAM_SEED_TRY(lam_buffer_append_byte(&out, width, &error));
    lam_rle_encoder_init(&encoder, lam_kernels_get(), width, &out);
    for (int i = 0; i < VALUES; i++) {
        uint32_t index = (uint32_t)lam_random_below(&dice, 1u << width);
        LAM_SEED_TRY(lam_rle_write_indexes(&encoder, &index, 1, &error));
    }
    LAM_SEED_TRY(lam_rle_encoder_flush(&encoder, &error));
    uint8_t head[] = {LAM_ENCODING_RLE_DICTIONARY,
                      type,
                      FIXED - 1,
                      (uint8_t)(1u << width),
                      type,
                      VALUES & 255,
                      VALUES >> 8};
    save("decoder", head, sizeof head, lam_buffer_bytes(&out));
    lam_buffer_finish(&out);
}

static void save_strings(void) {
    uint8_t text[2000];
    for (size_t i = 0; i < sizeof text; i++)
        text[i] = i % 9 == 0 ? 8 : (uint8_t)('a' + i / 50 % 26);
    for (uint8_t at = 0; at < 7; at++) {
        uint8_t head[] = {at, LAM_PHYSICAL_BYTE_ARRAY, 0, at};
        save("encoder", head, sizeof head, (lam_bytes){text, sizeof text});
    }
}

static void save_codecs(void) {
    uint8_t text[1500];
    lam_allocator allocator = lam_allocator_default();
    lam_codec_context *codecs;
    LAM_SEED_TRY(lam_codec_context_create(&allocator, &codecs, &error));
    for (size_t i = 0; i < sizeof text; i++)
        text[i] = (uint8_t)(i % 7 == 0 ? lam_random_next(&dice) : 'a' + i / 30 % 26);
    for (uint8_t codec = 0; codec < 8; codec++) {
        lam_bytes whole = {text, sizeof text};
        lam_buffer out;
        lam_buffer_init(&out, &allocator);
        if (lam_codec_compress(codecs, (lam_codec)(LAM_CODEC_UNCOMPRESSED + codec), 0, whole, &out,
                               NULL) == LAM_STATUS_OK) {
            uint8_t head[] = {codec, sizeof text & 255, sizeof text >> 8, 0};
            save("codec", head, sizeof head, lam_buffer_bytes(&out));
        }
        uint8_t other[] = {(uint8_t)(codec | 0x80), 0, 0, 0};
        save("codec", other, sizeof other, whole);
        lam_buffer_finish(&out);
    }
    lam_codec_context_destroy(codecs);
}

void lam_seed_values(void) {
    static const uint8_t widths[] = {0, 1, 2, 3, 7, 8, 9, 16, 17, 31, 32};
    static const int32_t sizes[] = {1, 4, 8, 12, 4, 8, 0, FIXED};
    dice = lam_random_start(2);
    for (size_t i = 0; i < sizeof widths; i++) {
        save_levels(widths[i], true);
        save_levels(widths[i], false);
    }
    for (uint8_t type = 0; type < 8; type++) {
        for (int encoding = 0; encoding <= LAM_ENCODING_ALP; encoding++) {
            lam_value_layout layout = {(lam_physical_type)type, sizes[type]};
            if (lam_encoding_takes((lam_encoding)encoding, layout.type))
                save_encoded((lam_encoding)encoding, layout);
        }
        save_dictionary(type, 1);
        save_dictionary(type, 6);
    }
    save_strings();
    save_codecs();
}
