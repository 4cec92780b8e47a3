/* SPDX-License-Identifier: Apache-2.0 */
/* Values that have a format of their own; the number in front chooses it. (fuzz_contents.c) */
#include <string.h>

#include "fuzz/seeds.h"

typedef struct content_seed {
    uint8_t format;
    const char *bytes;
    size_t size;
} content_seed;

#define SEED(FORMAT, BYTES)                                                                        \
    { FORMAT, BYTES, sizeof(BYTES) - 1 }

static const content_seed seeds[] = {
    SEED(0, "{\"a\":[1,-2.5e+3,{\"b\":null,\"\":[[],{}]},\"\\u00e9\\n\"],\"c\":false}"),
    SEED(0, " [ true , 0 , \"\\\"\\\\/\" ] "),
    SEED(1, "\5\0\0\0\0"),
    SEED(1, "\x2C\0\0\0\3d\0\x1B\0\0\0\4a\0\x0C\0\0\0\x08"
            "0\0\1\x0A"
            "1\0\0\x10n\0"
            "1234\0\x02s\0\2\0\0\0x\0\0"),
    SEED(1, "\x1A\0\0\0\x0Fx\0\x0F\0\0\0\2\0\0\0f\0\5\0\0\0\0\xFF\0\0"),
    SEED(1, "\x26\0\0\0\5b\0\7\0\0\0\2\3\0\0\0abc\x0Bx\0a.*\0i\0\x13x\0"
            "12345"),
    SEED(2, "\1\1\0\0\0\0\0\0\0\0\0\x3E\x40\0\0\0\0\0\0\x24\x40"),
    SEED(2, "\0\0\0\3\xEA\0\0\0\0"),
    SEED(2, "\1\6\0\0\0\1\0\0\0\1\3\0\0\0\1\0\0\0\1\0\0\0\0\0\0\0\0\0\x3E\x40\0\0\0\0\0\0\x24\x40"),
    SEED(2, "\1\x0C\0\0\0\2\0\0\0\1\x0A\0\0\0\1\0\0\0\1\x09\0\0\0\0\0\0\0\1\3\0\0\0\0\0\0\0"),
    SEED(2, "\1\7\0\0\0\1\0\0\0\0\0\0\0\x10\0\0\0\1\0\0\0\0\x11\0\0\0\0"),
};

void lam_seed_contents(void) {
    lam_allocator allocator = lam_allocator_default();
    for (size_t i = 0; i < sizeof seeds / sizeof seeds[0]; i++) {
        lam_buffer seed;
        lam_buffer_init(&seed, &allocator);
        LAM_SEED_TRY(lam_buffer_append_byte(&seed, seeds[i].format, &error));
        LAM_SEED_TRY(lam_buffer_append(&seed, seeds[i].bytes, seeds[i].size, &error));
        lam_seed_write("contents", lam_buffer_bytes(&seed));
        lam_buffer_finish(&seed);
    }
}
