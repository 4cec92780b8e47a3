# SPDX-License-Identifier: Apache-2.0
"""tools/sbom: the bill of materials keeps the rules of CycloneDX 1.5, and names all that is linked.

Usage: bill.py BUILD

The rules are those of the format's JSON schema for what the tool writes: required fields, patterns, names that refer to
something.
"""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import elf

HERE = os.path.dirname(os.path.abspath(__file__))
TOOL = os.path.join(os.path.dirname(os.path.dirname(HERE)), "tools", "sbom")
FIELDS = {"bomFormat", "specVersion", "serialNumber", "version", "metadata", "components", "dependencies"}
SERIAL = re.compile(r"urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
TIMESTAMP = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")
PURL = re.compile(r"pkg:[a-z]+/[\w.+/-]+(@[\w.+~-]+)?")
COMPONENT_FIELDS = {"type", "bom-ref", "name", "version", "description", "hashes", "licenses", "purl"}
COMPONENT_TYPES = {"application", "library"}
SPDX = {"Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "GPL-2.0-only", "LGPL-2.1-or-later", "MIT", "Zlib"}
# Libraries by the beginnings of their file names, where these are not the names of the components.
FILES = {"libsnappy": "snappy", "libsimdjson": "simdjson", "libz": "zlib", "libthrift_c_glib": "thrift_c_glib",
         "libglib-2.0": "glib-2.0", "libgobject-2.0": "glib-2.0", "libbrotlicommon": "libbrotlidec"}
OF_SYSTEM = re.compile(r"(libc|libm|libpthread|libstdc\+\+|libc\+\+|libc\+\+abi|libgcc_s|ld-linux.*|ld64|ld)\.so\b.*")

build = None


def run(folder, **variables):
    environment = {name: value for name, value in os.environ.items() if name != "SOURCE_DATE_EPOCH"}
    return subprocess.run(
        [sys.executable, "-B", TOOL, folder], env={**environment, **variables}, capture_output=True, text=True, check=False
    )


def problems_of(document):
    """What breaks a rule of the format."""
    found = []

    def rule(holds, why):
        if not holds:
            found.append(why)

    rule(document.get("bomFormat") == "CycloneDX" and document.get("specVersion") == "1.5", "format")
    rule(set(document) <= FIELDS, "unknown fields")
    rule(SERIAL.fullmatch(document.get("serialNumber", "")), "serialNumber")
    rule(isinstance(document.get("version"), int) and document["version"] >= 1, "version")
    metadata = document.get("metadata", {})
    rule(TIMESTAMP.fullmatch(metadata.get("timestamp", "2000-01-01T00:00:00Z")), "timestamp")
    components = [metadata.get("component", {}), *document.get("components", [])]
    for component in components:
        name = component.get("name")
        rule(set(component) <= COMPONENT_FIELDS, f"fields of {name}")
        rule(component.get("type") in COMPONENT_TYPES and name, f"type or name of {name}")
        rule(PURL.fullmatch(component.get("purl", "pkg:generic/a")), f"purl of {name}")
        for digest in component.get("hashes", []):
            rule(digest["alg"] == "SHA-256" and re.fullmatch("[0-9a-f]{64}", digest["content"]), f"hash of {name}")
        licences = component.get("licenses", [])
        rule(len(licences) == 1, f"licence of {name}")
        for licence in licences:
            names = licence["expression"].split(" OR ") if "expression" in licence else [licence["license"]["id"]]
            rule(set(names) <= SPDX, f"licence of {name}")
    references = [component.get("bom-ref") for component in components]
    rule(len(set(references)) == len(references) and None not in references, "bom-ref")
    nodes = document.get("dependencies", [])
    rule(sorted(node["ref"] for node in nodes) == sorted(references), "refs of dependencies")
    for node in nodes:
        rule(set(node["dependsOn"]) <= set(references) and len(set(node["dependsOn"])) == len(node["dependsOn"]), "dependsOn")
    return found


class Bill(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        done = run(build)
        assert done.returncode == 0, done.stderr
        cls.text, cls.document = done.stdout, json.loads(done.stdout)
        cls.components = {component["bom-ref"]: component for component in cls.document["components"]}
        cls.needs = {node["ref"]: set(node["dependsOn"]) for node in cls.document["dependencies"]}

    def test_the_document_keeps_the_rules_of_the_format(self):
        self.assertEqual(problems_of(self.document), [])

    def test_the_rules_find_what_breaks_them(self):
        def broken(change):
            document = json.loads(self.text)
            change(document)
            return problems_of(document)

        self.assertEqual(broken(lambda d: d.update(specVersion="2")), ["format"])
        self.assertEqual(broken(lambda d: d.update(serialNumber="1")), ["serialNumber"])
        self.assertEqual(broken(lambda d: d["metadata"].update(timestamp="now")), ["timestamp"])
        self.assertEqual(broken(lambda d: d["dependencies"][0]["dependsOn"].append("nothing")), ["dependsOn"])
        self.assertEqual(broken(lambda d: d["components"][0].update(licenses=[{"license": {"id": "X"}}])),
                         [f"licence of {self.document['components'][0]['name']}"])
        self.assertEqual(broken(lambda d: d["components"].append(d["components"][0])), ["bom-ref", "refs of dependencies"])

    def test_the_same_build_gives_the_same_bytes_and_a_time_only_where_it_is_given(self):
        self.assertEqual(run(build).stdout, self.text)
        self.assertNotIn("timestamp", self.document["metadata"])
        timed = json.loads(run(build, SOURCE_DATE_EPOCH="86400").stdout)
        self.assertEqual(timed["metadata"]["timestamp"], "1970-01-02T00:00:00Z")
        self.assertEqual(problems_of(timed), [])

    def built(self):
        """Name to path of what this build has made."""
        names = [component["name"] for component in self.components.values() if "hashes" in component]
        self.assertGreaterEqual(len(names), 2)
        return {name: os.path.join(build, "tools" if name == "lamella" else "lib", name) for name in names}

    def test_what_is_built_has_its_digest(self):
        for name, path in self.built().items():
            [digest] = self.components[f"built:{name}"]["hashes"]
            self.assertEqual(digest["content"], hashlib.sha256(elf.read(path)).hexdigest(), name)

    def test_all_that_is_linked_is_listed(self):
        for name, path in self.built().items():
            data = elf.read(path)
            if not elf.is_elf(data):
                continue
            listed = {self.components[reference]["name"] for reference in self.needs[f"built:{name}"]}
            listed |= {need[8:] for reference in list(self.needs[f"built:{name}"]) for need in self.needs[reference]}
            linked = [file for file in elf.Elf(data).texts(elf.DT_NEEDED) if not OF_SYSTEM.fullmatch(file)]
            self.assertTrue(linked)
            stems = {file: file.split(".so")[0] for file in linked}
            self.assertEqual([file for file, stem in stems.items() if FILES.get(stem, stem) not in listed], [], name)

    def test_versions_are_those_that_the_build_found(self):
        with open(os.path.join(build, "meson-info/intro-dependencies.json"), encoding="utf-8") as file:
            found = {entry["name"]: entry["version"] for entry in json.load(file)}
        for component in self.components.values():
            if component["name"] in found:
                self.assertEqual(component["version"], found[component["name"]])
                self.assertTrue(component["purl"].endswith("@" + component["version"]))

    def test_a_library_that_nobody_knows_is_an_error(self):
        with tempfile.TemporaryDirectory() as folder:
            shutil.copytree(os.path.join(build, "meson-info"), os.path.join(folder, "meson-info"))
            path = os.path.join(folder, "meson-info/intro-dependencies.json")
            with open(path, encoding="utf-8") as file:
                found = json.load(file)
            with open(path, "w", encoding="utf-8") as file:
                json.dump([*found, {"name": "libnew", "version": "1"}], file)
            done = run(folder)
            self.assertEqual((done.returncode, done.stdout), (1, ""))
            self.assertIn("not in its table: libnew", done.stderr)

    def test_a_folder_that_is_no_build_is_an_error(self):
        done = run(HERE)
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("tools/sbom: ", done.stderr)


def main():
    global build
    build = os.path.abspath(sys.argv.pop(1))
    result = unittest.main(module="__main__", argv=[sys.argv[0]], exit=False, verbosity=2).result
    sys.exit(0 if result.wasSuccessful() else 1)


if __name__ == "__main__":
    main()
