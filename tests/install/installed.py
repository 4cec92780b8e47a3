# SPDX-License-Identifier: Apache-2.0
"""What `meson install` gives: a program that starts from any place, headers, pkg-config and CMake.

Usage: installed.py [--meson COMMAND] [--cc COMMAND] [--cxx COMMAND] BUILD

BUILD is a build folder in which everything is built. Its files are installed into an empty folder,
which is then moved, so that no path of the first place can be of use.
"""

import argparse
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

SKIP = 77
HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wundef", "-Werror"]
LANGUAGES = {"C11": ("cc", ["-std=c11"], "consumer.c"), "C++17": ("cxx", ["-std=c++17"], "consumer_cxx.cpp")}
TIME_LIMIT = 120

options = None


def run(command, folder, **variables):
    """Runs a command without the environment's own ways to libraries; gives what it did."""
    environment = {
        name: value
        for name, value in os.environ.items()
        if name not in ("DESTDIR", "LD_LIBRARY_PATH", "LD_RUN_PATH", "CPATH", "LIBRARY_PATH", "CFLAGS", "LDFLAGS")
        and not name.startswith(("PKG_CONFIG", "CMAKE"))
    }
    environment.update(variables)
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=TIME_LIMIT
    )


def build_options():
    with open(os.path.join(options.build, "meson-info/intro-buildoptions.json"), encoding="utf-8") as file:
        return {option["name"]: option["value"] for option in json.load(file)}


def defined_features(header):
    with open(header, encoding="utf-8") as file:
        return set(re.findall(r"^#define LAM_HAVE_(\w+) 1$", file.read(), re.MULTILINE))


class Installed(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.top = tempfile.mkdtemp(prefix="lamella-install-")
        cls.addClassCleanup(shutil.rmtree, cls.top)
        first, second = os.path.join(cls.top, "first"), os.path.join(cls.top, "second")
        command = [*options.meson.split(), "install", "-C", options.build, "--no-rebuild", "--destdir", first]
        done = run(command, cls.top)
        assert done.returncode == 0, done.stdout + done.stderr
        set_up = build_options()
        below = set_up["prefix"].lstrip("/")
        program = os.path.join(first, below, set_up["bindir"], "lamella")
        cls.first_run = run([program, "--version"], cls.top) if os.path.exists(program) else None
        os.rename(first, second)
        cls.prefix = os.path.join(second, below)
        cls.libraries = os.path.join(cls.prefix, set_up["libdir"])
        cls.includes = os.path.join(cls.prefix, set_up["includedir"])
        cls.program = os.path.join(cls.prefix, set_up["bindir"], "lamella")
        cls.examples = os.path.join(cls.prefix, set_up["datadir"], "doc/lamella/examples")
        cls.features = defined_features(os.path.join(cls.includes, "lamella/features.h"))

    def setUp(self):
        self.folder = tempfile.mkdtemp(dir=self.top)

    def good(self, command, **variables):
        done = run(command, self.folder, **variables)
        self.assertEqual(done.returncode, 0, (command, done.stdout, done.stderr))
        return done.stdout

    def pkg_config(self, *arguments):
        if shutil.which("pkg-config") is None:
            self.skipTest("pkg-config is missing")
        folder = os.path.join(self.libraries, "pkgconfig")
        return self.good(["pkg-config", *arguments, "lamella"], PKG_CONFIG_LIBDIR=folder).split()

    def compile(self, language, *arguments):
        """Compiles and links the program of a language; gives its path."""
        compiler, standard, source = LANGUAGES[language]
        path = os.path.join(self.folder, "consumer")
        compiler = getattr(options, compiler).split()
        self.good([*compiler, *standard, *WARNINGS, os.path.join(HERE, source), "-o", path, *arguments])
        return path

    def version(self):
        with open(os.path.join(ROOT, "meson.build"), encoding="utf-8") as file:
            return re.search(r"version: '([\d.]+)'", file.read())[1]

    def expect_to_work(self, program, **variables):
        self.assertEqual(self.good([program], **variables), self.version() + "\n")

    def bytes_of(self, path):
        with open(path, "rb") as file:
            return file.read()

    # --- The program

    def test_the_program_starts_where_it_was_installed_and_where_it_was_moved(self):
        if "JSON" not in self.features:
            self.assertFalse(os.path.exists(self.program))
            self.skipTest("a build without JSON has no program")
        self.assertEqual(self.first_run.returncode, 0, self.first_run.stderr)
        self.assertIn(f"lamella {self.version()}\n", self.first_run.stdout)
        self.assertEqual(self.good([self.program, "--version"]), self.first_run.stdout)

    def test_the_program_is_one_file_that_needs_no_other_of_lamella(self):
        if "JSON" not in self.features:
            self.skipTest("a build without JSON has no program")
        alone = shutil.copy(self.program, self.folder)
        with open(os.path.join(self.folder, "a.ndjson"), "w", encoding="utf-8") as file:
            file.write('{"a":1}\n')
        self.good([alone, "import", "-o", "a.parquet", "a.ndjson"])
        self.assertEqual(self.good([alone, "cat", "a.parquet"]), '{"a":1}\n')

    def test_the_program_has_the_features_of_the_headers(self):
        if "JSON" not in self.features:
            self.skipTest("a build without JSON has no program")
        lines = dict(line.split(":") for line in self.good([self.program, "--version"]).splitlines()[1:])
        read, features = lines["codecs read"].split(), lines["features"].split()
        self.assertEqual("BROTLI" in read, "BROTLI" in self.features)
        self.assertEqual("LZ4" in read, "LZ4" in self.features)
        self.assertEqual("json" in features, "JSON" in self.features)
        self.assertEqual("arrow_schema" in features, "ARROW_SCHEMA" in self.features)

    # --- Headers and examples

    def headers(self):
        return sorted(os.path.basename(path) for path in glob.glob(os.path.join(self.includes, "lamella/*")))

    def test_the_headers_of_what_is_built_are_installed_and_no_others(self):
        wanted = {os.path.basename(path) for path in glob.glob(os.path.join(ROOT, "include/lamella/*.h"))}
        if "JSON" not in self.features:
            wanted -= {"json.h", "table.h"}
        self.assertEqual(self.headers(), sorted(wanted))

    def test_the_features_are_those_of_the_build(self):
        source = defined_features(os.path.join(ROOT, "include/lamella/features.h"))
        self.assertLessEqual(self.features, source)
        for feature, value in build_options().items():
            if feature.upper() in source and value != "auto":
                self.assertEqual(feature.upper() in self.features, value == "enabled", feature)

    def test_every_header_compiles_alone(self):
        for header in self.headers():
            for language, (compiler, standard, source) in LANGUAGES.items():
                with self.subTest(header=header, language=language):
                    path = os.path.join(self.folder, "alone" + os.path.splitext(source)[1])
                    with open(path, "w", encoding="utf-8") as file:
                        file.write(f"#include <lamella/{header}>\nextern int lamella_header_end;\n")
                    self.good(
                        [*getattr(options, compiler).split(), *standard, *WARNINGS, "-fsyntax-only"]
                        + ["-I", self.includes, path]
                    )

    def test_the_examples_are_installed(self):
        folder = os.path.join(ROOT, "docs/examples")
        if not os.path.isdir(folder):
            self.skipTest("there are no examples")
        wanted = sorted(set(os.listdir(folder)) - {"meson.build"})
        self.assertEqual(sorted(os.listdir(self.examples)), wanted)

    # --- pkg-config

    def test_pkg_config_gives_the_flags_of_lamella_and_of_nothing_else(self):
        flags = [os.path.normpath(flag[2:]) if flag[:2] in ("-I", "-L") else flag
                 for flag in self.pkg_config("--cflags", "--libs")]
        self.assertEqual(flags, [self.includes, self.libraries, "-llamella"])
        self.assertEqual(self.pkg_config("--modversion"), [self.version()])

    def test_programs_link_the_shared_library_through_pkg_config(self):
        for language in LANGUAGES:
            with self.subTest(language):
                program = self.compile(language, *self.pkg_config("--cflags", "--libs"))
                self.expect_to_work(program, LD_LIBRARY_PATH=self.libraries)
                if sys.platform == "linux":
                    self.assertIn(b"liblamella.so.1\0", self.bytes_of(program))

    def test_programs_link_the_static_library_through_pkg_config(self):
        flags = self.pkg_config("--static", "--cflags", "--libs")
        self.assertEqual(flags.count("-llamella"), 1)
        flags[flags.index("-llamella")] = os.path.join(self.libraries, "liblamella.a")
        for language in LANGUAGES:
            with self.subTest(language):
                program = self.compile(language, *flags)
                self.expect_to_work(program)
                self.assertNotIn(b"liblamella.so", self.bytes_of(program))

    def test_programs_link_everything_statically_through_pkg_config(self):
        flags = self.pkg_config("--static", "--cflags", "--libs")
        missing = [flag for flag in flags if flag.startswith("-l") and flag != "-llamella" and not self.has_archive(flag)]
        if missing:
            self.skipTest("no static archives here for " + " ".join(missing))
        for language in LANGUAGES:
            with self.subTest(language):
                program = self.compile(language, "-static", *flags)
                self.expect_to_work(program)

    def has_archive(self, flag):
        path = os.path.join(self.folder, "empty.c")
        with open(path, "w", encoding="utf-8") as file:
            file.write("int main(void) { return 0; }\n")
        return run([*options.cxx.split(), "-x", "c++", "-static", path, flag, "-o", "empty"], self.folder).returncode == 0

    # --- CMake

    def cmake(self, *arguments):
        if shutil.which("cmake") is None:
            self.skipTest("cmake is missing")
        compilers = {
            "CC": " ".join(word for word in options.cc.split() if "ccache" not in word),
            "CXX": " ".join(word for word in options.cxx.split() if "ccache" not in word),
        }
        command = ["cmake", "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={self.prefix}", *arguments, "-B", "build", "-S", HERE]
        return run(command, self.folder, **compilers)

    def test_programs_link_both_libraries_through_cmake(self):
        done = self.cmake()
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.good(["cmake", "--build", "build"])
        for name in ["c", "cxx", "c_static", "cxx_static"]:
            with self.subTest(name):
                self.expect_to_work(os.path.join(self.folder, "build", "consumer_" + name))

    def test_cmake_finds_versions_that_programs_run_with(self):
        major, minor, patch = self.version().split(".")
        for wanted in ["", self.version(), f"{major}.{minor}", f"{major}.{minor}...<{int(major) + 1}", "0.1...99"]:
            with self.subTest(wanted):
                done = self.cmake("-DWANTED=" + wanted)
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        for wanted in ["0.1", f"0.1...<{self.version()}", f"{major}.{minor}.{int(patch) + 1}", str(int(major) + 1)]:
            with self.subTest(wanted):
                done = self.cmake("-DWANTED=" + wanted)
                self.assertNotEqual(done.returncode, 0, done.stdout)
                self.assertIn("lamella", done.stderr)


def main():
    global options
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--meson", default="meson")
    parser.add_argument("--cc", default="cc")
    parser.add_argument("--cxx", default="c++")
    parser.add_argument("build", metavar="BUILD")
    options = parser.parse_args()
    options.build = os.path.abspath(options.build)
    result = unittest.main(module="__main__", argv=[sys.argv[0]], exit=False, verbosity=2).result
    if not result.wasSuccessful():
        sys.exit(1)
    sys.exit(SKIP if len(result.skipped) == result.testsRun else 0)


if __name__ == "__main__":
    main()
