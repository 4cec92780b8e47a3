# SPDX-License-Identifier: Apache-2.0
"""The tables of options: parsing, help, manual pages and completions say the same of every command, a word that is
none brings up the one that was meant, and the exit status is that of docs/commands.md in every command."""

import glob
import os
import re
import shutil
import subprocess

import program


class OptionsTest(program.ProgramTest):
    def table(self):
        """{command: [(option, letter, kind, argument)]}"""
        commands = {}
        for line in self.good("--generate", "options").splitlines():
            command, *row = line.split("\t")
            commands.setdefault(command, []).append(tuple(row))
        return commands

    def tabled(self):
        """The commands whose tables have rows besides --help."""
        return {command: rows for command, rows in self.table().items() if len(rows) > 1}

    def complete(self, *words):
        """What is offered for the last word: {word: what it is}, and whether files are, too."""
        lines = self.good("--complete", str(len(words) - 1), *words).splitlines()
        return dict(line.split("\t") for line in lines[:-1]), lines[-1] == ":files"

    def bytes_of(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def sections(self, source):
        """{heading: text} of a manual page."""
        parts = re.split(r"^\.SH (.*)\n", source, flags=re.MULTILINE)
        return dict(zip(parts[1::2], parts[2::2]))


class Tables(OptionsTest):
    def test_the_program_lists_the_commands_of_the_tables(self):
        listed = re.findall(r"^  (\w+)  ", self.good("--help"), re.MULTILINE)
        self.assertEqual(listed, list(self.table()))

    def test_help_has_every_option_once_and_no_other(self):
        for command, rows in self.tabled().items():
            with self.subTest(command):
                page = self.good(command, "--help")
                found = re.findall(r"^  (?:-(\w), )?(--[\w-]+)(?: (\S+))?(?:  |$)", page, re.MULTILINE)
                self.assertEqual(
                    [(name, letter, argument) for letter, name, argument in found],
                    [(name, letter, argument) for name, letter, _, argument in rows],
                )
                self.assertIn("\nexamples:\n", page)
                self.assertLess(max(map(len, page.splitlines())), 81)

    def test_every_option_is_taken_with_the_value_that_it_has(self):
        for command, rows in self.tabled().items():
            for name, letter, kind, _ in rows:
                with self.subTest((command, name)):
                    if kind in ("flag", "off", "pick"):
                        message = self.misuse(command, name + "=1")
                        self.assertTrue(message.startswith(f"{name}=1: the option takes no value;"), message)
                        continue
                    for form in [name] + ["-" + letter] * (letter != ""):
                        message = self.misuse(command, form)
                        self.assertTrue(message.startswith(f"{form} needs a value;"), message)
                    if kind in ("count", "size", "time", "enum"):
                        message = self.misuse(command, name, "no such value")
                        self.assertIn(f"{name} cannot be 'no such value': it must be ", message)

    def test_a_manual_page_has_every_option_and_renders_without_a_warning(self):
        for command, rows in self.tabled().items():
            with self.subTest(command):
                source = self.good("--generate", "man", command)
                found = re.findall(r"^\.TP\n.*?\\fB((?:\\-){2}\S+?)\\fR", source, re.MULTILINE)
                self.assertEqual([name.replace("\\-", "-") for name in found], [row[0] for row in rows])
                sections = [self.sections(source)] + [self.sections(self.good("--generate", "man"))]
                self.assertEqual(
                    list(sections[0]),
                    ["NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXIT STATUS", "ENVIRONMENT", "EXAMPLES", "SEE ALSO"],
                )
                self.assertEqual(sections[0]["ENVIRONMENT"], sections[1]["ENVIRONMENT"])
                for heading in re.findall(r"^\.SS (.)", source, re.MULTILINE):
                    self.assertFalse(heading.islower(), heading)
                self.render(source)
        self.render(self.good("--generate", "man"))

    def test_every_variable_that_the_program_asks_for_is_in_the_manual(self):
        """But what a shell has them for: HOME is "~", and PATH where programs are."""
        asked = set()
        for path in glob.glob(os.path.join(program.HERE, "../../tools/*.c")):
            with open(path, encoding="utf-8") as file:
                asked |= set(re.findall(r'\b(?:getenv|is_set)\("(\w+)"\)', file.read()))
        asked -= {"HOME", "PATH"}
        said = re.findall(r"fB(\w+)\\", self.sections(self.good("--generate", "man"))["ENVIRONMENT"])
        self.assertEqual(set(said), asked | {"LC_ALL", "LANG"})

    def render(self, source):
        for tool in (["groff", "-man", "-Tutf8", "-ww", "-z"], ["mandoc", "-Tlint", "-Wwarning"]):
            if shutil.which(tool[0]) is None:
                continue
            done = subprocess.run(tool, input=source, capture_output=True, text=True, check=False)
            said = [line for line in (done.stdout + done.stderr).splitlines() if "missing date" not in line]
            self.assertEqual(said, [])


class Completions(OptionsTest):
    def test_commands_and_their_options_are_offered(self):
        self.assertLessEqual(set(self.table()), set(self.complete("")[0]))
        self.assertEqual(set(self.complete("sch")[0]), {"schema"})
        self.assertEqual(set(self.complete("help", "sch")[0]), {"schema"})
        for command, rows in self.tabled().items():
            offered, files = self.complete(command, "--")
            self.assertEqual((list(offered), files), ([row[0] for row in rows], False))
            self.assertTrue(all(offered.values()))
        self.assertEqual(self.complete("meta", ""), ({}, True))
        self.assertEqual(self.complete("meta", "--", "--"), ({}, True))
        self.assertEqual(self.complete("no", "such"), ({}, False))

    def test_values_are_offered(self):
        values = {"base64", "hex", "utf8"}
        self.assertEqual((set(self.complete("append", "--binary", "")[0])), values)
        self.assertEqual(set(self.complete("append", "--binary=h")[0]), {"--binary=hex"})
        self.assertEqual(self.complete("append", "-o", ""), ({}, True))
        self.assertEqual(self.complete("pages", "--row-group", ""), ({}, False))

    def test_columns_come_from_the_file_of_the_line(self):
        self.make("a.parquet", [{"id": 1, "user": {"name": "x", "mail": "y"}}])
        lines = self.good("--complete", "2", "levels", "--columns", "", "a.parquet").splitlines()
        self.assertEqual(lines, ["*\tall columns", "id\tcolumn", "user\tgroup", "user.name\tcolumn", "user.mail\tcolumn", ":none"])
        for word, offered in [
            ("user.m", ["user.mail"]),
            ("id,user.n", ["id,user.name"]),
            ("!user.m", ["!user.mail"]),
            ("*,!user.m", ["*,!user.mail"]),
            ("id, -i", ["id, -id"]),
            ('"a,b",i', ['"a,b",id']),
            ("x", []),
        ]:
            lines = self.good("--complete", "2", "levels", "--columns", word, "a.parquet").splitlines()
            self.assertEqual([line.split("\t")[0] for line in lines[:-1]], offered)
        self.assertEqual(list(self.complete("pages", "a.parquet", "--columns=user.n")[0]), ["--columns=user.name"])
        self.make("b.parquet", [{"a,b": 1, 'say "x"': {"in.side": 2}, "\u00e9_1": 3}])
        for word, offered in [
            ('"a', ['"a,b"']),
            ("!", ["!*", '!"a,b"', '!"say ""x"""', '!"say ""x"""."in.side"', "!\u00e9_1"]),
            ('"a,b","say ""x""".', ['"a,b","say ""x"""."in.side"']),
        ]:
            self.assertEqual(list(self.complete("cat", "b.parquet", "--columns", word)[0]), offered)
            for path in offered:
                self.good("cat", "--columns", path.replace("!*", "*"), "b.parquet")
        self.put("bad.parquet", "no")
        self.assertEqual(self.complete("pages", "bad.parquet", "none", "--columns", ""), ({}, False))

    def test_bash_offers_them(self):
        bash = shutil.which("bash")
        if bash is None:
            self.skipTest("bash is missing")
        self.make("a.parquet", [{"id": 1, "two words": 2}])
        self.put("script", self.good("--generate", "bash"))
        for line, words, replies in [
            ("lamella sch", ["lamella", "sch"], ["schema"]),
            ("lamella append --binary=h", ["lamella", "append", "--binary", "=", "h"], ["hex"]),
            ("lamella pages a.parquet --columns ", ["lamella", "pages", "a.parquet", "--columns", ""],
             ["\\*", "id", "two\\ words"]),
            ("lamella meta --j", ["lamella", "meta", "--j"], ["--json"]),
        ]:  # fmt: skip
            quoted = " ".join(f"'{word}'" for word in words)
            done = subprocess.run(
                [bash, "--norc", "-c", f"source ./script; COMP_LINE='{line}'; COMP_WORDS=({quoted}); "
                 f"COMP_CWORD={len(words) - 1}; _lamella; printf '%s\\n' \"${{COMPREPLY[@]}}\""],
                cwd=self.folder, capture_output=True, text=True, check=False,
                env={**os.environ, "PATH": os.path.dirname(program.PROGRAM) + ":" + os.environ["PATH"]},
            )  # fmt: skip
            self.assertEqual((done.stderr, done.stdout.splitlines()), ("", replies), line)

    def test_the_scripts_are_sound(self):
        for shell, check in [("bash", ["-n"]), ("zsh", ["-n"]), ("fish", ["--no-execute"])]:
            script = self.put("script." + shell, self.good("--generate", shell))
            if shutil.which(shell) is not None:
                done = subprocess.run([shell, *check, self.path(script)], capture_output=True, text=True, check=False)
                self.assertEqual((done.returncode, done.stderr), (0, ""))


class Guesses(OptionsTest):
    def test_the_word_that_was_meant_is_named(self):
        self.make("a.parquet", [{"id": 1, "user": {"name": "x"}}])
        for arguments, meant in [
            (["cta"], "cat"),
            (["help", "shcema"], "schema"),
            (["meta", "--vrebose", "a.parquet"], "--verbose"),
            (["pages", "--columms=id", "a.parquet"], "--columns"),
            (["append", "--binary", "hexx", "-o", "a.parquet", "-"], "hex"),
            (["levels", "--columns", "ID", "a.parquet"], "id"),
            (["pages", "--columns", "id,user.nmae", "a.parquet"], "user.name"),
            (["cat", "--columns", "usr.name", "a.parquet"], "user.name"),
        ]:
            with self.subTest(arguments):
                self.assertIn(f"(did you mean {meant}?)", self.misuse(*arguments))
        for arguments in [["zebra"], ["meta", "--nothing"], ["levels", "--columns", "zzz", "a.parquet"]]:
            self.assertNotIn("did you mean", self.misuse(*arguments))

    def test_a_name_may_be_cut_short_as_long_as_it_is_one(self):
        self.make("a.parquet", [{"id": 1}])
        self.assertEqual(self.good("meta", "--js", "a.parquet"), self.good("meta", "a.parquet", "--json"))
        self.assertEqual(
            self.misuse("append", "--i", "-o", "x", "y"),
            'ambiguous option --i: --in-place, --ignore-unknown; see "lamella append --help"',
        )

    def test_the_number_of_records_has_one_name_and_one_letter(self):
        """And those that it had before."""
        limits = {command: letter for command, rows in self.table().items() for name, letter, *_ in rows if name == "--limit"}
        self.assertEqual(limits, dict.fromkeys(["cat", "head", "tail", "sample", "diff", "levels", "trace", "explain"], "n"))
        self.make("a", [{"a": n} for n in range(30)])
        for command, name in [("levels", "--max-rows"), ("sample", "--count"), ("tail", "--records")]:
            rest = ["--seed", "1", "a"] if command == "sample" else ["a"]
            few = self.good(command, "--limit", "3", *rest)
            self.assertEqual(few, self.good(command, "-n3", *rest))
            self.assertEqual(few, self.good(command, name, "3", *rest))
            self.assertLess(len(few), len(self.good(command, "-n30", *rest)))
            self.assertNotIn(name, self.good(command, "--help"))
            self.assertIn(f"{name} cannot be 'x'", self.misuse(command, name, "x", *rest))

    def test_letters_share_a_word_and_dashes_end_options(self):
        self.make("-f", [{"a": n} for n in range(3)])
        self.assertEqual(self.good("tail", "-n1", "--", "-f"), '{"a":2}\n')
        self.assertEqual(self.misuse("tail", "-fz", "x"), 'unknown option -z; see "lamella tail --help"')


class ExitStatus(OptionsTest):
    def test_help_and_version_have_more_than_one_name(self):
        for command in self.table():
            self.assertEqual(self.good("help", command), self.good(command, "--help"))
            self.assertEqual(self.good("--help", command), self.good(command, "--help"))
        self.assertEqual(self.good("-V"), self.good("--version"))
        self.assertEqual(self.good("version"), self.good("--version"))

    def test_every_command_ends_as_its_manual_page_says(self):
        """0: good; 1: the input is bad, or the output cannot be written; 2: the command line is wrong, which a
        column that the file does not have makes it, too; 3: some of it is lost. The page of each command has the
        statuses that it ends with here and no others, and says so in one place."""
        self.put("in.json", '{"a":1}\n')
        self.make("b", [{"a": 2}])
        self.make("cut.parquet", [{"a": n} for n in range(20)], "--row-group-rows", "10")
        self.put("two", self.bytes_of("cut.parquet"))
        self.put("cut.parquet", self.bytes_of("two")[:100])
        self.put("damaged", b"PAR1\xff" + self.bytes_of("two")[5:])
        self.put("bad", "no Parquet file")
        cases = {
            "import": (["-o", "o", "in.json"], ["-o", "o", "bad"], ["-o", "o", "--sorted", "x", "in.json"]),
            "append": (["-o", "a", "in.json"], ["-o", "bad", "in.json"], ["in.json"]),
            "log": (["-o", "l", "in.json"], ["-o", "l", "none"], ["in.json"]),
            "tail": (["a"], ["bad"], ["--columns", "x", "a"]),
            "schema": (["a"], ["a", "bad"], ["--columns", "a", "a"]),
            "automaton": (["a"], ["bad"], ["--columns", "x", "a"]),
            "explain": (["-o", "e", "a"], ["-o", "e", "bad"], ["-o", "e", "--columns", "x", "a"]),
            "recover": (["-o", "r", "a"], ["-o", "r2", "bad"], ["--in-place", "-o", "r", "a"], ["-o", "r3", "--like", "two", "cut.parquet"]),
            "meta": (["a"], ["bad", "a"], ["--columns=x", "a"]),
            "check": (["a"], ["none"], ["--rules", "a"]),
            "pages": (["a"], ["none"], ["--row-group", "7", "a"]),
            "bytes": (["a"], ["bad"], ["--page", "9", "a"]),
            "cat": (["a"], ["a", "none"], ["--where", "x = 1", "a"]),
            "levels": (["a"], ["bad"], ["--columns", "x", "a"]),
            "trace": (["a"], ["bad"], ["--record", "1", "a"]),
            "head": (["a"], ["a", "none"], ["--where", "x = 1", "a"]),
            "sample": (["a"], ["bad"], ["--columns", "x", "a"]),
            "summary": (["a"], ["a", "bad"], ["--columns", "x", "a"]),
            "count": (["a"], ["bad"], ["--where", "x = 1", "a"]),
            "diff": (["a", "a"], ["a", "b"], ["a", "bad"]),
            "rewrite": (["-o", "w", "a"], ["-o", "w", "bad"], ["-o", "w", "--sort-by", "x", "a"], ["--salvage", "-o", "s", "damaged"]),
        }
        self.assertEqual(set(cases), set(self.table()))
        for command, rows in cases.items():
            manual = self.good("--generate", "man", command)
            said = re.findall(r"^\\fB(\d)\\fR\n(.*)", self.sections(manual)["EXIT STATUS"], re.MULTILINE)
            self.assertEqual([int(status) for status, _ in said], list(range(len(rows))), command)
            self.assertEqual(len(re.findall("(?i)exit status|ends with [0-9]", manual)), 1, command)
            for status, arguments in enumerate(rows):
                self.make("a", [{"a": 1}])
                with self.subTest((command, status)):
                    got, _, errors = self.run_program(command, *arguments)
                    self.assertEqual(got, status, errors)
                    if (command, status) not in [("diff", 1), ("recover", 3)]:  # what was asked for
                        self.assertEqual(errors != "", status != 0, errors)
            self.misuse(command, "--no-such-option")
            if command != "log":
                self.misuse(command)

    def test_a_disk_that_is_full_is_1(self):
        self.make("a", [{"a": n} for n in range(20000)])
        for command in ["cat", "head", "sample", "count", "summary", "schema", "meta", "pages", "bytes", "levels", "trace", "automaton", "tail", "check"]:
            with open("/dev/full", "wb") as full:
                done = subprocess.run([program.PROGRAM, command, self.path("a")], stdout=full, stderr=subprocess.PIPE,
                                      check=False, timeout=program.TIME_LIMIT)  # fmt: skip
            self.assertEqual((done.returncode, done.stderr.count(b"\n")), (1, 1), (command, done.stderr))


if __name__ == "__main__":
    program.main()
