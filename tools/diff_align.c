/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Aligns two sequences of hashes, and gives the gaps between equal ones, in order. Few differences
 * are found by the shortest script of insertions and deletions (E. W. Myers, "An O(ND) difference
 * algorithm and its variations"); if there are many, hashes that occur once in both sequences
 * divide them first. If neither finds a common one, all is one gap. Memory is a few dozen bytes for
 * each hash, and time grows with n log n.
 */
#include <stdlib.h>
#include <string.h>

#include "diff.h"

enum {
    EDITS_FEW = 200,   /* of the shortest script, tried first */
    EDITS_MANY = 2000, /* tried if no hash divides the sequences */
    DEPTH_LIMIT = 24
};

/* Hashes, times EDITS_MANY, that the second attempts of one alignment may cost. */
#define MANY_MOST 200000

typedef struct alignment {
    const uint64_t *a;
    const uint64_t *b;
    diff_gap_taker take;
    void *state;
    diff_gap gap;     /* that grows until something equal follows */
    size_t many_left; /* of MANY_MOST */
} alignment;

/* Positions in both, from and to. */
typedef struct align_range {
    size_t a, a_end, b, b_end;
} align_range;

static void end_gap(alignment *al) {
    if (al->gap.counts[0] + al->gap.counts[1] > 0)
        al->take(al->state, &al->gap);
    al->gap.counts[0] = al->gap.counts[1] = 0;
}

static void add_gap(alignment *al, align_range r) {
    if (r.a == r.a_end && r.b == r.b_end)
        return;
    if (al->gap.counts[0] + al->gap.counts[1] == 0) {
        al->gap.first[0] = r.a;
        al->gap.first[1] = r.b;
    }
    al->gap.counts[0] += r.a_end - r.a;
    al->gap.counts[1] += r.b_end - r.b;
}

/* --- The shortest script ------------------------------------------------------------------- */

/* Furthest positions in `a` by diagonal, one array for each number of edits. */
typedef struct script {
    align_range r;
    int64_t *furthest; /* of d edits: 2 * d + 1 from d * d on */
    int64_t edits;
} script;

static int64_t furthest_at(const script *s, int64_t d, int64_t k) {
    return s->furthest[d * d + d + k];
}

/* The beginning of diagonal k with d edits, from the better of its neighbours with one less. */
static int64_t step_from(const script *s, int64_t d, int64_t k, int64_t *ret_k) {
    bool is_down =
        k == -d || (k != d && furthest_at(s, d - 1, k - 1) < furthest_at(s, d - 1, k + 1));
    *ret_k = is_down ? k + 1 : k - 1;
    int64_t x = furthest_at(s, d - 1, *ret_k);
    return is_down ? x : x + 1;
}

static bool find_script(const alignment *al, script *s, int64_t most) {
    int64_t n = (int64_t)(s->r.a_end - s->r.a), m = (int64_t)(s->r.b_end - s->r.b), k_before;
    for (int64_t d = 0; d <= most; d++) {
        for (int64_t k = -d; k <= d; k += 2) {
            int64_t x = d == 0 ? 0 : step_from(s, d, k, &k_before);
            while (x < n && x - k >= 0 && x - k < m &&
                   al->a[s->r.a + (size_t)x] == al->b[s->r.b + (size_t)(x - k)])
                x++;
            s->furthest[d * d + d + k] = x;
            s->edits = d;
            if (x >= n && x - k >= m && k == n - m)
                return true;
        }
    }
    return false;
}

/* The equal stretches of the script, from the last to the first, as gaps between them. */
static void take_script(alignment *al, const script *s) {
    int64_t x = (int64_t)(s->r.a_end - s->r.a), y = (int64_t)(s->r.b_end - s->r.b), before;
    size_t count = (size_t)s->edits;
    align_range *edits = tool_allocate(count + 1, sizeof *edits);
    for (int64_t d = s->edits; d > 0; d--) {
        int64_t k = x - y, start = step_from(s, d, k, &before);
        bool is_down = before == k + 1;
        align_range edit = {.a = s->r.a + (size_t)(is_down ? start : start - 1),
                            .a_end = s->r.a + (size_t)start,
                            .b = s->r.b + (size_t)(is_down ? start - k - 1 : start - k),
                            .b_end = s->r.b + (size_t)(start - k)};
        edits[d - 1] = edit;
        x = is_down ? start : start - 1;
        y = x - before;
    }
    size_t a = s->r.a, b = s->r.b;
    for (size_t i = 0; i < count; i++) {
        if (edits[i].a > a || edits[i].b > b)
            end_gap(al);
        add_gap(al, edits[i]);
        a = edits[i].a_end;
        b = edits[i].b_end;
    }
    if (a < s->r.a_end)
        end_gap(al);
    free(edits);
}

static bool take_shortest(alignment *al, align_range r, size_t most) {
    size_t size = r.a_end - r.a + (r.b_end - r.b);
    size_t least = r.a_end - r.a > r.b_end - r.b ? r.a_end - r.a - (r.b_end - r.b)
                                                 : r.b_end - r.b - (r.a_end - r.a);
    most = size < most ? size : most;
    if (least > most)
        return false;
    script s = {.r = r};
    s.furthest = tool_allocate((most + 1) * (most + 1), sizeof *s.furthest);
    bool found = find_script(al, &s, (int64_t)most);
    if (found)
        take_script(al, &s);
    free(s.furthest);
    return found;
}

/* The same for more edits, if that does not take too much time. */
static bool take_many(alignment *al, align_range r) {
    size_t size = r.a_end - r.a + (r.b_end - r.b);
    if (size <= EDITS_FEW || size > al->many_left)
        return false;
    al->many_left -= size;
    return take_shortest(al, r, EDITS_MANY);
}

/* --- Anchors: hashes that occur once in both ----------------------------------------------- */

typedef struct anchor {
    size_t a;
    size_t b;
} anchor;

typedef struct hash_position {
    uint64_t hash;
    size_t at;
} hash_position;

static int order_hashes(const void *left, const void *right) {
    const hash_position *a = left, *b = right;
    if (a->hash != b->hash)
        return a->hash < b->hash ? -1 : 1;
    return a->at < b->at ? -1 : a->at > b->at;
}

static int order_anchors(const void *left, const void *right) {
    const anchor *a = left, *b = right;
    return a->a < b->a ? -1 : a->a > b->a;
}

static hash_position *sort_hashes(const uint64_t *hashes, size_t from, size_t end) {
    hash_position *sorted = tool_allocate(end - from + 1, sizeof *sorted);
    for (size_t i = from; i < end; i++) {
        sorted[i - from].hash = hashes[i];
        sorted[i - from].at = i;
    }
    qsort(sorted, end - from, sizeof *sorted, order_hashes);
    return sorted;
}

static bool is_unique(const hash_position *sorted, size_t count, size_t i) {
    return (i == 0 || sorted[i - 1].hash != sorted[i].hash) &&
           (i + 1 == count || sorted[i + 1].hash != sorted[i].hash);
}

/* The longest sequence of anchors that rises in both; they come in the order of `a`. */
static size_t keep_rising(anchor *anchors, size_t count) {
    size_t *ends = tool_allocate(count + 1, sizeof *ends); /* by length: the anchor that ends it */
    size_t *before = tool_allocate(count + 1, sizeof *before);
    size_t longest = 0;
    for (size_t i = 0; i < count; i++) {
        size_t low = 0, high = longest;
        while (low < high) {
            size_t middle = low + (high - low) / 2;
            if (anchors[ends[middle]].b < anchors[i].b)
                low = middle + 1;
            else
                high = middle;
        }
        before[i] = low == 0 ? SIZE_MAX : ends[low - 1];
        ends[low] = i;
        longest = low == longest ? longest + 1 : longest;
    }
    anchor *kept = tool_allocate(longest + 1, sizeof *kept);
    size_t at = longest == 0 ? SIZE_MAX : ends[longest - 1];
    for (size_t i = longest; i > 0; i--, at = before[at])
        kept[i - 1] = anchors[at];
    memcpy(anchors, kept, longest * sizeof *kept);
    free(kept);
    free(ends);
    free(before);
    return longest;
}

static anchor *find_anchors(const alignment *al, align_range r, size_t *ret_count) {
    size_t a_count = r.a_end - r.a, b_count = r.b_end - r.b, count = 0, j = 0;
    hash_position *a = sort_hashes(al->a, r.a, r.a_end), *b = sort_hashes(al->b, r.b, r.b_end);
    anchor *anchors = tool_allocate((a_count < b_count ? a_count : b_count) + 1, sizeof *anchors);
    for (size_t i = 0; i < a_count && j < b_count; i++) {
        while (j < b_count && b[j].hash < a[i].hash)
            j++;
        if (j == b_count || b[j].hash != a[i].hash || !is_unique(a, a_count, i) ||
            !is_unique(b, b_count, j))
            continue;
        anchors[count].a = a[i].at;
        anchors[count++].b = b[j].at;
    }
    free(a);
    free(b);
    qsort(anchors, count, sizeof *anchors, order_anchors);
    *ret_count = keep_rising(anchors, count);
    return anchors;
}

/* ------------------------------------------------------------------------------------------- */

static void align(alignment *al, align_range r, unsigned depth) {
    size_t a_end = r.a_end, count = 0;
    if (r.a < r.a_end && r.b < r.b_end && al->a[r.a] == al->b[r.b])
        end_gap(al);
    for (; r.a < r.a_end && r.b < r.b_end && al->a[r.a] == al->b[r.b]; r.b++)
        r.a++;
    for (; r.a < r.a_end && r.b < r.b_end && al->a[r.a_end - 1] == al->b[r.b_end - 1]; r.b_end--)
        r.a_end--;
    bool is_done = r.a == r.a_end || r.b == r.b_end;
    if (is_done)
        add_gap(al, r);
    else
        is_done = take_shortest(al, r, EDITS_FEW);
    anchor *anchors = is_done || depth == DEPTH_LIMIT ? NULL : find_anchors(al, r, &count);
    if (!is_done && count == 0 && !take_many(al, r))
        add_gap(al, r);
    for (size_t i = 0; i < count; i++) {
        align_range left = {r.a, anchors[i].a, r.b, anchors[i].b};
        align(al, left, depth + 1);
        end_gap(al);
        r.a = anchors[i].a + 1;
        r.b = anchors[i].b + 1;
    }
    if (count > 0)
        align(al, r, depth + 1);
    free(anchors);
    if (r.a_end < a_end)
        end_gap(al);
}

void diff_align(const uint64_t *a, size_t a_count, const uint64_t *b, size_t b_count,
                diff_gap_taker take, void *state) {
    alignment al = {.a = a, .b = b, .take = take, .state = state, .many_left = MANY_MOST};
    align_range all = {0, a_count, 0, b_count};
    align(&al, all, 0);
    end_gap(&al);
}
