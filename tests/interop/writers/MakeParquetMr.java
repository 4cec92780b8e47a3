// SPDX-License-Identifier: Apache-2.0
// Writes rows like those of rows.py with parquet-hadoop. Usage: java MakeParquetMr FOLDER

import java.io.File;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.parquet.column.ParquetProperties;
import org.apache.parquet.example.data.Group;
import org.apache.parquet.example.data.simple.NanoTime;
import org.apache.parquet.example.data.simple.SimpleGroup;
import org.apache.parquet.hadoop.ParquetWriter;
import org.apache.parquet.hadoop.example.GroupWriteSupport;
import org.apache.parquet.hadoop.metadata.CompressionCodecName;
import org.apache.parquet.io.api.Binary;
import org.apache.parquet.schema.MessageType;
import org.apache.parquet.schema.MessageTypeParser;
import org.apache.parquet.schema.OriginalType;

public class MakeParquetMr {
    static final int COUNT = 3000;
    static final String[] WORDS = {"", "a", "b", "ab", "it's", "Zz", "\u00e4\u00f6\u00fc\u00df", "\ud83d\ude00 smile",
        "\u65e5\u672c\u8a9e", new String(new char[30]).replace("\0", "long ")};
    static final MessageType SCHEMA = MessageTypeParser.parseMessageType(known("message rows {"
        + " required int64 id; optional boolean flag; optional int32 i32; optional int64 i64; optional int32 i8 (INT_8);"
        + " optional int32 u32 (UINT_32); optional int64 u64 (UINT_64); optional float f32; optional double f64;"
        + " optional binary word (UTF8); required binary url (UTF8); required binary cut (UTF8); optional binary high;"
        + " optional fixed_len_byte_array(16) fixed; optional int32 day (DATE); optional int64 moment (TIMESTAMP_MILLIS);"
        + " optional int64 micros (TIMESTAMP_MICROS); optional int96 stamp; optional int32 d9 (DECIMAL(9,2));"
        + " optional int64 d18 (DECIMAL(18,4)); optional binary d38 (DECIMAL(38,10)); optional fixed_len_byte_array(9) d20 (DECIMAL(20,3));"
        + " optional fixed_len_byte_array(12) span (INTERVAL); optional binary kind (ENUM);"
        + " optional group list (LIST) { repeated group list { optional int64 element; } }"
        + " optional group old (LIST) { repeated int64 array; }"
        + " repeated int32 bare; optional group struct { optional int64 x; optional binary y (UTF8); }"
        + " optional group map (MAP) { repeated group map (MAP_KEY_VALUE) { required binary key (UTF8); optional int64 value; } }"
        + " optional group people (LIST) { repeated group list { optional group element { optional int64 x; optional binary y (UTF8); } } } }"));

    /* Without the types that a version does not know. */
    static String known(String schema) {
        for (String name : new String[] {"INT_8", "UINT_32", "UINT_64", "DATE", "TIMESTAMP_MILLIS", "TIMESTAMP_MICROS", "INTERVAL", "ENUM"})
            try {
                OriginalType.valueOf(name);
            } catch (IllegalArgumentException error) {
                schema = schema.replace(" (" + name + ")", "");
            }
        return schema;
    }


    static long mixed(int row) {
        return (row + 1) * 0x9e3779b97f4a7c15L;
    }

    static long big(int row) {
        return row % 211 == 5 ? Long.MIN_VALUE : row % 211 == 6 ? Long.MAX_VALUE : mixed(row);
    }

    static String word(int row) {
        return WORDS[(int) Long.remainderUnsigned(mixed(row) >>> 8, 10)];
    }

    static double real(int row) {
        double[] odd = {0, Double.NaN, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY, -0.0, 0.0};
        return row % 199 > 0 && row % 199 < 6 ? odd[row % 199] : (mixed(row) % 2000001) / 64.0;
    }

    static Binary bytes(int row, int size) {
        byte[] made = new byte[size];
        Arrays.fill(made, (byte) (row % 3 == 0 ? 255 : row));
        if (size > 0) made[size - 1] = (byte) row;
        return Binary.fromByteArray(made);
    }

    static Binary decimal(int row, int size) {
        byte[] digits = BigInteger.valueOf(big(row)).toByteArray(), made = new byte[size];
        Arrays.fill(made, (byte) (digits[0] < 0 ? 255 : 0));
        System.arraycopy(digits, 0, made, size - digits.length, digits.length);
        return Binary.fromByteArray(made);
    }

    static Binary interval(int row) {
        ByteBuffer made = ByteBuffer.allocate(12).order(ByteOrder.LITTLE_ENDIAN);
        return Binary.fromByteArray(made.putInt(row % 40).putInt(row % 9).putInt(row * 1000).array());
    }

    static void person(Group group, int row) {
        group.add("x", (long) row);
        if (row % 4 != 3) group.add("y", word(row));
    }

    static Group rowOf(int row) {
        Group made = new SimpleGroup(SCHEMA);
        made.add("id", row * 3L - 500);
        made.add("url", String.format("https://example.org/a/rather/long/beginning/%06d/\u00ff", row));
        made.add("cut", String.format("sixteen bytes ar%05d", row / 10));
        for (int n = 0; n < row % 3; n++) made.add("bare", row + n);
        if (row % 7 == 3) return made;
        made.add("flag", row % 3 == 0);
        made.add("i32", (int) (big(row) >> 32));
        made.add("i64", big(row));
        made.add("i8", (int) (byte) row);
        made.add("u32", (int) (big(row) >> 32));
        made.add("u64", big(row));
        made.add("f32", (float) real(row));
        made.add("f64", real(row));
        made.add("word", word(row));
        made.add("high", bytes(row, row % 20));
        made.add("fixed", bytes(row, 16));
        made.add("day", row * 20 - 3000);
        made.add("moment", row * 86400000L);
        made.add("micros", row * 86400000000L - 1);
        made.add("stamp", new NanoTime(2440588 + row, row * 1000000007L));
        made.add("d9", (int) (mixed(row) % 1000000000));
        made.add("d18", mixed(row) % 1000000000000000000L);
        made.add("d38", decimal(row, 8 + row % 8));
        made.add("d20", decimal(row, 9));
        made.add("span", interval(row));
        made.add("kind", row % 2 == 0 ? "oak" : "ash");
        Group list = made.addGroup("list"), old = made.addGroup("old"), map = made.addGroup("map"), people = made.addGroup("people");
        for (int n = 0; n < row % 6; n++) {
            Group element = list.addGroup("list");
            if (n % 3 != 2) element.add("element", (long) row % 50 + n);
            old.add("array", (long) row + n);
            Group entry = map.addGroup("map");
            entry.add("key", "k" + n);
            if (n != 1) entry.add("value", (long) row);
            Group item = people.addGroup("list");
            if (n != 2) person(item.addGroup("element"), row + n);
        }
        person(made.addGroup("struct"), row);
        return made;
    }

    @SuppressWarnings("deprecation")
    static void write(String path, CompressionCodecName codec, boolean small, boolean dictionary, ParquetProperties.WriterVersion version) {
        try {
            Configuration configuration = new Configuration();
            GroupWriteSupport.setSchema(SCHEMA, configuration);
            configuration.set("parquet.bloom.filter.enabled", small ? "true" : "false");
            try (ParquetWriter<Group> writer = new ParquetWriter<Group>(new Path(path), new GroupWriteSupport(), codec,
                     small ? 150000 : 1 << 27, small ? 2000 : 1 << 20, 1 << 20, dictionary, false, version, configuration)) {
                for (int row = 0; row < COUNT; row++) writer.write(rowOf(row));
            }
        } catch (Throwable error) { // what a version cannot is no fault
            System.out.println(path + ": " + error);
            new File(path).delete();
        }
        new File(new File(path).getParent(), "." + new File(path).getName() + ".crc").delete();
    }

    public static void main(String[] arguments) {
        for (ParquetProperties.WriterVersion version : ParquetProperties.WriterVersion.values())
            for (boolean small : new boolean[] {false, true})
                for (boolean dictionary : new boolean[] {false, true})
                    for (CompressionCodecName codec : new CompressionCodecName[] {CompressionCodecName.UNCOMPRESSED, CompressionCodecName.GZIP, CompressionCodecName.SNAPPY}) {
                        String name = version + (small ? "-small" : "") + (dictionary ? "" : "-plain") + "-" + codec;
                        String path = arguments[0] + "/" + name.toLowerCase() + ".parquet";
                        new File(path).delete();
                        if (dictionary || codec == CompressionCodecName.SNAPPY) write(path, codec, small, dictionary, version);
                    }
    }
}
