# SPDX-License-Identifier: Apache-2.0
"""Has meson-python build the wheel of this folder: in goes what a front end asks (PEP 517), out comes its answer.

meson-python wants pyproject.toml beside the topmost meson.build, which is that of the repository. It gets a folder
of links that shows both; nothing is written into the repository. The setting `bundled` names a folder with the licences
of libraries that are linked into the wheel.
"""

import contextlib
import os
import tempfile
from pathlib import Path

import mesonpy

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]

# What pyproject.toml says of a wheel by itself, and of one with other libraries inside.
ALONE = 'license = "Apache-2.0"\nlicense-files = ["LICENSE"]\n'
BUNDLED = """license = "Apache-2.0 AND Apache-2.0 WITH LLVM-exception AND BSD-2-Clause AND BSD-3-Clause AND MIT AND Zlib"
license-files = ["LICENSE", "bundled/*"]
"""

get_requires_for_build_wheel = mesonpy.get_requires_for_build_wheel


@contextlib.contextmanager
def shown_root(bundled):
    """Works in a folder with what the repository has, without hidden files and builds, and pyproject.toml."""
    before = os.getcwd()
    with tempfile.TemporaryDirectory(prefix="lamella-") as folder:
        for entry in ROOT.iterdir():
            if not entry.name.startswith((".", "build")):
                Path(folder, entry.name).symlink_to(entry)
        text = (HERE / "pyproject.toml").read_text(encoding="utf-8")
        if bundled:
            Path(folder, "bundled").symlink_to(os.path.abspath(bundled))
            text = text.replace(ALONE, BUNDLED)
        Path(folder, "pyproject.toml").write_text(text, encoding="utf-8")
        os.chdir(folder)
        try:
            yield
        finally:
            os.chdir(before)


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    settings = dict(config_settings or {})
    wheel_directory = os.path.abspath(wheel_directory)
    with shown_root(settings.pop("bundled", None)):
        return mesonpy.build_wheel(wheel_directory, settings, metadata_directory)
