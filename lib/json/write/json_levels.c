/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tabulates the text around the values of each leaf: takes a shape, and gives two tables of texts
 * per leaf.
 *
 * A triple with repetition level r begins every field on the path of its leaf that is deeper than
 * the field that repeats at r, and whose first shown leaf it is; a field that repeats begins
 * another element. A triple ends the fields whose last leaf it is, down to the field that repeats
 * at the level that follows. Both are the ends of the path, so each text is one walk along it:
 *
 *     path      root   links   backward     of the leaf Links.Backward
 *     begins  0 yes    yes     yes          lead {"links":{"backward":[
 *             1 no     no      yes          lead ,
 *
 * The invariant: concatenated in the order of the automaton, leads, values and trails are what
 * json_writer.c prints for the same records. (Dremel paper, sections 4.1 and 4.3)
 */
#include "json/write/json_levels.h"

#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "json/write/json_reorder.h"

/* Pairs of levels of a leaf; one with 30 lists around it has about as many. */
enum { LEVEL_PAIRS_MAX = 1024 };

/* The making of the tables. */
typedef struct level_texts {
    const lam_json_shape *shape;
    const bool *leaves; /* that are read */
    const lam_projection *projection;
    lam_arena *arena;
    lam_buffer text;                                     /* the one being made */
    const lam_json_node *path[LAM_SCHEMA_DEPTH_MAX + 1]; /* root to leaf */
    size_t depth;                                        /* index of the leaf there */
    size_t end;             /* of the last field that prints alone: the leaf or its VARIANT */
    lam_json_member member; /* the leaf's role in that VARIANT */
} level_texts;

/* True if no leaf of the group that is read comes before or after the leaf of the path. */
static bool is_edge_leaf(const level_texts *texts, const lam_json_node *group, bool first) {
    const lam_field *field = group->field;
    uint32_t leaf = texts->path[texts->depth]->field->first_leaf;
    uint32_t begin = first ? field->first_leaf : leaf + 1;
    uint32_t end = first ? leaf : field->first_leaf + field->leaf_count;
    for (uint32_t i = begin; i < end; i++)
        if (texts->leaves[i])
            return false;
    return true;
}

/* The index on the path of the field that repeats at a level; 0, the root, for level 0. */
static size_t repeating_at(const level_texts *texts, size_t repetition) {
    size_t i = 0;
    while (texts->path[i]->field->max_repetition < repetition)
        i++;
    return i;
}

static bool json_levels_is_present(const lam_json_node *node, size_t definition) {
    return definition >= node->field->max_definition;
}

static lam_status put(level_texts *texts, const char *text, lam_error *error) {
    return lam_buffer_append(&texts->text, text, strlen(text), error);
}

/* True if a child of the object that shows precedes this one. */
static bool has_member_before(const level_texts *texts, const lam_json_node *object,
                              const lam_json_node *member) {
    for (uint32_t i = 0; i < member->field->ordinal; i++)
        if (lam_json_child(texts->shape, object, i)->shown)
            return true;
    return false;
}

/* --- Before a value -------------------------------------------------------------------------- */

/* Puts what comes before a member of an object, or all of it if it is absent. */
static lam_status lead_of_member(level_texts *texts, const lam_json_node *object,
                                 const lam_json_node *member, bool again, bool present,
                                 lam_error *error) {
    if (again)
        return put(texts, ",", error);
    if (!present && lam_json_omits(texts->shape, member))
        return LAM_STATUS_OK;
    lam_buffer *text = &texts->text;
    LAM_TRY(lam_buffer_reserve(text, member->lead_size + 1, error));
    if (has_member_before(texts, object, member))
        text->data[text->size++] = ',';
    memcpy(text->data + text->size, member->lead, member->lead_size);
    text->size += member->lead_size;
    if (!present)
        return put(texts, lam_json_absent_text(member), error);
    return put(texts, member->is_array ? "[" : "", error);
}

/* The same for a child of any group; `again` if it repeats, after another element. */
static lam_status lead_of_child(level_texts *texts, const lam_json_node *parent,
                                const lam_json_node *child, bool again, bool present,
                                lam_error *error) {
    switch (parent->form) {
    case LAM_JSON_FORM_OBJECT:
        return lead_of_member(texts, parent, child, again, present, error);
    case LAM_JSON_FORM_ENTRY: /* a key is never absent */
        return put(texts, child->field->ordinal == 0 ? "" : present ? ":" : ":null", error);
    case LAM_JSON_FORM_WRAPPER:
        return put(texts, present ? "" : "null", error);
    default: /* LIST and MAP: an absent child does not count */
        return put(texts, again ? "," : "", error);
    }
}

/* The bracket that a group opens. */
static const char *opening(const lam_json_node *node) {
    bool braces = node->form == LAM_JSON_FORM_OBJECT || node->form == LAM_JSON_FORM_MAP ||
                  node->form == LAM_JSON_FORM_VARIANT;
    return braces ? "{" : node->form == LAM_JSON_FORM_LIST ? "[" : "";
}

/* Puts the names of a member that is present, after a comma if it is not the first. */
static lam_status put_member(level_texts *texts, size_t definition, lam_error *error) {
    if (texts->end == texts->depth ||
        !json_levels_is_present(texts->path[texts->depth], definition))
        return LAM_STATUS_OK;
    /* unreachable: the comma begins its text, and the first text of all has made room for it */
    LAM_TRY(put(texts, is_edge_leaf(texts, texts->path[texts->end], true) ? "" : ",", error));
    return lam_json_member_lead(&texts->member, &texts->text, error);
}

/*
 * Puts the lead of a triple. The fields that begin are those from `i` on; if their parent is
 * absent, the text was that of the first leaf in it.
 */
static lam_status put_lead(level_texts *texts, size_t repetition, size_t definition,
                           lam_error *error) {
    size_t again = repeating_at(texts, repetition), i = again;
    while (!is_edge_leaf(texts, texts->path[i], true))
        i++;
    if (i == 0)
        LAM_TRY(put(texts, "{", error));
    for (i += i == 0; i <= texts->end; i++) {
        const lam_json_node *parent = texts->path[i - 1], *node = texts->path[i];
        bool present = json_levels_is_present(node, definition);
        if (!json_levels_is_present(parent, definition))
            break;
        LAM_TRY(lead_of_child(texts, parent, node, repetition > 0 && i == again, present, error));
        LAM_TRY(put(texts, present ? opening(node) : "", error));
    }
    return put_member(texts, definition, error);
}

/* --- After a value --------------------------------------------------------------------------- */

/* The text of a present group when it closes. An entry without a value has a null. */
static const char *closing(const lam_json_node *node) {
    switch (node->form) {
    case LAM_JSON_FORM_OBJECT:
    case LAM_JSON_FORM_MAP:
    case LAM_JSON_FORM_VARIANT:
        return "}";
    case LAM_JSON_FORM_LIST:
        return "]";
    case LAM_JSON_FORM_ENTRY:
        return node->field->child_count == 1 ? ":null" : "";
    default: /* WRAPPER, LEAF */
        return "";
    }
}

/*
 * Puts the trail of a triple: from the leaf upwards as far as it is the last one, down to the
 * element after which another one comes, whose array stays open.
 */
static lam_status put_trail(level_texts *texts, size_t definition, size_t next_repetition,
                            lam_error *error) {
    size_t again = repeating_at(texts, next_repetition);
    bool has_member =
        texts->end < texts->depth && json_levels_is_present(texts->path[texts->depth], definition);
    for (size_t i = 1; has_member && i < texts->member.depth; i++)
        /* unreachable: the lead of the member has made room, with a longer name for each brace */
        LAM_TRY(put(texts, "}", error));
    for (size_t i = texts->end + 1; i > again;) {
        const lam_json_node *node = texts->path[--i];
        if (!is_edge_leaf(texts, node, false))
            return LAM_STATUS_OK;
        if (!json_levels_is_present(node, definition))
            continue;
        LAM_TRY(put(texts, closing(node), error));
        LAM_TRY(put(texts, node->is_array && i > again ? "]" : "", error));
    }
    return put(texts, again == 0 ? "\n" : "", error);
}

/* --- The tables ------------------------------------------------------------------------------ */

/* Moves the text that was made to the arena, with bytes after it that can be read. */
static lam_status keep_text(level_texts *texts, lam_bytes *ret_text, size_t *room,
                            lam_error *error) {
    size_t size = texts->text.size;
    uint8_t *copy;
    LAM_TRY(lam_arena_bytes(texts->arena, size + LAM_JSON_LEVEL_PADDING, &copy, error));
    if (size > 0)
        memcpy(copy, texts->text.data, size);
    memset(copy + size, 0, LAM_JSON_LEVEL_PADDING);
    *ret_text = (lam_bytes){copy, size};
    if (size + LAM_JSON_LEVEL_PADDING > *room)
        *room = size + LAM_JSON_LEVEL_PADDING;
    lam_buffer_clear(&texts->text);
    return LAM_STATUS_OK;
}

/* A leaf in a VARIANT is known to be a member of it. */
static void json_levels_find_path(level_texts *texts, const lam_field *leaf) {
    const lam_field *field = leaf;
    texts->depth = leaf->depth;
    texts->end = leaf->depth;
    for (size_t i = (size_t)leaf->depth + 1; i > 0; i--) {
        const lam_json_node *node = lam_json_node_of(texts->shape, field);
        texts->path[i - 1] = node;
        if (node->form == LAM_JSON_FORM_VARIANT) {
            texts->end = i - 1;
            (void)lam_json_member_find(lam_projection_tree_of(texts->projection, field), leaf,
                                       &texts->member);
        }
        field = lam_parent_of(field);
    }
}

static lam_status make_levels(level_texts *texts, const lam_field *leaf, lam_json_levels *levels,
                              lam_error *error) {
    lam_bytes *lead, *trail;
    json_levels_find_path(texts, leaf);
    levels->definitions = (size_t)leaf->max_definition + 1;
    levels->repetitions = (size_t)leaf->max_repetition + 1;
    size_t count = levels->definitions * levels->repetitions;
    LAM_TRY(LAM_ARENA_ARRAY(texts->arena, count, &lead, error));
    LAM_TRY(LAM_ARENA_ARRAY(texts->arena, count, &trail, error));
    levels->lead = lead;
    levels->trail = trail;
    levels->joins = texts->shape->omits_nulls;
    if (texts->end < texts->depth) {
        levels->member = texts->member.node;
        levels->joins |= !is_edge_leaf(texts, texts->path[texts->end], true);
    }
    for (size_t r = 0; r < levels->repetitions; r++)
        for (size_t d = 0; d < levels->definitions; d++) {
            LAM_TRY(put_lead(texts, r, d, error));
            LAM_TRY(
                keep_text(texts, lead + r * levels->definitions + d, &levels->lead_room, error));
            LAM_TRY(put_trail(texts, d, r, error));
            LAM_TRY(
                keep_text(texts, trail + d * levels->repetitions + r, &levels->trail_room, error));
        }
    return LAM_STATUS_OK;
}

/*
 * False for a field whose text does not follow from the levels of its leaves, and for one with more
 * levels than the tables of a leaf are made for.
 */
static bool follows_levels(const lam_json_node *node) {
    const lam_field *field = node->field;
    if (!node->shown || field->index == 0)
        return true;
    if ((field->max_definition + 1) * (field->max_repetition + 1) > LEVEL_PAIRS_MAX)
        return false;
    return field->leaf_count > 0;
}

/*
 * True if all text follows from levels and values. The inside of a VARIANT has no form of its own.
 */
static bool all_follow_levels(const level_texts *texts) {
    const lam_schema *schema = texts->shape->schema;
    for (size_t i = 0; i < schema->field_count;) {
        const lam_json_node *node = &texts->shape->nodes[i];
        bool is_variant = node->form == LAM_JSON_FORM_VARIANT;
        const lam_projection_tree *tree =
            is_variant ? lam_projection_tree_of(texts->projection, node->field) : NULL;
        if (!follows_levels(node) ||
            (is_variant && (tree == NULL || !lam_json_members_are_apart(tree, texts->leaves))))
            return false;
        i += is_variant ? node->field->subtree_size : 1;
    }
    return true;
}

static lam_status make_all(level_texts *texts, lam_json_levels **ret_levels, lam_error *error) {
    const lam_schema *schema = texts->shape->schema;
    size_t count = 0;
    lam_json_levels *levels;
    LAM_TRY(LAM_ARENA_ARRAY(texts->arena, schema->leaf_count, &levels, error));
    for (size_t i = 0; i < schema->leaf_count; i++)
        if (texts->leaves[i])
            LAM_TRY(make_levels(texts, lam_leaf_at(schema, i), &levels[count++], error));
    *ret_levels = levels;
    return LAM_STATUS_OK;
}

/*
 * Tables that are too large are no failure, nor a name of a VARIANT that is not UTF-8, which only
 * records that have it fail for: they can print without tables.
 */
lam_status lam_json_levels_create(const lam_json_shape *shape, const bool *leaves,
                                  const lam_projection *projection, lam_arena *arena,
                                  lam_json_levels **ret_levels, lam_error *error) {
    level_texts texts = {
        .shape = shape, .leaves = leaves, .projection = projection, .arena = arena};
    lam_error failure = lam_error_none();
    lam_json_levels *levels = NULL;
    lam_status status = LAM_STATUS_OK;
    if (all_follow_levels(&texts)) {
        lam_buffer_init(&texts.text, &arena->allocator);
        status = make_all(&texts, &levels, &failure);
        lam_buffer_finish(&texts.text);
    }
    if (status == LAM_STATUS_NOMEM) {
        if (error != NULL)
            *error = failure;
        return status;
    }
    *ret_levels = status == LAM_STATUS_OK ? levels : NULL;
    return LAM_STATUS_OK;
}
