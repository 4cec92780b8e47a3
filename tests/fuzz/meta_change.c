/* SPDX-License-Identifier: Apache-2.0 */
/* Changes one field of a metadata message in memory, found by the tables of the structs. */
#include "fuzz/meta_change.h"

#include <string.h>

#include "fuzz/harness.h"
#include "meta/metadata.h"

/* One field of one struct; without one, the kind of a union. */
typedef struct place {
    const lam_meta_field *field;
    void *owner;
    unsigned id;
    bool in_union;
    const lam_meta_struct *table; /* of the owner */
} place;

typedef struct search {
    lam_random *random;
    uint64_t seen;
    place chosen;
} search;

static void *member(const place *p) {
    return (char *)p->owner + p->field->offset;
}

/* What a union is, as a place: without a field. */
static void visit_union(search *s, const lam_meta_struct *table, void *owner) {
    if (lam_random_below(s->random, ++s->seen) == 0)
        s->chosen = (place){NULL, owner, 0, true, table};
}

/* The search goes as deep as the tables do, which no input makes deeper. */
static void visit(search *s, const lam_meta_struct *table, void *owner) {
    if (table->is_union)
        visit_union(s, table, owner);
    for (unsigned id = 1; id <= table->last_id; id++) {
        place p = {&table->fields[id], owner, id, table->is_union, table};
        if (p.field->kind == LAM_META_KIND_NONE || p.field->kind == LAM_META_KIND_EMPTY)
            continue;
        if (table->is_union && *(int32_t *)owner != (int32_t)id)
            continue;
        if (p.field->kind == LAM_META_KIND_STRUCT) {
            visit(s, p.field->child, member(&p));
            continue;
        }
        if (lam_random_below(s->random, ++s->seen) == 0)
            s->chosen = p;
        if (p.field->kind == LAM_META_KIND_POINTER) {
            void *child;
            memcpy(&child, member(&p), sizeof child);
            if (child != NULL)
                visit(s, p.field->child, child);
        } else if (p.field->kind == LAM_META_KIND_LIST &&
                   p.field->element == LAM_META_KIND_STRUCT) {
            lam_meta_list *list = member(&p);
            for (uint32_t i = 0; i < list->count; i++)
                visit(s, p.field->child, (char *)list->items + i * lam_meta_element_size(p.field));
        }
    }
}

static int64_t any_number(lam_random *random, int64_t old) {
    static const int64_t edges[] = {0, 1, -1, 2, 4, 8, 31, 32, 33, 127, 255, 256, 65535};
    switch (lam_random_below(random, 6)) {
    case 0:
        return edges[lam_random_below(random, sizeof edges / sizeof edges[0])];
    case 1:
        return (int64_t)((uint64_t)old + lam_random_below(random, 17) - 8);
    case 2:
        return old ^ (int64_t)(1ull << lam_random_below(random, 63));
    case 3:
        return (int64_t)lam_random_below(random, 12);
    case 4:
        return lam_random_chance(random, 50) ? INT64_MAX : INT64_MIN;
    default:
        return (int64_t)(lam_random_next(random) >> lam_random_below(random, 64));
    }
}

static void change_bytes(lam_bytes *bytes, lam_arena *arena, lam_random *random) {
    uint8_t *copy;
    size_t room = bytes->size + 16;
    (void)random;
    if (lam_arena_bytes(arena, room, &copy, NULL) != LAM_STATUS_OK)
        return;
    if (bytes->size > 0)
        memcpy(copy, bytes->data, bytes->size);
    bytes->size = LLVMFuzzerMutate(copy, bytes->size, room);
    bytes->data = copy;
}

/* Leaves the last element out, or has one of them twice. */
static void change_list(const lam_meta_field *field, lam_meta_list *list, lam_arena *arena,
                        lam_random *random) {
    size_t size = lam_meta_element_size(field);
    void *items;
    if (list->count == 0)
        return;
    if (lam_random_chance(random, 50)) {
        list->count--;
        return;
    }
    if (lam_arena_array(arena, (size_t)list->count + 1, size, &items, NULL) != LAM_STATUS_OK)
        return;
    memcpy(items, list->items, list->count * size);
    memcpy((char *)items + list->count * size,
           (const char *)items + lam_random_below(random, list->count) * size, size);
    list->items = items;
    list->count++;
}

static void change_number(const place *p, lam_random *random) {
    void *at = member(p);
    int32_t i32;
    int64_t i64;
    switch (p->field->kind) {
    case LAM_META_KIND_I32:
        memcpy(&i32, at, sizeof i32);
        i32 = (int32_t)any_number(random, i32);
        memcpy(at, &i32, sizeof i32);
        break;
    case LAM_META_KIND_I64:
        memcpy(&i64, at, sizeof i64);
        i64 = any_number(random, i64);
        memcpy(at, &i64, sizeof i64);
        break;
    case LAM_META_KIND_I16:
        *(int16_t *)at = (int16_t)any_number(random, *(int16_t *)at);
        break;
    case LAM_META_KIND_I8:
        *(int8_t *)at = (int8_t)any_number(random, *(int8_t *)at);
        break;
    case LAM_META_KIND_BOOL:
        *(bool *)at = !*(bool *)at;
        break;
    default:
        break;
    }
}

/* Another member, without anything in it. */
static void change_kind(const lam_meta_struct *table, void *owner, lam_random *random) {
    memset(owner, 0, table->size);
    for (unsigned tries = 0; tries < 8; tries++) {
        unsigned id = (unsigned)lam_random_below(random, table->last_id + 1u);
        if (id == 0 || table->fields[id].kind != LAM_META_KIND_NONE) {
            *(int32_t *)owner = (int32_t)id;
            return;
        }
    }
}

/* Leaves out what is there; what is not is there, without anything in it. */
static void change_pointer(const place *p, lam_arena *arena, lam_random *random) {
    const lam_meta_struct *table = p->field->child;
    void *child;
    memcpy(&child, member(p), sizeof child);
    bool is_there = child != NULL;
    child = NULL;
    if (!is_there && lam_arena_alloc(arena, table->size, &child, NULL) == LAM_STATUS_OK) {
        if (table->initial != NULL)
            memcpy(child, table->initial, table->size);
        else
            memset(child, 0, table->size);
        if (table->is_union)
            change_kind(table, child, random);
    }
    memcpy(member(p), &child, sizeof child);
}

void lam_fuzz_meta_change(const lam_meta_struct *table, void *message, lam_arena *arena,
                          lam_random *random) {
    search s = {.random = random};
    visit(&s, table, message);
    const place *p = &s.chosen;
    if (s.seen == 0)
        return;
    if (p->field == NULL) {
        change_kind(p->table, p->owner, random);
        return;
    }
    switch (p->field->kind) {
    case LAM_META_KIND_POINTER:
        change_pointer(p, arena, random);
        return;
    case LAM_META_KIND_LIST:
        change_list(p->field, member(p), arena, random);
        return;
    case LAM_META_KIND_BYTES:
        change_bytes(member(p), arena, random);
        break;
    default:
        change_number(p, random);
    }
    /* Now and then an optional field is there, or not there any more. */
    uint32_t *has = p->owner;
    if (lam_random_chance(random, 30) && !p->in_union)
        *has ^= 1u << p->id;
}
