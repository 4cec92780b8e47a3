/* SPDX-License-Identifier: Apache-2.0 */
/* Random trees of metadata structs by their tables, and whether two are equal. */
#include "meta/meta_tree.h"

#include <criterion/criterion.h>
#include <string.h>

static void *take(lam_arena *arena, size_t count, size_t size) {
    void *memory;
    cr_assert_eq(lam_arena_array(arena, count, size, &memory, NULL), LAM_STATUS_OK);
    return memory;
}

/* Small, large and extreme numbers, of both signs. */
static int64_t random_number(lam_random *random) {
    uint64_t bits = lam_random_next(random) >> lam_random_below(random, 64);
    return (int64_t)(lam_random_chance(random, 25) ? ~bits : bits);
}

static lam_bytes random_bytes(lam_random *random, lam_arena *arena) {
    size_t size = (size_t)lam_random_below(random, lam_random_chance(random, 5) ? 300 : 12);
    uint8_t *data = take(arena, size, 1);
    for (size_t i = 0; i < size; i++)
        data[i] = (uint8_t)(1 + lam_random_below(random, 255));
    return (lam_bytes){data, size};
}

static void random_value(lam_random *random, unsigned kind, lam_arena *arena, void *out) {
    int64_t number = random_number(random);
    uint64_t bits = lam_random_next(random);
    switch (kind) {
    case LAM_META_KIND_BOOL:
        *(bool *)out = (bits & 1) != 0;
        break;
    case LAM_META_KIND_I8:
        *(int8_t *)out = (int8_t)number;
        break;
    case LAM_META_KIND_I16:
        *(int16_t *)out = (int16_t)number;
        break;
    case LAM_META_KIND_I32:
        *(int32_t *)out = (int32_t)number;
        break;
    case LAM_META_KIND_I64:
        *(int64_t *)out = number;
        break;
    case LAM_META_KIND_DOUBLE:
        /* A signalling NaN would not pass through the x87 registers of c_glib unchanged. */
        if ((bits << 1) >> 53 == 0x7FF)
            bits |= UINT64_C(1) << 51;
        memcpy(out, &bits, sizeof bits);
        break;
    default:
        cr_assert_eq(kind, LAM_META_KIND_BYTES);
        *(lam_bytes *)out = random_bytes(random, arena);
    }
}

static void random_list(lam_random *random, const lam_meta_field *field, unsigned abundance,
                        lam_arena *arena, void *out) {
    unsigned most = field->child != NULL ? 2 * abundance : lam_random_chance(random, 5) ? 200 : 6;
    lam_meta_list list = {NULL, (uint32_t)lam_random_below(random, most + 1)};
    if (field->child == NULL && lam_random_chance(random, 5))
        list.count = 14 + (uint32_t)lam_random_below(random, 3); /* where the long head begins */
    size_t size = lam_meta_element_size(field);
    uint8_t *items = take(arena, list.count, size);
    list.items = items;
    for (uint32_t i = 0; i < list.count; i++) {
        if (field->element == LAM_META_KIND_STRUCT)
            lam_meta_tree_random(random, field->child, abundance, arena, items + i * size);
        else
            random_value(random, field->element, arena, items + i * size);
    }
    memcpy(out, &list, sizeof list);
}

static void random_field(lam_random *random, const lam_meta_field *field, unsigned abundance,
                         lam_arena *arena, void *out) {
    void *child;
    switch (field->kind) {
    case LAM_META_KIND_EMPTY:
        break;
    case LAM_META_KIND_STRUCT:
        lam_meta_tree_random(random, field->child, abundance, arena, out);
        break;
    case LAM_META_KIND_POINTER:
        child = take(arena, 1, field->child->size);
        lam_meta_tree_random(random, field->child, abundance, arena, child);
        memcpy(out, &child, sizeof child);
        break;
    case LAM_META_KIND_LIST:
        random_list(random, field, abundance, arena, out);
        break;
    default:
        random_value(random, field->kind, arena, out);
    }
}

static void random_union(lam_random *random, const lam_meta_struct *table, unsigned abundance,
                         lam_arena *arena, uint8_t *out) {
    int32_t kind = (int32_t)lam_random_below(random, table->last_id + 1u);
    const lam_meta_field *member = lam_meta_find(table, kind);
    if (member == NULL)
        kind = 0;
    else
        random_field(random, member, abundance, arena, out + member->offset);
    memcpy(out, &kind, sizeof kind);
}

void lam_meta_tree_random(lam_random *random, const lam_meta_struct *table, unsigned abundance,
                          lam_arena *arena, void *out) {
    memset(out, 0, table->size);
    if (table->initial != NULL)
        memcpy(out, table->initial, table->size);
    if (table->is_union) {
        random_union(random, table, abundance, arena, out);
        return;
    }
    uint32_t has = 0;
    for (int32_t id = 1; id <= table->last_id; id++) {
        const lam_meta_field *field = lam_meta_find(table, id);
        bool required = (table->required >> id & 1) != 0;
        if (field == NULL || (!required && lam_random_chance(random, 50)))
            continue;
        has |= 1u << id;
        random_field(random, field, abundance, arena, (uint8_t *)out + field->offset);
    }
    memcpy(out, &has, sizeof has);
}

static bool bytes_equal(const lam_bytes *a, const lam_bytes *b) {
    return a->size == b->size && (a->size == 0 || memcmp(a->data, b->data, a->size) == 0);
}

static size_t size_of(unsigned kind) {
    switch (kind) {
    case LAM_META_KIND_BOOL:
        return sizeof(bool);
    case LAM_META_KIND_I8:
        return sizeof(int8_t);
    case LAM_META_KIND_I16:
        return sizeof(int16_t);
    case LAM_META_KIND_I32:
        return sizeof(int32_t);
    default:
        return sizeof(int64_t); /* and double */
    }
}

static bool lists_equal(const lam_meta_field *field, const void *a, const void *b) {
    lam_meta_list left;
    lam_meta_list right;
    memcpy(&left, a, sizeof left);
    memcpy(&right, b, sizeof right);
    if (left.count != right.count)
        return false;
    size_t size = lam_meta_element_size(field);
    for (uint32_t i = 0; i < left.count; i++) {
        const uint8_t *x = (const uint8_t *)left.items + i * size;
        const uint8_t *y = (const uint8_t *)right.items + i * size;
        bool equal = field->element == LAM_META_KIND_STRUCT
                         ? lam_meta_tree_equals(field->child, x, y)
                     : field->element == LAM_META_KIND_BYTES
                         ? bytes_equal((const lam_bytes *)x, (const lam_bytes *)y)
                         : memcmp(x, y, size) == 0;
        if (!equal)
            return false;
    }
    return true;
}

static bool fields_equal(const lam_meta_field *field, const void *a, const void *b) {
    const void *left;
    const void *right;
    switch (field->kind) {
    case LAM_META_KIND_EMPTY:
        return true;
    case LAM_META_KIND_STRUCT:
        return lam_meta_tree_equals(field->child, a, b);
    case LAM_META_KIND_POINTER:
        memcpy(&left, a, sizeof left);
        memcpy(&right, b, sizeof right);
        if (left == NULL || right == NULL)
            return left == right;
        return lam_meta_tree_equals(field->child, left, right);
    case LAM_META_KIND_LIST:
        return lists_equal(field, a, b);
    case LAM_META_KIND_BYTES:
        return bytes_equal(a, b);
    default:
        return memcmp(a, b, size_of(field->kind)) == 0;
    }
}

bool lam_meta_tree_equals(const lam_meta_struct *table, const void *a, const void *b) {
    uint32_t left;
    uint32_t right;
    memcpy(&left, a, sizeof left);
    memcpy(&right, b, sizeof right);
    if (table->is_union) {
        const lam_meta_field *member = lam_meta_find(table, (int32_t)left);
        if (member == NULL)
            return lam_meta_find(table, (int32_t)right) == NULL;
        return left == right && fields_equal(member, (const uint8_t *)a + member->offset,
                                             (const uint8_t *)b + member->offset);
    }
    for (int32_t id = 1; id <= table->last_id; id++) {
        const lam_meta_field *field = lam_meta_find(table, id);
        if (field == NULL)
            continue;
        bool optional = field->kind != LAM_META_KIND_POINTER && !(table->required >> id & 1);
        if (optional && ((left ^ right) >> id & 1) != 0)
            return false;
        if (!fields_equal(field, (const uint8_t *)a + field->offset,
                          (const uint8_t *)b + field->offset))
            return false;
    }
    return true;
}
