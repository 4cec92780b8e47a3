/* SPDX-License-Identifier: Apache-2.0 */
/* Footers and Bloom filters by hand. */
#include "byte_map/file/index_ranges.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "byte_map/range_lines.h"

TestSuite(index_ranges);

static lam_status report_encrypted(lam_byte_walk *walk, const void *what, lam_error *error) {
    (void)what;
    return lam_byte_encrypted_footer(walk, 0, walk->input->size, error);
}

static lam_status report_footer(lam_byte_walk *walk, const void *what, lam_error *error) {
    (void)what;
    return lam_byte_footer(walk, 0, walk->input->size, NULL, error);
}

static lam_status report_bloom(lam_byte_walk *walk, const void *what, lam_error *error) {
    (void)what;
    return lam_byte_bloom(walk, 0, walk->input->size, error);
}

static void expect(lam_range_call *call, bool is_signed, const void *bytes, size_t size,
                   const char *lines) {
    lam_input input = lam_input_memory(bytes, size);
    lam_byte_walk walk = lam_range_lines_walk(NULL);
    walk.input = &input;
    walk.is_signed = is_signed;
    lam_range_lines_expect(&walk, call, NULL, lines);
    lam_input_close(&input);
}

/* Encryption.md: FileCryptoMetaData, then the footer that it encrypts. */
Test(index_ranges, an_encrypted_footer_is_its_key_and_the_rest) {
    expect(report_encrypted, false, "\x28\x01k\0???", 7,
           "0 0+7 footer -- encrypted\n1 0+4 struct FileCryptoMetaData\n"
           "2 0+3 field key_metadata: \"k\"\n2 3+1 stop\n1 4+3 encrypted FileMetaData\n");
    expect(report_encrypted, false, "\x28\x01k\0", 4,
           "0 0+4 footer -- encrypted\n1 0+4 struct FileCryptoMetaData\n"
           "2 0+3 field key_metadata: \"k\"\n2 3+1 stop\n");
    expect(report_encrypted, false, "\x28\x01k", 3, /* without its stop */
           "0 0+3 footer -- encrypted\n1 0+3 struct FileCryptoMetaData\n"
           "2 0+3 field key_metadata: \"k\"\n");
    expect(report_encrypted, false, "\xFF\xFF", 2,
           "0 0+2 footer -- encrypted\n1 0+2 struct FileCryptoMetaData\n"
           "2 0+2 unknown -- unknown type 15\n");
}

Test(index_ranges, a_signature_has_28_bytes) {
    char bytes[29] = "";
    expect(report_footer, true, bytes, 29,
           "0 0+29 footer FileMetaData\n1 0+1 stop\n1 1+28 encrypted signature\n");
    expect(report_footer, true, bytes, 28,
           "0 0+28 footer FileMetaData\n1 0+1 stop\n"
           "1 1+27 unknown -- bytes behind the end of the struct\n");
    expect(report_footer, false, bytes, 29,
           "0 0+29 footer FileMetaData\n1 0+1 stop\n"
           "1 1+28 unknown -- bytes behind the end of the struct\n");
}

/* --- Bloom filters ------------------------------------------------------------------------- */

#define UNIONS "\x1C\x1C\0\0\x1C\x1C\0\0\x1C\x1C\0\0\0" /* BLOCK, XXHASH, UNCOMPRESSED, stop */

/* The same, as lines. */
#define HEAD                                                                                       \
    "2 2+4 field algorithm\n3 2+1 field_head: id 2, struct\n3 3+2 field BLOCK\n3 5+1 stop\n"       \
    "2 6+4 field hash\n3 6+1 field_head: id 3, struct\n3 7+2 field XXHASH\n3 9+1 stop\n"           \
    "2 10+4 field compression\n3 10+1 field_head: id 4, struct\n3 11+2 field UNCOMPRESSED\n"       \
    "3 13+1 stop\n2 14+1 stop\n"
#define BLOCK                                                                                      \
    "1 15+32 bloom_bitset\n2 15+32 bloom_block: 00000000 00000000 00000000 00000000 00000000 "     \
    "00000000 00000000 00000000\n"

Test(index_ranges, a_bitset_has_the_stated_size_if_there_is_one) {
    static const struct {
        uint8_t bytes; /* numBytes, zigzag */
        size_t bits;
        int number;
        const char *lines;
    } cases[] = {
        {0x40, 32, 32, BLOCK},
        {0x40, 33, 32,
         BLOCK "1 47+1 unknown -- bytes behind the bitset, of which the header states 32\n"},
        {0x00, 32, 0, BLOCK},
        {0x01, 32, -1, BLOCK},
        {0x40, 0, 32, "1 15+0 bloom_bitset\n"},
        {0x40, 3, 32,
         "1 15+3 bloom_bitset\n2 15+3 unknown -- a bitset is made of blocks of 32 bytes\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char bytes[100] = "\x15", lines[1000];
        size_t size = 2 + sizeof UNIONS - 1 + cases[i].bits;
        bytes[1] = (char)cases[i].bytes;
        memcpy(bytes + 2, UNIONS, sizeof UNIONS - 1);
        snprintf(lines, sizeof lines,
                 "0 0+%u bloom_filter\n1 0+15 bloom_header BloomFilterHeader\n"
                 "2 0+2 field numBytes: %d\n" HEAD "%s",
                 (unsigned)size, cases[i].number, cases[i].lines);
        expect(report_bloom, false, bytes, size, lines);
    }
}
