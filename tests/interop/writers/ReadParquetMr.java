// SPDX-License-Identifier: Apache-2.0
/*
 * Counts and hashes the rows of files as parquet-java reads them: files with the same numbers have the same rows. Run by
 * hand, with the jars of pom.xml on the class path: java ReadParquetMr.java FILE...
 */
import org.apache.hadoop.fs.Path;
import org.apache.parquet.example.data.Group;
import org.apache.parquet.hadoop.ParquetReader;
import org.apache.parquet.hadoop.example.GroupReadSupport;

public class ReadParquetMr {
    public static void main(String[] files) throws Exception {
        for (String file : files) {
            long rows = 0, hash = 0;
            try (ParquetReader<Group> reader = ParquetReader.builder(new GroupReadSupport(), new Path(file)).build()) {
                for (Group row; (row = reader.read()) != null; rows++)
                    hash = hash * 31 + row.toString().hashCode();
            }
            System.out.println(file + " " + rows + " " + hash);
        }
    }
}
