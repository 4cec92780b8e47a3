"""docs/variant.md: its commands print what it says.

A block that names a file is one, as in ```text layout; one of ```console has commands behind "$ ", each
with what it prints. LAMELLA_UPDATE=1 writes that anew, to be read before it is committed.
"""

import os
import re
import subprocess

import program

PAGE = os.path.join(program.HERE, "..", "..", "docs", "variant.md")
BLOCK = re.compile(r"^```(\w+)(?: (\S+))?\n(.*?)^```$", re.S | re.M)
COMMAND = re.compile(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", re.M)


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

    def block(self, found):
        language, name, body = found.groups()
        if name is not None:
            self.put(name, body)
        if language != "console":
            return found.group(0)
        commands = COMMAND.findall(body)
        self.assertEqual(body, "".join(f"$ {line}\n{output}" for line, output in commands))
        printed = ""
        for line, output in commands:
            self.commands += 1
            given = self.run_line(line)
            printed += f"$ {line}\n{given}"
            if not os.environ.get("LAMELLA_UPDATE"):
                self.assertEqual(given, output, line)
        return f"```console\n{printed}```"

    def test_the_commands_print_what_the_page_says(self):
        with open(PAGE, encoding="utf-8") as file:
            page = file.read()
        self.commands = 0
        again = BLOCK.sub(self.block, page)
        self.assertGreater(self.commands, 15)
        if os.environ.get("LAMELLA_UPDATE"):
            with open(PAGE, "w", encoding="utf-8") as file:
                file.write(again)


if __name__ == "__main__":
    program.main()
