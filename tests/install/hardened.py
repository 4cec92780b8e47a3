# SPDX-License-Identifier: Apache-2.0
"""What hardens an optimized build is in the program and in the library: each protection is found in the ELF files.

Usage: hardened.py [--cc COMMAND] BUILD

BUILD is a build folder with option hardening (docs/building.md), in which program and library are built. A protection
that the compiler does not have is skipped by name; whether it has one is tried here, whatever Meson found.
"""

import argparse
import glob
import json
import os
import subprocess
import sys
import tempfile
import unittest

import elf

SKIP = 77
ENDBR = {elf.EM_X86_64: bytes.fromhex("f30f1efa"), elf.EM_386: bytes.fromhex("f30f1efb")}
# A page of stack is taken and touched at once: sub $0x1000,%rsp, and a write of nothing new (GCC) or of zero (Clang).
TAKES_PAGE = bytes.fromhex("4881ec00100000")
TOUCHES = [bytes.fromhex("48830c2400"), bytes.fromhex("48c7042400000000")]

options = None


def build_options():
    with open(os.path.join(options.build, "meson-info/intro-buildoptions.json"), encoding="utf-8") as file:
        return {option["name"]: option["value"] for option in json.load(file)}


def why_not_hardened():
    """Why a build need not be hardened, or None."""
    chosen = build_options()
    if not chosen["hardening"]:
        return "option hardening is off"
    if chosen["optimization"] in ("0", "plain"):
        return "the build is not optimized"
    if chosen["b_sanitize"] not in ("none", []) or chosen["fuzz"]:
        return "the build has sanitizers"
    if not elf.is_elf(elf.read(library())[:4]):
        return "not an ELF system"
    return None


def library():
    [path] = [
        path
        for path in glob.glob(os.path.join(options.build, "lib/liblamella.so*")) + glob.glob(os.path.join(options.build, "lib/*.dylib"))
        if os.path.isfile(path) and not os.path.islink(path)
    ]
    return path


def compiles(*flags):
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [*options.cc.split(), *flags, "-Werror", "-x", "c", "-", "-c", "-o", os.path.join(folder, "a.o")],
            input="int lam_nothing;", capture_output=True, text=True, check=False,
        )
        return done.returncode == 0


def start_files():
    """The objects of the system that every program is linked with."""
    found = []
    for name in ("Scrt1.o", "crti.o", "crtn.o", "crtbeginS.o", "crtendS.o"):
        done = subprocess.run(
            [*options.cc.split(), "-print-file-name=" + name], capture_output=True, text=True, check=False
        )
        path = done.stdout.strip()
        if os.path.isabs(path) and os.path.exists(path):
            found.append(elf.Elf(elf.read(path)))
    return found


class Hardened(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.linked = {"the library": elf.Elf(elf.read(library()))}
        program = os.path.join(options.build, "tools/lamella")
        if os.path.exists(program):
            cls.linked["the program"] = elf.Elf(elf.read(program))
        cls.machine = cls.linked["the library"].machine

    def objects(self):
        """(path, object) of all code of the library and of the program."""
        if build_options()["b_lto"]:
            self.skipTest("with link-time optimization objects hold no instructions")
        with open(os.path.join(options.build, "compile_commands.json"), encoding="utf-8") as file:
            paths = sorted({entry["output"] for entry in json.load(file)})
        paths = [path for path in paths if path.startswith(("lib/", "tools/", "thrift/"))]
        self.assertTrue(paths)
        objects = [(path, elf.Elf(elf.read(os.path.join(options.build, path)))) for path in paths]
        return [(path, file) for path, file in objects if file.has_code()]

    def need(self, *flags):
        if not compiles(*flags):
            self.skipTest("the compiler has no " + " ".join(flags))

    def has_glibc(self):
        return any(name.startswith(("libc.so.6", "ld-linux")) for name in self.linked["the library"].texts(elf.DT_NEEDED))

    # --- Code

    def test_functions_with_arrays_check_that_their_frame_is_whole(self):
        self.need("-fstack-protector-strong")
        for name, file in self.linked.items():
            with self.subTest(name):
                self.assertIn("__stack_chk_fail", file.imported())

    def test_calls_of_the_c_library_check_the_sizes_that_the_compiler_knows(self):
        if not self.has_glibc():
            self.skipTest("not the GNU C library")
        for name, file in self.linked.items():
            with self.subTest(name):
                checked = {name for name in file.imported() if name.endswith("_chk")}
                self.assertGreaterEqual(len(checked), 3, checked)

    def test_large_frames_touch_each_page_that_they_take(self):
        self.need("-fstack-clash-protection")
        if self.machine != elf.EM_X86_64:
            self.skipTest("how a page of stack is touched is known for x86-64 alone")
        for name, file in self.linked.items():
            with self.subTest(name):
                self.assertTrue(
                    any(TAKES_PAGE + touch in code for code in file.code() for touch in TOUCHES),
                    "no page of stack is touched",
                )

    def features(self):
        """The flag that marks code of this machine, and the names of its marks."""
        if self.machine in (elf.EM_X86_64, elf.EM_386):
            return "-fcf-protection=full", {"IBT", "SHSTK"}
        if self.machine == elf.EM_AARCH64:
            return "-mbranch-protection=standard", {"BTI", "PAC"}
        return self.skipTest("the machine has no protection of jumps and returns")

    def test_all_code_is_fit_for_protected_jumps_and_returns(self):
        flag, features = self.features()
        self.need(flag)
        lacking = {path: features - file.properties() for path, file in self.objects() if features - file.properties()}
        self.assertEqual(lacking, {})

    def test_program_and_library_say_so_where_the_files_of_the_system_do(self):
        flag, features = self.features()
        self.need(flag)
        of_system = set.intersection(features, *(file.properties() for file in start_files() if file.has_code()))
        if not of_system:
            self.skipTest("the start files of this system are not fit for it")
        for name, file in self.linked.items():
            with self.subTest(name):
                self.assertEqual(file.properties() & features, of_system)

    def test_functions_of_the_library_begin_where_jumps_may_end(self):
        if self.machine not in ENDBR:
            self.skipTest("not an x86")
        self.need("-fcf-protection=full")
        file, endbr = self.linked["the library"], ENDBR[self.machine]
        functions = file.exported_functions()
        self.assertGreater(len(functions), 100)
        without = [
            name for name, address in functions.items() if not file.data.startswith(endbr, file.offset_of(address))
        ]
        self.assertEqual(without, [])

    # --- Memory

    def test_what_relocations_write_cannot_be_written_once_the_program_runs(self):
        for name, file in self.linked.items():
            with self.subTest(name):
                self.assertEqual(len(file.of_type(elf.PT_GNU_RELRO)), 1)
                flags = file.values(elf.DT_FLAGS)
                more = file.values(elf.DT_FLAGS_1)
                self.assertTrue(
                    file.values(elf.DT_BIND_NOW)
                    or any(value & elf.DF_BIND_NOW for value in flags)
                    or any(value & elf.DF_1_NOW for value in more),
                    "names are bound while the program runs",
                )

    def test_no_memory_can_be_both_written_and_executed(self):
        for name, file in self.linked.items():
            with self.subTest(name):
                [stack] = file.of_type(elf.PT_GNU_STACK)
                self.assertFalse(stack["flags"] & elf.PF_X, "the stack can be executed")
                both = [s for s in file.of_type(elf.PT_LOAD) if s["flags"] & elf.PF_X and s["flags"] & elf.PF_W]
                self.assertEqual(both, [])
                self.assertFalse(file.values(elf.DT_TEXTREL) or any(v & elf.DF_TEXTREL for v in file.values(elf.DT_FLAGS)))

    def test_the_program_can_be_at_any_address(self):
        if "the program" not in self.linked:
            self.skipTest("the build has no program")
        program = self.linked["the program"]
        if not program.of_type(elf.PT_INTERP):
            self.skipTest("a static program")
        self.assertEqual(program.type, elf.ET_DYN)

    # --- Libraries

    def test_no_library_is_searched_for_beside_the_program_or_in_the_current_folder(self):
        for name, file in self.linked.items():
            with self.subTest(name):
                paths = file.texts(elf.DT_RPATH) + file.texts(elf.DT_RUNPATH)
                folders = [folder for path in paths for folder in path.split(":")]
                self.assertEqual([folder for folder in folders if not folder.startswith("/")], [])
                self.assertEqual([name for name in file.texts(elf.DT_NEEDED) if "/" in name], [])


def main():
    global options
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cc", default="cc")
    parser.add_argument("build", metavar="BUILD")
    options = parser.parse_args()
    options.build = os.path.abspath(options.build)
    why = why_not_hardened()
    if why:
        print("skipped: " + why)
        sys.exit(SKIP)
    result = unittest.main(module="__main__", argv=[sys.argv[0]], exit=False, verbosity=2).result
    sys.exit(0 if result.wasSuccessful() else 1)


if __name__ == "__main__":
    main()
