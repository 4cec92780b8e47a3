# SPDX-License-Identifier: Apache-2.0
"""The commands of the README do what a reader expects: each runs, in order, on files that are as they assume."""

import gzip
import os
import re
import subprocess

import program

README = os.path.join(program.HERE, "..", "..", "README.md")
EVENTS = [
    {"id": n, "time": f"2024-10-24T12:{n // 60:02}:{n % 60:02}.500Z", "price": n / 4, "user": {"name": f"u{n % 7}"},
     "tags": ["a", "b"][: n % 3] or None}
    for n in range(200)
]  # fmt: skip


class Readme(program.ProgramTest):
    def setUp(self):
        super().setUp()
        with open(README, encoding="utf-8") as file:
            blocks = re.findall(r"^```sh\n(lamella |# Files in)(.*?)^```", file.read(), re.MULTILINE | re.DOTALL)
        self.commands = [
            line for first, rest in blocks for line in (first + rest).splitlines() if line.startswith("lamella ")
        ]
        os.mkdir(self.path("bin"))
        os.symlink(program.PROGRAM, self.path("bin/lamella"))
        self.environment = {**os.environ, "PATH": self.path("bin") + os.pathsep + os.environ["PATH"]}
        self.put("events.ndjson", program.ndjson(EVENTS))
        self.put("logs.ndjson", program.ndjson({"level": "info", "n": n} for n in range(50)))
        self.put("trips.csv.gz", gzip.compress(b"id,time,price\n1,2024-10-24T12:00:00Z,10.5\n2,,11\n"))
        self.put("map.geojson", '{"type":"FeatureCollection","features":[{"id":1},{"id":2}]}')
        os.makedirs(self.path("logs/a/b"))
        self.put("logs/a/b/x.ndjson.zst", bytes.fromhex("28b52ffd20084100007b2278223a317d0a"))
        for day in ("2024-10-24", "2024-10-25"):
            os.makedirs(self.path(f"sales/day={day}"))
            self.make(f"sales/day={day}/a.parquet", [{"n": 1, "text": day}])

    def test_every_command_runs(self):
        self.assertGreater(len(self.commands), 20)
        for command in self.commands:
            done = subprocess.run(
                ["bash", "-c", command], cwd=self.folder, env=self.environment, capture_output=True, text=True,
                check=False, timeout=program.TIME_LIMIT,
            )  # fmt: skip
            with self.subTest(command):
                self.assertEqual(done.returncode, 1 if command.startswith("lamella diff") else 0, done.stderr)
                quiet = "-o" in command.split()
                self.assertEqual(done.stdout == "", quiet)

    def test_every_command_of_the_program_is_there_but_those_of_logs(self):
        page = self.good("--help")
        listed = set(re.findall(r"^  (\w+)  ", page, re.MULTILINE))
        self.assertEqual(listed - {"log", "recover", "append", "tail"}, {line.split()[1] for line in self.commands})


if __name__ == "__main__":
    program.main()
