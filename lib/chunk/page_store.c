#include "chunk/page_store.h"

#include "base/alloc.h"
#include "base/error.h"

/* A page, or memory of one that is gone. */
typedef struct kept_page {
    lam_page_rows_location location;
    lam_buffer bytes; /* empty when the page was taken */
} kept_page;

struct lam_page_shelf {
    lam_page_shelf *next;
    size_t leaf_index;
    lam_page_store *store;
    lam_buffer items;  /* kept_page: pages by their offsets, then memory */
    size_t page_count; /* of these */
    size_t decided;    /* pages in front that stay */
};

static size_t item_count(const lam_page_shelf *shelf) {
    return shelf->items.size / sizeof(kept_page);
}

static kept_page *item_at(const lam_page_shelf *shelf, size_t index) {
    return (kept_page *)(void *)shelf->items.data + index;
}

/* What an item takes of the budget. */
static uint64_t room_of(const lam_buffer *bytes) {
    return (uint64_t)bytes->capacity + sizeof(kept_page);
}

/* --- Shelves ------------------------------------------------------------------------------- */

void lam_page_store_init(lam_page_store *store, const bool *leaves, uint64_t budget,
                         const lam_allocator *allocator) {
    memset(store, 0, sizeof *store);
    store->allocator = *allocator;
    store->leaves = leaves;
    store->budget = budget;
}

void lam_page_store_finish(lam_page_store *store) {
    while (store->shelves != NULL) {
        lam_page_shelf *shelf = store->shelves;
        store->shelves = shelf->next;
        for (size_t i = 0; i < item_count(shelf); i++)
            lam_buffer_finish(&item_at(shelf, i)->bytes);
        lam_buffer_finish(&shelf->items);
        lam_free(&store->allocator, shelf, sizeof *shelf);
    }
}

lam_page_shelf *lam_page_store_find_shelf(const lam_page_store *store, size_t leaf_index) {
    lam_page_shelf *shelf = store->shelves;
    while (shelf != NULL && shelf->leaf_index != leaf_index)
        shelf = shelf->next;
    return shelf;
}

lam_status lam_page_store_make_shelf(lam_page_store *store, size_t leaf_index,
                                     lam_page_shelf **ret_shelf, lam_error *error) {
    lam_page_shelf *shelf = lam_page_store_find_shelf(store, leaf_index);
    bool keeps = store->budget > 0 && (store->leaves == NULL || store->leaves[leaf_index]);
    void *memory;
    if (shelf == NULL && keeps) {
        LAM_TRY(lam_alloc_array(&store->allocator, 1, sizeof *shelf, &memory, error));
        shelf = memory;
        shelf->leaf_index = leaf_index;
        shelf->store = store;
        lam_buffer_init(&shelf->items, &store->allocator);
        shelf->next = store->shelves;
        store->shelves = shelf;
    }
    *ret_shelf = shelf;
    return LAM_STATUS_OK;
}

/* --- Memory -------------------------------------------------------------------------------- */

void lam_page_shelf_lend(lam_page_shelf *shelf, lam_buffer *bytes) {
    if (bytes->capacity > 0 || item_count(shelf) == shelf->page_count)
        return;
    shelf->items.size -= sizeof(kept_page);
    kept_page *last = item_at(shelf, item_count(shelf));
    shelf->store->held -= room_of(&last->bytes);
    lam_buffer_clear(&last->bytes);
    *bytes = last->bytes;
}

void lam_page_shelf_give_back(lam_page_shelf *shelf, lam_buffer *bytes) {
    for (size_t i = 0; i < shelf->page_count; i++) {
        kept_page *page = item_at(shelf, i);
        if (page->bytes.capacity > 0)
            continue;
        page->bytes = *bytes;
        lam_buffer_clear(&page->bytes);
        lam_buffer_init(bytes, &page->bytes.allocator);
        return;
    }
}

/* Frees memory that no page is in until there is room for `bytes` more; false when it is not. */
static bool make_room(lam_page_store *store, uint64_t bytes) {
    for (lam_page_shelf *shelf = store->shelves; shelf != NULL; shelf = shelf->next) {
        lam_buffer memory;
        while (store->held + bytes > store->budget && item_count(shelf) > shelf->page_count) {
            lam_buffer_init(&memory, &store->allocator);
            lam_page_shelf_lend(shelf, &memory);
            lam_buffer_finish(&memory);
        }
    }
    return store->held + bytes <= store->budget;
}

/* All pages become memory; what was taken and did not come back is nothing. */
static void clear_shelf(lam_page_shelf *shelf) {
    size_t kept = 0;
    for (size_t i = 0; i < item_count(shelf); i++) {
        kept_page *item = item_at(shelf, i);
        if (item->bytes.capacity == 0)
            continue;
        shelf->store->held += room_of(&item->bytes);
        *item_at(shelf, kept++) = *item;
    }
    shelf->items.size = kept * sizeof(kept_page);
    shelf->page_count = 0;
    shelf->decided = 0;
}

void lam_page_store_clear(lam_page_store *store) {
    store->held = 0;
    store->settled = 0;
    store->wanted_end = 0;
    for (lam_page_shelf *shelf = store->shelves; shelf != NULL; shelf = shelf->next)
        clear_shelf(shelf);
    (void)make_room(store, 0); /* readers leave their own memory for what they take */
}

/* --- Pages --------------------------------------------------------------------------------- */

/* The page at an offset, or the first behind it. */
static size_t find_page(const lam_page_shelf *shelf, uint64_t offset) {
    size_t low = 0, high = shelf->page_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (item_at(shelf, middle)->location.offset < offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

bool lam_page_shelf_has(const lam_page_shelf *shelf, uint64_t offset) {
    size_t index = find_page(shelf, offset);
    return index < shelf->page_count && item_at(shelf, index)->location.offset == offset;
}

static bool is_unwanted(const lam_page_store *store, lam_page_rows_location location) {
    return location.end_row <= store->settled && location.first_row >= store->wanted_end;
}

/* Decides on the pages whose rows are now settled; those before them are not looked at again. */
static void settle_shelf(lam_page_shelf *shelf) {
    size_t kept = shelf->decided;
    for (size_t i = kept; i < shelf->page_count; i++) {
        kept_page page = *item_at(shelf, i);
        if (is_unwanted(shelf->store, page.location))
            continue;
        *item_at(shelf, i) = *item_at(shelf, kept);
        *item_at(shelf, kept++) = page;
    }
    shelf->page_count = kept;
    while (shelf->decided < kept &&
           item_at(shelf, shelf->decided)->location.end_row <= shelf->store->settled)
        shelf->decided++;
}

void lam_page_store_settle(lam_page_store *store, uint64_t settled, uint64_t wanted_end) {
    store->settled = settled;
    store->wanted_end = wanted_end;
    for (lam_page_shelf *shelf = store->shelves; shelf != NULL; shelf = shelf->next)
        settle_shelf(shelf);
}

lam_status lam_page_shelf_put(lam_page_shelf *shelf, lam_page_rows_location location, lam_buffer *bytes,
                              lam_error *error) {
    lam_page_store *store = shelf->store;
    uint64_t room = room_of(bytes);
    if (bytes->size == 0 || !make_room(store, room))
        return LAM_STATUS_OK;
    LAM_TRY(lam_buffer_reserve(&shelf->items, sizeof(kept_page), error));
    bool stays = !is_unwanted(store, location) && !lam_page_shelf_has(shelf, location.offset);
    size_t index = stays ? find_page(shelf, location.offset) : item_count(shelf);
    shelf->items.size += sizeof(kept_page);
    kept_page *item = item_at(shelf, index);
    memmove(item + 1, item, (item_count(shelf) - 1 - index) * sizeof *item);
    item->location = location;
    item->bytes = *bytes;
    lam_buffer_init(bytes, &store->allocator);
    store->held += room;
    shelf->page_count += stays;
    shelf->decided += index < shelf->decided;
    return LAM_STATUS_OK;
}

bool lam_page_shelf_take(lam_page_shelf *shelf, uint64_t offset, size_t size, lam_buffer *bytes) {
    if (!lam_page_shelf_has(shelf, offset))
        return false;
    kept_page *page = item_at(shelf, find_page(shelf, offset));
    if (page->bytes.size != size)
        return false;
    lam_buffer taken = page->bytes;
    page->bytes = *bytes;
    lam_buffer_clear(&page->bytes);
    *bytes = taken;
    return true;
}
