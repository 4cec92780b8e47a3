/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reports a choice: a finding for every path, with its counts, its type and the reason against
 * columns.
 *
 * Takes the trees of paths after lam_variant_choose, and gives findings with their paths as text,
 * with the quotation marks that a projection expects and [] for elements: user.name, tags[],
 * user."a.b". Findings and their texts are always in one arena, which the next choice resets, and
 * they are counted only when all of them are complete.
 */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "schema/path_text.h"
#include "variant/infer/variant_infer.h"

/* In the order of the enumerators. */
const char *lam_variant_reason_text(lam_variant_reason reason) {
    static const char *const texts[] = {"",
                                        "too rare",
                                        "no type is common enough",
                                        "only nulls",
                                        "no field is common enough",
                                        "its elements have no common type",
                                        "its parent is not shredded",
                                        "too deep",
                                        "no columns left",
                                        "no column can have its name"};
    return (unsigned)reason < sizeof texts / sizeof *texts ? texts[reason] : "";
}

/* "decimal(9,2)", "int64" and so on; "" for no type. */
static void print_type(const lam_variant_type_choice *type, char *text, size_t capacity) {
    if (type->kind == LAM_VARIANT_UNKNOWN)
        text[0] = '\0';
    else if (type->kind >= LAM_VARIANT_DECIMAL4 && type->kind <= LAM_VARIANT_DECIMAL16)
        (void)snprintf(text, capacity, "decimal(%u,%u)", (unsigned)type->digits,
                       (unsigned)type->scale);
    else
        (void)snprintf(text, capacity, "%s", lam_variant_kind_name(type->kind));
}

/* --- Paths as text ---------------------------------------------------------------------------- */

/*
 * Writes the last step of a path in front of `*at`, which moves to its first byte. A dot separates
 * a name from the step before it, and a first name has none.
 */
static void put_step(const lam_variant_paths *paths, uint32_t index, char **at) {
    const lam_variant_path *path = &paths->list.items[index];
    if (path->name == NULL) {
        *at -= 2;
        memcpy(*at, "[]", 2);
        return;
    }
    char *end = *at;
    *at = lam_path_name_before(end, path->name, path->name_size);
    for (char *nul = *at; (nul = memchr(nul, '\0', (size_t)(end - nul))) != NULL;)
        *nul = '?'; /* the text ends at a NUL */
    if (path->parent != 0)
        *--*at = '.';
}

/*
 * Writes a path from its end, as a path knows its parent. The room is measured first: a name takes
 * at most twice its bytes, two quotation marks and a dot.
 */
static lam_status print_path(lam_variant_inference *inference, const lam_variant_paths *paths,
                             uint32_t index, const char **ret_path, lam_error *error) {
    size_t size = 1;
    char *room;
    for (uint32_t i = index; i != 0; i = paths->list.items[i].parent)
        size +=
            paths->list.items[i].name == NULL ? 2 : 2 * (size_t)paths->list.items[i].name_size + 3;
    LAM_TRY(LAM_ARENA_ARRAY(&inference->arena, size, &room, error));
    char *at = room + size - 1;
    for (uint32_t i = index; i != 0; i = paths->list.items[i].parent)
        put_step(paths, i, &at);
    *ret_path = at;
    return LAM_STATUS_OK;
}

/* --- Findings --------------------------------------------------------------------------------- */

/* Fills in the finding of one path. */
static lam_status report_path(lam_variant_inference *inference, const lam_variant_paths *paths,
                              uint32_t index, lam_variant_finding *finding, lam_error *error) {
    const lam_variant_path *path = &paths->list.items[index];
    char type[32];
    char *copy;
    finding->group = paths->group;
    finding->values = paths->values;
    finding->present = path->present;
    finding->count = path->count;
    memcpy(finding->kinds, path->kinds, sizeof finding->kinds);
    finding->presence = path->presence;
    finding->uniformity = path->uniformity;
    finding->choice = (lam_variant_choice)path->choice;
    finding->reason = (lam_variant_reason)path->reason;
    print_type(&path->type, type, sizeof type);
    LAM_TRY(lam_arena_copy(&inference->arena, type, strlen(type), &copy, error));
    finding->type = copy;
    return print_path(inference, paths, index, &finding->path, error);
}

/* Counts all paths first, so that the findings are one array; then walks each tree in preorder. */
lam_status lam_variant_report(lam_variant_inference *inference, lam_error *error) {
    size_t count = 0;
    inference->finding_count = 0;
    lam_arena_reset(&inference->arena);
    for (size_t i = 0; i < inference->variant_count; i++)
        count += inference->variants[i].list.count;
    LAM_TRY(LAM_ARENA_ARRAY(&inference->arena, count, &inference->findings, error));
    count = 0;
    for (size_t i = 0; i < inference->variant_count; i++) {
        const lam_variant_paths *paths = &inference->variants[i];
        uint32_t index = 0;
        do {
            LAM_TRY(report_path(inference, paths, index, &inference->findings[count++], error));
            index = lam_variant_paths_next(paths, index);
        } while (index != 0);
    }
    inference->finding_count = count;
    return LAM_STATUS_OK;
}

const lam_variant_finding *lam_variant_inference_finding(const lam_variant_inference *inference,
                                                         size_t index) {
    return index < inference->finding_count ? &inference->findings[index] : NULL;
}

uint64_t lam_variant_inference_passed_over(const lam_variant_inference *inference,
                                           const lam_field *group) {
    const lam_variant_paths *paths = lam_variant_paths_of(inference, group);
    return paths == NULL ? 0 : paths->passed_over;
}
