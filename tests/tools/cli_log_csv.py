# SPDX-License-Identifier: Apache-2.0
"""lamella log from CSV and TSV: rows as they come, what is refused, and what ends in the middle."""

import os
import signal
import time

import program
from cli_log import Log

SCHEMA = "message m { required int64 n; optional binary s (STRING); }"
FLAT = "message m { optional double a; }"


class Csv(Log):
    def logged(self, text, *options):
        """The records of a log of one file, which takes all rows."""
        self.assertEqual(self.good("log", *options, "-o", "one.parquet", stdin=text), "")
        return self.taken()

    def taken(self):
        records = self.records("one.parquet")
        os.remove(self.path("one.parquet"))
        return records

    def refused(self, text, *options):
        """The records that a log of one file took, and what it says of the others."""
        status, output, errors = self.run_program("log", *options, "-o", "one.parquet", stdin=text)
        self.assertEqual((status, output), (1, b""))
        *messages, last = errors.splitlines()
        count = len(messages)
        self.assertEqual(last, f"lamella: standard input: {count} record{' was' if count == 1 else 's were'} refused")
        return self.taken(), [message.removeprefix("lamella: standard input: ") for message in messages]


class Forms(Csv):
    def test_formats_are_recognized(self):
        two = [{"a": 1, "b": "x"}, {"a": 2, "b": "y"}]
        for text in ["a,b\n1,x\n2,y\n", "a;b\n1;x\n2;y\n", "a\tb\n1\tx\n2\ty\n", "a|b\r\n1|x\r\n2|y",
                     "\ufeffa,b\n1,x\n2,y\n", "a,b\r1,x\r2,y\r", "\n\na,b\n1,\"x\"\n\n2,y\n"]:  # fmt: skip
            self.assertEqual(self.logged(text.encode()), two, text)
            if "|" not in text:
                self.assertEqual(self.logged(text.encode(), "--schema",
                                             "message m { optional int64 a; optional binary b (STRING); }"), two)  # fmt: skip
        for encoding, mark in [("utf-16-le", b"\xff\xfe"), ("utf-16-be", b"\xfe\xff")]:
            text = mark + "a,b\n1,é\n2,\U0001d11e\n".encode(encoding)
            self.assertEqual(self.logged(text), [{"a": 1, "b": "é"}, {"a": 2, "b": "\U0001d11e"}])
            self.assertEqual(self.logged(text, "--format", "csv")[0], {"a": 1, "b": "é"})
        self.assertEqual(self.logged("a\tb\n1\tx,y\n", "--format", "tsv"), [{"a": 1, "b": "x,y"}])

    def test_json_that_begins_with_something_else_stays_json(self):
        """The first line may be torn, as behind tail -f, or a greeting."""
        for first in ['"x":1,"b":2}', "started, ok", "a,b"]:
            records, messages = self.refused(first + '\n{"x":2}\n{"x":3}\n')
            self.assertEqual(records, [{"x": 2}, {"x": 3}])
            self.assertEqual([message.split(", column")[0] for message in messages], ["line 1"])

    def test_a_name_of_several_lines_is_no_json(self):
        for name in ["a\n{1}", 'a "\n{1}']:
            text = 'b,"' + name.replace('"', '""') + '"\nx,1\n'
            self.assertEqual(self.logged(text), [{"b": "x", name: 1}])

    def test_options_of_the_text(self):
        self.assertEqual(self.logged("1,x\n2,y\n", "--header", "no"),
                         [{"column1": 1, "column2": "x"}, {"column1": 2, "column2": "y"}])  # fmt: skip
        self.assertEqual(self.logged("1,x\n", "--header", "no", "--schema", SCHEMA), [{"n": 1, "s": "x"}])
        self.assertEqual(self.logged("a:b\n'1:2':NA\n", "--delimiter", ":", "--quote", "'", "--null", "NA"),
                         [{"a": "1:2", "b": None}])  # fmt: skip
        self.assertEqual(self.logged("a;b\n1,5;2\n", "--decimal-mark", ","), [{"a": 1.5, "b": 2}])
        self.assertEqual(self.logged("t,u\n7,8\n", "--epoch", "seconds", "--schema",
                                     "message m { optional int64 t (TIMESTAMP(MILLIS,true)); optional int32 u; }"),
                         [{"t": "1970-01-01T00:00:07.000Z", "u": 8}])  # fmt: skip
        self.assertEqual(self.logged("a,a,\n1,2,3\n"), [{"a": 1, "a_1": 2, "column3": 3}])

    def test_what_does_not_go_together(self):
        for options, message in [
            (["--format", "ndjson", "--header", "no"], "--header is for CSV; --format says JSON"),
            (["--delimiter", ",,"], "--delimiter cannot be"),
            (["--format", "csv", "--on-new-field", "variant"], "--on-new-field variant needs JSON"),
        ]:
            self.assertIn(message, self.misuse("log", *options, "-o", "logs", stdin="a,b\n1,2\n"))
        self.assertEqual(
            self.bad("log", "--on-new-field", "variant", "-o", "logs", stdin="a,b\n1,2\n"),
            "standard input: --on-new-field variant needs JSON",
        )
        self.make("a.parquet", [{"a": 1}])
        self.assertEqual(self.bad("log", "-o", "logs", "a.parquet"), "a.parquet: it is Parquet, which append and rewrite take")
        self.assertEqual(
            self.bad("log", "--schema", "message m { optional group a { optional int32 b; } }", "-o", "l", stdin="a,b\n1,2\n"),
            "standard input: a is not one value, and CSV has only those",
        )

    def test_columns_that_the_schema_does_not_have(self):
        text = "a,b\n1,x\n"
        self.good("log", "--schema", FLAT, "-o", "logs", stdin=text)
        self.assertEqual(self.all_records("logs"), [{"a": 1.0, "b": "x"}])
        self.assertEqual(self.logged(text, "--schema", FLAT, "--on-new-field", "ignore"), [{"a": 1.0}])
        self.assertEqual(
            self.bad("log", "--schema", FLAT, "--on-new-field", "refuse", "-o", "others", stdin=text),
            "standard input: line 1: the schema has no column b",
        )

    def test_a_header_that_does_not_fit_leaves_no_finished_file(self):
        """An empty file took the name, and the next log was refused for it."""
        self.bad("log", "--format", "csv", "--schema", FLAT, "-o", "one.parquet", stdin="a,b\n1,x\n")
        self.assertEqual(self.files(), ["_one.parquet.part"])
        self.assertEqual(self.logged("a\n1\n", "--format", "csv", "--schema", FLAT), [{"a": 1.0}])
        self.assertEqual(self.files(), [])

    def test_nothing_to_log(self):
        for text in ["", "\n\n", "a,b\n", "a,b"]:
            self.assertEqual(self.good("log", "--format", "csv", "-o", "logs", stdin=text), "")
            self.assertEqual(self.files(), [])
        for text, message in [('a,"b\n1,x\n', "a quote is not closed until the end of the text"),
                              ('a,"b"c\n1,x\n', "text follows the quote that closes a field")]:  # fmt: skip
            self.assertEqual(self.bad("log", "-o", "logs", stdin=text), f"standard input: line 1: {message}")
            self.assertEqual(self.files(), [])


class Refused(Csv):
    def test_rows_are_refused_alone(self):
        records, messages = self.refused('n,s\n1,x\n2\n3,"y\nz"\nfour,w\n5,v,u\n,t\n6,\n', "--schema", SCHEMA)
        self.assertEqual(records, [{"n": 1, "s": "x"}, {"n": 3, "s": "y\nz"}, {"n": 6, "s": None}])
        self.assertEqual(messages, [
            "line 3: 1 field, but the first record has 2", "line 6, column n: 'four' is not int64",
            "line 7: 3 fields, but the first record has 2", "line 8, column n: a required value is missing",
        ])  # fmt: skip
        text = "".join(f"{n},x\n" for n in range(100000))
        records, messages = self.refused("a,b\n" + text + "y,x\n7,x\n")
        self.assertEqual(len(records), 100001)
        self.assertEqual(
            messages, ["line 100002, column a: 'y' is not int64, the type of the first lines; --schema overrides it"]
        )

    def test_a_value_that_its_type_does_not_hold_widens_it_where_that_is_exact(self):
        """Such a row was refused, though the reader of all files has a type for both."""
        first = "n,t,u,s\n" + '1,2024-10-24,,"a, ""b"""\n' * 30000
        rest = ('1.5,2024-10-25,,x\n2,2024-10-25 10:00,7,"c ""d"""\n,noon,,"f\ng"\nmany,2024-10-25,,y\n'
                '3,"2024-10-26",0.5,z\n4,2024-10-27\n9007199254740992,2024-10-28,1,w\n9007199254740993,,1,v\n')  # fmt: skip
        for encoding in ("utf-8", "utf-16"):
            status, _, errors = self.run_program("log", "-o", encoding, stdin=(first + rest).encode(encoding))
            self.assertEqual(status, 1)
            self.assertEqual(errors.splitlines(), [
                "lamella: standard input: line 30006, column n: 'many' is not double, the type of the first lines; "
                "--schema overrides it",
                "lamella: standard input: line 30008: 2 fields, but the first record has 4",
                "lamella: standard input: line 30010, column n: '9007199254740993' is not double, the type of the first "
                "lines; --schema overrides it",
                "lamella: standard input: 3 records were refused"])  # fmt: skip
            self.assertEqual(len(self.names(encoding)), 5)
            self.good("rewrite", "-o", "one.parquet", encoding)
            found = self.taken()
            self.assertEqual(found[:30000], [{"n": 1.0, "t": "2024-10-24", "u": None, "s": 'a, "b"'}] * 30000)
            self.assertEqual([(row["n"], row["t"].removesuffix(".000000"), row["u"], row["s"]) for row in found[30000:]], [
                (1.5, "2024-10-25", None, "x"), (2.0, "2024-10-25T10:00:00", 7.0, 'c "d"'), (None, "noon", None, "f\ng"),
                (3.0, "2024-10-26", 0.5, "z"), (9007199254740992.0, "2024-10-28", 1.0, "w")])  # fmt: skip
            self.assertEqual(len(self.good("cat", "-f", "tsv", encoding).splitlines()), 30007)
        for option in (["--schema", "message m { optional int64 n; optional binary t (STRING); "
                        "optional double u; optional binary s (STRING); }"], ["--on-new-field", "refuse"]):  # fmt: skip
            status, _, errors = self.run_program("log", *option, "-o", "kept", stdin=first + rest.split("\n", maxsplit=1)[0])
            self.assertEqual(status, 1)
            self.assertIn("line 30002, column n: '1.5' is not int64", errors)

    def test_integers_that_no_double_keeps_stay_integers(self):
        text = "a,b\n9007199254740993,1\n" + "1,1\n" * 60000 + "1,0.5\n0.5,1\n2,2\n"
        status, _, errors = self.run_program("log", "-o", "logs", stdin=text)
        self.assertEqual(status, 1)
        self.assertEqual(errors.splitlines()[0], "lamella: standard input: line 60004, column a: '0.5' is not int64, "
                         "and a double does not keep all integers that were there before")  # fmt: skip
        rows = self.good("cat", "-f", "csv", "logs").splitlines()
        self.assertEqual((len(rows), rows[1], rows[-2:]), (60004, "9007199254740993,1.0", ["1,0.5", "2,2.0"]))

    def test_wider_types_without_end_do_not_make_files_without_end(self):
        names = [f"f{n}" for n in range(120)]
        first = ",".join(names) + "\n" + (",".join("1" * 120) + "\n") * 60000
        rest = "".join(",".join("0.5" if n == m else "2" for n in range(120)) + "\n" for m in range(120))
        status, _, errors = self.run_program("log", "--memory-limit", "16MiB", "-o", "logs", stdin=first + rest)
        self.assertEqual(status, 1)
        self.assertEqual(errors.count("and the log gets no wider types any more (--schema gives the types)"), 20)
        self.assertEqual(self.good("count", "logs"), "60100\n")

    def test_broken_quotes_cost_one_row(self):
        """What an open quote takes in is not its own."""
        rows = "".join(f"{n},x{n}\n" for n in range(3, 5000))
        records, messages = self.refused('n,s\n1,x\n2,"y\n' + rows)
        self.assertEqual([record["n"] for record in records], [1, *range(3, 5000)])
        self.assertEqual(messages, ["line 3: a quote is not closed until the end of the text"])
        records, messages = self.refused('n,s\n2,"half\n3,"z"\n4,"a""b"\n')
        self.assertEqual(records, [{"n": 3, "s": "z"}, {"n": 4, "s": 'a"b'}])
        self.assertEqual(messages, ["line 2: text follows the quote that closes a field"])

    def test_rows_that_are_too_long(self):
        for text in ["y" * 3000000, '"' + "y" * 3000000 + '"', '"' + 300000 * "yyyyyyyyy\n" + '"']:
            status, _, errors = self.run_program(
                "log", "--memory-limit", "2MiB", "-o", "one.parquet", stdin=f"n,s\n1,x\n2,{text}\n3,z\n"
            )
            self.assertEqual(status, 1)
            self.assertIn("line 3: a record has more than 1048576 bytes, or its quotes are not closed", errors)
            self.assertEqual(self.taken(), [{"n": 1, "s": "x"}, {"n": 3, "s": "z"}])

    def test_a_value_that_the_log_has_no_room_for(self):
        records, messages = self.refused(f"n,s\n1,x\n2,{'y' * 600000}\n3,z\n", "--memory-limit", "2MiB")
        self.assertEqual(records, [{"n": 1, "s": "x"}, {"n": 3, "s": "z"}])
        self.assertEqual([message.split(":")[0] for message in messages], ["line 3"])

    def test_the_first_bad_row_ends_a_log_that_is_asked_to(self):
        records, messages = self.refused("n,s\n1,x\n2\n3,y\n", "--stop-on-error")
        self.assertEqual(records, [{"n": 1, "s": "x"}])
        self.assertEqual(messages, ["line 3: 1 field, but the first record has 2"])

    def test_bytes_that_are_not_text(self):
        records, messages = self.refused(b"n,s\n1,\xff\n2,a\x00b\n3,z\n", "--schema", SCHEMA, "--format", "csv")
        self.assertEqual(records, [{"n": 2, "s": "a\0b"}, {"n": 3, "s": "z"}])
        self.assertEqual(messages, ["line 2, column s: the text is not UTF-8; iconv converts other encodings"])
        self.assertEqual(
            self.bad("log", "--format", "csv", "-o", "logs", stdin=b"\xff\xfea\x00,\x00b\x00\n\x001\x00,\x00\x00\xdc\n\x00"),
            "standard input: the text is not UTF-16, as its first bytes state",
        )


class Live(Csv):
    options = ("--schema", SCHEMA, "--journal", "--sync", "record", "--acknowledge", "-o", "logs")

    def test_a_row_is_durable_when_its_line_is_whole(self):
        for format_options in [(), ("--format", "csv")]:
            process = self.begin(*format_options, *self.options)
            self.feed(process, "n,s\n1,x\n")
            self.assertEqual(self.durable(process, 1), 1)
            self.feed(process, '2,"a\n')
            self.feed(process, 'b"\n3,')
            self.assertEqual(self.durable(process, 2), 2)
            self.feed(process, "y\n")
            self.assertEqual(self.durable(process, 3), 3)
            self.assertEqual(self.end(process), (0, ""))
        self.assertEqual([record["s"] for record in self.all_records("logs")], ["x", "a\nb", "y"] * 2)

    def test_the_schema_of_the_first_second(self):
        process = self.begin("--checkpoint", "1rows", "--acknowledge", "-o", "logs")
        self.feed(process, "n,s\n")
        time.sleep(1.3)  # a header alone is no record
        self.feed(process, "1,x\n")
        self.assertEqual(self.durable(process, 1), 1)
        self.feed(process, "2,y\n")
        self.assertEqual(self.durable(process, 2), 2)
        self.assertEqual(self.end(process), (0, ""))
        self.assertEqual(self.all_records("logs"), [{"n": 1, "s": "x"}, {"n": 2, "s": "y"}])

    def test_signals_end_it_with_all_whole_rows(self):
        for number in [signal.SIGTERM, signal.SIGINT, signal.SIGHUP]:
            for half in ["2,y", '2,"y\n3,z\n']:
                process = self.begin("--format", "csv", *self.options)
                self.feed(process, "n,s\n1,x\n" + half)
                self.durable(process, 1)
                self.assertEqual(self.end(process, number), (0, ""))
        self.assertEqual(self.all_records("logs"), [{"n": 1, "s": "x"}] * 6)

    def test_a_signal_ends_a_log_that_has_no_rows(self):
        for text in ["", "n,", "n,s\n"]:
            process = self.begin("--format", "csv", "-o", "logs")
            self.feed(process, text)
            program.wait_until_caught(process, signal.SIGTERM)
            self.assertEqual(self.end(process, signal.SIGTERM), (0, ""))
            self.assertEqual(self.names("logs"), [])

    def test_a_killed_log_goes_on(self):
        options = ["--format", "csv", "--journal", "--sync", "record", "--acknowledge", "-o", "one.parquet"]
        process = self.begin(*options)
        self.feed(process, "n,s\n" + "".join(f"{n},x\n" for n in range(100)))
        durable = self.durable(process, 1)
        process.send_signal(signal.SIGKILL)
        process.wait(program.TIME_LIMIT)
        status, _, errors = self.run_program("log", *options, stdin="n,s\n1000,z\n")
        self.assertEqual(status, 0, errors)
        self.assertRegex(errors, "of a predecessor (was|were) recovered")
        numbers = [record["n"] for record in self.records("one.parquet")]
        self.assertEqual(numbers, [*range(len(numbers) - 1), 1000])
        self.assertGreater(len(numbers), durable)

    def test_rotation_and_partitions(self):
        text = "day,n\n" + "".join(f"2026-11-2{n % 3},{n}\n" for n in range(300))
        self.good("log", "--partition", "d=%Y-%m-%d", "--by", "day", "-o", "days", stdin=text)
        self.assertEqual({name.split("/")[1] for name in self.names("days")}, {f"d=2026-11-2{n}" for n in range(3)})
        self.assertEqual(sorted(record["n"] for record in self.all_records("days")), list(range(300)))
        process = self.begin("--rotate", "50ms", "-o", "files")
        for n in range(4):
            self.feed(process, ("n,s\n" if n == 0 else "") + f"{n},x\n")
            time.sleep(0.4 if n else 1.2)
        self.assertEqual(self.end(process), (0, ""))
        self.assertGreater(len(self.names("files")), 2)
        self.assertEqual([record["n"] for record in self.all_records("files")], list(range(4)))


del Log, Csv  # not to run them again


if __name__ == "__main__":
    program.main()
