/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Uncompresses codec number 5, under which writers left three formats without marking which: LZ4
 * frames, Hadoop's blocks, and a bare LZ4 block. Takes the bytes of a page, gives exactly as many
 * as its header states, and allocates nothing.
 *
 * Hadoop's blocks, repeated to the end:
 *   bytes of output           u32, big-endian
 *   blocks, until they gave that many bytes, each:
 *       size of the block     u32, big-endian
 *       LZ4 block
 *
 * LZ4 frames (LZ4 Frame Format 1.6.x), repeated to the end:
 *   04 22 4D 18
 *   flags                     01 I B S C 0 D: blocks Independent, with checksums (B), size of
 *                             the content (S), its checksum (C), a dictionary (D)
 *   block maximum             0 m m m 0 0 0 0: 4 is 64 KiB, 5, 6, 7 four times the one before
 *   [size of the content      u64, little-endian]
 *   checksum of flags to here: byte 1 of their XXH32
 *   blocks, each:
 *       size of the block     u32, little-endian; top bit: its bytes are stored as they are
 *       LZ4 block             may copy from the 64 KiB before it, unless Independent
 *       [XXH32 of the block]
 *   00 00 00 00
 *   [XXH32 of the content]
 *
 *   and between them, to be skipped:  50..5F 2A 4D 18, size u32 little-endian, that many bytes
 *
 * The invariant: a format is accepted only if it consumes the input and fills the output to the
 * byte. So they hardly overlap: the magic number of a frame cannot begin a block (its first copy
 * would reach before the start), and as Hadoop's size it is 66 MiB; a Hadoop size below 16 MiB
 * cannot begin a block for the same reason. (Compression.md, section "LZ4")
 */
#include "codec/codec_lz4.h"

#include <lz4.h>
#include <xxhash.h>

#include "base/bytes.h"
#include "base/error.h"

#define FRAME_MAGIC 0x184D2204u
#define SKIP_MAGIC 0x184D2A50u /* its lowest four bits are free */
#define STORED 0x80000000u

enum { WINDOW = 64 * 1024, SMALLEST_BLOCK_MAX = 64 * 1024 };

/*
 * One attempt at a format: what remains of the input, and how far the output is filled. It is
 * passed by value to each format, so that the next one starts from the beginning.
 */
typedef struct trial {
    lam_bytes in; /* not read yet */
    uint8_t *out; /* of `size` bytes */
    size_t size;
    size_t given; /* bytes of `out` that are written */
} trial;

static trial codec_lz4_start(lam_bytes in, uint8_t *out, size_t size) {
    trial t = {in, out, size, 0};
    return t;
}

/* Takes bytes of the input; false if there are fewer. */
static bool codec_lz4_take(trial *t, size_t size, const uint8_t **ret_bytes) {
    if (size > t->in.size)
        return false;
    *ret_bytes = t->in.data;
    t->in.data += size;
    t->in.size -= size;
    return true;
}

static bool take_le32(trial *t, uint32_t *ret_number) {
    const uint8_t *bytes;
    if (!codec_lz4_take(t, 4, &bytes))
        return false;
    *ret_number = lam_load_le32(bytes);
    return true;
}

static bool take_be32(trial *t, uint32_t *ret_number) {
    if (!take_le32(t, ret_number))
        return false;
    *ret_number = lam_swap32(*ret_number);
    return true;
}

/*
 * Takes one block that gives at most `most` bytes and may copy from the `before` bytes of output
 * that precede it. liblz4 counts in int, hence the two bounds of 2^31 - 1; it checks every copy and
 * length against its bounds, so that a hostile block fails and reads or writes nothing outside.
 */
static bool codec_lz4_take_block(trial *t, size_t block_size, size_t most, size_t before) {
    const uint8_t *block;
    if (most > t->size - t->given)
        most = t->size - t->given;
    if (block_size > INT32_MAX || most > INT32_MAX || !codec_lz4_take(t, block_size, &block))
        return false;
    uint8_t *to = t->out + t->given;
    int written = LZ4_decompress_safe_usingDict((const char *)block, (char *)to, (int)block_size,
                                                (int)most, (const char *)to - before, (int)before);
    if (written < 0)
        return false;
    t->given += (size_t)written;
    return true;
}

/* --- Hadoop -------------------------------------------------------------------------------- */

/*
 * A page of no bytes is a size of 0 alone, or followed by an empty block: 00 00 00 01, then 00.
 * Only the end of the input shows which, because after 0 bytes no block is required.
 */
static bool take_nothing(trial *t) {
    static const uint8_t empty_block[] = {0, 0, 0, 1, 0};
    const uint8_t *bytes;
    if (t->in.size == sizeof empty_block && memcmp(t->in.data, empty_block, t->in.size) == 0)
        return codec_lz4_take(t, sizeof empty_block, &bytes);
    return true;
}

/*
 * Takes one size and its blocks. No block may give more than is missing, so that the output is
 * exact; an empty one still consumes the 4 bytes of its size, so the loop ends.
 */
static bool take_hadoop_frame(trial *t) {
    uint32_t frame_size, block_size;
    if (!take_be32(t, &frame_size) || frame_size > t->size - t->given)
        return false;
    if (frame_size == 0)
        return take_nothing(t);
    size_t end = t->given + frame_size;
    while (t->given < end)
        if (!take_be32(t, &block_size) || !codec_lz4_take_block(t, block_size, end - t->given, 0))
            return false;
    return true;
}

static bool read_hadoop(trial t) {
    do
        if (!take_hadoop_frame(&t))
            return false;
    while (t.in.size > 0);
    return t.given == t.size;
}

/* --- Frames -------------------------------------------------------------------------------- */

/* The descriptor of a frame. */
typedef struct codec_lz4_frame {
    bool independent;
    bool block_checksums;
    bool content_checksum;
    bool has_content_size;
    uint64_t content_size;
    size_t block_max;
} codec_lz4_frame;

/* Takes a checksum and compares it with that of `bytes`. */
static bool check_xxh32(trial *t, const uint8_t *bytes, size_t size) {
    uint32_t stated;
    return take_le32(t, &stated) && stated == XXH32(bytes, size, 0);
}

/*
 * Takes the descriptor: the flags up to its checksum. Refuses other versions, reserved bits and
 * frames that need a dictionary, which a page cannot bring.
 */
static bool take_descriptor(trial *t, codec_lz4_frame *ret_frame) {
    const uint8_t *descriptor = t->in.data, *bytes;
    if (!codec_lz4_take(t, 2, &bytes))
        return false;
    unsigned flags = bytes[0], block_max = bytes[1];
    if ((flags & 0xC3) != 0x40 || (block_max & 0x8F) != 0 || block_max >> 4 < 4)
        return false;
    codec_lz4_frame f = {0};
    f.independent = (flags & 0x20) != 0;
    f.block_checksums = (flags & 0x10) != 0;
    f.has_content_size = (flags & 0x08) != 0;
    f.content_checksum = (flags & 0x04) != 0;
    f.block_max = (size_t)SMALLEST_BLOCK_MAX << 2 * ((block_max >> 4) - 4);
    if (f.has_content_size) {
        if (!codec_lz4_take(t, 8, &bytes))
            return false;
        f.content_size = lam_load_le64(bytes);
    }
    size_t size = (size_t)(t->in.data - descriptor);
    if (!codec_lz4_take(t, 1, &bytes) || *bytes != (XXH32(descriptor, size, 0) >> 8 & 0xFF))
        return false;
    *ret_frame = f;
    return true;
}

/* Takes a block that is not compressed. */
static bool take_stored(trial *t, size_t size) {
    const uint8_t *bytes;
    if (size > t->size - t->given || !codec_lz4_take(t, size, &bytes))
        return false;
    if (size > 0)
        memcpy(t->out + t->given, bytes, size);
    t->given += size;
    return true;
}

/*
 * Takes one block of a frame whose content begins at `content` of the output. Linked blocks copy
 * from the content of this frame only, at most 64 KiB back.
 */
static bool take_frame_block(trial *t, const codec_lz4_frame *f, size_t content,
                             uint32_t block_size) {
    const uint8_t *block = t->in.data;
    bool stored = (block_size & STORED) != 0;
    size_t size = block_size & ~STORED;
    size_t before = f->independent ? 0 : t->given - content;
    if (size > f->block_max)
        return false;
    if (!(stored ? take_stored(t, size)
                 : codec_lz4_take_block(t, size, f->block_max, before < WINDOW ? before : WINDOW)))
        return false;
    return !f->block_checksums || check_xxh32(t, block, size);
}

/* Takes a frame after its magic number, and checks all that it states about itself. */
static bool take_frame(trial *t) {
    codec_lz4_frame f;
    uint32_t block_size;
    size_t content = t->given;
    if (!take_descriptor(t, &f))
        return false;
    do
        if (!take_le32(t, &block_size) ||
            (block_size != 0 && !take_frame_block(t, &f, content, block_size)))
            return false;
    while (block_size != 0);
    if (f.has_content_size && f.content_size != t->given - content)
        return false;
    return !f.content_checksum || check_xxh32(t, t->out + content, t->given - content);
}

/* Reads frames, and skips the application's frames between them. */
static bool read_frames(trial t) {
    do {
        const uint8_t *skipped;
        uint32_t magic, size;
        if (!take_le32(&t, &magic))
            return false;
        if ((magic & ~15u) == SKIP_MAGIC
                ? !take_le32(&t, &size) || !codec_lz4_take(&t, size, &skipped)
                : magic != FRAME_MAGIC || !take_frame(&t))
            return false;
    } while (t.in.size > 0);
    return t.given == t.size;
}

/* --- Any of them --------------------------------------------------------------------------- */

/* Reads the input as one block, which has no magic number: this comes last. */
static bool read_block(trial t) {
    return codec_lz4_take_block(&t, t.in.size, t.size, 0) && t.given == t.size;
}

/*
 * A format that fails halfway may have written output, which the next one writes over. The most
 * that this costs is three passes over a page.
 */
lam_status lam_lz4_decompress(lam_bytes in, uint8_t *out, size_t size, lam_error *error) {
    /* A page of 0 bytes has no output, and pointer arithmetic wants one that is not NULL. */
    uint8_t nothing[1];
    trial t = codec_lz4_start(in, size > 0 ? out : nothing, size);
    if (in.size > 0 && (read_frames(t) || read_hadoop(t) || read_block(t)))
        return LAM_STATUS_OK;
    LAM_FAIL(
        error, LAM_ERROR_CODE_PAGE_BODY,
        "%zu bytes of LZ4 give %zu bytes neither as frames nor as Hadoop's blocks nor as one block",
        in.size, size);
}
