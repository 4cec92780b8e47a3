# SPDX-License-Identifier: Apache-2.0
"""Commands of the program as functions: each runs in a process of its own, from this package."""

from __future__ import annotations

import subprocess
import sys

from . import _lamella

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import IO


def run(arguments: list[str], allowed: tuple[int, ...] = (0,), output: IO[bytes] | None = None) -> bytes:
    """Runs `lamella ARGUMENTS` and gives its output, unless that goes to a file; what it says of a failure is an
    Error."""
    done = subprocess.run([sys.executable, "-m", "lamella", *arguments], stderr=subprocess.PIPE,
                          stdout=subprocess.PIPE if output is None else output, check=False)
    if done.returncode not in allowed:
        raise _lamella.Error(done.stderr.decode("utf-8", "replace").strip() or f"status {done.returncode}")
    return done.stdout or b""
