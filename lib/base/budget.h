/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An allocator that counts the bytes that its handles hold and refuses requests that would exceed
 * its budget. Through lam_alloc its refusal is LIMIT and names the option; a refusal of the
 * allocator beneath is NOMEM.
 */
#ifndef LAM_BASE_BUDGET_H
#define LAM_BASE_BUDGET_H

#include <lamella/common.h>
#include <stdatomic.h>

struct lam_budget {
    lam_allocator beneath;
    atomic_size_t used;  /* bytes allocated and not freed */
    atomic_size_t peak;  /* the most that `used` has been */
    atomic_bool refused; /* something, since lam_budget_blame checked last */
    size_t most;         /* 0 is no bound */
    size_t limit;        /* that messages show; 0: `most` */
    const char *subject; /* of messages, up to "of N bytes"; NULL: that of a codec */
};

/* Copies `beneath`. The budget must stay at its address while any of its memory is in use. */
void lam_budget_init(lam_budget *budget, const lam_allocator *beneath, size_t most);

/*
 * Words for a budget that is a share of a limit: "`subject` of `limit` bytes (option
 * memory_limit)". The text must outlive the budget.
 */
void lam_budget_describe(lam_budget *budget, const char *subject, size_t limit);

/* LIMIT when a bound keeps `allocator` from giving `size` more bytes; OK when none does. */
lam_status lam_budget_check(const lam_allocator *allocator, size_t size, lam_error *error);

/*
 * Counts bytes that are taken past the allocator as if it gave them; lam_budget_give_back stops
 * counting them. An allocator without a budget counts nothing. False when they would pass a bound.
 */
bool lam_budget_draw(const lam_allocator *allocator, size_t size);
void lam_budget_give_back(const lam_allocator *allocator, size_t size);

/*
 * Corrects the status after a library that was given `allocator` failed with NOMEM: LIMIT, with a
 * message, if it was the budget that refused; other statuses stay. (What goes through lam_alloc is
 * correct already.)
 */
lam_status lam_budget_blame(const lam_allocator *allocator, lam_status status, lam_error *error);

/*
 * The least bound that `allocator` is under, in its own budget or in those beneath; 0 without any.
 * Writers choose sizes by it.
 */
size_t lam_budget_bound(const lam_allocator *allocator);

/* The most bytes that have been drawn at once. */
size_t lam_budget_peak(const lam_budget *budget);

#endif
