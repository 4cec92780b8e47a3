/*
 * An allocator that counts what one handle holds and refuses what would pass its budget. Through
 * lam_alloc a refusal is LIMIT and names the option; a refusal of the allocator beneath is NOMEM.
 */
#ifndef LAM_BASE_BUDGET_H
#define LAM_BASE_BUDGET_H

#include <lamella/common.h>
#include <stdatomic.h>

typedef struct lam_budget {
    lam_allocator beneath;
    atomic_size_t used;  /* bytes that are out */
    atomic_bool refused; /* something, since the last look */
    size_t most;         /* 0 is no bound */
} lam_budget;

/* `beneath` is copied. The budget must stay where it is as long as anything is out. */
void lam_budget_init(lam_budget *budget, const lam_allocator *beneath, size_t most);

/* The allocator that draws on the budget, from any thread. */
lam_allocator lam_budget_allocator(lam_budget *budget);

/*
 * The bound that keeps `allocator` from giving `size` more bytes; 0 when it has none, or none that
 * does.
 */
size_t lam_budget_bound(const lam_allocator *allocator, size_t size);

/*
 * Counts bytes that are taken past the allocator as if it gave them, and no longer; an allocator
 * without a budget counts nothing. False when they would pass a bound.
 */
bool lam_budget_draw(const lam_allocator *allocator, size_t size);
void lam_budget_give_back(const lam_allocator *allocator, size_t size);

/*
 * After a library that was handed `allocator` failed with NOMEM: LIMIT, in words, where it was the
 * budget that refused; other statuses stay. (What passes lam_alloc needs no such look.)
 */
lam_status lam_budget_blame(const lam_allocator *allocator, lam_status status, lam_error *error);

/* Bytes that are out. */
size_t lam_budget_used(const lam_budget *budget);

#endif
