/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Schemas so large that the flat buffers for Arrow cannot hold them are above a limit, before any
 * memory is taken.
 */
#include "arrow/schema/flat_schema.h"

#include <criterion/criterion.h>
#include <string.h>

#include "arrow/schema/ipc_schema.h"
#include "base/alloc.h"

static lam_arena arena;

static void set_up(void) {
    lam_allocator heap = lam_allocator_default();
    lam_arena_init(&arena, &heap, 0);
}

static void tear_down(void) {
    lam_arena_finish(&arena);
}

TestSuite(flat_schema, .init = set_up, .fini = tear_down);

/* Its bytes are not looked at. */
Test(flat_schema, a_message_of_two_gigabytes_is_a_limit) {
    const uint8_t byte = 0;
    lam_arrow_field schema;
    lam_error error = lam_error_none();
    cr_assert_eq(
        lam_flat_schema_read((lam_bytes){&byte, (size_t)INT32_MAX + 1}, &arena, &schema, &error),
        LAM_STATUS_LIMIT);
    cr_assert_str_eq(error.message, "the Arrow schema has 2147483648 bytes");
}

Test(flat_schema, what_would_fill_a_gigabyte_is_a_limit) {
    uint8_t byte = 0;
    lam_arrow_key_value pair = {{&byte, 1}, {&byte, SIZE_MAX / 2}};
    lam_arrow_field root = {.name = "", .type = {.kind = LAM_ARROW_STRUCT}};
    root.metadata = (lam_arrow_metadata){1, &pair};
    lam_bytes value = {NULL, 77};
    lam_error error = lam_error_none();
    cr_assert_eq(lam_ipc_schema_write(&root, &arena, &value, &error), LAM_STATUS_LIMIT);
    cr_assert_str_eq(error.message, "the schema is too large for an Arrow message");
    pair.value.size = 400u << 20;
    lam_arrow_field children[] = {root, root, root};
    lam_arrow_field outer = {.name = "", .type = {.kind = LAM_ARROW_STRUCT}};
    outer.children = children;
    outer.child_count = 3;
    cr_assert_eq(lam_ipc_schema_write(&outer, &arena, &value, &error), LAM_STATUS_LIMIT);
    pair = (lam_arrow_key_value){{&byte, (size_t)2 << 30}, {&byte, 1}};
    cr_assert_eq(lam_ipc_schema_write(&outer, &arena, &value, &error), LAM_STATUS_LIMIT);
    /* Pairs and children are counted until there are too many. */
    lam_arrow_key_value pairs[] = {{{&byte, 1}, {&byte, 600u << 20}},
                                   {{&byte, 1}, {&byte, 600u << 20}},
                                   {{&byte, 1}, {&byte, 1}}};
    root.metadata = (lam_arrow_metadata){3, pairs};
    root.children = children;
    root.child_count = 1;
    children[0].metadata.count = 0;
    cr_assert_eq(lam_ipc_schema_write(&root, &arena, &value, &error), LAM_STATUS_LIMIT);
    cr_assert_eq(value.size, 77);
}
