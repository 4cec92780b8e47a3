/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds what makes a file larger than it has to be, and says it in sentences, the largest saving
 * first. A finding always saves a share of its subject, and a number of bytes; a column that cannot
 * be read is counted and passed over.
 */
#define _POSIX_C_SOURCE 200809L
#include "size_findings.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tool.h"

enum {
    COLUMNS_TRIED = 40,     /* the largest */
    COLUMN_LEAST = 2 << 10, /* bytes of one that is tried */
    SAVED_LEAST = 1 << 10,
    SAMPLE_ALL = 8 << 20, /* bytes of values that are written in each way, of all columns */
    SAMPLE_LEAST = 64 << 10,
    SAMPLE_MOST = 1 << 20,
    FOOTER_LEAST = 4 << 10,
    BOUND_LONG = 64,
    GROUPS_MANY = 4,
    GROUP_SMALL = 256 << 10,
    PAGE_SMALL = 8 << 10
};

static const double SHARE_LEAST = 0.1;     /* of a column that another encoding saves */
static const double OVERHEAD_LEAST = 0.05; /* of a file or column that is not data */
static const double NEAR = 1.02;           /* sizes that are as good as equal */

/* --- Words --------------------------------------------------------------------------------- */

/* "812 bytes", "1.2 MB": numbers of bytes for people. */
static const char *bytes_text(double bytes, char text[32]) {
    static const char *const units[] = {"kB", "MB", "GB", "TB"};
    size_t unit = 0;
    if (bytes < 1000) {
        snprintf(text, 32, "%.0f bytes", bytes);
        return text;
    }
    for (bytes /= 1000; bytes >= 999.5 && unit < 3; unit++)
        bytes /= 1000;
    snprintf(text, 32, bytes < 99.95 ? "%.1f %s" : "%.0f %s", bytes, units[unit]);
    return text;
}

static char *format_text(const char *format, ...) LAM_PRINTF(1, 2);
static char *format_text(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int size = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    char *text = tool_allocate((size_t)(size < 0 ? 0 : size) + 1, 1);
    va_start(arguments, format);
    vsnprintf(text, (size_t)(size < 0 ? 0 : size) + 1, format, arguments);
    va_end(arguments);
    return text;
}

static void add_finding(size_findings *findings, size_finding finding) {
    size_t at = findings->count++;
    findings->items = tool_reallocate(findings->items, findings->count, sizeof *findings->items);
    for (; at > 0 && findings->items[at - 1].saves < finding.saves; at--)
        findings->items[at] = findings->items[at - 1];
    findings->items[at] = finding;
}

/* --- Other encodings ----------------------------------------------------------------------- */

/* A way in words: "DELTA_BYTE_ARRAY + ZSTD". */
static const char *way_text(lam_encoding encoding, lam_codec codec, char text[64]) {
    snprintf(text, 64, "%s%s%s", lam_encoding_name(encoding),
             codec == LAM_CODEC_UNCOMPRESSED ? "" : " + ",
             codec == LAM_CODEC_UNCOMPRESSED ? " without compression" : lam_codec_name(codec));
    return text;
}

/* The present state of the column: the encodings of its data pages, and its codec. */
static const char *now_text(const size_facts *facts, char text[200]) {
    size_t used = 0;
    text[0] = '\0';
    for (int i = 0; i < 32 && used < 150; i++)
        if ((facts->encodings >> i & 1) != 0)
            used += (size_t)snprintf(text + used, 200 - used, "%s%s", used == 0 ? "" : " and ",
                                     lam_encoding_name((lam_encoding)i));
    if (facts->codec == LAM_CODEC_UNCOMPRESSED)
        snprintf(text + used, 200 - used, ", uncompressed");
    else
        snprintf(text + used, 200 - used, " + %s",
                 facts->codec == LAM_CODEC_DEFAULT ? "several codecs"
                                                   : lam_codec_name(facts->codec));
    return text;
}

static bool has_small_pages(const size_facts *facts) {
    return facts->data_pages > 1 && facts->data_bytes < facts->data_pages * PAGE_SMALL;
}

/*
 * The trial's estimate of the column as it is. Dictionaries that are given up: the larger of both
 * ways that pages have. 0: unknown.
 */
static double now_by_trial(const size_trial *trial, const size_facts *facts) {
    double bytes = 0;
    for (int i = 0; i < 32; i++) {
        int encoding = i == LAM_ENCODING_PLAIN_DICTIONARY ? LAM_ENCODING_RLE_DICTIONARY : i;
        const size_way *way = (facts->encodings >> i & 1) == 0
                                  ? NULL
                                  : size_find_way(trial, (lam_encoding)encoding, facts->codec);
        bytes = way != NULL && way->bytes > bytes ? way->bytes : bytes;
    }
    return bytes;
}

/*
 * Scales the ways of a trial to the bytes of the column: they are measured by its own way, unless
 * this makes them smaller. For small pages the trial is right: a column that is written again has
 * larger ones.
 */
static void calibrate(size_trial *trial, const size_facts *facts) {
    double now = has_small_pages(facts) ? 0 : now_by_trial(trial, facts);
    double factor = now <= 0 ? 1 : facts->stored / now;
    for (size_t i = 0; i < trial->count && factor > 1; i++)
        trial->ways[i].bytes *= factor;
}

/* If ways are as good as equal, one that changes less and that more readers have. */
static int cost_of(const size_way *way, const size_facts *facts) {
    bool is_basic =
        way->encoding == LAM_ENCODING_PLAIN || way->encoding == LAM_ENCODING_RLE_DICTIONARY;
    int encoding = is_basic ? 0 : way->encoding == LAM_ENCODING_ALP ? 2 : 1;
    int codec = way->codec == facts->codec ? 0 : way->codec == LAM_CODEC_ZSTD ? 1 : 2;
    return 4 * codec + encoding;
}

/* `codec` DEFAULT: of all codecs. NULL: none. */
static const size_way *choose_way(const size_trial *trial, const size_facts *facts,
                                  lam_codec codec) {
    const size_way *best = NULL;
    double least = 0;
    for (size_t i = 0; i < trial->count; i++) {
        const size_way *way = &trial->ways[i];
        if (codec != LAM_CODEC_DEFAULT && way->codec != codec)
            continue;
        if (best == NULL)
            least = way->bytes;
        if (best == NULL ||
            (way->bytes <= least * NEAR && cost_of(way, facts) < cost_of(best, facts)))
            best = way;
    }
    return best;
}

static bool is_worth(double stored, double bytes) {
    return stored - bytes >= SAVED_LEAST && stored - bytes >= stored * SHARE_LEAST;
}

static char *rewrite_options_of(const char *path, const size_way *way, const size_facts *facts) {
    char encoding[40], codec[20];
    for (const char *at = path; *at != '\0'; at++)
        if (strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.", *at) == NULL)
            return NULL;
    snprintf(encoding, sizeof encoding, "%s", lam_encoding_name(way->encoding));
    snprintf(codec, sizeof codec, "%s", lam_codec_name(way->codec));
    for (char *at = encoding; *at != '\0'; at++)
        *at |= *at >= 'A' && *at <= 'Z' ? 0x20 : 0;
    for (char *at = codec; *at != '\0'; at++)
        *at |= *at >= 'A' && *at <= 'Z' ? 0x20 : 0;
    return way->codec == facts->codec
               ? format_text("--encoding %s=%s", path, encoding)
               : format_text("--codec %s --encoding %s=%s", codec, path, encoding);
}

/* In percent, as many digits as a share below all of it needs. */
static const char *share_text(double part, double whole, char *text) {
    double share = 100 * part / whole;
    snprintf(text, 32, "%.*f",
             share < 99     ? 0
             : share < 99.9 ? 1
                            : 2,
             share < 99.99 ? share : 99.99);
    return text;
}

static char *encoding_text(const char *path, const size_facts *facts, const size_trial *trial,
                           const size_way *best, uint64_t rows) {
    char way[64], same_way[64], now[200], after[32], before[32], share[32], same_text[160] = "";
    double less = facts->stored - best->bytes;
    const size_way *same =
        facts->codec == LAM_CODEC_DEFAULT ? NULL : choose_way(trial, facts, facts->codec);
    if (same != NULL && same != best && is_worth(facts->stored, same->bytes))
        snprintf(same_text, sizeof same_text, "; %s would take %s %% less",
                 way_text(same->encoding, same->codec, same_way),
                 share_text(facts->stored - same->bytes, facts->stored, share));
    return format_text("%s: %s%s would take %s %% less: %s instead of %s (now %s)%s. Judged by "
                       "%" PRIu64 " of %" PRIu64 " rows%s.",
                       path, way_text(best->encoding, best->codec, way),
                       has_small_pages(facts) ? " in larger pages" : "",
                       share_text(less, facts->stored, share), bytes_text(best->bytes, after),
                       bytes_text(facts->stored, before), now_text(facts, now), same_text,
                       trial->rows, rows,
                       trial->places > 1    ? " from several places"
                       : trial->rows < rows ? " from the beginning"
                                            : "");
}

static lam_status try_column(const lam_reader *reader, const size_facts *facts, uint64_t most,
                             lam_compat compat, size_findings *findings, lam_error *error) {
    size_column column = {facts->leaf,   (uint64_t)facts->triples,
                          facts->chunks, facts->rows_of_chunk,
                          facts->codec,  compat};
    size_finding finding = {.kind = "encoding", .leaf = facts->leaf, .stored = facts->stored};
    lam_status status = size_try(reader, &column, most, &finding.trial, error);
    if (status != LAM_STATUS_OK)
        return status;
    findings->weighed++;
    calibrate(&finding.trial, facts);
    const size_way *best = choose_way(&finding.trial, facts, LAM_CODEC_DEFAULT);
    if (best == NULL || !is_worth(facts->stored, best->bytes))
        return LAM_STATUS_OK;
    char *path = tool_path_of(lam_schema_leaf(lam_reader_schema(reader), facts->leaf));
    finding.saves = facts->stored - best->bytes;
    finding.text = encoding_text(path, facts, &finding.trial, best, lam_reader_row_count(reader));
    finding.options = rewrite_options_of(path, best, facts);
    free(path);
    add_finding(findings, finding);
    return LAM_STATUS_OK;
}

/* --- Pages and dictionaries ---------------------------------------------------------------- */

/* All columns with small pages are one finding: their cause is a setting of the writer. */
static void weigh_pages(const lam_reader *reader, const size_facts *facts, size_t count,
                        size_findings *findings) {
    char average[32], saved[32];
    double saves = 0, pages = 0, bytes = 0;
    size_t columns = 0, largest = 0;
    for (size_t i = 0; i < count; i++) {
        const size_facts *one = &facts[i];
        double share = one->walked > 0 ? one->header_bytes / one->walked : 0;
        if (!has_small_pages(one) || share < OVERHEAD_LEAST)
            continue;
        largest = columns++ == 0 ? i : largest;
        saves += one->stored * share;
        pages += one->data_pages;
        bytes += one->data_bytes;
    }
    if (saves < SAVED_LEAST)
        return;
    char *path = tool_path_of(lam_schema_leaf(lam_reader_schema(reader), facts[largest].leaf));
    size_finding finding = {.kind = "pages", .leaf = SIZE_MAX, .saves = saves};
    finding.text = format_text("Pages are small in %zu column%s (%s%s): %s each on average, and "
                               "their headers take %s; larger pages need fewer.",
                               columns, tool_s(columns), path, columns == 1 ? "" : " the largest",
                               bytes_text(bytes / pages, average), bytes_text(saves, saved));
    free(path);
    add_finding(findings, finding);
}

static void weigh_dictionary(const char *path, const size_facts *facts, size_findings *findings) {
    char dictionary[32], plain[32];
    double scale = facts->walked > 0 ? facts->stored / facts->walked : 0;
    double saves = facts->dictionary_bytes * scale;
    if (facts->given_up == 0 || saves < SAVED_LEAST || saves < facts->stored * OVERHEAD_LEAST)
        return;
    size_finding finding = {.kind = "dictionary", .leaf = facts->leaf, .saves = saves};
    finding.text = format_text("%s: dictionaries are given up within a column chunk: they take %s, "
                               "and %s of values are PLAIN nevertheless. A larger dictionary, or "
                               "none, saves one of the two.",
                               path, bytes_text(saves, dictionary),
                               bytes_text(facts->plain_after * scale, plain));
    add_finding(findings, finding);
}

static void weigh_bounds(const char *path, const size_facts *facts, size_findings *findings) {
    char bytes[32], longest[32];
    if (facts->longest_bound <= BOUND_LONG || facts->bound_bytes < SAVED_LEAST)
        return;
    size_finding finding = {.kind = "bounds", .leaf = facts->leaf, .saves = facts->bound_bytes};
    finding.text = format_text("%s: lowest and highest values in the footer are up to %s long, and "
                               "take %s; cut to %d bytes they serve as well.",
                               path, bytes_text(facts->longest_bound, longest),
                               bytes_text(facts->bound_bytes, bytes), BOUND_LONG);
    add_finding(findings, finding);
}

static bool has_nulls_only(const size_facts *facts) {
    return facts->triples > 0 && facts->nulls >= facts->triples;
}

static void weigh_nulls(const char *path, const size_facts *facts, size_findings *findings) {
    char bytes[32];
    if (!has_nulls_only(facts) || facts->stored < SAVED_LEAST)
        return;
    size_finding finding = {.kind = "nulls", .leaf = facts->leaf, .saves = facts->stored};
    finding.text = format_text("%s: every value is null, and their levels take %s.", path,
                               bytes_text(facts->stored, bytes));
    add_finding(findings, finding);
}

/* --- The file ------------------------------------------------------------------------------ */

/* Adds a finding on bytes that are not data, if they are a large share of the file. */
static void weigh_overhead(const lam_reader *reader, const char *kind, double bytes,
                           const char *subject, size_findings *findings) {
    char text[32];
    double share = bytes / (double)tool_file_info(reader).file_size;
    if (bytes < FOOTER_LEAST || share < OVERHEAD_LEAST)
        return;
    size_finding finding = {.kind = kind, .leaf = SIZE_MAX, .saves = bytes};
    finding.text =
        format_text("%s %s, %.0f %% of the file.", subject, bytes_text(bytes, text), 100 * share);
    add_finding(findings, finding);
}

static void weigh_key_values(const lam_reader *reader, size_findings *findings) {
    double bytes = 0;
    const char *key, *value;
    for (size_t i = 0; lam_reader_key_value(reader, i, &key, &value); i++)
        bytes +=
            (double)(key == NULL ? 0 : strlen(key)) + (double)(value == NULL ? 0 : strlen(value));
    weigh_overhead(reader, "key_values", bytes, "The key-value metadata of the footer takes",
                   findings);
}

static void weigh_row_groups(const lam_reader *reader, double stored, size_findings *findings) {
    char average[32], footer[32];
    double groups = (double)lam_reader_row_group_count(reader);
    if (groups < GROUPS_MANY || stored / groups >= GROUP_SMALL)
        return;
    double saves = (double)tool_file_info(reader).footer_size * (1 - 1 / groups);
    if (saves < SAVED_LEAST)
        return;
    size_finding finding = {.kind = "row_groups", .leaf = SIZE_MAX, .saves = saves};
    finding.text = format_text("Row groups are small: %.0f of them, %s each on average. Each has "
                               "dictionaries and pages of "
                               "its own and an entry in the footer, which takes %s.",
                               groups, bytes_text(stored / groups, average),
                               bytes_text(tool_file_info(reader).footer_size, footer));
    add_finding(findings, finding);
}

/* Bytes at the top of the file to which the footer does not refer. */
typedef struct gap_bytes {
    double log; /* in gaps that begin with a recovery record of a log */
    double others;
    double last; /* of the gap whose inside is not known yet */
} gap_bytes;

static lam_status count_gap(void *state, const lam_byte_range *range, bool *expand,
                            lam_error *error) {
    gap_bytes *gaps = state;
    (void)error;
    *expand = range->depth == 0 && range->kind == LAM_BYTE_GAP;
    if (*expand) {
        gaps->others += (double)range->length;
        gaps->last = (double)range->length;
    } else if (range->depth == 1) {
        if (range->kind == LAM_BYTE_RECOVERY_RECORD) {
            gaps->log += gaps->last;
            gaps->others -= gaps->last;
        }
        gaps->last = 0;
    }
    return LAM_STATUS_OK;
}

static void weigh_gap(double bytes, const char *why, size_findings *findings) {
    char text[32];
    if (bytes < SAVED_LEAST)
        return;
    size_finding finding = {.kind = "gaps", .leaf = SIZE_MAX, .saves = bytes};
    finding.text = format_text("%s belong to no column chunk, index or footer: %s.",
                               bytes_text(bytes, text), why);
    finding.options = tool_copy_text("");
    add_finding(findings, finding);
}

static lam_status weigh_gaps(const lam_reader *reader, const lam_input *input,
                             size_findings *findings, lam_error *error) {
    gap_bytes gaps = {0};
    lam_byte_map_options options = lam_byte_map_options_default();
    options.allocator = tool_allocator();
    options.memory_limit = tool_file_info(reader).memory_limit;
    options.stop = tool_limits_of_program()->stop;
    lam_status status = lam_byte_map_walk(input, &options, count_gap, &gaps, error);
    if (status != LAM_STATUS_OK)
        return status;
    weigh_gap(gaps.log, "by them a log survives that it is cut off, and a copy is without them",
              findings);
    weigh_gap(gaps.others, "the file was appended to, or something was removed from it", findings);
    return LAM_STATUS_OK;
}

static lam_status weigh_file(const lam_reader *reader, const lam_input *input,
                             const size_facts *facts, size_t count, size_findings *findings,
                             lam_error *error) {
    double bloom = 0, index = 0, stored = 0;
    for (size_t i = 0; i < count; i++) {
        bloom += facts[i].bloom;
        index += facts[i].page_index;
        stored += facts[i].stored;
    }
    weigh_overhead(reader, "footer", tool_file_info(reader).footer_size, "The footer takes",
                   findings);
    weigh_overhead(reader, "page_index", index, "Column and offset indexes take", findings);
    weigh_overhead(reader, "bloom", bloom, "Bloom filters take", findings);
    weigh_key_values(reader, findings);
    weigh_row_groups(reader, stored, findings);
    return input == NULL ? LAM_STATUS_OK : weigh_gaps(reader, input, findings, error);
}

/* --- All of it ----------------------------------------------------------------------------- */

static bool ends_it(lam_status status) {
    return status == LAM_STATUS_NOMEM || status == LAM_STATUS_CANCELLED;
}

/* Collects the facts of the chosen leaves, the largest first. */
static lam_status collect_all(const lam_reader *reader, const bool *leaves, size_facts *facts,
                              size_t *ret_count, size_findings *findings, lam_error *error) {
    size_t count = 0;
    for (size_t i = 0; i < lam_schema_leaf_count(lam_reader_schema(reader)); i++) {
        size_facts one;
        if (leaves != NULL && !leaves[i])
            continue;
        lam_status status = size_collect(reader, i, &one, error);
        if (ends_it(status))
            return status;
        if (status != LAM_STATUS_OK) {
            findings->failed++;
            continue;
        }
        facts[count++] = one;
    }
    *ret_count = count;
    return LAM_STATUS_OK;
}

static int by_size(const void *a, const void *b) {
    const size_facts *left = a, *right = b;
    if (left->stored != right->stored)
        return left->stored > right->stored ? -1 : 1;
    return left->leaf < right->leaf ? -1 : left->leaf > right->leaf;
}

static lam_status try_columns(const lam_reader *reader, const size_facts *facts, size_t count,
                              lam_compat compat, size_findings *findings, lam_error *error) {
    size_t tried = 0;
    while (tried < count && tried < COLUMNS_TRIED && facts[tried].stored >= COLUMN_LEAST)
        tried++;
    findings->small = count - tried;
    uint64_t most = tried == 0 ? 0 : SAMPLE_ALL / tried;
    most = most < SAMPLE_LEAST ? SAMPLE_LEAST : most > SAMPLE_MOST ? SAMPLE_MOST : most;
    for (size_t i = 0; i < tried; i++) {
        if (has_nulls_only(&facts[i]))
            continue;
        lam_status status = try_column(reader, &facts[i], most, compat, findings, error);
        if (ends_it(status))
            return status;
        findings->failed += status != LAM_STATUS_OK;
    }
    return LAM_STATUS_OK;
}

static void weigh_columns(const lam_reader *reader, const size_facts *facts, size_t count,
                          size_findings *findings) {
    weigh_pages(reader, facts, count, findings);
    for (size_t i = 0; i < count; i++) {
        char *path = tool_path_of(lam_schema_leaf(lam_reader_schema(reader), facts[i].leaf));
        weigh_dictionary(path, &facts[i], findings);
        weigh_bounds(path, &facts[i], findings);
        weigh_nulls(path, &facts[i], findings);
        free(path);
    }
}

lam_status size_find(const lam_reader *reader, const lam_input *input, const bool *leaves,
                     lam_compat compat, size_findings *ret_findings, lam_error *error) {
    size_findings findings = {0};
    size_t count = 0;
    size_facts *facts =
        tool_allocate(lam_schema_leaf_count(lam_reader_schema(reader)) + 1, sizeof *facts);
    lam_status status = collect_all(reader, leaves, facts, &count, &findings, error);
    if (status == LAM_STATUS_OK) {
        qsort(facts, count, sizeof *facts, by_size);
        weigh_columns(reader, facts, count, &findings);
        status = try_columns(reader, facts, count, compat, &findings, error);
    }
    if (status == LAM_STATUS_OK)
        status = weigh_file(reader, input, facts, count, &findings, error);
    free(facts);
    if (status == LAM_STATUS_OK)
        *ret_findings = findings;
    else
        size_findings_free(&findings);
    return status;
}

void size_findings_free(size_findings *findings) {
    for (size_t i = 0; i < findings->count; i++) {
        free(findings->items[i].text);
        free(findings->items[i].options);
    }
    free(findings->items);
}

/* --- Printing ------------------------------------------------------------------------------ */

/*
 * The options of all findings on encodings in one, or NULL if there are not two: a codec applies to
 * all columns.
 */
static char *options_of_all(const size_findings *findings) {
    char *all = tool_copy_text("");
    size_t count = 0;
    bool has_codec = false;
    for (size_t i = 0; i < findings->count; i++) {
        const size_finding *item = &findings->items[i];
        const char *encoding = item->options == NULL ? NULL : strstr(item->options, "--encoding");
        if (encoding == NULL)
            continue;
        bool is_zstd = strncmp(item->options, "--codec zstd", 12) == 0;
        char *longer = format_text("%s%s%s%s", is_zstd && !has_codec ? "--codec zstd " : "", all,
                                   count == 0 ? "" : " ", encoding);
        has_codec |= is_zstd;
        count++;
        free(all);
        all = longer;
    }
    if (count < 2) {
        free(all);
        all = NULL;
    }
    return all;
}

static void print_trial(const size_trial *trial) {
    tool_print(",\"rows\":%" PRIu64 ",\"ways\":[", trial->rows);
    for (size_t i = 0; i < trial->count; i++)
        tool_print("%s[\"%s\",\"%s\",%.0f]", i == 0 ? "" : ",",
                   lam_encoding_name(trial->ways[i].encoding), lam_codec_name(trial->ways[i].codec),
                   trial->ways[i].bytes);
    tool_print("]");
}

void size_print_json(const lam_reader *reader, const size_findings *findings) {
    tool_print("{\"judged\":%zu,\"small\":%zu,\"failed\":%zu,\"findings\":[", findings->weighed,
               findings->small, findings->failed);
    for (size_t i = 0; i < findings->count; i++) {
        const size_finding *item = &findings->items[i];
        tool_print("%s{\"kind\":\"%s\"", i == 0 ? "" : ",", item->kind);
        if (item->leaf != SIZE_MAX) {
            tool_print(",\"path\":");
            tool_print_path_json(lam_schema_leaf(lam_reader_schema(reader), item->leaf));
        }
        tool_print(",\"saves\":%.0f,\"text\":", item->saves);
        tool_print_text(item->text, strlen(item->text));
        if (item->options != NULL) {
            tool_print(",\"options\":");
            tool_print_text(item->options, strlen(item->options));
        }
        if (item->trial.count > 0) {
            tool_print(",\"stored\":%.0f", item->stored);
            print_trial(&item->trial);
        }
        tool_print("}");
    }
    tool_print("]");
    char *options = options_of_all(findings);
    if (options != NULL) {
        tool_print(",\"options\":");
        tool_print_text(options, strlen(options));
    }
    free(options);
    tool_print("}");
}

void size_print_text(const size_findings *findings) {
    for (size_t i = 0; i < findings->count; i++)
        tool_print("%s\n", findings->items[i].text);
    char *options = options_of_all(findings);
    if (options != NULL)
        tool_print("All columns at once: lamella rewrite %s -o OUT FILE\n", options);
    free(options);
    if (findings->count == 0)
        tool_print("No finding: nothing that was tried saves %d %% of a column.\n",
                   (int)(100 * SHARE_LEAST));
}
