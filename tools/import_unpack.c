/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Unpacks gzip and zstd while they are read: takes a descriptor, read from its start on, and gives
 * its bytes, or, if the first four say that they are packed, the unpacked ones; several members or
 * frames in a row are one text.
 *
 *     1F 8B                       gzip (RFC 1952, section 2.3)
 *     28 B5 2F FD, 5x 2A 4D 18    zstd: a frame, or one to skip (RFC 8878, section 3.1)
 *     FD 37 7A 58, 42 5A 68, 50 4B 03 04    xz, bzip2 and zip, which are reported by name
 *
 * The invariant: `pending` holds bytes that were read from the descriptor and not used yet, and a
 * read that gives 0 bytes is at the end of a member or frame, never inside one.
 */
#define _POSIX_C_SOURCE 200809L
#include "import_unpack.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#include "tool.h"
#include "tool_progress.h"

enum { PACKED_BYTES = 1 << 17, MAGIC_BYTES = 4 };

typedef enum packing { PACKING_UNKNOWN, PACKING_NONE, PACKING_GZIP, PACKING_ZSTD } packing;

struct tool_unpack {
    packing packing;
    bool is_inside; /* of a member or frame */
    bool is_at_end; /* of the descriptor */
    uint8_t *bytes; /* PACKED_BYTES of room */
    size_t next, size;
    z_stream gzip;
    bool has_gzip;
    ZSTD_DStream *zstd;
};

tool_unpack *tool_unpack_create(void) {
    tool_unpack *unpack = tool_allocate(1, sizeof *unpack);
    unpack->bytes = tool_allocate(PACKED_BYTES, 1);
    return unpack;
}

void tool_unpack_destroy(tool_unpack *unpack) {
    if (unpack == NULL)
        return;
    if (unpack->has_gzip)
        inflateEnd(&unpack->gzip);
    ZSTD_freeDStream(unpack->zstd);
    free(unpack->bytes);
    free(unpack);
}

void tool_unpack_restart(tool_unpack *unpack) {
    unpack->packing = PACKING_UNKNOWN;
    unpack->is_inside = unpack->is_at_end = false;
    unpack->next = unpack->size = 0;
}

bool tool_unpack_is_packed(const tool_unpack *unpack) {
    return unpack->packing > PACKING_NONE;
}

static LAM_PRINTF(3, 4) lam_status
    fail(lam_error *error, lam_status status, const char *format, ...) {
    va_list arguments;
    *error = lam_error_none();
    error->status = status;
    va_start(arguments, format);
    vsnprintf(error->message, sizeof error->message, format, arguments);
    va_end(arguments);
    return status;
}

static lam_status read_some(int descriptor, void *buffer, size_t capacity, size_t *ret_size,
                            lam_error *error) {
    lam_status status = tool_read(descriptor, buffer, capacity, ret_size, error);
    if (status == LAM_STATUS_OK)
        tool_progress_read(*ret_size);
    return status;
}

/* Reads until `least` bytes are pending, or the end. */
static lam_status read_pending(tool_unpack *unpack, int descriptor, size_t least,
                               lam_error *error) {
    size_t got = 0, kept = unpack->size - unpack->next;
    memmove(unpack->bytes, unpack->bytes + unpack->next, kept);
    unpack->next = 0;
    unpack->size = kept;
    while (unpack->size < least && !unpack->is_at_end) {
        lam_status status = read_some(descriptor, unpack->bytes + unpack->size,
                                      PACKED_BYTES - unpack->size, &got, error);
        if (status != LAM_STATUS_OK)
            return status;
        unpack->is_at_end = got == 0;
        unpack->size += got;
    }
    return LAM_STATUS_OK;
}

/* --- Packings ------------------------------------------------------------------------------ */

static bool begins_with(const tool_unpack *unpack, const char *magic, size_t size) {
    return unpack->size - unpack->next >= size &&
           memcmp(unpack->bytes + unpack->next, magic, size) == 0;
}

static bool is_zstd(const tool_unpack *unpack) {
    const uint8_t *bytes = unpack->bytes + unpack->next;
    return begins_with(unpack, "\x28\xb5\x2f\xfd", 4) ||
           (unpack->size - unpack->next >= 4 && (bytes[0] & 0xf0) == 0x50 &&
            memcmp(bytes + 1, "\x2a\x4d\x18", 3) == 0);
}

static lam_status begin_gzip(tool_unpack *unpack, lam_error *error) {
    enum { WINDOW_AND_GZIP = 15 + 16 };
    int result = unpack->has_gzip ? inflateReset(&unpack->gzip)
                                  : inflateInit2(&unpack->gzip, WINDOW_AND_GZIP);
    if (result != Z_OK)
        return fail(error, LAM_STATUS_NOMEM, "out of memory");
    unpack->has_gzip = unpack->is_inside = true;
    return LAM_STATUS_OK;
}

static lam_status begin_zstd(tool_unpack *unpack, lam_error *error) {
    if (unpack->zstd == NULL)
        unpack->zstd = ZSTD_createDStream();
    if (unpack->zstd == NULL)
        return fail(error, LAM_STATUS_NOMEM, "out of memory");
    ZSTD_DCtx_reset(unpack->zstd, ZSTD_reset_session_only);
    unpack->is_inside = true;
    return LAM_STATUS_OK;
}

/* Of either kind: one is a zip, whose first file has one of these names. */
static bool is_workbook(const tool_unpack *unpack) {
    enum { NAME_AT = 30 };
    static const char *const names[] = {"[Content_Types].xml", "_rels/", "docProps/", "xl/"};
    if (begins_with(unpack, "\xd0\xcf\x11\xe0", 4))
        return true;
    if (!begins_with(unpack, "PK\x03\x04", 4))
        return false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (unpack->size - unpack->next >= NAME_AT + strlen(names[i]) &&
            memcmp(unpack->bytes + unpack->next + NAME_AT, names[i], strlen(names[i])) == 0)
            return true;
    return false;
}

/* The first bytes show how the others are packed. */
static lam_status find_packing(tool_unpack *unpack, int descriptor, lam_error *error) {
    static const struct {
        const char *magic;
        size_t size;
        const char *name;
    } others[] = {{"\xfd\x37\x7a\x58", 4, "xz"}, {"BZh", 3, "bzip2"}, {"PK\x03\x04", 4, "zip"}};
    lam_status status = read_pending(unpack, descriptor, MAGIC_BYTES, error);
    if (status != LAM_STATUS_OK)
        return status;
    if (is_workbook(unpack))
        return fail(error, LAM_STATUS_INVALID,
                    "it is an Excel workbook, which is not read: save it as CSV");
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (begins_with(unpack, others[i].magic, others[i].size))
            return fail(error, LAM_STATUS_INVALID,
                        "compressed with %s, and only gzip and zstd can be read here",
                        others[i].name);
    if (begins_with(unpack, "\x1f\x8b", 2)) {
        unpack->packing = PACKING_GZIP;
        return begin_gzip(unpack, error);
    }
    unpack->packing = is_zstd(unpack) ? PACKING_ZSTD : PACKING_NONE;
    return unpack->packing == PACKING_ZSTD ? begin_zstd(unpack, error) : LAM_STATUS_OK;
}

/* After a member or frame: another, or the end. Zeros may fill the last block of a tape. */
static lam_status begin_next(tool_unpack *unpack, int descriptor, lam_error *error) {
    for (;;) {
        lam_status status = read_pending(unpack, descriptor, MAGIC_BYTES, error);
        if (status != LAM_STATUS_OK || unpack->next == unpack->size)
            return status;
        if (unpack->packing == PACKING_GZIP && begins_with(unpack, "\x1f\x8b", 2))
            return begin_gzip(unpack, error);
        if (unpack->packing == PACKING_ZSTD && is_zstd(unpack))
            return begin_zstd(unpack, error);
        if (unpack->bytes[unpack->next] != 0)
            return fail(error, LAM_STATUS_INVALID, "other bytes follow the compressed ones");
        while (unpack->next < unpack->size && unpack->bytes[unpack->next] == 0)
            unpack->next++;
    }
}

/* --- Unpacking ----------------------------------------------------------------------------- */

static lam_status inflate_some(tool_unpack *unpack, void *buffer, size_t capacity, size_t *ret_size,
                               lam_error *error) {
    z_stream *gzip = &unpack->gzip;
    gzip->next_in = unpack->bytes + unpack->next;
    gzip->avail_in = (uInt)(unpack->size - unpack->next);
    gzip->next_out = buffer;
    gzip->avail_out = capacity > (1 << 30) ? (uInt)1 << 30 : (uInt)capacity;
    size_t room = gzip->avail_out;
    int result = inflate(gzip, Z_NO_FLUSH);
    if (result == Z_MEM_ERROR)
        return fail(error, LAM_STATUS_NOMEM, "out of memory");
    if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR)
        return fail(error, LAM_STATUS_INVALID, "the gzip data are broken: %s",
                    gzip->msg == NULL ? "unknown" : gzip->msg);
    unpack->next = unpack->size - gzip->avail_in;
    unpack->is_inside = result != Z_STREAM_END;
    *ret_size = room - gzip->avail_out;
    return LAM_STATUS_OK;
}

static lam_status decompress_some(tool_unpack *unpack, void *buffer, size_t capacity,
                                  size_t *ret_size, lam_error *error) {
    ZSTD_inBuffer in = {unpack->bytes, unpack->size, unpack->next};
    ZSTD_outBuffer out = {buffer, capacity, 0};
    size_t result = ZSTD_decompressStream(unpack->zstd, &out, &in);
    if (ZSTD_isError(result))
        return fail(error, LAM_STATUS_INVALID, "the zstd data are broken: %s",
                    ZSTD_getErrorName(result));
    unpack->next = in.pos;
    unpack->is_inside = result != 0;
    *ret_size = out.pos;
    return LAM_STATUS_OK;
}

static lam_status unpack_some(tool_unpack *unpack, int descriptor, void *buffer, size_t capacity,
                              size_t *ret_size, lam_error *error) {
    size_t size = 0;
    while (size == 0) {
        lam_status status = LAM_STATUS_OK;
        if (!unpack->is_inside)
            status = begin_next(unpack, descriptor, error);
        if (status != LAM_STATUS_OK)
            return status;
        if (!unpack->is_inside)
            break;
        if (unpack->next == unpack->size)
            status = read_pending(unpack, descriptor, 1, error);
        if (status == LAM_STATUS_OK)
            status = unpack->packing == PACKING_GZIP
                         ? inflate_some(unpack, buffer, capacity, &size, error)
                         : decompress_some(unpack, buffer, capacity, &size, error);
        if (status != LAM_STATUS_OK)
            return status;
        if (size == 0 && unpack->is_inside && unpack->is_at_end && unpack->next == unpack->size)
            return fail(error, LAM_STATUS_INVALID, "the compressed data ends too early");
    }
    *ret_size = size;
    return LAM_STATUS_OK;
}

lam_status tool_unpack_read(tool_unpack *unpack, int descriptor, void *buffer, size_t capacity,
                            size_t *ret_size, lam_error *error) {
    if (unpack->packing == PACKING_UNKNOWN) {
        lam_status status = find_packing(unpack, descriptor, error);
        if (status != LAM_STATUS_OK)
            return status;
    }
    if (unpack->packing != PACKING_NONE)
        return unpack_some(unpack, descriptor, buffer, capacity, ret_size, error);
    size_t kept = unpack->size - unpack->next;
    if (kept == 0)
        return read_some(descriptor, buffer, capacity, ret_size, error);
    kept = kept < capacity ? kept : capacity;
    memcpy(buffer, unpack->bytes + unpack->next, kept);
    unpack->next += kept;
    *ret_size = kept;
    return LAM_STATUS_OK;
}
