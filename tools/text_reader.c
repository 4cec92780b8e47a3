/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Opens texts, by name, as if they were Parquet files, with a reader. A text that its first bytes
 * show to be JSON or CSV is imported to a temporary file without a name, in the memory that import
 * takes, and read from there; all else goes to the reader of Parquet files, which reports its
 * faults. A text that can be read only once is always converted once.
 */
#define _POSIX_C_SOURCE 200809L
#include "text_reader.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "import_parquet.h"
#include "import_recognize.h"
#include "import_write.h"
#include "tool.h"
#include "tool_files.h"

/* --- Files that were made ------------------------------------------------------------------ */

enum { KEPT_FILES = 16 };

/* The file made from a text, so that it is made and reported once. */
typedef struct made_file {
    const char *text; /* its path, as the operands have it */
    FILE *file;       /* NULL: others took its place, or it failed */
    uint64_t most;    /* records that were asked for */
    int result;       /* the status with which making it has ended */
} made_file;

static made_file *made;
static size_t made_count, open_count, oldest_open;

static made_file *find_made(const char *text) {
    for (size_t i = 0; i < made_count; i++)
        if (strcmp(made[i].text, text) == 0)
            return &made[i];
    return NULL;
}

/* Closes the files that were made first, as descriptors are few. */
static void keep_made(made_file *entry, FILE *file, uint64_t most) {
    if (entry->file != NULL)
        fclose(entry->file);
    open_count += entry->file == NULL && file != NULL;
    entry->file = file;
    entry->most = most;
    for (; open_count > KEPT_FILES; oldest_open = (oldest_open + 1) % made_count) {
        made_file *oldest = &made[oldest_open];
        if (oldest->file == NULL || oldest == entry)
            continue;
        fclose(oldest->file);
        oldest->file = NULL;
        open_count--;
    }
}

/* --- Making -------------------------------------------------------------------------------- */

/* Writes the records of an open text; the file is closed on failure. */
static int make_records(tool_text *input, uint64_t most, bool is_told, FILE **ret_file) {
    import_options options = import_options_default();
    options.is_quiet = is_told;
    int result = import_options_check(&options);
    FILE *file = tmpfile();
    if (result < 0 && file == NULL) {
        tool_say("lamella: %s: cannot make a temporary file: %s\n", input->name, strerror(errno));
        result = TOOL_BAD_INPUT;
    }
    options.temporary = file;
    options.most_records = most;
    if (result < 0)
        result = import_texts(input, 1, &options);
    import_options_free(&options);
    if (result == TOOL_OK)
        *ret_file = file;
    else if (file != NULL)
        fclose(file);
    return result;
}

/* The format of an input; an option that is not for it is reported. */
static int recognize(const char *file, tool_text *input, bool *ret_is_text) {
    lam_error error = lam_error_none();
    import_format format = IMPORT_FORMAT_AUTO;
    bool is_blank;
    if (import_recognize(input, NULL, &format, &is_blank, &error) != LAM_STATUS_OK)
        return tool_fail(input->name, &error);
    *ret_is_text = format == IMPORT_FORMAT_JSON || format == IMPORT_FORMAT_CSV;
    int checked = tool_check_holds(tool_taken_command(), file,
                                   *ret_is_text ? import_format_holds(format) : TOOL_HOLDS_PARQUET);
    return checked < 0 ? TOOL_OK : checked;
}

/* Makes the file of a text, or, for other inputs, opens their bytes as they are. */
static int make(const char *file, uint64_t most, bool is_told, FILE **ret_file,
                lam_reader **ret_reader) {
    char *name = tool_copy_text(file);
    tool_text input = {0};
    lam_error error = lam_error_none();
    bool is_text = false;
    int result = tool_texts_open(&input, 1, &name);
    if (result == TOOL_OK)
        result = recognize(file, &input, &is_text);
    if (result == TOOL_OK && is_text)
        result = make_records(&input, most, is_told, ret_file);
    else if (result == TOOL_OK && import_parquet_open(&input, ret_reader, &error) != LAM_STATUS_OK)
        result = tool_fail(input.name, &error);
    tool_texts_close(&input, 1);
    free(name);
    return result;
}

/* --- Opening ------------------------------------------------------------------------------- */

/* The reader has a descriptor of its own: the file may be closed before. */
static int open_made(const char *file, const made_file *entry, lam_reader **ret_reader) {
    int descriptor = dup(fileno(entry->file));
    FILE *own = descriptor < 0 ? NULL : fdopen(descriptor, "rb");
    if (own != NULL)
        return tool_open_made(file, own, ret_reader);
    tool_say("lamella: %s: cannot read: %s\n", tool_name(file), strerror(errno));
    if (descriptor >= 0)
        close(descriptor);
    return TOOL_BAD_INPUT;
}

bool text_reader_is_text(const char *file) {
    char magic[4] = "";
    struct stat about;
    if (strcmp(file, "-") == 0 || tool_has_parquet_name(file) || stat(file, &about) != 0 ||
        !S_ISREG(about.st_mode))
        return false;
    FILE *stream = fopen(file, "rb");
    size_t size = stream != NULL ? fread(magic, 1, sizeof magic, stream) : 0;
    if (stream != NULL)
        fclose(stream);
    return size > 0 && memcmp(magic, "PAR1", sizeof magic) != 0;
}

int text_reader_check(const char *file) {
    char *name = tool_copy_text(file);
    tool_text input = {0};
    bool is_text;
    int result = TOOL_OK;
    if (text_reader_is_text(file)) {
        result = tool_texts_open(&input, 1, &name);
        if (result == TOOL_OK)
            result = recognize(file, &input, &is_text);
        tool_texts_close(&input, 1);
    }
    free(name);
    return result;
}

/* An input that can be read only once is examined once. */
static bool is_stream(const char *file) {
    struct stat about;
    return strcmp(file, "-") == 0 || (stat(file, &about) == 0 && S_ISFIFO(about.st_mode));
}

int text_reader_open(const char *file, uint64_t most, uint64_t *bytes_read,
                     lam_reader **ret_reader) {
    made_file *entry = find_made(file);
    FILE *records = NULL;
    if (entry == NULL && !is_stream(file) && !text_reader_is_text(file))
        return tool_open_counted(file, bytes_read, ret_reader);
    if (entry != NULL && entry->result != TOOL_OK)
        return entry->result;
    if (entry != NULL && entry->file != NULL && entry->most >= most)
        return open_made(file, entry, ret_reader);
    *ret_reader = NULL;
    int result = make(file, most, entry != NULL, &records, ret_reader);
    if (*ret_reader != NULL)
        return TOOL_OK;
    if (entry == NULL) {
        made = tool_reallocate(made, made_count + 1, sizeof *made);
        entry = &made[made_count++];
        *entry = (made_file){.text = file};
    }
    entry->result = result;
    keep_made(entry, records, most);
    return result == TOOL_OK ? open_made(file, entry, ret_reader) : result;
}
