/* SPDX-License-Identifier: Apache-2.0 */
/* Seeds of the targets of folders and of headers of delimited text. */
#include <string.h>

#include "fuzz/seeds.h"

enum { COMMANDS = 16 };

/* A list of entries: the kind as a digit, the path, a NUL. */
#define SEED(text)                                                                                 \
    { (const uint8_t *)(text), sizeof(text) }

void lam_seed_folder(void) {
    static const lam_bytes folders[] = {
        SEED("0a.parquet\0"
             "0b.parquet"),
        SEED("0k=1/a.parquet\0"
             "0k=2/a.parquet\0"
             "0k=%2F/b.parquet\0"
             "0k=__HIVE_DEFAULT_PARTITION__/c.parquet"),
        SEED("0k=\xFF/j=a=b/a.parquet\0"
             "0k=\x1B[2J/a.parquet\0"
             "0=x/a.parquet\0"
             "1k=1/k=2/a.parquet"),
        SEED("3k=1/loop\0"
             "2zero.parquet\0"
             "4pipe.parquet\0"
             "6broken.parquet"),
        SEED("7_log-20240101T000000Z-0123456789abcdef.parquet.part\0"
             "0_hidden/a.parquet\0"
             "5.parquet"),
    };
    uint8_t seed[256];
    for (uint8_t command = 0; command < COMMANDS; command++) {
        lam_bytes folder = folders[command % (sizeof folders / sizeof folders[0])];
        seed[0] = command;
        memcpy(seed + 1, folder.data, folder.size);
        lam_seed_write("folder", (lam_bytes){seed, 1 + folder.size});
    }
}

void lam_seed_csv_header(void) {
    static const char *const names[] = {
        "a", "", "a,a_1,a", "\"x\"\"y\",x", "column1,,column2", "\xC3\xA4"};
    uint8_t seed[64];
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        size_t size = strlen(names[i]);
        seed[0] = (uint8_t)(i * 50);
        seed[1] = (uint8_t)(i % 3);
        memcpy(seed + 2, names[i], size);
        lam_seed_write("csv_header", (lam_bytes){seed, 2 + size});
    }
}
