# SPDX-License-Identifier: Apache-2.0
"""Has meson-python build the wheel of this folder: in goes what a front end asks (PEP 517), out comes its answer.

meson-python wants pyproject.toml beside the topmost meson.build, which is that of the repository. It gets a folder
of links that shows both; nothing is written into the repository.
"""

import contextlib
import os
import tempfile
from pathlib import Path

import mesonpy

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]

get_requires_for_build_wheel = mesonpy.get_requires_for_build_wheel


@contextlib.contextmanager
def shown_root():
    """Works in a folder with what the repository has, without hidden files and builds, and pyproject.toml."""
    before = os.getcwd()
    with tempfile.TemporaryDirectory(prefix="lamella-") as folder:
        for entry in ROOT.iterdir():
            if not entry.name.startswith((".", "build")):
                Path(folder, entry.name).symlink_to(entry)
        Path(folder, "pyproject.toml").symlink_to(HERE / "pyproject.toml")
        os.chdir(folder)
        try:
            yield
        finally:
            os.chdir(before)


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    wheel_directory = os.path.abspath(wheel_directory)
    with shown_root():
        return mesonpy.build_wheel(wheel_directory, config_settings, metadata_directory)
