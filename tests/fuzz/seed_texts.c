/* SPDX-License-Identifier: Apache-2.0 */
/* Seeds that are text: schemas, JSON, delimited text, and command lines. */
#include <string.h>

#include "fuzz/seeds.h"

/* Records for each of lam_seed_schemas, and lines that fit none. */
static const char *const records[] = {
    "{\"a\":1,\"b\":-9223372036854775808}\n{\"a\":2147483647,\"b\":null}\n",
    "{\"a\":true,\"b\":1.5,\"c\":\"NaN\",\"d\":\"2024-10-24T12:34:56.789000000\"}\n"
    "{\"a\":null,\"b\":-0.0,\"c\":1e-310,\"d\":\"AAAAAAAAAAAAAAAA\"}\n",
    "{\"a\":\"x\\u00e9\\ud83d\\ude00\\n\",\"b\":\"YWJjZGU=\",\"c\":\"\"}\n",
    "{\"a\":1234567.89,\"b\":-0.0001,\"c\":12345678901234567.890,\"d\":1e3}\n",
    "{\"a\":\"2024-10-24\",\"b\":\"12:34:56.789\",\"c\":\"23:59:59.999999999\",\"d\":"
    "\"2024-10-24T12:34:56.789000Z\",\"e\":\"1970-01-01T00:00:00.000000000\"}\n"
    "{\"a\":\"-0044-01-31\",\"b\":90000000,\"c\":-1,\"d\":\"+12024-02-29T00:00:00.000001Z\"}\n",
    "{\"a\":-128,\"b\":65535,\"c\":18446744073709551615,\"d\":0.333,\"e\":"
    "\"01234567-89ab-cdef-0123-456789abcdef\",\"f\":{\"months\":1,\"days\":2,\"millis\":3}}\n",
    "{\"a\":\"RED\",\"b\":{\"x\":[1,2.50,\"y\"]},\"c\":\"AAE=\",\"d\":\"AQ==\",\"e\":null}\n"
    "{\"b\":\"{\\\"x\\\": 1}\"}\n",
    "{\"DocId\":10,\"Links\":{\"Forward\":[20,40,60]},\"Name\":[{\"Language\":[{\"Code\":\"en-us\","
    "\"Country\":\"us\"}],\"Url\":\"http\"},{}]}\n",
    "{\"l\":[[1,null,3],[],null]}\n{\"l\":[]}\n{\"l\":null}\n",
    "{\"m\":{\"k\":{\"x\":1.0,\"y\":[true,false]},\"\":null}}\n",
    "{\"old\":[1,2],\"bare\":[\"a\",\"b\"],\"k\":[{\"key\":1},{\"key\":2}]}\n",
    "{\"v\":{\"metadata\":\"AQAA\",\"value\":\"AA==\"}}\n",
    "[{\"a\":1},\r\n {\"a\":[1,\"x\",{\"y\":null}]}, {\"a\":18446744073709551615}]\n",
    "\xEF\xBB\xBF{\"a\": {\"b\": {\"c\": [[[]]]}}}\n\n{\"a\": {\"b\": 1}}\n{\"a\": \"x\"}\n",
    "{\"n\":1}\n{\"n\":-1}\n{\"n\":1.5}\n{\"n\":9007199254740993}\n{\"n\":1e400}\n{\"n\":false}\n",
    NULL,
};

static const char *const schemas[] = {
    "optional int32 a; /* no message */ required group g = 3 { repeated binary \"b c\" (UTF8) = "
    "-4; }",
    "MESSAGE \"\\x41\\n\\\"\" { OPTIONAL BYTE_ARRAY x (geography(\"a b\", karney)) = 1; # c\n // "
    "d\n }",
    "message m { required fixed_len_byte_array(3) a (DECIMAL(4,4)); repeated group r (FILE) { "
    "optional int64 u (INTEGER(64,false)); } }",
    "message e { }",
    NULL,
};

static const char *const tables[] = {
    "a,b,c\n1,2.5,x\n-2,nan,\"y, \"\"z\"\"\"\n,,\n",
    "a;b\r\n2024-10-24;12:34\r\n1999-12-31;23:59:59.999999999\r\n",
    "a\tb\n2024-10-24T12:34:56Z\t00112233-4455-6677-8899-aabbccddeeff\n1970-01-01 00:00+01\t\n",
    "a|b\rtrue|NA\rFALSE|007\r",
    "\xEF\xBB\xBF"
    "a,a,\n1,2\n3,4,5,6\n\"7\"8,9,\n\n1234567890123456.125,1e400,-0.1\n",
    "\xFF\xFE"
    "a,1\n",
    NULL,
};

static void save(const char *target, const char *head, size_t head_size, const char *schema,
                 const char *text) {
    lam_allocator allocator = lam_allocator_default();
    lam_buffer seed;
    lam_buffer_init(&seed, &allocator);
    LAM_SEED_TRY(lam_buffer_append(&seed, head, head_size, &error));
    if (schema != NULL)
        LAM_SEED_TRY(lam_buffer_append(&seed, schema, strlen(schema) + 1, &error));
    LAM_SEED_TRY(lam_buffer_append(&seed, text, strlen(text), &error));
    lam_seed_write(target, lam_buffer_bytes(&seed));
    lam_buffer_finish(&seed);
}

/* Command lines, a word in each line. */
static const char *const options[] = {"--flag\na\n--\n-f",
                                      "-ftx\n-n7\n-t\ny\nb",
                                      "--count=12\n--count-bytes\n3MiB\n--word=two",
                                      "--no-thing\n--pick\n--te\nz",
                                      "--count 1\n--coun\n5\n--wrod\n-z",
                                      "-h\n--help",
                                      NULL};

void lam_seed_texts(void) {
    for (size_t i = 0; records[i] != NULL; i++) {
        save("json_inference", "\0", 1, NULL, records[i]);
        save("json_inference", "\3", 1, NULL, records[i]);
    }
    for (size_t i = 0; lam_seed_schemas[i] != NULL; i++) {
        save("schema", "", 0, NULL, lam_seed_schemas[i]);
        save("json_reader", "\0", 1, lam_seed_schemas[i], records[i]);
        save("json_reader", "\x62", 1, lam_seed_schemas[i], records[i]);
        save("json_reader", "\x5D", 1, lam_seed_schemas[i], records[i + 1]);
    }
    for (size_t i = 0; schemas[i] != NULL; i++)
        save("schema", "", 0, NULL, schemas[i]);
    for (size_t i = 0; options[i] != NULL; i++)
        save("options", "", 0, NULL, options[i]);
    for (size_t i = 0; tables[i] != NULL; i++) {
        save("csv", "\0\0", 2, NULL, tables[i]);
        save("csv", "\x58\0", 2, NULL, tables[i]);
        save("csv", "\x8c\3", 2, NULL, tables[i]);
    }
}
