# SPDX-License-Identifier: Apache-2.0
"""The package lamella as it will be installed: the modules of the tree beside the extension of the build.

In: the path of the extension. Out: a folder for sys.path or PYTHONPATH, which is removed when the test ends.
"""

import atexit
import glob
import os
import shutil
import sys
import tempfile

SKIP = 77
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
MODULES = os.path.join(ROOT, "tools", "python", "lamella")


def run_by_environment():
    """Starts the test anew under LAMELLA_PYTHON, or the environment that tools/test makes, if there is one."""
    own = os.path.join(ROOT, ".venv", "bin", "python")
    python = os.environ.get("LAMELLA_PYTHON") or (own if os.path.exists(own) else sys.executable)
    if os.path.abspath(python) != os.path.abspath(sys.executable) and "LAMELLA_PACKAGE" not in os.environ:
        os.environ["LAMELLA_PACKAGE"] = "1"  # an environment that starts another one would do so for ever
        os.execv(python, [python, "-B", *sys.argv])


def folder(extension):
    """Links, so that faults are shown where they are mended."""
    made = tempfile.mkdtemp(prefix="lamella-")
    atexit.register(shutil.rmtree, made)
    package = os.path.join(made, "lamella")
    os.mkdir(package)
    for path in [os.path.abspath(extension), *glob.glob(os.path.join(MODULES, "*.py*")), os.path.join(MODULES, "py.typed")]:
        if os.path.isfile(path):
            os.symlink(path, os.path.join(package, os.path.basename(path)))
    return made
