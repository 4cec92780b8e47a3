/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hands uncompressed pages over to arrays. Takes a column cursor whose page memory is in blocks of
 * the store, and values that borrow from it; gives the block as a data buffer of the array.
 *
 * The invariant: the one page of the cursor is the block `live`, or comes from the inner allocator
 * because the batch has no room for it. Memory that was handed over is neither: `kept` holds a
 * reference while the page is read, and after that only arrays do. A page whose values are mostly
 * short, or mostly in other arrays, is copied from, so that no array keeps much memory that it does
 * not use.
 */
#include "arrow/read/leaf_pages.h"

#include "base/error.h"

enum { LEAF_PAGES_LONG = 12 }; /* bytes of the longest value that is not outside of its view */

/* --- Memory of the cursor ------------------------------------------------------------------- */

/* Falls back only if the batch may have no more: a lack of memory is a failure. */
static void *leaf_pages_allocate(void *state, size_t size) {
    lam_leaf_pages *pages = state;
    lam_status status = lam_array_block_create(pages->store, size, &pages->live, NULL);
    if (status == LAM_STATUS_LIMIT)
        return pages->inner.allocate(pages->inner.state, size);
    return status == LAM_STATUS_OK ? pages->live->data : NULL;
}

static void leaf_pages_release(void *state, void *memory, size_t size) {
    lam_leaf_pages *pages = state;
    if (pages->live == NULL) {
        pages->inner.release(pages->inner.state, memory, size);
        return;
    }
    lam_array_block_drop(pages->live);
    pages->live = NULL;
}

/* The cursor gives a page back before it asks for a larger one, so nothing grows. */
static void *leaf_pages_reallocate(void *state, void *memory, size_t old_size, size_t new_size) {
    (void)state;
    (void)memory;
    (void)old_size;
    (void)new_size;
    return NULL;
}

void lam_leaf_pages_init(lam_leaf_pages *pages, lam_array_store *store,
                         const lam_allocator *inner) {
    lam_leaf_pages fresh = {.store = store, .inner = *inner};
    *pages = fresh;
}

void lam_leaf_pages_serve(lam_leaf_pages *pages, lam_column_cursor *cursor) {
    const lam_allocator allocator = {pages, leaf_pages_allocate, leaf_pages_reallocate,
                                     leaf_pages_release};
    lam_column_cursor_use_page_memory(cursor, &allocator);
}

void lam_leaf_pages_close(lam_leaf_pages *pages) {
    lam_array_block_drop(pages->kept);
    pages->kept = NULL;
}

/* --- Handing over --------------------------------------------------------------------------- */

/* True if the values, which are in order of their addresses, are all in `size` bytes of a block. */
static bool leaf_pages_hold(const lam_array_block *block, size_t size, const lam_bytes *elements,
                            size_t count) {
    uintptr_t start = block == NULL ? 0 : (uintptr_t)block->data;
    uintptr_t end = start + size;
    return start != 0 && (uintptr_t)elements[0].data >= start &&
           (uintptr_t)elements[count - 1].data + elements[count - 1].size <= end;
}

/* True if long values make up half of the bytes of the page that hold these, or more. */
static bool leaf_pages_are_long(const lam_bytes *elements, size_t count) {
    size_t total = 0, whole = (size_t)(elements[count - 1].data - elements[0].data);
    for (size_t i = 0; i < count; i++)
        total += elements[i].size > LEAF_PAGES_LONG ? elements[i].size : 0;
    return total >= (whole + elements[count - 1].size + 1) / 2;
}

/* Takes the memory of the open page from the cursor, which reads on in it. */
static bool leaf_pages_keep(lam_leaf_pages *pages, lam_column_cursor *cursor, size_t rows,
                            const lam_bytes *elements, size_t count) {
    uint32_t page_rows;
    lam_bytes page = lam_column_cursor_page_memory(cursor, &page_rows);
    lam_array_block *block = page.size == 0 ? NULL : pages->live;
    if (block == NULL || rows < page_rows / 2 || block->capacity / 4 > page.size ||
        !leaf_pages_hold(block, page.size, elements, count) ||
        !leaf_pages_are_long(elements, count))
        return false;
    lam_array_block_drop(pages->kept);
    pages->kept = block;
    pages->kept_size = page.size;
    pages->live = NULL;
    lam_column_cursor_give_page(cursor);
    return true;
}

lam_status lam_leaf_pages_lend(lam_leaf_pages *pages, lam_column_cursor *cursor, size_t rows,
                               const lam_bytes *elements, size_t count, lam_leaf_values *values,
                               lam_error *error) {
    values->lent_text = NULL;
    if (values->form != LAM_LEAF_FORM_VIEWS)
        return LAM_STATUS_OK;
    if (!leaf_pages_hold(pages->kept, pages->kept_size, elements, count) &&
        !leaf_pages_keep(pages, cursor, rows, elements, count))
        return LAM_STATUS_OK;
    LAM_TRY(lam_leaf_values_lend_page(values, pages->kept, pages->kept_size, error));
    values->lent_text = pages->kept->data;
    return LAM_STATUS_OK;
}
