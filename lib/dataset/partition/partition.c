/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads a format of partition folders, such as "date=%Y-%m-%d/hour=%H" for the path of a leaf, into
 * a lam_partition, whose `names` need no more checks when a folder is made from a value
 * (partition_folder.c).
 *
 * The invariant of `names`: folders with '/' between them, each NAME=TEXT; everything is escaped,
 * so that '/' separates, the first '=' ends a NAME, and '%' begins an escape; control characters
 * occur only as directives, the byte 1 and a letter that suits the leaf's type. No folder of a
 * number or a date can become longer than LAM_PARTITION_FOLDER_MAX.
 *
 *     format    date=%Y/at=%H:%M      names    date=\1Y/at=\1H%3A\1M
 */
#include "dataset/partition/partition.h"

#include <stdio.h>

#include "base/alloc.h"
#include "base/error.h"
#include "dataset/partition/partition_folder.h"
#include "schema/logical_type.h"
#include "schema/tree.h"
#include "text/time_text.h"

/* --- The leaf ------------------------------------------------------------------------------ */

enum { PARTITION_PATH_ROOM = 160 }; /* of a path in a message */

/* False when values of the leaf cannot name folders. */
static bool partition_kind_of(const lam_field *leaf, lam_partition_kind *ret_kind) {
    const lam_logical_type *type = &leaf->logical_type;
    bool is_integer =
        leaf->physical_type == LAM_PHYSICAL_INT32 || leaf->physical_type == LAM_PHYSICAL_INT64;
    switch (type->kind) {
    case LAM_LOGICAL_NONE:
        if (leaf->physical_type == LAM_PHYSICAL_BOOLEAN)
            *ret_kind = LAM_PARTITION_BOOLEAN;
        else
            *ret_kind = LAM_PARTITION_SIGNED;
        return is_integer || leaf->physical_type == LAM_PHYSICAL_BOOLEAN;
    case LAM_LOGICAL_INTEGER:
        *ret_kind = type->is_signed ? LAM_PARTITION_SIGNED : LAM_PARTITION_UNSIGNED;
        return is_integer;
    case LAM_LOGICAL_DATE:
        *ret_kind = LAM_PARTITION_DATE;
        return leaf->physical_type == LAM_PHYSICAL_INT32;
    case LAM_LOGICAL_TIMESTAMP:
        *ret_kind = LAM_PARTITION_TIMESTAMP; /* one of 96 bits is not INT64 */
        return leaf->physical_type == LAM_PHYSICAL_INT64;
    case LAM_LOGICAL_STRING:
    case LAM_LOGICAL_ENUM:
        *ret_kind = LAM_PARTITION_TEXT;
        return leaf->physical_type == LAM_PHYSICAL_BYTE_ARRAY;
    default:
        return false;
    }
}

/* The type as message text has it: "int64", "binary (JSON)". */
static void partition_print_type(const lam_field *leaf, char *buffer, size_t capacity) {
    char logical[64];
    const char *physical = lam_physical_type_name((lam_physical_type)leaf->physical_type);
    if (lam_logical_type_print(&leaf->logical_type, logical, sizeof logical) > 0)
        snprintf(buffer, capacity, "%s (%s)", physical, logical);
    else
        snprintf(buffer, capacity, "%s", physical);
}

/* Sets the leaf; INVALID with the reason when its values cannot name folders. */
static lam_status partition_take_leaf(const lam_field *leaf, lam_partition *partition,
                                      lam_error *error) {
    char path[PARTITION_PATH_ROOM];
    (void)lam_field_path(leaf, path, sizeof path);
    if (!lam_field_is_leaf(leaf))
        LAM_FAIL(error, LAM_STATUS_INVALID,
                 "the field \"%s\" is a group, which has no value to partition by", path);
    if (leaf->max_repetition > 0 || lam_is_in_vector(leaf))
        LAM_FAIL(error, LAM_STATUS_INVALID,
                 "the field \"%s\" is repeated: a record has no single value to partition by",
                 path);
    if (!partition_kind_of(leaf, &partition->kind)) {
        char type[100];
        partition_print_type(leaf, type, sizeof type);
        LAM_FAIL(error, LAM_STATUS_INVALID,
                 "the field \"%s\" is of type %s: partitions are by DATE, TIMESTAMP, STRING, ENUM, "
                 "integer or BOOLEAN",
                 path, type);
    }
    partition->leaf = leaf;
    partition->units =
        partition->kind == LAM_PARTITION_TIMESTAMP ? lam_time_units(leaf->logical_type.unit) : 1;
    return LAM_STATUS_OK;
}

/* --- The format ---------------------------------------------------------------------------- */

/* A format on its way into `names`. */
typedef struct partition_parser {
    lam_partition *partition;
    const char *format;
    const char *folder; /* the one being read, in the format */
    size_t first;       /* where it begins in `names` */
    bool has_equals;    /* its first '=' was read, */
    size_t equals;      /*   and is here in `names` */
    size_t widths;      /* bytes of its directives */
    size_t depth;       /* folders before it */
} partition_parser;

/* INVALID, with the folder that is read. */
static lam_status partition_refuse_folder(const partition_parser *parser, const char *fault,
                                          lam_error *error) {
    LAM_FAIL(error, LAM_STATUS_INVALID, "the folder \"%.*s\" of the format %s",
             (int)strcspn(parser->folder, "/"), parser->folder, fault);
}

/* Most bytes that a directive becomes; 0 for a text, which is cut to the room that is left. */
static size_t partition_width(const lam_partition *partition, char directive) {
    if (directive != 'v')
        return directive == 'Y' ? 4 : directive == 'j' ? 3 : 2;
    switch (partition->kind) {
    case LAM_PARTITION_BOOLEAN:
        return 5;
    case LAM_PARTITION_TEXT:
        return 0;
    case LAM_PARTITION_DATE:
        return 10;
    case LAM_PARTITION_TIMESTAMP:
        return 34; /* 2026-11-23T00%3A45%3A00.123456789Z */
    default:
        return 20;
    }
}

/* The units that values of one folder span, as far as a directive says. */
static int64_t partition_period(const lam_partition *partition, char directive) {
    if (partition->kind != LAM_PARTITION_TIMESTAMP || directive == 'v')
        return 1;
    int64_t seconds = directive == 'S'   ? 1
                      : directive == 'M' ? 60
                      : directive == 'H' ? 3600
                                         : 86400;
    return seconds * partition->units;
}

/* INVALID for a directive that is unknown, or that values of the leaf do not have. */
static lam_status partition_check_directive(const partition_parser *parser, char directive,
                                            lam_error *error) {
    lam_partition_kind kind = parser->partition->kind;
    if (directive == '\0')
        LAM_FAIL(error, LAM_STATUS_INVALID, "the format \"%s\" ends with a single %%",
                 parser->format);
    if (strchr("YmdHMSjv", directive) == NULL)
        LAM_FAIL(error, LAM_STATUS_INVALID,
                 "the format \"%s\" has %%%c, which is none of %%Y %%m %%d %%H %%M %%S %%j %%v "
                 "%%%%",
                 parser->format, directive);
    if (directive != 'v' && kind != LAM_PARTITION_DATE && kind != LAM_PARTITION_TIMESTAMP)
        LAM_FAIL(error, LAM_STATUS_INVALID,
                 "the format \"%s\" has %%%c, which only dates and timestamps have", parser->format,
                 directive);
    if (strchr("HMS", directive) != NULL && kind != LAM_PARTITION_TIMESTAMP)
        LAM_FAIL(error, LAM_STATUS_INVALID,
                 "the format \"%s\" has %%%c, which only timestamps have", parser->format,
                 directive);
    if (!parser->has_equals)
        return partition_refuse_folder(parser, "has a % before its '='", error);
    return LAM_STATUS_OK;
}

static lam_status partition_put_directive(partition_parser *parser, char directive,
                                          lam_error *error) {
    lam_partition *partition = parser->partition;
    int64_t period = partition_period(partition, directive);
    LAM_TRY(partition_check_directive(parser, directive, error));
    parser->widths += partition_width(partition, directive);
    partition->period = period < partition->period ? period : partition->period;
    LAM_TRY(lam_buffer_append_byte(&partition->names, LAM_FOLDER_DIRECTIVE, error));
    return lam_buffer_append_byte(&partition->names, (uint8_t)directive, error);
}

/* Puts the bytes up to the next '%', '/', or the '=' that ends the NAME, escaped. */
static lam_status partition_put_text(partition_parser *parser, const char **at, lam_error *error) {
    size_t size = strcspn(*at, parser->has_equals ? "%/" : "%/=");
    LAM_TRY(lam_folder_escape(&parser->partition->names, (const uint8_t *)*at, size, error));
    *at += size;
    return LAM_STATUS_OK;
}

/* True when an earlier folder has the NAME of the one being read. */
static bool partition_has_name(const partition_parser *parser) {
    const uint8_t *names = parser->partition->names.data;
    size_t size = parser->equals + 1 - parser->first;
    for (size_t at = 0; at < parser->first; at++)
        if ((at == 0 || names[at - 1] == '/') && size <= parser->first - at &&
            memcmp(names + at, names + parser->first, size) == 0)
            return true;
    return false;
}

/* Checks a folder that is complete in `names`. */
static lam_status partition_end_folder(partition_parser *parser, lam_error *error) {
    const lam_buffer *names = &parser->partition->names;
    size_t size = names->size - parser->first, directives = 0;
    if (size == 0)
        LAM_FAIL(error, LAM_STATUS_INVALID, "the format \"%s\" %s", parser->format,
                 parser->format[0] == '/' ? "begins with '/'" : "has an empty folder");
    if (!parser->has_equals)
        return partition_refuse_folder(parser, "has no NAME=", error);
    if (parser->equals == parser->first)
        return partition_refuse_folder(parser, "has no NAME before its '='", error);
    if (partition_has_name(parser))
        return partition_refuse_folder(parser, "has the NAME of an earlier one", error);
    for (size_t i = parser->first; i < names->size; i++)
        directives += names->data[i] == LAM_FOLDER_DIRECTIVE;
    if (size - 2 * directives > LAM_PARTITION_FIXED_MAX ||
        size - 2 * directives + parser->widths > LAM_PARTITION_FOLDER_MAX)
        return partition_refuse_folder(parser, "is too long", error);
    if (++parser->depth > LAM_PARTITION_DEPTH_MAX)
        LAM_FAIL(error, LAM_STATUS_INVALID, "the format \"%s\" has more than %d folders",
                 parser->format, LAM_PARTITION_DEPTH_MAX);
    return LAM_STATUS_OK;
}

static lam_status partition_parse(lam_partition *partition, const char *format, lam_error *error) {
    partition_parser parser = {.partition = partition, .format = format, .folder = format};
    lam_buffer *names = &partition->names;
    for (const char *at = format; *at != '\0';) {
        LAM_TRY(partition_put_text(&parser, &at, error));
        if (*at == '%' && at[1] == '%') {
            LAM_TRY(lam_folder_escape(names, (const uint8_t *)at, 1, error));
            at += 2;
        } else if (*at == '%') {
            LAM_TRY(partition_put_directive(&parser, at[1], error));
            at += 2;
        } else if (*at == '=') {
            parser.has_equals = true;
            parser.equals = names->size;
            LAM_TRY(lam_buffer_append_byte(names, (uint8_t)*at++, error));
        } else if (*at == '/') {
            LAM_TRY(partition_end_folder(&parser, error));
            LAM_TRY(lam_buffer_append_byte(names, (uint8_t)*at++, error));
            parser.folder = at;
            parser.first = names->size;
            parser.has_equals = false;
            parser.widths = 0;
        }
    }
    return partition_end_folder(&parser, error);
}

/* NAME=%v with the name of the leaf. A name may have any bytes, so it is no format. */
static lam_status partition_default(lam_partition *partition, lam_error *error) {
    static const uint8_t value[] = {'=', LAM_FOLDER_DIRECTIVE, 'v'};
    const lam_field *leaf = partition->leaf;
    lam_buffer *names = &partition->names;
    size_t dot = leaf->name[0] == '.'; /* readers pass over folders that begin with one */
    if (dot > 0)
        LAM_TRY(lam_buffer_append(names, "%2E", 3, error));
    LAM_TRY(
        lam_folder_escape(names, (const uint8_t *)leaf->name + dot, leaf->name_size - dot, error));
    if (names->size == 0 || names->size >= LAM_PARTITION_FIXED_MAX)
        LAM_FAIL(error, LAM_STATUS_INVALID,
                 "the name \"%s\" of the field cannot name a folder: give a format", leaf->name);
    partition->period = partition_period(partition, 'v');
    return lam_buffer_append(names, value, sizeof value, error);
}

/* --- Create and destroy -------------------------------------------------------------------- */

lam_status lam_partition_of_leaf(const lam_field *leaf, const char *format,
                                 const lam_allocator *allocator, lam_partition **ret_partition,
                                 lam_error *error) {
    lam_allocator heap = lam_allocator_or_default(allocator);
    lam_partition *partition = NULL;
    LAM_TRY(LAM_NEW(&heap, &partition, error));
    partition->allocator = heap;
    partition->period = INT64_MAX;
    lam_buffer_init(&partition->names, &heap);
    lam_status status = partition_take_leaf(leaf, partition, error);
    if (status == LAM_STATUS_OK)
        status = format == NULL ? partition_default(partition, error)
                                : partition_parse(partition, format, error);
    if (status != LAM_STATUS_OK) {
        lam_partition_destroy(partition);
        return status;
    }
    partition->schema = lam_schema_share(leaf->schema);
    *ret_partition = partition;
    return LAM_STATUS_OK;
}

lam_status lam_partition_create(const lam_schema *schema, const char *path, const char *format,
                                const lam_allocator *allocator, lam_partition **ret_partition,
                                lam_error *error) {
    const lam_field *leaf;
    LAM_TRY(lam_schema_resolve(schema, path, &leaf, error));
    return lam_partition_of_leaf(leaf, format, allocator, ret_partition, error);
}

void lam_partition_destroy(lam_partition *partition) {
    if (partition == NULL)
        return;
    lam_allocator allocator = partition->allocator;
    lam_buffer_finish(&partition->names);
    lam_schema_destroy(partition->schema);
    lam_free(&allocator, partition, sizeof *partition);
}
