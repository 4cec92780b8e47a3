# SPDX-License-Identifier: Apache-2.0
"""lamella log: records from a pipe, as they come, and what is left when it ends in any way."""

import contextlib
import fcntl
import json
import os
import resource
import select
import shutil
import signal
import subprocess
import time
import unittest

import program

SLOW = bool(os.environ.get("LAMELLA_SLOW"))
SCHEMA = "message m { required int64 n; optional binary s (STRING); }"


def lines(first, count):
    return "".join(f'{{"n":{n},"s":"text {n}"}}\n' for n in range(first, first + count))


class Log(program.ProgramTest):
    def begin(self, *options, **keywords):
        """A log of a pipe that goes on."""
        process = self.start(
            "log", *options, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            **keywords,
        )  # fmt: skip
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.stderr.close)
        self.addCleanup(self.close_input, process)
        self.addCleanup(process.kill)
        return process

    def close_input(self, process):
        try:
            process.stdin.close()
        except BrokenPipeError:  # what was not read is not written
            pass

    def feed(self, process, text):
        process.stdin.write(text.encode())
        process.stdin.flush()

    def offer(self, process, text):
        """Feeds a log that fails, which may end before it has read what it is given."""
        try:
            self.feed(process, text)
        except BrokenPipeError:
            pass

    def durable(self, process, wanted):
        """Waits for an acknowledgement of at least so many records; gives the last number."""
        number = 0
        while number < wanted:
            line = process.stdout.readline()
            self.assertTrue(line, "it ended before")
            acknowledged = json.loads(line)
            self.assertEqual(sorted(acknowledged), ["durable", "file"])
            self.assertGreater(acknowledged["durable"], number)
            number = acknowledged["durable"]
        return number

    def end(self, process, number=None):
        """Ends it by a signal, or by the end of its input; gives the status and its errors."""
        if number is not None:
            process.send_signal(number)
            status = process.wait(program.TIME_LIMIT)
        else:
            process.stdin.close()
            status = process.wait(program.TIME_LIMIT)
        return status, process.stderr.read().decode()

    def names(self, folder):
        """Paths of all files below a folder, from the oldest to the newest.

        A logger that runs may rename or remove a file between its listing and its stat (and a
        new log makes and removes a file to try the folder): such a file is left out.
        """
        found = []
        for where, _, names in os.walk(self.path(folder)):
            for name in names:
                path = os.path.join(where, name)
                with contextlib.suppress(FileNotFoundError):
                    found.append((os.stat(path).st_mtime_ns, os.path.relpath(path, self.folder)))
        return [name for _, name in sorted(found)]

    def all_records(self, folder):
        names = self.names(folder)
        self.assertTrue(all(name.endswith(".parquet") for name in names), names)
        return [record for name in names for record in self.records(name)]


class Records(Log):
    def test_a_folder_of_a_pipe(self):
        self.assertEqual(self.good("log", "-o", "logs", stdin=lines(0, 5000)), "")
        (name,) = self.names("logs")
        self.assertRegex(name, r"\Alogs/log-\d{8}T\d{6}Z-[0-9a-f]{16}\.parquet\Z")
        self.assertEqual(self.good("cat", name), lines(0, 5000))
        self.good("check", "--quiet", name)

    def test_one_file(self):
        self.put("in.json", lines(0, 100))
        self.assertEqual(self.good("log", "-o", "one.parquet", "in.json"), "")
        self.assertEqual(self.files(), ["in.json", "one.parquet"])
        self.assertEqual(self.good("cat", "one.parquet"), lines(0, 100))
        self.assertEqual(
            self.bad("log", "-o", "one.parquet", "in.json"), "one.parquet: the file exists"
        )

    def test_a_schema_that_is_given(self):
        self.assertEqual(
            self.good("log", "--schema", SCHEMA, "-o", "one.parquet", stdin=lines(0, 3)), ""
        )
        self.assertIn("required int64 n;", self.good("schema", "one.parquet"))

    def test_pairs_for_the_metadata_of_all_files(self):
        options = ("log", "--meta", "site=north", "--meta", "note=a=b", "--rotate", "1ms")
        self.good(*options, "-o", "logs", stdin=lines(0, 10))
        for name in self.names("logs"):
            stated = json.loads(self.good("meta", "--json", name))["key_value_metadata"]
            self.assertEqual([(pair["key"], pair["value"]) for pair in stated],
                             [("site", "north"), ("note", "a=b")])  # fmt: skip
        for pair in ("site", "=north", "site=south"):
            self.assertIn("--meta cannot be", self.misuse(*options, "--meta", pair, "-o", "logs"))

    def test_partitions_by_a_field(self):
        days = [f'{{"day":"2026-11-2{n % 3}","n":{n}}}\n' for n in range(300)]
        schema = "message m { required int32 day (DATE); required int64 n; }"
        self.good("log", "--schema", schema, "--partition", "d=%Y-%m-%d", "--by", "day",
                  "--prefix", "day", "-o", "logs", stdin="".join(days))  # fmt: skip
        names = self.names("logs")
        self.assertEqual(
            sorted(name.split("/")[1] for name in names), [f"d=2026-11-2{n}" for n in range(3)]
        )
        self.assertTrue(all(name.split("/")[2].startswith("day-") for name in names))
        self.assertEqual(sorted(r["n"] for r in self.all_records("logs")), list(range(300)))

    def test_an_empty_input_leaves_nothing(self):
        self.assertEqual(self.good("log", "-o", "logs"), "")
        self.assertEqual(self.files(), [])
        self.assertEqual(
            self.bad("log", "-o", "logs", stdin='{}\n{"a":null}\n'),
            "standard input: no record has a value to infer a schema from",
        )

    def test_a_text_that_is_something_else_is_refused_by_its_line(self):
        """The error spoke of records without a value, whatever the text was."""
        for text, message in [
            ("ab\n12\n", "line 1, column 1: expected a value, found 'a'"),
            ("\n5\n", "line 2: expected an object, found a number"),
        ]:
            self.assertEqual(self.bad("log", "-o", "logs", stdin=text), f"standard input: {message}")
        self.assertEqual(self.files(), [])

    def test_a_last_line_without_an_end_counts(self):
        self.good("log", "-o", "one.parquet", stdin='{"n":1}\n{"n":2}')
        self.assertEqual(self.records("one.parquet"), [{"n": 1}, {"n": 2}])


class BadRecords(Log):
    def test_one_bad_record_is_refused_alone(self):
        """The first line decided for a reader whether the text is lines at all."""
        text = "[\n{\n" + lines(0, 2) + '{"n":"x"}\n{"n":\n\n5\n{"n":1} {"n":2}\n' + lines(2, 2)
        for options in [[], ["--schema", SCHEMA]]:
            status, output, errors = self.run_program(
                "log", "--on-new-field", "refuse", *options, "-o", f"logs{len(options)}",
                stdin='{"n":7}\n' + text if not options else text,
            )  # fmt: skip
            self.assertEqual((status, output), (1, b""))
            if options:
                self.assertEqual(
                    errors.splitlines(),
                    [
                        "lamella: standard input: line 1, column 2: the text ends inside a value",
                        "lamella: standard input: line 2, column 2: the text ends inside a value",
                        "lamella: standard input: line 5: n: expected an integer, found a string",
                        "lamella: standard input: line 6, column 6: the text ends inside a value",
                        "lamella: standard input: line 8: expected an object, found a number",
                        "lamella: standard input: line 9, column 9: expected nothing after the "
                        "value, found '{'",
                        "lamella: standard input: 6 records were refused",
                    ],
                )
                self.assertEqual([r["n"] for r in self.all_records("logs2")], [0, 1, 2, 3])

    def test_stop_on_error_ends_with_the_first(self):
        status, _, errors = self.run_program(
            "log", "--schema", SCHEMA, "--stop-on-error", "-o", "one.parquet",
            stdin=lines(0, 2) + "x\n" + lines(2, 2),
        )  # fmt: skip
        self.assertEqual(status, 1)
        self.assertEqual(errors.count("\n"), 2)
        self.assertIn("line 3, column 1", errors)
        self.assertEqual([r["n"] for r in self.records("one.parquet")], [0, 1])

    def test_a_line_beyond_the_limit_is_refused_alone(self):
        long = '{"n":1,"s":"' + "x" * (3 << 20) + '"}\n'
        status, _, errors = self.run_program(
            "log", "--schema", SCHEMA, "--memory-limit", "4MiB", "-o", "one.parquet",
            stdin=lines(0, 2) + long + lines(2, 2) + '{"n":9,"s":"' + "y" * 900000 + '"}\n'
            + lines(4, 1),
        )  # fmt: skip
        self.assertEqual(status, 1)
        found = errors.splitlines()
        self.assertEqual(len(found), 3, errors)
        self.assertIn("line 3: the line is too long (option --memory-limit)", found[0])
        self.assertIn("line 6: a record of", found[1])
        self.assertEqual([r["n"] for r in self.records("one.parquet")], [0, 1, 2, 3, 4])

    def test_a_first_line_beyond_the_limit_is_refused_once(self):
        """Its number was not known yet: it was read again and again, whatever signal came."""
        text = '{"n":"' + "x" * 3000000 + '"}\n' + lines(0, 1)
        status, _, errors = self.run_program(
            "log", "--memory-limit", "4MiB", "--schema", SCHEMA, "-o", "logs", stdin=text
        )
        self.assertEqual(status, 1)
        self.assertEqual(errors.splitlines()[-1], "lamella: standard input: 1 record was refused")

    def test_a_schema_is_inferred_within_the_memory_limit(self):
        text = "{" + ",".join(f'"k{i}":1' for i in range(60000)) + "}\n"
        status, _, errors = self.run_program("log", "--memory-limit", "4MiB", "-o", "logs", stdin=text)
        self.assertEqual(status, 1)
        self.assertIn("memory limit", errors)
        self.assertFalse(self.files())

    def test_a_record_beyond_the_limit_is_refused_once(self):
        """It was read again for ever, and no signal ended that."""
        long = '{"n":1,"s":"' + "x" * 1300000 + '"}\n'
        self.put("in.json", (lines(0, 2) + long + lines(2, 2)).encode())
        status, _, errors = self.run_program(
            "log", "--schema", SCHEMA, "--memory-limit", "4MiB", "-o", "one.parquet", "in.json"
        )
        self.assertEqual(status, 1)
        self.assertEqual(errors.count("\n"), 2, errors)
        self.assertIn("line 3: the record is longer than the limit of 1048576 bytes", errors)
        self.assertEqual([r["n"] for r in self.records("one.parquet")], [0, 1, 2, 3])


class NewFields(Log):
    def later(self, first, then, *options):
        """Records whose fields are inferred, and records that come when the log has begun."""
        process = self.begin("--checkpoint", "50ms", "--acknowledge", *options, "-o", "logs")
        self.feed(process, first)
        self.durable(process, first.count("\n"))
        self.feed(process, then)
        return self.end(process)

    def test_a_new_field_widens_the_schema_and_nothing_is_lost(self):
        then = [
            {"n": 2, "new": {"x": [1, 2], "y": None}, "was": "now"},
            {"n": 3, "new": {"z": 1.5}, "none": None},
            {"n": 4, "list": [], "object": {}},
            {"n": 5, "list": [1, "x"], "object": {"a": 1}},
            {"n": 6, "new": {"z": 2.5}},
        ]
        self.assertEqual(
            self.later('{"n":0}\n{"n":1,"was":null}\n', program.ndjson(then)), (0, "")
        )
        found = sorted(self.all_records("logs"), key=lambda record: record["n"])

        def strip(value):
            if not isinstance(value, dict):
                return value
            return {k: strip(v) for k, v in value.items() if v is not None}

        expected = [{"n": 0}, {"n": 1}, *[strip(record) for record in then]]
        self.assertEqual([strip(record) for record in found], expected)

    def test_many_new_fields_at_once_need_few_files(self):
        """Each of them began a file."""
        then = program.ndjson({"n": n, f"f{n}": n} for n in range(1, 200))
        self.assertEqual(self.later('{"n":0}\n', then), (0, ""))
        self.assertLess(len(self.names("logs")), 10)
        found = sorted(self.all_records("logs"), key=lambda record: record["n"])
        self.assertEqual(
            [{k: v for k, v in record.items() if v is not None} for record in found],
            [{"n": 0}, *[{"n": n, f"f{n}": n} for n in range(1, 200)]],
        )

    def test_fields_without_end_do_not_make_files_without_end(self):
        """20,000 records that each brought a field made 288 files of 43 records each."""
        self.put("in.json", program.ndjson({"n": n, f"f{n}": n} for n in range(4000)))
        status, _, errors = self.run_program("log", "--memory-limit", "16MiB", "-o", "logs", "in.json")
        self.assertEqual(status, 1)
        refused = "the schema has no such field, and the log gets no more new ones (--on-new-field variant takes any)\n"
        self.assertIn(refused, errors)
        self.assertLess(len(self.names("logs")), 30)
        found = self.all_records("logs")
        self.assertEqual(errors.count(refused), 4000 - len(found))
        columns = max(len(record) for record in found) - 1
        self.assertLessEqual(columns, 1000 + 256)  # the first records, and one for each 64 KiB
        self.assertGreater(columns, 1000 + 200)

    def test_a_field_of_another_kind_is_refused(self):
        status, errors = self.later('{"n":0}\n', '{"n":"x"}\n{"n":true}\n{"n":1}\n')
        self.assertEqual(status, 1)
        self.assertIn("line 2: n: expected an integer, found a string\n", errors)
        self.assertIn("standard input: 2 records were refused\n", errors)
        self.assertEqual([r["n"] for r in self.all_records("logs")], [0, 1])
        self.assertEqual(len(self.names("logs")), 1)

    def test_a_value_that_its_type_does_not_hold_widens_it_where_that_is_exact(self):
        """Such a record was refused, though the reader of all files has a type for both."""
        then = [
            {"n": 1.5, "g": {"m": 1}},
            {"n": 2, "t": "2024-10-24T12:00:00", "l": [1, None]},
            {"n": 3, "g": {"m": 0.5}, "l": [2.5]},
            {"t": "noon"},
            {"n": 4, "g": {}, "l": []},
        ]
        wrong = [{"n": "x"}, {"n": 5, "g": 7}]
        text = '{"n":0,"g":{"m":0},"t":"2024-10-24","l":[0]}\n'
        for seconds in (0, 0.2):
            process = self.begin("--checkpoint", "50ms", "--acknowledge", "-o", f"logs{seconds}")
            self.feed(process, text)
            self.durable(process, 1)
            for record in then + wrong:
                self.feed(process, program.ndjson([record]))
                time.sleep(seconds)
            status, errors = self.end(process)
            self.assertEqual(status, 1)
            self.assertIn("line 7: n: expected a number, found a string\n", errors)
            self.assertIn("line 8: g: expected an object, found a number\n", errors)
            self.assertIn("standard input: 2 records were refused\n", errors)
            self.good("rewrite", "-o", "one.parquet", f"logs{seconds}")
            found = sorted(self.records("one.parquet"), key=json.dumps)
            noon = [found.pop(next(i for i, record in enumerate(found) if record["t"] == "noon"))]
            found = sorted((r for r in found if r["n"] is not None), key=lambda record: record["n"]) + noon
            self.assertEqual([record["n"] for record in found], [0.0, 1.5, 2.0, 3.0, 4.0, None])
            self.assertEqual([record["g"] for record in found],
                             [{"m": 0.0}, {"m": 1.0}, None, {"m": 0.5}, {"m": None}, None])  # fmt: skip
            self.assertEqual([record["l"] for record in found], [[0.0], None, [1.0, None], [2.5], [], None])
            self.assertEqual([record["t"] and record["t"].removesuffix(".000000") for record in found],
                             ["2024-10-24", None, "2024-10-24T12:00:00", None, None, "noon"])  # fmt: skip
            self.assertEqual(len(self.good("cat", "-f", "csv", f"logs{seconds}").splitlines()), 7)
            self.assertLessEqual(len(self.names(f"logs{seconds}")), 5)

    def test_a_type_that_is_given_is_the_users_choice(self):
        schema = "message m { optional int64 n; optional int32 d (DATE); }"
        self.put("in.json", '{"n":1}\n{"n":1.5}\n{"n":2,"d":"2024-10-24T12:00:00","new":1}\n{"n":3,"new":1}\n')
        status, _, errors = self.run_program("log", "--schema", schema, "-o", "logs", "in.json")
        self.assertEqual(status, 1)
        self.assertIn("line 2: n: expected an integer without point", errors)
        self.assertIn("2 records were refused\n", errors)
        found = sorted(self.all_records("logs"), key=lambda record: record["n"])
        self.assertEqual(found, [{"n": 1, "d": None}, {"n": 3, "d": None, "new": 1}])

    def test_integers_that_no_double_keeps_stay_integers(self):
        """One such record would have made a table of all files lose digits, or fail."""
        big = 2**53 + 1
        first = [{"a": big, "b": 1, "g": [{"c": -big, "d": -(2**62)}], "u": 2**64 - 1}, {"b": None}]
        then = [{"a": 0.5}, {"b": 0.5, "g": [{"d": 0.25}]}, {"g": [{"c": 0.5}]}, {"u": 0.5}, {"b": big},
                {"new": big}, {"new": 2}, {"new": 0.5}, {"a": 2}]  # fmt: skip
        process = self.begin("--checkpoint", "50ms", "--acknowledge", "-o", "logs")
        self.feed(process, program.ndjson(first))
        self.durable(process, 2)
        for record in then:
            self.feed(process, program.ndjson([record]))
            time.sleep(0.1)
        status, errors = self.end(process)
        self.assertEqual(status, 1)
        lost = ", and a double does not keep all integers that were there before\n"
        self.assertEqual([line.split(":")[2] for line in errors.splitlines()[:-1]],
                         [f" line {n}" for n in (3, 5, 6, 7, 10)])  # fmt: skip
        self.assertEqual(errors.count(lost), 4)
        self.good("rewrite", "-o", "one.parquet", "logs")
        found = [{k: v for k, v in record.items() if v is not None} for record in self.records("one.parquet")]
        self.assertEqual(len(found), 6)
        self.assertIn({"a": big, "b": 1.0, "g": [{"c": -big, "d": float(-(2**62))}], "u": 2**64 - 1}, found)
        self.assertIn({"b": 0.5, "g": [{"c": None, "d": 0.25}]}, found)
        self.assertIn({"new": big}, found)

    def test_what_folders_are_named_by_keeps_its_type(self):
        """Other fields of the same lines get theirs all the same."""
        first, later = "2024-10-24T10:00:00", "2024-10-25T10:00:00"
        status, errors = self.later(
            program.ndjson([{"n": 1, "t": first}]),
            program.ndjson([{"n": 0.5, "t": later}, {"t": "noon"}, {"n": 2, "t": later}]),
            "--partition", "day=%d", "--by", "t")  # fmt: skip
        self.assertEqual(status, 1)
        self.assertIn('line 3: t: expected a timestamp as YYYY-MM-DDTHH:MM:SS.fraction, found "noon"\n', errors)
        self.assertIn("1 record was refused\n", errors)
        found = sorted(self.all_records("logs"), key=lambda record: record["n"])
        self.assertEqual([(r["n"], r["t"][:19]) for r in found], [(0.5, later), (1, first), (2, later)])

    def test_wider_types_without_end_do_not_make_files_without_end(self):
        names = [f"f{n}" for n in range(120)]
        pad = "x" * (70 << 10)
        with open(self.path("in.json"), "w", encoding="ascii") as file:
            for _ in range(75):  # more than inference looks at
                file.write(json.dumps({"pad": pad, **dict.fromkeys(names, 1)}) + "\n")
            for name in names:
                file.write(json.dumps({"pad": pad, name: 0.5}) + "\n")
        status, _, errors = self.run_program("log", "--memory-limit", "16MiB", "-o", "logs", "in.json")
        self.assertEqual(status, 1)
        self.assertEqual(errors.count("and the log gets no wider types any more (--schema gives the types)\n"), 20)
        self.assertLessEqual(len(self.names("logs")), 101)
        self.assertEqual(self.good("count", "logs"), "175\n")

    def test_refuse(self):
        status, errors = self.later(
            '{"n":0}\n', '{"n":1,"m":1}\n{"n":2}\n', "--on-new-field", "refuse"
        )
        self.assertEqual(status, 1)
        self.assertIn("line 2: m: the schema has no such field\n", errors)
        self.assertEqual(self.all_records("logs"), [{"n": 0}, {"n": 2}])

    def test_ignore(self):
        self.assertEqual(
            self.later('{"n":0}\n', '{"n":1,"m":1}\n', "--on-new-field", "ignore"), (0, "")
        )
        self.assertEqual(self.all_records("logs"), [{"n": 0}, {"n": 1}])

    def test_variant_moves_what_is_new(self):
        schema = (
            "message m { optional int64 a; optional group g { optional int64 b; } "
            "optional group l (LIST) { repeated group list { optional group element "
            "{ optional int64 c; } } } }"
        )
        text = (
            '{"a":1}\n'
            '{"a":2,"x" : 1.50,"g":{"b":3,"y":"}\\""},"l":[{"c":1},{"d":[{}]},null]}\n'
            '{"\\u0061":3,"\\u0078":{ },"g":null,"l":[]}\n'
            '{"x":1,"a":"bad"}\n'
            '{"x":1,"a":4'
        )
        status, _, errors = self.run_program(
            "log", "--schema", schema, "--on-new-field", "variant", "--rest", "more",
            "-o", "one.parquet", stdin=text,
        )  # fmt: skip
        self.assertEqual(status, 1)
        self.assertIn("line 4: a: expected an integer, found a string\n", errors)
        self.assertIn("line 5", errors)
        self.assertEqual(
            self.good("cat", "one.parquet"),
            '{"a":1,"g":null,"l":null,"more":null}\n'
            '{"a":2,"g":{"b":3},"l":[{"c":1},{"c":null},null],'
            '"more":{"g":{"y":"}\\""},"l":[{},{"d":[{}]},{}],"x":1.50}}\n'
            '{"a":3,"g":null,"l":[],"more":{"x":{}}}\n',
        )


class Durability(Log):
    def test_records_become_durable_while_the_pipe_is_idle(self):
        """A first line without its end, and a bad record as the last one, held everything up."""
        for last in ['{"n":5,', '"bad"\n']:
            folder = f"logs{len(last)}"
            process = self.begin(
                "--schema", SCHEMA, "--checkpoint", "20ms", "--acknowledge", "-o", folder
            )
            self.feed(process, lines(0, 3) + last)
            self.assertEqual(self.durable(process, 3), 3)
            self.end(process, signal.SIGTERM)

    def test_an_idle_pipe_does_not_hold_up_inference(self):
        process = self.begin("--checkpoint", "20ms", "--acknowledge", "-o", "logs")
        self.feed(process, lines(0, 3))
        self.assertEqual(self.durable(process, 3), 3)
        self.assertEqual(self.end(process, signal.SIGTERM), (0, ""))

    def test_a_signal_requests_a_checkpoint(self):
        process = self.begin(
            "--schema", SCHEMA, "--checkpoint", "1000000rows", "--acknowledge", "-o", "logs"
        )
        self.feed(process, lines(0, 3))
        name = self.wait_for_begun_file("logs")
        process.send_signal(signal.SIGUSR1)
        self.durable(process, 3)
        self.assertTrue(name.endswith(".part"))
        self.assertEqual(self.good("cat", name), lines(0, 3))
        self.assertEqual(self.end(process, signal.SIGINT), (0, ""))

    def wait_for_begun_file(self, folder):
        """The one file with bytes; a log tries its folder by a file without any."""
        deadline = time.monotonic() + program.TIME_LIMIT
        while time.monotonic() < deadline:
            for name in self.names(folder):
                with contextlib.suppress(FileNotFoundError):
                    if os.path.getsize(self.path(name)) > 0:
                        return name
            time.sleep(0.001)
        self.fail("no file")

    def test_signals_finish_what_was_read_as_whole_lines(self):
        for number in [signal.SIGTERM, signal.SIGINT, signal.SIGHUP]:
            folder = f"logs{number}"
            process = self.begin("--schema", SCHEMA, "--checkpoint", "20ms", "--acknowledge",
                                 "-o", folder)  # fmt: skip
            self.feed(process, lines(0, 1000) + '{"n":1')
            self.durable(process, 1000)
            begun = time.monotonic()
            self.assertEqual(self.end(process, number), (0, ""))
            if not SLOW:
                self.assertLess(time.monotonic() - begun, 5)
            self.assertEqual(len(self.all_records(folder)), 1000)

    def test_a_signal_before_the_first_record(self):
        for options in [[], ["--schema", SCHEMA]]:
            process = self.begin("--acknowledge", *options, "-o", "logs")
            program.wait_until_caught(process, signal.SIGTERM)
            self.assertEqual(self.end(process, signal.SIGTERM), (0, ""))
            self.assertFalse(os.path.isdir(self.path("logs")) and self.names("logs"))

    def test_a_signal_ends_it_though_nobody_reads_the_acknowledgements(self):
        """Its thread waited for room in the pipe, and the end for its thread, for ever."""
        process = self.begin("--schema", SCHEMA, "--journal", "--sync", "1ms", "--acknowledge",
                             "-o", "logs")  # fmt: skip
        fcntl.fcntl(process.stdout, 1031, 4096)  # F_SETPIPE_SZ: room for one acknowledgement
        self.feed(process, lines(0, 10))
        self.assertTrue(select.select([process.stdout], [], [], program.TIME_LIMIT)[0])
        (journal,) = [name for name in self.names("logs") if name.endswith(".journal")]
        size = os.path.getsize(self.path(journal))
        self.feed(process, lines(10, 10))
        deadline = time.monotonic() + program.TIME_LIMIT
        while os.path.getsize(self.path(journal)) == size:
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.01)
        status, errors = self.end(process, signal.SIGTERM)
        self.assertEqual(
            (status, errors),
            (0, "lamella: standard output: nobody reads it; not all is acknowledged\n"),
        )
        self.assertEqual([record["n"] for record in self.all_records("logs")], list(range(20)))

    def test_a_signal_ends_the_wait_for_the_writer_of_a_fifo(self):
        os.mkfifo(self.path("fifo"))
        process = self.begin("--schema", SCHEMA, "-o", "one.parquet", "fifo")
        program.wait_until_caught(process, signal.SIGTERM)
        self.assertEqual(self.end(process, signal.SIGTERM), (0, ""))

    def kill(self, *options):
        """Kills a log that is fed; gives the number of records that were durable."""
        process = self.begin(*options, "--acknowledge")
        for i in range(5):
            self.feed(process, lines(i * 1000, 1000))
        count = self.durable(process, 1000)
        process.kill()
        process.wait(program.TIME_LIMIT)
        for line in process.stdout.read().decode().splitlines():
            count = json.loads(line)["durable"]
        return count

    def test_what_was_acknowledged_survives_a_kill(self):
        for number, options in enumerate(
            [
                ["--checkpoint", "10ms"],
                ["--checkpoint", "500rows"],
                ["--journal", "--sync", "10ms"],
                ["--sync", "never", "--checkpoint", "10ms"],
                ["--checkpoint", "100rows", "--rotate", "5K"],
            ]
        ):
            with self.subTest(options):
                folder = f"logs{number}"
                count = self.kill("--schema", SCHEMA, *options, "-o", folder)
                status, _, errors = self.run_program(
                    "log", "--schema", SCHEMA, "-o", folder, stdin=lines(90000, 1)
                )
                self.assertEqual(status, 0, errors)
                found = [record["n"] for record in self.all_records(folder)]
                self.assertEqual(sorted(found), [*range(len(found) - 1), 90000])
                self.assertGreaterEqual(len(found) - 1, count)

    def test_one_file_goes_on_after_a_kill(self):
        for number, options in enumerate([["--checkpoint", "10ms"], ["--journal", "--sync", "1ms"]]):
            with self.subTest(options):
                name = f"one{number}.parquet"
                count = self.kill(*options, "-o", name)
                status, _, errors = self.run_program("log", "-o", name, stdin='{"s":"last"}\n')
                self.assertEqual(status, 0, errors)
                self.assertRegex(errors, r"\Alamella: one\d.parquet: \d+ records? of a predecessor")
                found = self.records(name)
                self.assertGreaterEqual(len(found) - 1, count)
                self.assertEqual([r["n"] for r in found], [*range(len(found) - 1), None])
                self.assertEqual([n for n in self.files() if n.startswith(name)], [name])

    def test_a_reader_of_acknowledgements_that_goes_does_not_end_the_log(self):
        process = self.begin("--schema", SCHEMA, "--checkpoint", "10ms", "--acknowledge",
                             "-o", "logs")  # fmt: skip
        self.feed(process, lines(0, 10))
        self.durable(process, 10)
        process.stdout.close()
        for i in range(1, 10):
            self.feed(process, lines(i * 10, 10))
            time.sleep(0.02)
        status, errors = self.end(process)
        self.assertEqual(
            (status, errors), (1, "lamella: standard output: cannot write: Broken pipe\n")
        )
        self.assertEqual(len(self.all_records("logs")), 100)


class Places(Log):
    def test_two_logs_of_one_path(self):
        first = self.begin("--schema", SCHEMA, "--checkpoint", "10ms", "--acknowledge",
                           "-o", "one.parquet")  # fmt: skip
        self.feed(first, lines(0, 3))
        self.durable(first, 3)
        self.assertEqual(
            self.bad("log", "--schema", SCHEMA, "-o", "one.parquet", stdin=lines(9, 1)),
            "one.parquet: _one.parquet.part: it is being written already",
        )
        self.assertEqual(self.end(first), (0, ""))
        self.assertEqual(self.good("cat", "one.parquet"), lines(0, 3))

    def test_two_logs_of_one_folder(self):
        first = self.begin("--schema", SCHEMA, "--checkpoint", "10ms", "--acknowledge",
                           "-o", "logs")  # fmt: skip
        self.feed(first, lines(0, 3))
        self.durable(first, 3)
        self.assertEqual(self.good("log", "--schema", SCHEMA, "-o", "logs", stdin=lines(3, 3)), "")
        self.feed(first, lines(6, 3))
        self.assertEqual(self.end(first), (0, ""))
        self.assertEqual(sorted(r["n"] for r in self.all_records("logs")), list(range(9)))

    def test_many_starts_and_recoveries_at_once(self):
        """A start failed where another, or a recovery, had just taken what it was to recover."""
        self.make("left", lines(0, 50), "--schema", SCHEMA)
        with open(self.path("left"), "rb") as file:
            left = file.read()
        for round_number in range(3):
            folder = f"logs{round_number}"
            os.mkdir(self.path(folder))
            for i in range(8):
                self.put(f"{folder}/_log-20261128T202026Z-25c4cfc4541f1a6{i}.parquet.part", left)
            self.put("one.json", lines(50, 1))
            commands = [["log", "--journal", "--schema", SCHEMA, "-o", folder, "one.json"], ["recover", folder]] * 5
            running = [self.start(*command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) for command in commands]
            for process in running:
                with process.stderr:
                    self.assertEqual(process.wait(program.TIME_LIMIT), 0, process.stderr.read())
            self.good("log", "--schema", SCHEMA, "-o", folder, "-")
            numbers = sorted(r["n"] for r in self.all_records(folder))
            self.assertEqual(numbers, sorted([*range(50)] * 8 + [50] * 5))

    def test_closed_standard_descriptors_are_not_those_of_files(self):
        """A closed standard input was its own pipe, for which it waited for ever; messages went into files."""
        def close(*numbers):
            return lambda: [os.close(number) for number in numbers]

        process = self.start("log", "--schema", SCHEMA, "-o", "a.parquet", stderr=subprocess.PIPE,
                             preexec_fn=close(0))  # fmt: skip
        with process.stderr:
            self.assertEqual(process.wait(program.TIME_LIMIT), 1)
            self.assertEqual(
                process.stderr.read(), b"lamella: standard input: cannot read: Bad file descriptor\n"
            )
        self.put("in.json", lines(0, 100) + "bad\n" + lines(100, 1))
        process = self.start("log", "--schema", SCHEMA, "--checkpoint", "10rows", "--acknowledge",
                             "-o", "b.parquet", "in.json", preexec_fn=close(0, 1, 2))  # fmt: skip
        self.assertEqual(process.wait(program.TIME_LIMIT), 1)
        self.good("check", "b.parquet")
        self.assertEqual(self.good("cat", "b.parquet"), lines(0, 101))

    def test_foreign_files_stay_as_they_are(self):
        os.mkdir(self.path("logs"))
        for name in ["notes.txt", "_other.parquet.part", "_log-x.parquet.part", "log-.journal"]:
            self.put(f"logs/{name}", "mine")
        self.good("log", "-o", "logs", stdin=lines(0, 3))
        self.assertEqual(len(self.names("logs")), 5)
        self.put("_one.parquet.part", "mine, too")
        status, _, errors = self.run_program("log", "-o", "one.parquet", stdin=lines(0, 3))
        kept = [name for name in self.files() if name.startswith("_one")]
        contents = []
        for name in kept:
            with open(self.path(name), "rb") as file:
                contents.append(file.read())
        self.assertIn(b"mine, too", contents, (status, errors, kept))

    def test_places_that_cannot_be_written(self):
        self.put("file", "")
        for path, message in [
            ("nope/logs", "nope/logs: cannot make the folder: No such file or directory"),
            ("file", "file: cannot make the folder: File exists"),
            (
                "nope/one.parquet",
                "nope/one.parquet: nope/_one.parquet.part: cannot create: No such file or directory",
            ),
        ]:
            with self.subTest(path):
                self.assertEqual(self.bad("log", "-o", path, stdin=lines(0, 3)), message)

    @unittest.skipIf(os.geteuid() == 0, "root may write anywhere")
    def test_a_folder_without_permission(self):
        os.mkdir(self.path("logs"), 0o500)
        self.assertIn("Permission denied", self.bad("log", "-o", "logs", stdin=lines(0, 3)))

    def test_a_full_disk_ends_the_log_and_keeps_what_is_durable(self):
        """The limit on the size of files stands for the disk; the pipe stays open."""

        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (40000, 40000))

        process = self.begin("--schema", SCHEMA, "--checkpoint", "1000rows", "--acknowledge",
                             "-o", "logs", preexec_fn=limit)  # fmt: skip
        try:
            for i in range(1000):
                text = "".join(
                    f'{{"n":{n},"s":"{n * 0x9E3779B97F4A7C15 % 2**64:x}"}}\n'
                    for n in range(i * 1000, i * 1000 + 1000)
                )
                self.feed(process, text)
                if i == 0:
                    count = self.durable(process, 1000)
        except BrokenPipeError:
            pass
        status = process.wait(program.TIME_LIMIT)
        errors = process.stderr.read().decode()
        self.assertEqual(status, 1)
        self.assertRegex(
            errors,
            r"\Alamella: logs: logs/_log-\S+\.parquet\.part: cannot write: File too large\n\Z",
        )
        acknowledged = process.stdout.read().decode().splitlines()
        count = json.loads(acknowledged[-1])["durable"] if acknowledged else count
        (part,) = self.names("logs")
        status, _, _ = self.run_program("recover", "logs")
        self.assertIn(status, (0, 3))
        found = [record["n"] for record in self.all_records("logs")]
        self.assertGreaterEqual(len(found), count)
        self.assertEqual(found, list(range(len(found))))
        self.assertEqual(self.names("logs"), [part.replace("_", "")[: -len(".part")]])

    def test_a_failure_is_reported_while_the_pipe_is_idle(self):
        process = self.begin(
            "--schema", SCHEMA, "--checkpoint", "20ms", "-o", "nope/one.parquet"
        )
        self.offer(process, lines(0, 3))
        self.assertEqual(process.wait(program.TIME_LIMIT), 1)
        self.assertIn("No such file or directory", process.stderr.read().decode())

    def test_retention_and_rotation(self):
        """A log that fell behind wrote many records before it looked at the size: one file was left.

        A file may end between two records that are fed together: a checkpoint by rows would wait for more.
        """
        process = self.begin("--schema", SCHEMA, "--checkpoint", "20ms", "--rotate", "20K",
                             "--keep", "60K", "--acknowledge", "-o", "logs")  # fmt: skip
        for i in range(30):
            text = "".join(
                f'{{"n":{n},"s":"{n * 0x9E3779B97F4A7C15 % 2**64:x}"}}\n'
                for n in range(i * 1000, i * 1000 + 1000)
            )
            self.feed(process, text)
            self.durable(process, i * 1000 + 1000)
        self.assertEqual(self.end(process), (0, ""))
        sizes = [os.path.getsize(self.path(name)) for name in self.names("logs")]
        self.assertLess(sum(sizes), 90000)
        self.assertGreater(len(sizes), 1)
        found = [record["n"] for record in self.all_records("logs")]
        self.assertTrue(0 < len(found) == len(set(found)) < 30000)


class Usage(Log):
    def test_a_disk_that_is_to_keep_room(self):
        """All of it: nothing stays but the youngest file."""
        for value in ("100%", "1000T"):
            text = "".join(lines(first, 1000) for first in range(0, 20000, 1000))
            self.good("log", "--schema", SCHEMA, "--rotate", "2K", "--keep-free", value, "-o", "logs", stdin=text)
            (name,) = self.names("logs")
            self.assertEqual(self.records(name)[-1]["n"], 19999)
            shutil.rmtree(self.path("logs"))
        for value in ("0", "0%", "101%", "5 %", "x", ""):
            self.assertIn("--keep-free", self.misuse("log", "--keep-free", value, "-o", "logs"))
        self.assertIn("keep_free needs a log of a folder",
                      self.misuse("log", "--schema", SCHEMA, "--keep-free", "1G", "-o", "a.parquet"))  # fmt: skip

    def test_options_that_do_not_go_together(self):
        more = '; see "lamella log --help"'
        for arguments, message in [
            ([], "-o is missing: name the folder or file to write"),
            (["-o", "d", "a", "b"], "one input at most"),
            (["-o", "d", "--partition", "a=%v"], "--partition needs --by"),
            (["-o", "d", "--rest", "r"], "--rest needs --on-new-field variant"),
            (["-o", "d", "--sync", "record"], "--sync record needs --journal"),
            (
                ["-o", "d.parquet", "--on-new-field", "widen"],
                "--on-new-field widen begins new files, and needs a folder",
            ),
            (["-o", "d", "--checkpoint", "10"], None),
            (["-o", "d", "--checkpoint", "0s"], "--checkpoint cannot be '0s': it must be a time, a size or a number of rows, as in 10s, 64MiB or 100000rows"),
            (["-o", "d", "--checkpoint", "rows"], "--checkpoint cannot be 'rows': it must be a time, a size or a number of rows, as in 10s, 64MiB or 100000rows"),
            (["-o", "d", "--sync", "often"], "--sync cannot be 'often': it must be never, checkpoint, record or a time, as in 100ms"),
            (["-o", "d", "--rotate", "1y"], "--rotate cannot be '1y': it must be a size or a time, as in 256MiB or 1h"),
            (["-o", "d", "--queue", "drop"], "--queue cannot be 'drop': it must be block, drop-newest or drop-oldest"),
            (["-o", "d", "--on-new-field", "drop"], "--on-new-field cannot be 'drop': it must be widen, refuse, variant or ignore"),
            (["-o", "d", "--open-files", "0"], "--open-files cannot be '0': it must be a number from 1 to 4096"),
        ]:
            with self.subTest(arguments):
                if message is not None:
                    self.assertEqual(self.misuse("log", *arguments), message + more)

    def test_what_the_library_refuses_is_wrong_usage(self):
        for arguments in [
            ["-o", "d", "--by", "nope"],
            ["-o", "d", "--prefix", "a/b"],
            ["-o", "d", "--memory-limit", "1K"],
            ["-o", "d.parquet", "--rotate", "1h"],
            ["-o", "d.parquet", "--by", "n"],
        ]:
            with self.subTest(arguments):
                self.misuse("log", *arguments, stdin=lines(0, 1))
        self.assertFalse([name for name in self.files() if name != "d"])


if __name__ == "__main__":
    program.main()
