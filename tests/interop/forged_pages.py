# SPDX-License-Identifier: Apache-2.0
"""lamella rewrite --salvage of damaged files of pyarrow whose values hold whole pages.

The last value of a page ends with pages of the same column, which pyarrow itself has written, with
checksums if the file has them: they lead to the end of the page around them, and so to the next one.
Whatever is damaged, a cell that comes back is the one of its row, or it is null and reported.
"""

import json
import os
import random
import subprocess

import engines

pa, pq = engines.pyarrow, engines.pyarrow.parquet
FORGED = b"FORGED"
ROWS = 240


class Forgeries(engines.EngineTest):
    count = 12  # files; salvages.py sets it
    seed = 1

    def write(self, name, values, numbers, options):
        table = pa.table({"s": pa.array(values, pa.binary()), "n": pa.array(numbers, pa.int64())})
        pq.write_table(table, self.path(name), row_group_size=ROWS // 2, data_page_size=1, **options)
        with open(self.path(name), "rb") as file:
            return file.read()

    def pages(self, name):
        return [json.loads(line) for line in engines.lamella("pages", "--json", self.path(name)).splitlines()]

    def forge(self, rows, options, choice):
        """The bytes of a page of `rows` forged values."""
        values = [FORGED + choice.randbytes(12) for _ in range(rows)]
        plain = {**options, "use_dictionary": False, "write_page_index": False, "write_batch_size": rows}
        data = self.write("forged.parquet", values, range(rows), plain)
        page = self.pages("forged.parquet")[0]
        return data[page["offset"] : page["offset"] + page["header_size"] + page["compressed_size"]]

    def make(self, choice):
        """A file, its values, and whether its pages have checksums."""
        step = choice.randrange(2, 30)
        options = {
            "write_batch_size": step,
            "compression": choice.choice(["none", "none", "snappy", "zstd"]),
            "data_page_version": choice.choice(["1.0", "2.0"]),
            "write_page_checksum": choice.random() < 0.6,
            "write_page_index": choice.random() < 0.2,
            "use_dictionary": choice.random() < 0.2,
            "write_statistics": choice.random() < 0.5,
        }
        forged = [self.forge(rows, options, choice) for rows in (step, 1, choice.randrange(1, step + 1))]
        values = []
        for row in range(ROWS):
            value = b"row %d " % row + choice.randbytes(choice.randrange(40))
            if (row + 1) % step == 0 or choice.random() < 0.2:
                value += b"".join(choice.choices(forged, k=choice.randrange(1, 4)))
            values.append(None if choice.random() < 0.05 else value)
        return self.write("whole.parquet", values, range(ROWS), options), values, options["write_page_checksum"]

    def damage(self, data, has_crc, choice):
        """The damaged bytes: without checksums, only headers are."""
        pages = self.pages("whole.parquet")
        page = choice.choice(pages)
        begin, size = page["offset"], page["header_size"]
        data = bytearray(data)
        kind = choice.choice(["bit", "bytes", "zeros", "size"] + ["sector"] * has_crc)
        if kind == "bit":
            data[begin + choice.randrange(size)] ^= 1 << choice.randrange(8)
        elif kind == "bytes":
            at = begin + choice.randrange(size - 2)
            data[at : at + 3] = choice.randbytes(3)
        elif kind == "zeros":
            data[begin : begin + size] = bytes(size)
        elif kind == "size":
            data[begin + 3 : begin + 7] = bytes(b & 0x80 | choice.randrange(128) for b in data[begin + 3 : begin + 7])
        else:
            end = max(p["offset"] + p["header_size"] + p["compressed_size"] for p in pages)
            at = choice.randrange(4, end - 512)
            data[at : at + 512] = bytes(512)
        return kind, bytes(data)

    def salvaged(self, values, where, has_crc):
        """Compares one salvaged file with the values."""
        output = self.path("out.parquet")
        if os.path.exists(output):
            os.remove(output)
        run = subprocess.run(
            [engines.PROGRAM, "rewrite", "--salvage", "--json", "-o", output, self.path("damaged.parquet")],
            capture_output=True, text=True, timeout=120, check=False,
        )  # fmt: skip
        self.assertIn(run.returncode, (0, 1, 3), where + run.stderr)
        if not os.path.exists(output):
            return 0
        report = json.loads(run.stderr.splitlines()[0])
        lost, left_out = set(), set()
        for loss in report["losses"]:
            first = loss["row_group"] * (ROWS // 2) + loss["first_row"]
            lost.update((loss["path"], row) for row in range(first, first + loss["row_count"]))
        for rows in report["left_out"]:
            first = rows["row_group"] * (ROWS // 2) + rows["first_row"]
            left_out.update(range(first, first + rows["row_count"]))
        table = pq.read_table(output)
        kept = [row for row in range(ROWS) if row not in left_out]
        self.assertEqual(table.num_rows, len(kept), where)
        self.assertEqual(run.returncode == 0, not lost and not report["bytes_unknown"], where)
        for row, got, number in zip(kept, table["s"].to_pylist(), table["n"].to_pylist()):
            self.assertFalse(got is not None and got.startswith(FORGED), f"{where}: row {row} is forged")
            if not has_crc:
                continue  # a header that decodes otherwise is believed
            self.assertTrue(got == values[row] or (got is None and ("s", row) in lost), f"{where}: row {row}: {got}")
            self.assertTrue(number == row or (number is None and ("n", row) in lost), f"{where}: row {row}")
        return len(lost)

    def test_values_that_hold_pages_never_come_back_as_rows(self):
        lost = cells = 0
        for seed in range(self.seed, self.seed + self.count):
            choice = random.Random(seed)
            data, values, has_crc = self.make(choice)
            for _ in range(3):
                kind, damaged = self.damage(data, has_crc, choice)
                with open(self.path("damaged.parquet"), "wb") as file:
                    file.write(damaged)
                lost += self.salvaged(values, f"seed {seed}, {kind}", has_crc)
                cells += 2 * ROWS
        print(f"\n{self.count} files whose values hold pages: {lost} of {cells} cells are lost, none is forged")
