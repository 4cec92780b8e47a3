/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Translates between the JSON parameters of geoarrow.wkb and the CRS and edges of a logical type.
 * In JSON a CRS is an object (PROJJSON) or a string, in Parquet always a text:
 *
 *     Parquet's text                                           JSON
 *     an object, or the key of one in the file's metadata      the object itself
 *     srid:0815                                                "0815" with crs_type srid
 *     two words with a colon between, as EPSG:4326             the text, crs_type authority_code
 *     anything else                                            the text
 *
 * The invariant: parameters made here from a logical type are read as that type again, except that
 * a projjson: key becomes the object in the file. (GeoArrow, "Extension metadata"; Geospatial.md,
 * "Coordinate Reference System")
 */
#include "arrow/extension/extension_geo.h"

#include <string.h>

#include "arrow/extension/extension_parameters.h"
#include "arrow/field/arrow_metadata_edit.h"
#include "base/buffer.h"
#include "base/error.h"
#include "text/json_string.h"

#define DEFAULT_CRS "OGC:CRS84"
#define SRID_PREFIX "srid:"
#define KEY_PREFIX "projjson:"

/* The names of edges, by lam_edge_algorithm. */
static const char *const edges_names[] = {"",       "spherical", "vincenty",
                                          "thomas", "andoyer",   "karney"};

/* --- To Parquet ------------------------------------------------------------------------------- */

/*
 * Sets the kind, and the algorithm of a GEOGRAPHY; returns a fault or NULL. Planar edges are a
 * GEOMETRY.
 */
static const char *read_edges(const lam_parameter *edges, lam_logical_type *logical) {
    logical->kind = LAM_LOGICAL_GEOMETRY;
    if (edges->kind == LAM_PARAMETER_ABSENT || edges->kind == LAM_PARAMETER_NULL ||
        lam_parameter_is(edges, "planar"))
        return NULL;
    logical->kind = LAM_LOGICAL_GEOGRAPHY;
    for (int i = LAM_EDGE_ALGORITHM_SPHERICAL; i <= LAM_EDGE_ALGORITHM_KARNEY; i++) {
        logical->algorithm = (lam_edge_algorithm)i;
        if (lam_parameter_is(edges, edges_names[i]))
            return NULL;
    }
    return "edges of geoarrow.wkb must be planar, spherical, vincenty, thomas, andoyer or karney";
}

/* Checks crs_type. Only srid changes how a CRS is read; the other names are hints. */
static const char *crs_type_fault(const lam_parameter *type) {
    static const char *const names[] = {"projjson", "wkt2:2019", "authority_code", "srid"};
    if (type->kind == LAM_PARAMETER_ABSENT || type->kind == LAM_PARAMETER_NULL)
        return NULL;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (lam_parameter_is(type, names[i]))
            return NULL;
    return "crs_type of geoarrow.wkb must be projjson, wkt2:2019, authority_code or srid";
}

/* Joins "srid:" and the text. `sizeof SRID_PREFIX` counts the NUL, with which `text` ends. */
static lam_status prefix_text(lam_bytes text, lam_arena *arena, const char **ret_text,
                              lam_error *error) {
    uint8_t *joined;
    LAM_TRY(lam_arena_bytes(arena, text.size + sizeof SRID_PREFIX, &joined, error));
    memcpy(joined, SRID_PREFIX, sizeof SRID_PREFIX - 1);
    memcpy(joined + sizeof SRID_PREFIX - 1, text.data, text.size + 1);
    *ret_text = (const char *)joined;
    return LAM_STATUS_OK;
}

/*
 * Reads the CRS into a NUL-terminated text, or NULL for the default. An object is kept as it is
 * written, so that reading it again gives the same bytes. A NUL inside a string would cut the text.
 */
static lam_status read_crs(const lam_parameter *crs, const lam_parameter *type, lam_arena *arena,
                           const char **ret_crs, const char **ret_fault, lam_error *error) {
    lam_bytes text;
    char *copy;
    switch (crs->kind) {
    case LAM_PARAMETER_ABSENT:
    case LAM_PARAMETER_NULL:
        *ret_crs = SRID_PREFIX "0";
        return LAM_STATUS_OK;
    case LAM_PARAMETER_OBJECT:
        LAM_TRY(lam_arena_copy(arena, crs->text.data, crs->text.size, &copy, error));
        *ret_crs = copy;
        return LAM_STATUS_OK;
    case LAM_PARAMETER_STRING:
        break;
    default:
        *ret_fault = "crs of geoarrow.wkb is neither an object nor a string";
        return LAM_STATUS_OK;
    }
    LAM_TRY(lam_parameter_text(crs, arena, &text, error));
    if (memchr(text.data, '\0', text.size) != NULL)
        *ret_fault = "crs of geoarrow.wkb holds a NUL character";
    else if (lam_parameter_is(type, "srid"))
        return prefix_text(text, arena, ret_crs, error);
    else
        *ret_crs = lam_arrow_bytes_equal(text, DEFAULT_CRS) ? NULL : (const char *)text.data;
    return LAM_STATUS_OK;
}

/*
 * No parameters at all mean an empty object. Keys are read even if they are not used, as a
 * duplicate key makes the object ambiguous. `ret_logical` is untouched when there is a fault.
 */
lam_status lam_extension_geo_logical(lam_bytes parameters, lam_arena *arena,
                                     lam_logical_type *ret_logical, const char **ret_fault,
                                     lam_error *error) {
    static const lam_parameter empty = {LAM_PARAMETER_OBJECT, {(const uint8_t *)"{}", 2}};
    lam_parameter object = empty, crs, type, edges;
    lam_logical_type logical;
    const char *fault = NULL;
    memset(&logical, 0, sizeof logical);
    if (parameters.size > 0 && !lam_parameters_read(parameters, &object))
        fault = "the parameters of geoarrow.wkb are not a JSON object";
    else if (!lam_parameters_find(&object, "crs", &crs) ||
             !lam_parameters_find(&object, "crs_type", &type) ||
             !lam_parameters_find(&object, "edges", &edges))
        fault = "the parameters of geoarrow.wkb have crs, crs_type or edges twice";
    if (fault == NULL)
        fault = crs_type_fault(&type);
    if (fault == NULL)
        fault = read_edges(&edges, &logical);
    if (fault == NULL)
        LAM_TRY(read_crs(&crs, &type, arena, &logical.crs, &fault, error));
    *ret_fault = fault;
    if (fault == NULL)
        *ret_logical = logical;
    return LAM_STATUS_OK;
}

/* --- From Parquet ----------------------------------------------------------------------------- */

static bool has_prefix(const char *text, const char *prefix) {
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

/* Whether the entire text is a JSON object. */
static bool is_object(const char *text) {
    lam_parameter object;
    return lam_parameters_read(lam_arrow_text(text), &object);
}

/*
 * Takes `amount` from the budget if there is enough, else all that is left, so that no later
 * look-up succeeds.
 */
static bool spend(lam_extension_file *file, size_t amount) {
    bool enough = amount <= file->budget;
    file->budget = enough ? file->budget - amount : 0;
    return enough;
}

/*
 * The object under the key that a "projjson:" CRS names; the CRS itself if the file has none there,
 * or if the budget is spent. A look-up costs the number of key-values and the length of the value
 * that it copies.
 */
static const char *resolve(const char *crs, lam_extension_file *file) {
    lam_file_info info = lam_file_info_default();
    const char *key, *value;
    if (!has_prefix(crs, KEY_PREFIX) ||
        lam_reader_file_info(file->reader, &info, NULL) != LAM_STATUS_OK ||
        !spend(file, info.key_value_count))
        return crs;
    for (size_t i = 0; lam_reader_key_value(file->reader, i, &key, &value); i++) {
        if (value == NULL || strcmp(key, crs + strlen(KEY_PREFIX)) != 0)
            continue;
        return spend(file, strlen(value)) && is_object(value) ? value : crs;
    }
    return crs;
}

/* Whether a CRS is an authority and a code, such as EPSG:4326. */
static bool is_authority_code(const char *crs) {
    static const char word[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-.";
    size_t authority = strspn(crs, word);
    if (authority == 0 || crs[authority] != ':')
        return false;
    size_t code = strspn(crs + authority + 1, word);
    return code > 0 && crs[authority + 1 + code] == '\0';
}

static lam_status extension_geo_put(lam_buffer *text, const char *string, lam_error *error) {
    return lam_buffer_append(text, string, strlen(string), error);
}

/* Appends text as a JSON string; bytes that are not UTF-8 become U+FFFD. */
static lam_status put_string(lam_buffer *text, const char *string, lam_error *error) {
    return lam_json_string_print(text, string, strlen(string), true, error);
}

/* Appends the value of crs and, if the kind of CRS is certain, the member crs_type. */
static lam_status extension_geo_put_crs(lam_buffer *text, const char *crs, lam_error *error) {
    const char *type = NULL;
    if (is_object(crs)) {
        LAM_TRY(extension_geo_put(text, crs, error));
        type = "projjson";
    } else if (has_prefix(crs, SRID_PREFIX)) {
        LAM_TRY(put_string(text, crs + strlen(SRID_PREFIX), error));
        type = "srid";
    } else {
        LAM_TRY(put_string(text, crs, error));
        type = is_authority_code(crs) && !has_prefix(crs, KEY_PREFIX) ? "authority_code" : NULL;
    }
    if (type == NULL)
        return LAM_STATUS_OK;
    LAM_TRY(extension_geo_put(text, ",\"crs_type\":", error));
    return put_string(text, type, error);
}

/*
 * Appends the object, or nothing for a GEOMETRY of unknown CRS. A GEOGRAPHY always has edges;
 * spherical ones are its default.
 */
static lam_status put_parameters(lam_buffer *text, const lam_logical_type *logical,
                                 lam_extension_file *file, lam_error *error) {
    const char *crs = logical->crs == NULL ? DEFAULT_CRS : resolve(logical->crs, file);
    bool has_crs = strcmp(crs, SRID_PREFIX "0") != 0;
    bool has_edges = logical->kind == LAM_LOGICAL_GEOGRAPHY;
    lam_edge_algorithm algorithm = logical->algorithm == LAM_EDGE_ALGORITHM_DEFAULT
                                       ? LAM_EDGE_ALGORITHM_SPHERICAL
                                       : logical->algorithm;
    if (!has_crs && !has_edges)
        return LAM_STATUS_OK;
    LAM_TRY(extension_geo_put(text, has_crs ? "{\"crs\":" : "{", error));
    if (has_crs)
        LAM_TRY(extension_geo_put_crs(text, crs, error));
    if (has_edges) {
        LAM_TRY(extension_geo_put(text, has_crs ? ",\"edges\":" : "\"edges\":", error));
        LAM_TRY(put_string(text, edges_names[algorithm], error));
    }
    return extension_geo_put(text, "}", error);
}

/* The text grows in a buffer, since its length is unknown, and is then copied into the arena. */
lam_status lam_extension_geo_parameters(const lam_logical_type *logical, lam_extension_file *file,
                                        lam_arena *arena, lam_bytes *ret_parameters,
                                        lam_error *error) {
    lam_buffer text;
    char *copy;
    lam_buffer_init(&text, &arena->allocator);
    lam_status status;
    LAM_TRY_OUT(put_parameters(&text, logical, file, error));
    LAM_TRY_OUT(lam_arena_copy(arena, text.data, text.size, &copy, error));
    ret_parameters->data = (const uint8_t *)copy;
    ret_parameters->size = text.size;
out:
    lam_buffer_finish(&text);
    return status;
}
