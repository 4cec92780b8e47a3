#include "arrow/array_owner.h"

#include <stdatomic.h>
#include <string.h>

#include "base/alloc.h"
#include "base/checked.h"
#include "base/error.h"

struct lam_array_store {
    lam_allocator allocator;
    atomic_size_t references; /* the owner's, and those of all blocks and arrays */
};

/* What stands in front of the bytes of a block. */
typedef struct block_header {
    lam_array_block block; /* first, so that one is the other's address */
    lam_array_store *store;
    atomic_size_t references;
    size_t size; /* of the whole allocation */
} block_header;

/* What an array keeps beside its struct, in one allocation. */
typedef struct array_owner {
    lam_array_store *store;
    size_t size; /* of the whole allocation */
    lam_array_block **blocks;
} array_owner;

/* --- Store --------------------------------------------------------------------------------- */

lam_status lam_array_store_create(const lam_allocator *allocator, lam_array_store **ret_store,
                                  lam_error *error) {
    void *memory;
    LAM_TRY(lam_alloc_array(allocator, 1, sizeof(lam_array_store), &memory, error));
    lam_array_store *store = memory;
    store->allocator = *allocator;
    atomic_init(&store->references, 1);
    *ret_store = store;
    return LAM_STATUS_OK;
}

/* True when this was the last of the references; what others did before they let go is then seen.
 */
static bool drop_reference(atomic_size_t *references) {
    if (atomic_fetch_sub_explicit(references, 1, memory_order_release) != 1)
        return false;
    atomic_thread_fence(memory_order_acquire);
    return true;
}

static lam_array_store *share_store(lam_array_store *store) {
    atomic_fetch_add_explicit(&store->references, 1, memory_order_relaxed);
    return store;
}

void lam_array_store_drop(lam_array_store *store) {
    if (store == NULL || !drop_reference(&store->references))
        return;
    lam_allocator allocator = store->allocator;
    lam_free(&allocator, store, sizeof *store);
}

/* --- Blocks -------------------------------------------------------------------------------- */

lam_status lam_array_block_create(lam_array_store *store, size_t size, lam_array_block **ret_block,
                                  lam_error *error) {
    const size_t slack = sizeof(block_header) + 2 * LAM_ARRAY_ALIGNMENT;
    size_t whole;
    void *memory;
    if (!lam_add_size(size, slack, &whole))
        LAM_FAIL(error, LAM_STATUS_NOMEM, "no memory for %zu bytes", size);
    LAM_TRY(lam_alloc(&store->allocator, whole, &memory, error));
    block_header *header = memory;
    uintptr_t behind = (uintptr_t)(header + 1);
    size_t skip = (size_t)(-behind % LAM_ARRAY_ALIGNMENT);
    header->block.data = (uint8_t *)(header + 1) + skip;
    header->block.capacity = (whole - sizeof *header - skip) & ~(size_t)(LAM_ARRAY_ALIGNMENT - 1);
    header->store = share_store(store);
    header->size = whole;
    atomic_init(&header->references, 1);
    *ret_block = &header->block;
    return LAM_STATUS_OK;
}

lam_array_block *lam_array_block_share(lam_array_block *block) {
    atomic_fetch_add_explicit(&((block_header *)block)->references, 1, memory_order_relaxed);
    return block;
}

void lam_array_block_drop(lam_array_block *block) {
    block_header *header = (block_header *)block;
    if (block == NULL || !drop_reference(&header->references))
        return;
    lam_array_store *store = header->store;
    lam_free(&store->allocator, header, header->size);
    lam_array_store_drop(store);
}

lam_status lam_array_block_reserve(lam_array_store *store, lam_array_block **block, size_t used,
                                   size_t size, lam_error *error) {
    lam_array_block *old = *block, *grown;
    if (old != NULL && size <= old->capacity)
        return LAM_STATUS_OK;
    size_t wanted = size;
    if (old != NULL && old->capacity / 2 <= SIZE_MAX - old->capacity &&
        wanted < old->capacity + old->capacity / 2)
        wanted = old->capacity + old->capacity / 2;
    LAM_TRY(lam_array_block_create(store, wanted, &grown, error));
    if (used > 0)
        memcpy(grown->data, old->data, used);
    lam_array_block_drop(old);
    *block = grown;
    return LAM_STATUS_OK;
}

/* --- Arrays -------------------------------------------------------------------------------- */

/* From any thread, and with children that were moved away. */
static void release_array(struct ArrowArray *array) {
    array_owner *owner = array->private_data;
    lam_array_store *store = owner->store;
    for (int64_t i = 0; i < array->n_children; i++)
        lam_array_release(array->children[i]);
    if (array->dictionary != NULL)
        lam_array_release(array->dictionary);
    for (int64_t i = 0; i < array->n_buffers; i++)
        lam_array_block_drop(owner->blocks[i]);
    lam_free(&store->allocator, owner, owner->size);
    lam_array_store_drop(store);
    array->release = NULL;
}

/*
 * The owner, and behind it pointers to blocks, buffers and children, and the children's structs:
 * all of them have the alignment of a pointer or of int64_t.
 */
static bool owner_size(size_t buffer_count, size_t struct_count, size_t *ret_size) {
    const size_t per_struct = sizeof(struct ArrowArray) + sizeof(struct ArrowArray *);
    size_t buffers, structs, both;
    return lam_mul_size(buffer_count, sizeof(lam_array_block *) + sizeof(void *), &buffers) &&
           lam_mul_size(struct_count, per_struct, &structs) &&
           lam_add_size(buffers, structs, &both) &&
           lam_add_size(both, sizeof(array_owner) + sizeof(int64_t), ret_size);
}

lam_status lam_array_create(lam_array_store *store, size_t buffer_count, size_t child_count,
                            bool has_dictionary, struct ArrowArray *ret_array, lam_error *error) {
    size_t struct_count = child_count + has_dictionary, size;
    void *memory;
    if (!owner_size(buffer_count, struct_count, &size))
        LAM_FAIL(error, LAM_STATUS_NOMEM, "no memory for an array of %zu children", child_count);
    LAM_TRY(lam_alloc_array(&store->allocator, size, 1, &memory, error));
    array_owner *owner = memory;
    struct ArrowArray *structs = (void *)((uint8_t *)memory + (sizeof *owner + 7) / 8 * 8);
    void *behind = structs + struct_count;
    struct ArrowArray **children = behind;
    behind = children + struct_count;
    owner->store = share_store(store);
    owner->size = size;
    owner->blocks = behind;
    struct ArrowArray array = {0};
    array.n_buffers = (int64_t)buffer_count;
    array.n_children = (int64_t)child_count;
    array.buffers = (const void **)(owner->blocks + buffer_count);
    array.children = children;
    for (size_t i = 0; i < struct_count; i++)
        children[i] = &structs[i];
    array.dictionary = has_dictionary ? &structs[child_count] : NULL;
    array.release = release_array;
    array.private_data = owner;
    *ret_array = array;
    return LAM_STATUS_OK;
}

void lam_array_give(struct ArrowArray *array, size_t index, lam_array_block *block) {
    array_owner *owner = array->private_data;
    owner->blocks[index] = block;
    array->buffers[index] = block->data;
}

lam_array_block *lam_array_block_of(const struct ArrowArray *array, size_t index) {
    const array_owner *owner = array->private_data;
    return owner->blocks[index];
}
