# SPDX-License-Identifier: Apache-2.0
"""What the tests of "lamella check" share: running it on a file and counting what it finds."""

import collections
import json
import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
PROGRAM = os.path.abspath(sys.argv[1]) if len(sys.argv) > 1 else shutil.which("lamella")
TIME_LIMIT = 120  # seconds for one file, with sanitizers too


def check(path, *options):
    """The findings in a file, each a dict; fails when the program does."""
    done = subprocess.run(
        [PROGRAM, "check", "--json", *options, path],
        capture_output=True, check=False, timeout=TIME_LIMIT,
    )
    if done.returncode not in (0, 1) or done.stderr:
        raise AssertionError(f"{path}: {done.returncode}: {done.stderr.decode('utf-8', 'replace')}")
    findings = [json.loads(line) for line in done.stdout.splitlines()]  # of bytes: not at U+2028
    errors = any(finding["severity"] == "error" for finding in findings)
    if errors != (done.returncode == 1):
        raise AssertionError(f"{path}: exit {done.returncode} with {len(findings)} findings")
    return findings


def counted(findings, severities=("error", "warning", "note")):
    """How often each rule is broken, for the rules of these severities."""
    return collections.Counter(
        finding["rule"] for finding in findings if finding["severity"] in severities
    )


def shared(name):
    folder = os.environ.get("LAMELLA_SHARED") or os.environ.get("LAMELLA_SHARED_DEFAULT")
    return os.path.join(folder or "../shared", name)
