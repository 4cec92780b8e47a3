/* SPDX-License-Identifier: Apache-2.0 */
#include "judge.h"

#include <string.h>

#include <thrift/c_glib/protocol/thrift_compact_protocol.h>
#include <thrift/c_glib/transport/thrift_transport.h>

#include "lam_parquet_types.h"

/* --- Transport: reads from borrowed bytes, writes to a growing run of bytes ------------------ */

typedef struct JudgeTransport {
    ThriftTransport parent;
    const uint8_t *at;
    size_t left;
    uint8_t *written;
    size_t size;
    size_t capacity;
} JudgeTransport;

typedef struct JudgeTransportClass {
    ThriftTransportClass parent;
} JudgeTransportClass;

GType judge_transport_get_type(void);

G_DEFINE_TYPE(JudgeTransport, judge_transport, thrift_transport_get_type())

static JudgeTransport *as_judge(ThriftTransport *transport) {
    return G_TYPE_CHECK_INSTANCE_CAST(transport, judge_transport_get_type(), JudgeTransport);
}

static gboolean judge_is_open(ThriftTransport *transport) {
    (void)transport;
    return TRUE;
}

static gboolean judge_do_nothing(ThriftTransport *transport, GError **error) {
    (void)transport;
    (void)error;
    return TRUE;
}

static gint32 judge_read(ThriftTransport *transport, gpointer buffer, guint32 size,
                         GError **error) {
    JudgeTransport *judge = as_judge(transport);
    if (size > judge->left) {
        g_set_error(error, THRIFT_TRANSPORT_ERROR, THRIFT_TRANSPORT_ERROR_RECEIVE,
                    "the bytes end early");
        return -1;
    }
    if (size > 0)
        memcpy(buffer, judge->at, size);
    judge->at += size;
    judge->left -= size;
    return (gint32)size;
}

static gboolean judge_write(ThriftTransport *transport, const gpointer buffer, const guint32 size,
                            GError **error) {
    JudgeTransport *judge = as_judge(transport);
    (void)error;
    if (size > judge->capacity - judge->size) {
        size_t capacity = 2 * (judge->capacity + size);
        judge->written = g_realloc(judge->written, capacity);
        judge->capacity = capacity;
    }
    if (size > 0)
        memcpy(judge->written + judge->size, buffer, size);
    judge->size += size;
    return TRUE;
}

/* Asked before a string or a list is read. */
static gboolean judge_has_bytes(ThriftTransport *transport, glong size, GError **error) {
    if (size >= 0 && (size_t)size <= as_judge(transport)->left)
        return TRUE;
    g_set_error(error, THRIFT_TRANSPORT_ERROR, THRIFT_TRANSPORT_ERROR_RECEIVE,
                "a size goes beyond the bytes");
    return FALSE;
}

static gboolean judge_take_size(ThriftTransport *transport, glong size, GError **error) {
    (void)transport;
    (void)size;
    (void)error;
    return TRUE;
}

static void judge_transport_finalize(GObject *object) {
    g_free(as_judge((ThriftTransport *)object)->written);
    G_OBJECT_CLASS(judge_transport_parent_class)->finalize(object);
}

static void judge_transport_class_init(JudgeTransportClass *class) {
    G_OBJECT_CLASS(class)->finalize = judge_transport_finalize;
    ThriftTransportClass *methods = &class->parent;
    methods->is_open = judge_is_open;
    methods->peek = judge_do_nothing;
    methods->open = judge_do_nothing;
    methods->close = judge_do_nothing;
    methods->read = judge_read;
    methods->read_all = judge_read;
    methods->read_end = judge_do_nothing;
    methods->write = judge_write;
    methods->write_end = judge_do_nothing;
    methods->flush = judge_do_nothing;
    methods->checkReadBytesAvailable = judge_has_bytes;
    methods->updateKnownMessageSize = judge_take_size;
    methods->resetConsumedMessageSize = judge_take_size;
    methods->countConsumedMessageBytes = judge_take_size;
}

static void judge_transport_init(JudgeTransport *judge) {
    (void)judge;
}

/* --- Types ---------------------------------------------------------------------------------- */

/* The functions that register a type do so without a lock: all are called before any other. */
static GType (*const TYPES[])(void) = {
    lam_size_statistics_get_type,
    lam_bounding_box_get_type,
    lam_geospatial_statistics_get_type,
    lam_statistics_get_type,
    lam_string_type_get_type,
    lam_u_u_i_d_type_get_type,
    lam_map_type_get_type,
    lam_list_type_get_type,
    lam_enum_type_get_type,
    lam_date_type_get_type,
    lam_float16_type_get_type,
    lam_null_type_get_type,
    lam_decimal_type_get_type,
    lam_milli_seconds_get_type,
    lam_micro_seconds_get_type,
    lam_nano_seconds_get_type,
    lam_time_unit_get_type,
    lam_timestamp_type_get_type,
    lam_time_type_get_type,
    lam_int_type_get_type,
    lam_json_type_get_type,
    lam_bson_type_get_type,
    lam_variant_type_get_type,
    lam_geometry_type_get_type,
    lam_geography_type_get_type,
    lam_file_type_get_type,
    lam_logical_type_get_type,
    lam_schema_element_get_type,
    lam_data_page_header_get_type,
    lam_index_page_header_get_type,
    lam_dictionary_page_header_get_type,
    lam_data_page_header_v2_get_type,
    lam_split_block_algorithm_get_type,
    lam_bloom_filter_algorithm_get_type,
    lam_xx_hash_get_type,
    lam_bloom_filter_hash_get_type,
    lam_uncompressed_get_type,
    lam_bloom_filter_compression_get_type,
    lam_bloom_filter_header_get_type,
    lam_page_header_get_type,
    lam_key_value_get_type,
    lam_sorting_column_get_type,
    lam_page_encoding_stats_get_type,
    lam_column_meta_data_get_type,
    lam_encryption_with_footer_key_get_type,
    lam_encryption_with_column_key_get_type,
    lam_column_crypto_meta_data_get_type,
    lam_column_chunk_get_type,
    lam_row_group_get_type,
    lam_type_defined_order_get_type,
    lam_i_e_e_e754_total_order_get_type,
    lam_int96_timestamp_order_get_type,
    lam_column_order_get_type,
    lam_page_location_get_type,
    lam_offset_index_get_type,
    lam_column_index_get_type,
    lam_aes_gcm_v1_get_type,
    lam_aes_gcm_ctr_v1_get_type,
    lam_encryption_algorithm_get_type,
    lam_file_meta_data_get_type,
    lam_file_crypto_meta_data_get_type,
};

enum { TYPE_COUNT = sizeof TYPES / sizeof TYPES[0] };

static GQuark original_finalize;

/*
 * The generated finalizers free what a struct holds, but do not call those of the classes above,
 * so that the object itself would stay.
 */
static void finalize_wholly(GObject *object) {
    void (*original)(GObject *);
    void *stored = g_type_get_qdata(G_OBJECT_TYPE(object), original_finalize);
    memcpy(&original, stored, sizeof original);
    original(object);
    G_OBJECT_CLASS(g_type_class_peek_parent(G_OBJECT_GET_CLASS(object)))->finalize(object);
}

static void wrap_finalizer(GType type, void (**place)(GObject *)) {
    GObjectClass *class = g_type_class_ref(type); /* stays for good */
    *place = class->finalize;
    g_type_set_qdata(type, original_finalize, place);
    class->finalize = finalize_wholly;
}

static void prepare(void) {
    static void (*originals[TYPE_COUNT])(GObject *);
    static gsize prepared = 0;
    if (!g_once_init_enter(&prepared))
        return;
    original_finalize = g_quark_from_static_string("lam-judge-original-finalize");
    for (size_t i = 0; i < TYPE_COUNT; i++)
        wrap_finalizer(TYPES[i](), &originals[i]);
    g_once_init_leave(&prepared, 1);
}

static GType type_of(lam_judge_message message) {
    switch (message) {
    case LAM_JUDGE_PAGE_HEADER:
        return lam_page_header_get_type();
    case LAM_JUDGE_OFFSET_INDEX:
        return lam_offset_index_get_type();
    case LAM_JUDGE_COLUMN_INDEX:
        return lam_column_index_get_type();
    case LAM_JUDGE_BLOOM_FILTER_HEADER:
        return lam_bloom_filter_header_get_type();
    case LAM_JUDGE_FILE_CRYPTO:
        return lam_file_crypto_meta_data_get_type();
    default:
        return lam_file_meta_data_get_type();
    }
}

/* --- Judging -------------------------------------------------------------------------------- */

static ThriftProtocol *protocol_on(JudgeTransport *judge, size_t limit) {
    ThriftCompactProtocol *protocol =
        g_object_new(thrift_compact_protocol_get_type(), "transport", judge, NULL);
    protocol->string_limit = (gint32)limit;
    protocol->container_limit = (gint32)limit;
    return THRIFT_PROTOCOL(protocol);
}

/* After bytes that it does not read, c_glib leaves the field ids of the structs that it was in. */
static void end_protocol(ThriftProtocol *protocol) {
    g_queue_clear(&THRIFT_COMPACT_PROTOCOL(protocol)->_last_field);
    g_object_unref(protocol);
}

static bool reencode(ThriftStruct *object, JudgeTransport *judge, size_t limit, GError **error) {
    ThriftProtocol *reader = protocol_on(judge, limit);
    bool good = thrift_struct_read(object, reader, error) >= 0;
    end_protocol(reader);
    if (!good)
        return false;
    ThriftProtocol *writer = protocol_on(judge, limit);
    good = thrift_struct_write(object, writer, error) >= 0;
    end_protocol(writer);
    return good;
}

bool lam_judge_reencode(lam_judge_message message, const uint8_t *bytes, size_t size,
                        uint8_t **ret_bytes, size_t *ret_size, char **ret_message) {
    prepare();
    GError *error = NULL;
    JudgeTransport *judge = g_object_new(judge_transport_get_type(), NULL);
    ThriftStruct *object = g_object_new(type_of(message), NULL);
    judge->at = bytes;
    judge->left = size;
    /* A limit of 0 would be none. */
    size_t limit = size == 0 ? 1 : size > G_MAXINT32 ? G_MAXINT32 : size;
    bool good = reencode(object, judge, limit, &error);
    if (good) {
        *ret_bytes = judge->written;
        *ret_size = judge->size;
        judge->written = NULL;
    } else {
        *ret_message = g_strdup(error == NULL ? "c_glib failed without a message" : error->message);
    }
    g_clear_error(&error);
    g_object_unref(object);
    g_object_unref(judge);
    return good;
}

void lam_judge_free(void *memory) {
    g_free(memory);
}
