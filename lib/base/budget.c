/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bounds the memory of a handle, or of several together: turns an allocator and a bound into an
 * allocator that never has more bytes in use than the bound. Every byte is counted before it is
 * requested, and subtracted again if the allocator beneath refuses, so that several threads
 * together do not pass the bound either. A block that grows counts twice while it moves, as the
 * allocator may have to hold both.
 *
 * The allocator beneath may be a budget's as well: a request then has to pass both.
 */
#include "base/budget.h"

#include "base/alloc.h"
#include "base/error.h"

/* Another thread may have noted more meanwhile. */
static void note_peak(lam_budget *budget, size_t used) {
    size_t peak = atomic_load_explicit(&budget->peak, memory_order_relaxed);
    while (used > peak &&
           !atomic_compare_exchange_weak_explicit(&budget->peak, &peak, used, memory_order_relaxed,
                                                  memory_order_relaxed))
        ;
}

/*
 * Counts `size` bytes, or refuses. Relaxed order is enough: only the number itself is shared, and
 * the memory comes from the allocator beneath.
 */
static bool budget_draw(lam_budget *budget, size_t size) {
    size_t used = atomic_load_explicit(&budget->used, memory_order_relaxed);
    do {
        if (size > SIZE_MAX - used || (budget->most != 0 && used + size > budget->most)) {
            atomic_store_explicit(&budget->refused, true, memory_order_relaxed);
            return false;
        }
    } while (!atomic_compare_exchange_weak_explicit(&budget->used, &used, used + size,
                                                    memory_order_relaxed, memory_order_relaxed));
    note_peak(budget, used + size);
    return true;
}

static void budget_give_back(lam_budget *budget, size_t size) {
    atomic_fetch_sub_explicit(&budget->used, size, memory_order_relaxed);
}

static void *budget_allocate(void *state, size_t size) {
    lam_budget *budget = state;
    if (!budget_draw(budget, size))
        return NULL;
    void *memory = budget->beneath.allocate(budget->beneath.state, size);
    if (memory == NULL)
        budget_give_back(budget, size);
    return memory;
}

/* Old and new block are counted together until the move is over. */
static void *reallocate(void *state, void *memory, size_t old_size, size_t new_size) {
    lam_budget *budget = state;
    if (!budget_draw(budget, new_size))
        return NULL;
    void *moved = budget->beneath.reallocate(budget->beneath.state, memory, old_size, new_size);
    budget_give_back(budget, moved == NULL ? new_size : old_size);
    return moved;
}

/* Freed first, then taken off: no other thread gets the bytes before they are back. */
static void release(void *state, void *memory, size_t size) {
    lam_budget *budget = state;
    budget->beneath.release(budget->beneath.state, memory, size);
    budget_give_back(budget, size);
}

void lam_budget_init(lam_budget *budget, const lam_allocator *beneath, size_t most) {
    budget->beneath = *beneath;
    atomic_init(&budget->used, 0);
    atomic_init(&budget->peak, 0);
    atomic_init(&budget->refused, false);
    budget->most = most;
    budget->limit = most;
    budget->subject = NULL;
}

void lam_budget_describe(lam_budget *budget, const char *subject, size_t limit) {
    budget->subject = subject;
    budget->limit = limit;
}

lam_allocator lam_budget_allocator(lam_budget *budget) {
    return (lam_allocator){budget, budget_allocate, reallocate, release};
}

/* An allocator is a budget's when it has this function; its state is then the budget. */
lam_status lam_budget_check(const lam_allocator *allocator, size_t size, lam_error *error) {
    if (allocator->allocate != budget_allocate)
        return LAM_STATUS_OK;
    const lam_budget *budget = allocator->state;
    size_t used = lam_budget_used(budget);
    if (budget->most == 0 || size <= budget->most - used) /* more than `most` is never drawn */
        return lam_budget_check(&budget->beneath, size, error);
    if (budget->subject != NULL)
        LAM_FAIL(error, LAM_ERROR_CODE_MEMORY_LIMIT, "%s of %zu bytes (option memory_limit)",
                 budget->subject, budget->limit);
    LAM_FAIL(error, LAM_ERROR_CODE_MEMORY_LIMIT,
             "%zu more bytes would exceed the memory limit of %zu (option memory_limit)", size,
             budget->most);
}

/* Counts in this budget and in those beneath, or in none of them. */
bool lam_budget_draw(const lam_allocator *allocator, size_t size) {
    if (allocator->allocate != budget_allocate)
        return true;
    lam_budget *budget = allocator->state;
    if (!budget_draw(budget, size))
        return false;
    if (lam_budget_draw(&budget->beneath, size))
        return true;
    budget_give_back(budget, size);
    return false;
}

void lam_budget_give_back(const lam_allocator *allocator, size_t size) {
    if (allocator->allocate != budget_allocate)
        return;
    lam_budget *budget = allocator->state;
    budget_give_back(budget, size);
    lam_budget_give_back(&budget->beneath, size);
}

/* The flag is cleared here, so that a refusal explains one failure only. */
lam_status lam_budget_blame(const lam_allocator *allocator, lam_status status, lam_error *error) {
    if (status != LAM_STATUS_NOMEM || allocator->allocate != budget_allocate)
        return status;
    lam_budget *budget = allocator->state;
    if (!atomic_exchange_explicit(&budget->refused, false, memory_order_relaxed))
        return lam_budget_blame(&budget->beneath, status, error);
    LAM_FAIL(error, LAM_ERROR_CODE_MEMORY_LIMIT, "%s of %zu bytes (option memory_limit)",
             budget->subject != NULL ? budget->subject : "a codec would exceed the memory limit",
             budget->limit);
}

size_t lam_budget_bound(const lam_allocator *allocator) {
    size_t least = 0;
    while (allocator->allocate == budget_allocate) {
        const lam_budget *budget = allocator->state;
        if (budget->most != 0 && (least == 0 || budget->most < least))
            least = budget->most;
        allocator = &budget->beneath;
    }
    return least;
}

size_t lam_budget_used(const lam_budget *budget) {
    return atomic_load_explicit(&budget->used, memory_order_relaxed);
}

size_t lam_budget_peak(const lam_budget *budget) {
    return atomic_load_explicit(&budget->peak, memory_order_relaxed);
}

/* --- Budgets of callers -------------------------------------------------------------------- */

lam_status lam_budget_create(const lam_allocator *allocator, uint64_t limit,
                             lam_budget **ret_budget, lam_error *error) {
    lam_allocator beneath = lam_allocator_or_default(allocator);
    lam_budget *budget;
    if (limit == 0)
        LAM_FAIL(error, LAM_STATUS_INVALID, "a budget of no bytes");
    LAM_TRY(LAM_NEW(&beneath, &budget, error));
    lam_budget_init(budget, &beneath, limit < SIZE_MAX ? (size_t)limit : SIZE_MAX);
    *ret_budget = budget;
    return LAM_STATUS_OK;
}

void lam_budget_destroy(lam_budget *budget) {
    if (budget == NULL)
        return;
    lam_allocator beneath = budget->beneath;
    lam_free(&beneath, budget, sizeof *budget);
}
