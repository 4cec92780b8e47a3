# SPDX-License-Identifier: Apache-2.0
"""Help pages, wrong usage, and the exit status."""

import os
import re

import program

COMMANDS = ["import", "cat", "head", "sample", "count", "summary", "schema", "meta", "pages", "bytes", "levels", "trace", "automaton", "explain", "check", "log",
            "recover", "append", "tail", "rewrite", "diff"]  # fmt: skip

# What a build can do without, in the order of `lamella --version`.
PARTS = ["json", "arrow_schema", "thrift", "explain_live", "brotli", "lz4", "snappy", "gzip",
         "arrow", "csv", "filter_text", "variant_inference", "check", "rewrite", "recover", "salvage",
         "byte_map", "log"]  # fmt: skip


class Usage(program.ProgramTest):
    def test_every_command_has_a_help_page(self):
        for command in COMMANDS:
            with self.subTest(command):
                page = self.good(command, "--help")
                self.assertEqual(self.good(command, "-h"), page)
                self.assertLess(max(map(len, page.splitlines())), 81)
                self.expect(f"help-{command}.txt", page)

    def test_the_program_lists_its_commands(self):
        page = self.good("--help")
        self.assertEqual(self.good("help"), page)
        self.assertEqual(self.good("-h"), page)
        self.expect("help.txt", page)

    def test_without_a_command_the_list_goes_to_standard_error(self):
        status, output, errors = self.run_program()
        self.assertEqual((status, output, errors), (2, b"", self.good("--help")))

    def test_the_version_comes_with_codecs_features_and_kernels(self):
        lines = self.good("--version").splitlines()
        self.assertRegex(lines[0], r"\Alamella \d+\.\d+\.\d+\Z")
        titles = [line.split(":")[0] for line in lines[1:]]
        self.assertEqual(titles, ["codecs read", "codecs written", "features", "left out", "kernels"])
        read, written, features, left_out, kernels = (line.split(":")[1].split() for line in lines[1:])
        built = os.environ.get("LAMELLA_BUILT", "").split()
        brotli, lz4 = (part in built for part in ("brotli", "lz4"))
        self.assertEqual(
            read,
            ["UNCOMPRESSED", "SNAPPY", "GZIP", *["BROTLI"] * brotli, *["LZ4"] * lz4, "ZSTD", *["LZ4_RAW"] * lz4],
        )
        self.assertEqual(written, [codec for codec in read if codec != "LZ4"])
        self.assertEqual(features, built)
        self.assertEqual(left_out, [part for part in PARTS if part not in built] or ["nothing"])
        self.assertEqual(len(kernels), 1)
        self.assertIn(kernels[0], ("plain", "avx2", "avx512"))

    def test_an_unknown_command(self):
        self.assertEqual(
            self.misuse("zebra", "a.parquet"),
            "unknown command 'zebra'; \"lamella --help\" lists all commands",
        )

    def test_no_file(self):
        for command in ["cat", "schema", "meta", "pages", "bytes", "levels", "trace"]:
            self.assertEqual(
                self.misuse(command), f'no file given; see "lamella {command} --help"'
            )
        self.assertEqual(
            self.misuse("automaton"),
            'give one file or one schema; see "lamella automaton --help"',
        )

    def test_options_that_do_not_exist(self):
        for command in COMMANDS:
            more = f'; see "lamella {command} --help"'
            for option in ["--nothing", "--nothing=1", "-z"]:
                self.assertEqual(
                    self.misuse(command, option, "a"), f"unknown option {option}{more}"
                )

    def test_what_an_option_names_and_is_not_there_is_wrong_usage(self):
        """Unknown columns, row groups and bad schema text ended with 1, and other options with 2;
        "pages" had printed the head of its table by then."""
        self.make("a.parquet", '{"a":1}\n')
        self.put("in.json", '{"a":1}\n')
        self.put("s", "message m { int64 a; }")
        for arguments in [
            *[[c, "--columns", "nope", "a.parquet"] for c in ["cat", "pages", "bytes", "levels", "trace"]],
            *[[c, "--record", "1", "a.parquet"] for c in ["levels", "trace"]],
            *[[c, "--row-group", "1", "a.parquet"] for c in ["levels", "trace"]],
            *[[c, "--schema", "message m { int64 a; }", "in.json"] for c in ["levels", "trace"]],
            ["levels", "--schema", "message m { required int64 a; }", "a.parquet"],
            ["trace", "--record", "0", "--row-group", "0", "a.parquet"],
            ["automaton", "--columns", "nope", "a.parquet"],
            ["automaton", "--schema", "message m { int64 a; }"],
            ["explain", "-o", "out", "--columns", "nope", "a.parquet"],
            ["explain", "-o", "out", "--row-group", "9", "a.parquet"],
            ["explain", "-o", "out", "--record", "9", "a.parquet"],
            ["explain", "-o", "out", "--where", "a = 1", "--where", "nope = 1", "a.parquet"],
            ["explain", "-o", "out", *["--where=a = 1"] * 9, "a.parquet"],
            ["explain", "-o", "out", "--schema", "message m { int64 a; }", "in.json"],
            ["cat", "--where", "nope > 1", "a.parquet"],
            ["pages", "--row-group", "9", "a.parquet"],
            ["import", "--sorted", "nope", "-o", "out", "in.json"],
            ["import", "--bloom", "nope", "-o", "out", "in.json"],
            ["import", "--encoding", "nope=plain", "-o", "out", "in.json"],
            ["import", "--variant", "nope", "-o", "out", "in.json"],
            ["import", "--shred", "a=optional int64 typed_value;", "-o", "out", "in.json"],
            ["import", "--schema", "message m { int64 a; }", "-o", "out", "in.json"],
        ]:
            with self.subTest(arguments):
                self.misuse(*arguments)
        for arguments in [  # a file is bad, whatever names it
            ["automaton", "--schema", "s"],
            ["import", "--schema", "s", "-o", "out", "in.json"],
            ["import", "--schema", "nope", "-o", "out", "in.json"],
            ["import", "-o", "nope/out", "in.json"],
            ["meta", "in.json"],
        ]:
            with self.subTest(arguments):
                self.bad(*arguments, output="")

    def test_options_with_a_value_too_few_or_too_many(self):
        self.assertEqual(
            self.misuse("cat", "a.parquet", "--limit"),
            '--limit needs a value; see "lamella cat --help"',
        )
        self.assertEqual(
            self.misuse("import", "-o"), '-o needs a value; see "lamella import --help"'
        )
        self.assertEqual(
            self.misuse("meta", "--json=yes", "a.parquet"),
            '--json=yes: the option takes no value; see "lamella meta --help"',
        )

    def test_values_that_an_option_cannot_have(self):
        for command, option, value, message in [
            ("cat", "--limit", "x", "--limit cannot be 'x': it must be a number"),
            ("cat", "--limit", "-1", "--limit cannot be '-1': it must be a number"),
            ("cat", "--limit", "", "--limit cannot be '': it must be a number"),
            ("cat", "--skip", "1.5", "--skip cannot be '1.5': it must be a number"),
            ("cat", "--skip", "18446744073709551616", "--skip cannot be '18446744073709551616': it must be a number"),
            ("cat", "--binary", "ascii", "--binary cannot be 'ascii': it must be base64, hex or utf8"),
            ("cat", "--memory-limit", "0", "--memory-limit cannot be '0': it must be a size above 0, as in 4096 or 64MiB"),
            ("levels", "--memory-limit", "2 GiB", "--memory-limit cannot be '2 GiB': it must be a size above 0, as in 4096 or 64MiB"),
            ("pages", "--row-group", "first", "--row-group cannot be 'first': it must be a number"),
        ]:
            self.assertEqual(
                self.misuse(command, option, value, "a.parquet"),
                f'{message}; see "lamella {command} --help"',
            )

    def test_values_that_an_option_of_import_cannot_have(self):
        self.put("in", '{"a":1}\n')
        for option, value in [
            ("--codec", "lzma"),
            ("--codec", ""),
            ("--codec", "zstd:0"),
            ("--codec", "zstd:23"),
            ("--codec", "zstd:"),
            ("--codec", "zstd:fast"),
            ("--codec", "snappy:1"),
            ("--codec", "gzip:13"),
            ("--codec", "brotli:0"),
            ("--codec", "brotli:12"),
            ("--codec", "lz4_raw:1"),
            ("--codec", "lz4"),
            ("--row-group-size", "0"),
            ("--row-group-size", "10XB"),
            ("--memory-limit", "0"),
            ("--memory-limit", "much"),
            ("--row-group-size", "1 MiB"),
            ("--row-group-rows", "0"),
            ("--row-group-rows", "1K"),
            ("--page-size", "-1"),
            ("--page-size", "99999999999999999999"),
            ("--data-page-version", "0"),
            ("--data-page-version", "3"),
            ("--dictionary-size", "big"),
            ("--binary", "base32"),
            ("--compat", "min"),
            ("--bloom", "a=0"),
            ("--bloom", "a=1"),
            ("--bloom", "a=few"),
            ("--bloom", "a="),
        ]:
            line = self.misuse("import", option, value, "-o", "out", "in")
            self.assertRegex(
                line,
                f"\\A{re.escape(option)} cannot be '{re.escape(value)}': it must be .+"
                '; see "lamella import --help"\\Z',
            )
        for option in ["--page-size", "--dictionary-size"]:
            self.assertIn(
                "not between 1 and ", self.misuse("import", option, "1T", "-o", "out", "in")
            )
        # A number of bytes with the unit B went past the bound that all sizes have.
        for size in ["4611686018427387905", "4611686018427387905B", "4503599627370497K", "4194305T"]:
            self.assertEqual(
                self.misuse("import", "--row-group-size", size, "-o", "out", "in"),
                f"--row-group-size cannot be '{size}': it must be a size above 0, as in 4096 or 64MiB; "
                'see "lamella import --help"',
            )
        self.assertEqual(self.files(), ["in"])

    def test_import_wants_an_output_and_an_input(self):
        more = '; see "lamella import --help"'
        self.assertEqual(self.misuse("import", "in"), f"-o is missing: name the file to write{more}")
        self.assertEqual(self.misuse("import", "-o", "out"), f"no file given{more}")

    def test_a_file_and_a_schema_are_one_too_many(self):
        self.assertEqual(
            self.misuse("automaton", "--schema", "message m { required int32 a; }", "a.parquet"),
            'give one file or one schema; see "lamella automaton --help"',
        )


if __name__ == "__main__":
    program.main()
