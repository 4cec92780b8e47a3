/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads and writes the FlatBuffers message of a schema, with code that the FlatBuffers compiler
 * makes from flat_schema.fbs. A message is a table of tables, each found by an offset, so that
 * damaged or hostile bytes can make tables overlap: a thousand fields may be one table.
 *
 *     Message -> Schema -> fields: [Field] -> type, children: [Field], custom_metadata: [KeyValue]
 *
 * The invariant: the verifier has checked the entire message before any of it is read, and tables,
 * fields, nesting and text have bounds, so that memory is in proportion to the bytes of the
 * message. No exception leaves this file. (Arrow's Schema.fbs and Message.fbs; FlatBuffers,
 * "Internals")
 */

/* The verifier and flat_schema_measure rule out all that the library would end the process for. */
#define FLATBUFFERS_ASSERT(promise) ((void)0)

#include <cstring>

#include <flat_schema_generated.h>

extern "C" { /* these headers are C */
#include "arrow/field/arrow_path.h"
#include "arrow/schema/flat_schema.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/recursion.h"
#include "base/utf8.h"
}

namespace {

namespace fb = flatbuffers;
namespace flat = lam_flat;

/* Types without arguments. */
const struct {
    lam_arrow_kind kind;
    flat::Type type;
} plain_types[] = {
    {LAM_ARROW_NULL, flat::Type::Null},
    {LAM_ARROW_BOOL, flat::Type::Bool},
    {LAM_ARROW_BINARY, flat::Type::Binary},
    {LAM_ARROW_LARGE_BINARY, flat::Type::LargeBinary},
    {LAM_ARROW_BINARY_VIEW, flat::Type::BinaryView},
    {LAM_ARROW_STRING, flat::Type::Utf8},
    {LAM_ARROW_LARGE_STRING, flat::Type::LargeUtf8},
    {LAM_ARROW_STRING_VIEW, flat::Type::Utf8View},
    {LAM_ARROW_LIST, flat::Type::List},
    {LAM_ARROW_LARGE_LIST, flat::Type::LargeList},
    {LAM_ARROW_LIST_VIEW, flat::Type::ListView},
    {LAM_ARROW_LARGE_LIST_VIEW, flat::Type::LargeListView},
    {LAM_ARROW_STRUCT, flat::Type::Struct},
    {LAM_ARROW_RUN_END_ENCODED, flat::Type::RunEndEncoded},
};

/* Integers go by width, signed before unsigned, from LAM_ARROW_INT8 on. */
constexpr int32_t INTEGER_WIDTHS[] = {8, 16, 32, 64};

/* --- Reading ---------------------------------------------------------------------------------- */

/*
 * Tables may share others, so that a few bytes can be many fields with much text. The verifier
 * counts a shared table each time, and gets as many as would fit the message unshared; this bounds
 * the text: each byte of the message may be used 16 times.
 */
constexpr size_t TABLE_SIZE_MIN = 4;
constexpr size_t TEXT_TIMES_MAX = 16;

/* The state of one message. */
struct reader {
    lam_arena *arena;
    size_t fields;    /* that may still come */
    size_t text_left; /* bytes that may still come */
    lam_error *error;
};

using flat_path = lam_arrow_path;

lam_status flat_schema_corrupt(reader &in, const flat_path &path, const char *reason) {
    return lam_arrow_fail_at(&path, LAM_ERROR_CODE_ARROW_SCHEMA, reason, in.error);
}

lam_status unsupported(reader &in, const flat_path &path, const char *reason) {
    return lam_arrow_fail_at(&path, LAM_ERROR_CODE_UNSUPPORTED_ARROW, reason, in.error);
}

lam_status flat_schema_read_bytes(reader &in, const flat_path &path, const fb::String *from,
                                  lam_bytes *ret_bytes) {
    lam_bytes bytes = {from == nullptr ? nullptr : from->Data(),
                       from == nullptr ? 0 : from->size()};
    if (bytes.size > in.text_left)
        return lam_arrow_fail_at(&path, LAM_ERROR_CODE_ARROW_LIMIT,
                                 "the schema repeats too much text", in.error);
    in.text_left -= bytes.size;
    *ret_bytes = bytes;
    return LAM_STATUS_OK;
}

/* Text without a NUL in it, "" for a missing one; FlatBuffers ends it with a NUL. */
lam_status read_text(reader &in, const flat_path &path, const fb::String *from,
                     const char **ret_text) {
    lam_bytes bytes = {nullptr, 0};
    LAM_TRY(flat_schema_read_bytes(in, path, from, &bytes));
    if (lam_utf8_prefix(bytes.data, bytes.size) != bytes.size)
        return flat_schema_corrupt(in, path, "a name is not UTF-8");
    if (bytes.size > 0 && std::memchr(bytes.data, 0, bytes.size) != nullptr)
        return unsupported(in, path, "a name has a NUL in it");
    *ret_text = bytes.size > 0 ? from->c_str() : "";
    return LAM_STATUS_OK;
}

lam_status read_metadata(reader &in, const flat_path &path,
                         const fb::Vector<fb::Offset<flat::KeyValue>> *from,
                         lam_arrow_metadata *ret_metadata) {
    lam_arrow_metadata metadata = {from == nullptr ? 0 : from->size(), nullptr};
    void *memory;
    LAM_TRY(
        lam_arena_array(in.arena, metadata.count, sizeof(lam_arrow_key_value), &memory, in.error));
    auto *key_values = static_cast<lam_arrow_key_value *>(memory);
    for (fb::uoffset_t i = 0; i < metadata.count; i++) {
        LAM_TRY(flat_schema_read_bytes(in, path, from->Get(i)->key(), &key_values[i].key));
        LAM_TRY(flat_schema_read_bytes(in, path, from->Get(i)->value(), &key_values[i].value));
    }
    metadata.key_values = key_values;
    *ret_metadata = metadata;
    return LAM_STATUS_OK;
}

lam_status flat_schema_read_integer(reader &in, const flat_path &path, const flat::Int &from,
                                    lam_arrow_kind *ret_kind) {
    for (int i = 0; i < 4; i++)
        if (from.bit_width() == INTEGER_WIDTHS[i]) {
            *ret_kind = lam_arrow_kind(LAM_ARROW_INT8 + 2 * i + (from.is_signed() ? 0 : 1));
            return LAM_STATUS_OK;
        }
    return unsupported(in, path, "an integer must be 8, 16, 32 or 64 bits wide");
}

/* Maps an enum of the message, which may hold any number, by a list of its meanings. */
template <typename T, typename U, size_t COUNT>
lam_status read_choice(reader &in, const flat_path &path, T choice, const U (&meanings)[COUNT],
                       U *ret_meaning) {
    if (size_t(choice) >= COUNT)
        return unsupported(in, path, "an argument of the type is unknown");
    *ret_meaning = meanings[size_t(choice)];
    return LAM_STATUS_OK;
}

lam_status flat_schema_read_unit(reader &in, const flat_path &path, flat::TimeUnit unit,
                                 lam_arrow_unit *ret_unit) {
    static const lam_arrow_unit units[] = {LAM_ARROW_SECOND, LAM_ARROW_MILLISECOND,
                                           LAM_ARROW_MICROSECOND, LAM_ARROW_NANOSECOND};
    return read_choice(in, path, unit, units, ret_unit);
}

lam_status flat_schema_read_time(reader &in, const flat_path &path, const flat::Time &from,
                                 lam_arrow_type *type) {
    if (from.bit_width() != 32 && from.bit_width() != 64)
        return unsupported(in, path, "a time must be 32 or 64 bits wide");
    type->kind = from.bit_width() == 32 ? LAM_ARROW_TIME32 : LAM_ARROW_TIME64;
    return flat_schema_read_unit(in, path, from.unit(), &type->unit);
}

lam_status flat_schema_read_timestamp(reader &in, const flat_path &path,
                                      const flat::Timestamp &from, lam_arrow_type *type) {
    const char *zone;
    LAM_TRY(read_text(in, path, from.timezone(), &zone));
    type->kind = LAM_ARROW_TIMESTAMP;
    type->timezone = *zone == '\0' ? nullptr : zone;
    return flat_schema_read_unit(in, path, from.unit(), &type->unit);
}

/*
 * A union without type ids numbers its children from 0. Wrong ids become 128, which completing
 * refuses.
 */
lam_status read_union(reader &in, const flat_path &path, const flat::Field &field,
                      const flat::Union &from, lam_arrow_type *type) {
    static const lam_arrow_kind kinds[] = {LAM_ARROW_SPARSE_UNION, LAM_ARROW_DENSE_UNION};
    constexpr fb::uoffset_t IDS_MAX = 128;
    LAM_TRY(read_choice(in, path, from.mode(), kinds, &type->kind));
    const auto *ids = from.type_ids();
    fb::uoffset_t children = field.children() == nullptr ? 0 : field.children()->size();
    fb::uoffset_t count = ids == nullptr ? children : ids->size();
    if (count > IDS_MAX)
        return flat_schema_corrupt(in, path, "a union must have at most 128 children");
    uint8_t *bytes;
    LAM_TRY(lam_arena_bytes(in.arena, count, &bytes, in.error));
    for (fb::uoffset_t i = 0; i < count; i++) {
        int32_t id = ids == nullptr ? int32_t(i) : ids->Get(i);
        bytes[i] = id >= 0 && id < int32_t(IDS_MAX) ? uint8_t(id) : uint8_t(IDS_MAX);
    }
    type->union_ids = {bytes, count};
    return LAM_STATUS_OK;
}

void flat_schema_read_decimal(const flat::Decimal &from, lam_arrow_type *type) {
    type->kind = LAM_ARROW_DECIMAL;
    type->bit_width = from.bit_width();
    type->precision = from.precision();
    type->scale = from.scale();
}

void flat_schema_read_fixed(lam_arrow_kind kind, int32_t size, lam_arrow_type *type) {
    type->kind = kind;
    type->fixed_size = size;
}

/* A verified union member exists, so type_as_... is not null. */
lam_status read_type(reader &in, const flat_path &path, const flat::Field &from,
                     lam_arrow_type *type) {
    static const lam_arrow_kind floats[] = {LAM_ARROW_FLOAT16, LAM_ARROW_FLOAT32,
                                            LAM_ARROW_FLOAT64};
    static const lam_arrow_kind dates[] = {LAM_ARROW_DATE32, LAM_ARROW_DATE64};
    static const lam_arrow_kind intervals[] = {
        LAM_ARROW_INTERVAL_MONTHS, LAM_ARROW_INTERVAL_DAY_TIME, LAM_ARROW_INTERVAL_MONTH_DAY_NANO};
    if (from.type() == nullptr)
        return flat_schema_corrupt(in, path, "the field has no type");
    for (const auto &plain : plain_types)
        if (from.type_type() == plain.type) {
            type->kind = plain.kind;
            return LAM_STATUS_OK;
        }
    switch (from.type_type()) {
    case flat::Type::Int:
        return flat_schema_read_integer(in, path, *from.type_as_Int(), &type->kind);
    case flat::Type::FloatingPoint:
        return read_choice(in, path, from.type_as_FloatingPoint()->precision(), floats,
                           &type->kind);
    case flat::Type::Decimal:
        flat_schema_read_decimal(*from.type_as_Decimal(), type);
        return LAM_STATUS_OK;
    case flat::Type::Date:
        return read_choice(in, path, from.type_as_Date()->unit(), dates, &type->kind);
    case flat::Type::Time:
        return flat_schema_read_time(in, path, *from.type_as_Time(), type);
    case flat::Type::Timestamp:
        return flat_schema_read_timestamp(in, path, *from.type_as_Timestamp(), type);
    case flat::Type::Duration:
        type->kind = LAM_ARROW_DURATION;
        return flat_schema_read_unit(in, path, from.type_as_Duration()->unit(), &type->unit);
    case flat::Type::Interval:
        return read_choice(in, path, from.type_as_Interval()->unit(), intervals, &type->kind);
    case flat::Type::FixedSizeBinary:
        flat_schema_read_fixed(LAM_ARROW_FIXED_SIZE_BINARY,
                               from.type_as_FixedSizeBinary()->byte_width(), type);
        return LAM_STATUS_OK;
    case flat::Type::FixedSizeList:
        flat_schema_read_fixed(LAM_ARROW_FIXED_SIZE_LIST, from.type_as_FixedSizeList()->list_size(),
                               type);
        return LAM_STATUS_OK;
    case flat::Type::Map:
        type->kind = LAM_ARROW_MAP;
        type->keys_sorted = from.type_as_Map()->keys_sorted();
        return LAM_STATUS_OK;
    case flat::Type::Union:
        return read_union(in, path, from, *from.type_as_Union(), type);
    default:
        return unsupported(in, path, "the type is unknown");
    }
}

/* The field's own type is that of the values; only the indexes are described here. */
lam_status flat_schema_read_dictionary(reader &in, const flat_path &path,
                                       const flat::Dictionary &from, lam_arrow_field *field) {
    field->is_dictionary = true;
    field->dictionary_ordered = from.is_ordered();
    field->index_kind = LAM_ARROW_INT32;
    if (from.kind() != flat::DictionaryKind::DenseArray)
        return unsupported(in, path, "the kind of dictionary is unknown");
    return from.index_type() == nullptr
               ? LAM_STATUS_OK
               : flat_schema_read_integer(in, path, *from.index_type(), &field->index_kind);
}

using fields = fb::Vector<fb::Offset<flat::Field>>;

lam_status read_children(reader &in, const flat_path &path, const fields *from, size_t depth,
                         lam_arrow_field *parent);

lam_status flat_schema_read_field(reader &in, const flat_path &outer, const flat::Field &from,
                                  size_t depth, lam_arrow_field *field) {
    flat_path path = {&outer, nullptr};
    if (depth > LAM_ARROW_DEPTH_MAX)
        return lam_arrow_fail_at(&path, LAM_ERROR_CODE_ARROW_LIMIT, "the field is nested too deep",
                                 in.error);
    LAM_TRY(read_text(in, path, from.name(), &field->name));
    path.name = field->name;
    field->nullable = from.nullable();
    LAM_TRY(read_type(in, path, from, &field->type));
    LAM_TRY(read_metadata(in, path, from.custom_metadata(), &field->metadata));
    if (from.dictionary() != nullptr)
        LAM_TRY(flat_schema_read_dictionary(in, path, *from.dictionary(), field));
    LAM_TRY(read_children(in, path, from.children(), depth, field));
    const char *fault = lam_arrow_field_complete(field);
    return fault == nullptr ? LAM_STATUS_OK : flat_schema_corrupt(in, path, fault);
}

/* Counts fields before it takes memory for them. */
lam_status read_children(reader &in, const flat_path &path, const fields *from, size_t depth,
                         lam_arrow_field *parent) {
    size_t count = from == nullptr ? 0 : from->size();
    if (count > in.fields)
        return lam_arrow_fail_at(&path, LAM_ERROR_CODE_ARROW_LIMIT,
                                 "the schema has too many fields", in.error);
    in.fields -= count;
    void *memory;
    LAM_TRY(lam_arena_array(in.arena, count, sizeof *parent, &memory, in.error));
    parent->child_count = count;
    parent->children = static_cast<lam_arrow_field *>(memory);
    for (size_t i = 0; i < count; i++)
        LAM_TRY(flat_schema_read_field(in, path, *from->Get(fb::uoffset_t(i)), depth + 1,
                                       &parent->children[i]));
    return LAM_STATUS_OK;
}

} // namespace

lam_status lam_flat_schema_read(lam_bytes message, lam_arena *arena, lam_arrow_field *ret_schema,
                                lam_error *error) {
    /* A level of fields is one table; the others are message, schema, type and so on. */
    constexpr fb::uoffset_t DEPTH_MAX = 2 * LAM_ARROW_DEPTH_MAX;
    if (message.size > FLATBUFFERS_MAX_BUFFER_SIZE - 1)
        LAM_FAIL(error, LAM_ERROR_CODE_ARROW_LIMIT, "the Arrow schema has %zu bytes", message.size);
    fb::Verifier verifier(message.data, message.size, DEPTH_MAX,
                          fb::uoffset_t(message.size / TABLE_SIZE_MIN));
    if (!flat::VerifyMessageBuffer(verifier))
        LAM_FAIL(error, LAM_ERROR_CODE_ARROW_SCHEMA,
                 "the Arrow schema is not a FlatBuffers message");
    const flat::Message *from = flat::GetMessage(message.data);
    const flat::Schema *schema = from->header_as_Schema();
    if (schema == nullptr)
        LAM_FAIL(error, LAM_ERROR_CODE_ARROW_SCHEMA,
                 "the Arrow schema is a message of another kind");
    if (from->version() != flat::Version::V4 && from->version() != flat::Version::V5)
        LAM_FAIL(error, LAM_ERROR_CODE_UNSUPPORTED_ARROW,
                 "the Arrow schema is of metadata version %d", int(from->version()) + 1);
    if (schema->endianness() != flat::Endianness::Little)
        LAM_FAIL(error, LAM_ERROR_CODE_UNSUPPORTED_ARROW, "the Arrow schema is not little-endian");
    reader in = {arena, LAM_SCHEMA_FIELDS_MAX - 1, message.size * TEXT_TIMES_MAX, error};
    flat_path path = {nullptr, nullptr};
    lam_arrow_field root = {};
    root.name = "";
    root.type.kind = LAM_ARROW_STRUCT;
    LAM_TRY(read_metadata(in, path, schema->custom_metadata(), &root.metadata));
    LAM_TRY(read_children(in, path, schema->fields(), 0, &root));
    *ret_schema = root;
    return LAM_STATUS_OK;
}

/* --- Writing ---------------------------------------------------------------------------------- */

namespace {

/* Thrown by the allocator, which has no other way to fail. */
struct flat_schema_no_memory {};

/*
 * Keeps the size in front of each block: a builder that fails to grow passes a wrong one to
 * deallocate.
 */
class allocator final : public fb::Allocator {
  public:
    explicit allocator(const lam_allocator &memory) : memory_(memory) {}

    uint8_t *allocate(size_t size) override {
        void *block;
        if (lam_alloc(&memory_, size + PREFIX_SIZE, &block, nullptr) != LAM_STATUS_OK)
            throw flat_schema_no_memory();
        size += PREFIX_SIZE;
        std::memcpy(block, &size, sizeof size);
        return static_cast<uint8_t *>(block) + PREFIX_SIZE;
    }

    void deallocate(uint8_t *bytes, size_t) override {
        size_t size;
        std::memcpy(&size, bytes - PREFIX_SIZE, sizeof size);
        lam_free(&memory_, bytes - PREFIX_SIZE, size);
    }

  private:
    static constexpr size_t PREFIX_SIZE = alignof(std::max_align_t);
    lam_allocator memory_;
};

struct flat_schema_writer {
    fb::FlatBufferBuilder &builder;
    lam_arena *arena;     /* for lists of offsets */
    int64_t dictionaries; /* written so far, the id of the next one */
    lam_error *error;
};

fb::Offset<flat::Int> write_integer(flat_schema_writer &out, lam_arrow_kind kind) {
    int path = kind - LAM_ARROW_INT8;
    return flat::CreateInt(out.builder, INTEGER_WIDTHS[path / 2], path % 2 == 0);
}

fb::Offset<flat::Timestamp> write_timestamp(flat_schema_writer &out, const lam_arrow_type &type) {
    fb::Offset<fb::String> zone = 0;
    if (type.timezone != nullptr)
        zone = out.builder.CreateString(type.timezone);
    return flat::CreateTimestamp(out.builder, flat::TimeUnit(type.unit), zone);
}

fb::Offset<flat::Union> flat_schema_write_union(flat_schema_writer &out,
                                                const lam_arrow_type &type) {
    int32_t ids[128];
    for (size_t i = 0; i < type.union_ids.size; i++)
        ids[i] = type.union_ids.data[i];
    auto list = out.builder.CreateVector(ids, type.union_ids.size);
    auto mode =
        type.kind == LAM_ARROW_SPARSE_UNION ? flat::UnionMode::Sparse : flat::UnionMode::Dense;
    return flat::CreateUnion(out.builder, mode, list);
}

struct written_type {
    flat::Type type;
    fb::Offset<void> table;
};

/* Enums of the tree have the order of Arrow's, so a difference is Arrow's number. */
written_type write_number(flat_schema_writer &out, const lam_arrow_type &type) {
    fb::FlatBufferBuilder &builder = out.builder;
    switch (type.kind) {
    case LAM_ARROW_FLOAT16:
    case LAM_ARROW_FLOAT32:
    case LAM_ARROW_FLOAT64: {
        auto precision = flat::Precision(type.kind - LAM_ARROW_FLOAT16);
        return {flat::Type::FloatingPoint, flat::CreateFloatingPoint(builder, precision).Union()};
    }
    case LAM_ARROW_DECIMAL:
        return {flat::Type::Decimal,
                flat::CreateDecimal(builder, type.precision, type.scale, type.bit_width).Union()};
    default:
        return {flat::Type::Int, write_integer(out, type.kind).Union()};
    }
}

written_type write_type(flat_schema_writer &out, const lam_arrow_type &type) {
    fb::FlatBufferBuilder &builder = out.builder;
    for (const auto &plain : plain_types)
        if (type.kind == plain.kind)
            return {plain.type, fb::Offset<void>(builder.EndTable(builder.StartTable()))};
    switch (type.kind) {
    case LAM_ARROW_DATE32:
    case LAM_ARROW_DATE64: {
        auto unit = flat::DateUnit(type.kind - LAM_ARROW_DATE32);
        return {flat::Type::Date, flat::CreateDate(builder, unit).Union()};
    }
    case LAM_ARROW_TIME32:
    case LAM_ARROW_TIME64: {
        int32_t width = type.kind == LAM_ARROW_TIME32 ? 32 : 64;
        return {flat::Type::Time,
                flat::CreateTime(builder, flat::TimeUnit(type.unit), width).Union()};
    }
    case LAM_ARROW_TIMESTAMP:
        return {flat::Type::Timestamp, write_timestamp(out, type).Union()};
    case LAM_ARROW_DURATION:
        return {flat::Type::Duration,
                flat::CreateDuration(builder, flat::TimeUnit(type.unit)).Union()};
    case LAM_ARROW_INTERVAL_MONTHS:
    case LAM_ARROW_INTERVAL_DAY_TIME:
    case LAM_ARROW_INTERVAL_MONTH_DAY_NANO: {
        auto unit = flat::IntervalUnit(type.kind - LAM_ARROW_INTERVAL_MONTHS);
        return {flat::Type::Interval, flat::CreateInterval(builder, unit).Union()};
    }
    case LAM_ARROW_FIXED_SIZE_BINARY:
        return {flat::Type::FixedSizeBinary,
                flat::CreateFixedSizeBinary(builder, type.fixed_size).Union()};
    case LAM_ARROW_FIXED_SIZE_LIST:
        return {flat::Type::FixedSizeList,
                flat::CreateFixedSizeList(builder, type.fixed_size).Union()};
    case LAM_ARROW_MAP:
        return {flat::Type::Map, flat::CreateMap(builder, type.keys_sorted).Union()};
    case LAM_ARROW_SPARSE_UNION:
    case LAM_ARROW_DENSE_UNION:
        return {flat::Type::Union, flat_schema_write_union(out, type).Union()};
    default:
        return write_number(out, type);
    }
}

fb::Offset<fb::String> flat_schema_write_bytes(flat_schema_writer &out, lam_bytes bytes) {
    return out.builder.CreateString(
        bytes.size > 0 ? reinterpret_cast<const char *>(bytes.data) : "", bytes.size);
}

using key_values = fb::Offset<fb::Vector<fb::Offset<flat::KeyValue>>>;

lam_status write_metadata(flat_schema_writer &out, const lam_arrow_metadata &metadata,
                          key_values *ret_key_values) {
    void *memory;
    *ret_key_values = 0;
    if (metadata.count == 0)
        return LAM_STATUS_OK;
    LAM_TRY(lam_arena_array(out.arena, metadata.count, sizeof(fb::Offset<flat::KeyValue>), &memory,
                            out.error));
    auto *list = static_cast<fb::Offset<flat::KeyValue> *>(memory);
    for (size_t i = 0; i < metadata.count; i++) {
        auto key = flat_schema_write_bytes(out, metadata.key_values[i].key);
        auto value = flat_schema_write_bytes(out, metadata.key_values[i].value);
        list[i] = flat::CreateKeyValue(out.builder, key, value);
    }
    *ret_key_values = out.builder.CreateVector(list, metadata.count);
    return LAM_STATUS_OK;
}

using field_offset = fb::Offset<flat::Field>;

LAM_APART lam_status flat_schema_write_field(flat_schema_writer &out, const lam_arrow_field &field,
                                             fb::Offset<fields> children, field_offset *ret_field) {
    key_values metadata;
    LAM_TRY(write_metadata(out, field.metadata, &metadata));
    auto name = out.builder.CreateString(field.name);
    written_type type = write_type(out, field.type);
    fb::Offset<flat::Dictionary> dictionary = 0;
    if (field.is_dictionary) {
        auto index = write_integer(out, field.index_kind);
        dictionary = flat::CreateDictionary(out.builder, out.dictionaries++, index,
                                            field.dictionary_ordered);
    }
    *ret_field = flat::CreateField(out.builder, name, field.nullable, type.type, type.table,
                                   dictionary, children, metadata);
    return LAM_STATUS_OK;
}

/* Children come first: FlatBuffers writes a table after all that it refers to. */
lam_status flat_schema_write_children(flat_schema_writer &out, const lam_arrow_field &parent,
                                      fb::Offset<fields> *ret_children) {
    void *memory;
    LAM_TRY(
        lam_arena_array(out.arena, parent.child_count, sizeof(field_offset), &memory, out.error));
    auto *list = static_cast<field_offset *>(memory);
    for (size_t i = 0; i < parent.child_count; i++) {
        fb::Offset<fields> children;
        LAM_TRY(flat_schema_write_children(out, parent.children[i], &children));
        LAM_TRY(flat_schema_write_field(out, parent.children[i], children, &list[i]));
    }
    *ret_children = out.builder.CreateVector(list, parent.child_count);
    return LAM_STATUS_OK;
}

lam_status flat_schema_write_message(flat_schema_writer &out, const lam_arrow_field &schema,
                                     lam_buffer *message) {
    fb::Offset<fields> children;
    key_values metadata;
    LAM_TRY(flat_schema_write_children(out, schema, &children));
    LAM_TRY(write_metadata(out, schema.metadata, &metadata));
    auto header =
        flat::CreateSchema(out.builder, flat::Endianness::Little, children, metadata).Union();
    flat::FinishMessageBuffer(out.builder, flat::CreateMessage(out.builder, flat::Version::V5,
                                                               flat::Header::Schema, header));
    return lam_buffer_append(message, out.builder.GetBufferPointer(), out.builder.GetSize(),
                             out.error);
}

/* An upper bound of the builder's bytes for a field; SIZE_MAX if that is over a gigabyte. */
size_t flat_schema_measure(const lam_arrow_field &field) {
    constexpr size_t MOST = size_t(1) << 30, FIELD = 1024, KEY_VALUE = 64;
    size_t size = FIELD + std::strlen(field.name);
    if (field.type.timezone != nullptr)
        size += std::strlen(field.type.timezone);
    for (size_t i = 0; i < field.metadata.count && size <= MOST; i++) {
        const lam_arrow_key_value &key_value = field.metadata.key_values[i];
        if (key_value.key.size > MOST || key_value.value.size > MOST)
            return SIZE_MAX;
        size += KEY_VALUE + key_value.key.size + key_value.value.size;
    }
    for (size_t i = 0; i < field.child_count && size <= MOST; i++) {
        size_t child = flat_schema_measure(field.children[i]);
        size = child > MOST ? SIZE_MAX : size + child;
    }
    return size > MOST ? SIZE_MAX : size;
}

} // namespace

lam_status lam_flat_schema_write(const lam_arrow_field *schema, lam_buffer *message,
                                 lam_error *error) {
    constexpr size_t FIRST_BLOCK = 1024;
    if (flat_schema_measure(*schema) == SIZE_MAX)
        LAM_FAIL(error, LAM_ERROR_CODE_ARROW_LIMIT, "the schema is too large for an Arrow message");
    allocator memory(message->allocator);
    lam_arena arena;
    lam_arena_init(&arena, &message->allocator, 0);
    lam_status status;
    try {
        fb::FlatBufferBuilder builder(FIRST_BLOCK, &memory);
        flat_schema_writer out = {builder, &arena, 0, error};
        status = flat_schema_write_message(out, *schema, message);
    } catch (...) { /* thrown by the allocator or operator new */
        status = lam_error_set(error, LAM_STATUS_NOMEM, "no memory for the Arrow schema");
    }
    lam_arena_finish(&arena);
    return status;
}
