# SPDX-License-Identifier: Apache-2.0
"""README.md, docs/commands.md, docs/levels.md, docs/tour.md, docs/variant.md, docs/where.md, docs/logging.md and docs/bytes.md: their
commands print what the pages say.

A block that names a file is one, as in ```text layout; if docs/records has a file of that name, it is the
same. One of ```console has commands behind "$ ", which go on behind "> ", each with what it prints. LAMELLA_UPDATE=1 writes that anew, to be read before it is committed.
"""

import os
import re
import subprocess

import program

DOCS = os.path.join(program.HERE, "..", "..", "docs")
BLOCK = re.compile(r"^```(\w+)(?: (\S+))?\n(.*?)^```$", re.S | re.M)
COMMAND = re.compile(r"^\$ (.*(?:\n> .*)*)\n((?:(?!\$ ).*\n)*)", re.M)


class Walkthrough(program.ProgramTest):
    def run_line(self, line):
        path = os.path.dirname(program.PROGRAM) + os.pathsep + os.environ["PATH"]
        done = subprocess.run(
            ["sh", "-c", line],
            cwd=self.folder,
            env=dict(os.environ, PATH=path),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
            timeout=program.TIME_LIMIT,
        )
        return done.stdout.decode()

    def compare_example(self, name, body):
        path = os.path.join(DOCS, "records", name)
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                self.assertEqual(body, file.read(), f"docs/records/{name} differs")
            self.examples.add(name)

    def block(self, found):
        language, name, body = found.groups()
        if name is not None:
            self.put(name, body)
            self.compare_example(name, body)
        if language != "console":
            return found.group(0)
        commands = COMMAND.findall(body)
        self.assertEqual(body, "".join(f"$ {line}\n{output}" for line, output in commands))
        printed = ""
        for line, output in commands:
            self.commands += 1
            given = self.run_line(line.replace("\n> ", "\n"))
            printed += f"$ {line}\n{given}"
            if not os.environ.get("LAMELLA_UPDATE"):
                self.assertEqual(given, output, line)
        return f"```console\n{printed}```"

    def walk(self, name, least_commands):
        path = os.path.join(DOCS, name)
        with open(path, encoding="utf-8") as file:
            page = file.read()
        self.commands = 0
        self.examples = set()
        again = BLOCK.sub(self.block, page)
        self.assertGreaterEqual(self.commands, least_commands)
        if os.environ.get("LAMELLA_UPDATE"):
            with open(path, "w", encoding="utf-8") as file:
                file.write(again)

    def test_the_page_on_levels_prints_what_it_says(self):
        self.walk("levels.md", 20)
        self.assertEqual(self.examples, {"document.schema", "document.json", "list.ndjson"})
        with open(os.path.join(DOCS, "levels.md"), encoding="utf-8") as file:
            shown = re.sub(r"<details>.*?</details>", "", file.read(), flags=re.DOTALL)
        self.assertLessEqual(shown.count("\n"), 460)  # answers are folded until they are wanted

    def test_the_page_on_commands_prints_what_it_says_and_has_them_all(self):
        self.walk("commands.md", 30)
        with open(os.path.join(DOCS, "commands.md"), encoding="utf-8") as file:
            shown = set(re.findall(r"\blamella (\w+)", file.read()))
        self.assertEqual(set(re.findall(r"^  (\w+)  ", self.good("--help"), re.MULTILINE)) - shown, set())

    def test_the_readme_prints_what_it_says(self):
        self.walk("../README.md", 2)

    def test_the_tour_prints_what_it_says(self):
        self.walk("tour.md", 8)

    def test_the_page_on_variants_prints_what_it_says(self):
        self.walk("variant.md", 18)

    def test_the_page_on_conditions_prints_what_it_says(self):
        self.walk("where.md", 25)

    def test_the_page_on_logging_prints_what_it_says(self):
        self.walk("logging.md", 9)

    def test_the_page_on_bytes_prints_what_it_says(self):
        self.walk("bytes.md", 5)


if __name__ == "__main__":
    program.main()
