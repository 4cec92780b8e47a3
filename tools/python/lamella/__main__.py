# SPDX-License-Identifier: Apache-2.0
"""The program `lamella`, from the same file as the package."""

from __future__ import annotations

import signal
import sys

from . import _lamella

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn


def main() -> NoReturn:
    """Runs the program in place of the interpreter: signals have the effect that they have for programs."""
    for number in (signal.SIGINT, signal.SIGPIPE):
        signal.signal(number, signal.SIG_DFL)
    sys.stdout.flush()
    sys.exit(_lamella.main(["lamella", *sys.argv[1:]]))


if __name__ == "__main__":
    main()
