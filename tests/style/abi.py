# SPDX-License-Identifier: Apache-2.0
"""The binary interface is that of the committed list, tests/abi/layout.txt, or has only grown.

Usage: abi.py [--self-test | --write] [--cc=COMMAND]

The list has, for machines with 64-bit pointers and longs, each public function with its types,
each struct with the offsets of its members, and each enumerator. It is made of the headers, with a
small C program of offsetof that the compiler builds, so that it is the same with every compiler and
needs no debugging information. (docs/abi.md)
"""

import os
import re
import subprocess
import sys
import tempfile

import tree

LIST = "tests/abi/layout.txt"
# Structs that the library makes and lends: nobody else makes one, so that they grow at their end.
LENT = {"lam_assembly_step", "lam_check_rule", "lam_finding", "lam_leftover", "lam_log_file", "lam_variant_finding",
        "lam_pruning_column", "lam_pruning_conclusion", "lam_pruning_probe", "lam_pruning_test"}

_DIRECTIVE = re.compile(r"^[ \t]*#(?:[^\n\\]|\\.|\\\n)*", re.MULTILINE)
_ATTRIBUTE = re.compile(r"\bLAM_(?:NODISCARD|PRINTF\s*\([^)]*\))")
_GROWING = re.compile(r"\bLAM_GROWING\((\w+)\);")
_FUNCTION = re.compile(r"\bLAM_PUBLIC\b([^;{}()]*?)\b(\w+)\s*\(([^;{}]*)\)\s*;")
_STRUCT = re.compile(r"^(?:typedef )?(struct|union) (\w+) \{\n(.*?)^\}[ \w]*;", re.M | re.S)
_ENUM = re.compile(r"^(?:typedef )?enum\b[ \w]*\{(.*?)^\}[ \w]*;", re.M | re.S)
_NESTED = re.compile(r"\b((?:union|struct)\s*\{[^{}]*\})\s*(\w+)\s*;")


# --- Declarations ----------------------------------------------------------------------------------


def _words(text):
    return re.sub(r"\s+", " ", text).strip()


def _split(text):
    """Parameters: at the commas outside of parentheses."""
    parts, depth, begin = [], 0, 0
    for i, letter in enumerate(text):
        depth += (letter == "(") - (letter == ")")
        if letter == "," and depth == 0:
            parts.append(text[begin:i])
            begin = i + 1
    return parts + [text[begin:]]


def _declared(text):
    """A declaration as (its type, its name); no name in a parameter that has none."""
    text = _words(text)
    pointer = re.fullmatch(r"(.*?)\(\*(\w*)\)\s*\((.*)\)", text)
    if pointer:
        taken = ", ".join(_declared(part)[0] for part in _split(pointer[3]))
        return f"{_words(pointer[1])} (*)({taken})", pointer[2]
    plain = re.fullmatch(r"(.*[\s*])(\w+)((?:\[[^\]]*\])*)", text)
    if not plain or plain[1].strip() in ("const", "struct", "union", "enum"):
        return text, ""
    return _words(plain[1] + plain[3]), plain[2]


def _members(body):
    nested = {}

    def take(match):
        nested[match[2]] = _words(match[1])
        return f"nested {match[2]};"

    body = _NESTED.sub(take, body)
    found = [_declared(part) for part in body.split(";") if part.strip()]
    return [(nested.get(name, kind), name) for kind, name in found]


def declarations(files):
    """(functions: name to types, structs: (kind, name) to members, growing names, enumerators)."""
    functions, structs, growing, enumerators = {}, {}, set(), []
    for _, text in sorted(files.items()):
        code = _ATTRIBUTE.sub("", _DIRECTIVE.sub("", tree.code(text)))
        for match in _GROWING.finditer(code):
            growing.add(match[1])
        for match in _FUNCTION.finditer(code):
            taken = ", ".join(_declared(part)[0] for part in _split(match[3]))
            functions[match[2]] = f"{_words(match[1])} ({taken})"
        for match in _STRUCT.finditer(code):
            structs[match[1], match[2]] = _members(match[3])
        for match in _ENUM.finditer(code):
            enumerators += re.findall(r"(\w+)\s*(?:=[^,]*)?(?:,|\Z)", match[1].strip())
    return functions, structs, growing, enumerators


def inline_code(text):
    """What is left of a header without directives and declarations: its types and inline functions."""
    return _FUNCTION.sub("", _ATTRIBUTE.sub("", _DIRECTIVE.sub("", tree.code(text))))


def kinds(growing, enumerators):
    """Structs that grow and lam_struct_kind, for lam_struct_init, name each other."""
    wanted = {"LAM_STRUCT_" + name.removeprefix("lam_").upper() for name in growing}
    found = {name for name in enumerators if name.startswith("LAM_STRUCT_")}
    return [f"lam_struct_kind lacks {name}" for name in sorted(wanted - found)] + [
        f"lam_struct_kind has {name}, and no struct that grows" for name in sorted(found - wanted)]


# --- Numbers ---------------------------------------------------------------------------------------


def _program(names, structs, enumerators):
    lines = [f"#include <{os.path.relpath(name, 'include')}>" for name in sorted(names)]
    lines += ["#include <stddef.h>", "#include <stdio.h>", "int main(void) {"]
    lines.append('printf("%zu %zu\\n", sizeof(void *), sizeof(long));')
    for (kind, name), members in structs.items():
        lines.append(f'printf("%zu\\n", sizeof({kind} {name}));')
        for _, member in members:
            lines.append(
                f'printf("%zu %zu\\n", offsetof({kind} {name}, {member}),'
                f" sizeof((({kind} {name} *)0)->{member}));"
            )
    lines += [f'printf("%lld\\n", (long long){name});' for name in enumerators]
    return "\n".join(lines + ["return 0;", "}", ""])


def _run(source, root, compiler):
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "offsets")
        command = compiler + ["-std=c11", "-I", os.path.join(root, "include"), "-x", "c", "-"]
        subprocess.run(command + ["-o", program], input=source, text=True, check=True)
        done = subprocess.run([program], capture_output=True, text=True, check=True)
    return iter(done.stdout.splitlines())


def make_list(files, root, compiler):
    """The lines of the list; None on a machine of other sizes."""
    functions, structs, growing, enumerators = declarations(files)
    numbers = _run(_program(files, structs, enumerators), root, compiler)
    if next(numbers) != "8 8":
        return None
    lines = []
    for (kind, name), members in structs.items():
        grows = ", grows" if name in growing else ", lent" if name in LENT else ""
        lines.append((name, [f"{kind} {name}: {next(numbers)} bytes{grows}"]))
        for declared, member in members:
            offset, size = next(numbers).split()
            lines[-1][1].append(f"    {offset} {size} {member}: {declared}")
    lines = [line for _, block in sorted(lines) for line in block]
    lines += sorted(f"constant {name}: {next(numbers)}" for name in enumerators)
    return lines + sorted(f"function {name}: {types}" for name, types in functions.items())


# --- Comparing -------------------------------------------------------------------------------------


def _entries(lines):
    """(kind, name) to (what is said of it, its members)."""
    entries = {}
    for line in lines:
        if line.startswith("    "):
            last[1].append(line.strip())
        elif line.strip() and not line.startswith("#"):
            head, said = line.split(": ", 1)
            last = entries[tuple(head.split(" ", 1))] = (said, [])
    return entries


def _size(said):
    return int(said.split()[0])


def _has_grown(old, new):
    """Whether a struct that grows has the old members where they were, and others behind its end:
    what was padding at the end of an old program's struct holds anything. Members whose names begin
    with "unused" may name that padding."""
    if "," not in old[0] or old[0].split(",")[1:] != new[0].split(",")[1:]:
        return False
    more = [line for line in new[1][len(old[1]) :] if not line.split()[2].startswith("unused")]
    return (
        new[1][: len(old[1])] == old[1]
        and len(more) > 0
        and int(more[0].split()[0]) >= _size(old[0])
    )


def compare(old_lines, new_lines):
    """(what breaks programs, what they do not see)."""
    old, new = _entries(old_lines), _entries(new_lines)
    broken, grown = [], [f"{kind} {name} is new" for kind, name in new if (kind, name) not in old]
    for (kind, name), was in old.items():
        now = new.get((kind, name))
        if now is None:
            broken.append(f"{kind} {name} is gone")
        elif was != now and _has_grown(was, now):
            grown.append(f"{kind} {name} has new members behind its end")
        elif was != now:
            changed = [line for line in was[1] if line not in now[1]]
            changed = changed or [line for line in now[1] if line not in was[1]]
            where = f", first in {changed[0]}" if changed else ""
            broken.append(f"{kind} {name} was {was[0]} and is {now[0]}{where}")
    return broken, grown


_BROKEN = """
A program that was built before would go wrong: take the change back, append what is new behind the
end of a struct that grows, or make it a new binary interface: raise soversion in lib/meson.build,
say so in docs/abi.md, and write the list anew (python3 tests/style/abi.py --write)."""
_GROWN = """
Programs that were built before do not see this. Before the next release, add it to the list:
python3 tests/style/abi.py --write"""


def _compiler():
    given = [a.split("=", 1)[1].split() for a in sys.argv[1:] if a.startswith("--cc=")]
    return given[0] if given else ["cc"]


def counts(page, files):
    """What docs/abi.md says wrongly of the number of functions, in its sentence and its table."""
    of = {os.path.basename(name): len(declarations({name: text})[0]) for name, text in files.items()}
    said = re.search(r"Of the (\d+) functions, (\d+) form the \*core\*, and (\d+) belong", page)
    rows = re.findall(r"^\| (?:core|extensions) \| (.*?) \| (\d+) \|", page, re.M)
    counted = [sum(of[header] for header in re.findall(r"`(\w+\.h)`", row)) for row, _ in rows]
    wanted = [str(number) for number in [sum(of.values()), *counted]]
    found = [*said.groups()], [said[1], *(number for _, number in rows)]
    return [f"docs/abi.md: functions are {', '.join(wanted)}"] if found != (wanted, wanted) else []


def check_tree():
    lines = make_list(tree.sources("include"), tree.ROOT, _compiler())
    if lines is None:
        print("skipped: pointers and longs have not 64 bits here")
        sys.exit(tree.SKIP)
    with open(os.path.join(tree.ROOT, LIST), encoding="utf-8") as file:
        broken, grown = compare(file.read().splitlines(), lines)
    if grown:
        print("\n".join(grown) + _GROWN)
    with open(os.path.join(tree.ROOT, "docs", "abi.md"), encoding="utf-8") as file:
        miscounted = counts(file.read(), tree.sources("include"))
    miscounted += kinds(*declarations(tree.sources("include"))[2:])
    return miscounted + [f"{LIST}: {problem}" for problem in broken] + ([_BROKEN] if broken else [])


def write():
    lines = make_list(tree.sources("include"), tree.ROOT, _compiler())
    with open(os.path.join(tree.ROOT, LIST), "w", encoding="utf-8") as file:
        file.write("# The binary interface on LP64, written by tests/style/abi.py --write. (docs/abi.md)\n")
        file.write("# A struct's members: offset, size, name: type.\n")
        file.write("\n".join(lines) + "\n")


# --- The check itself ------------------------------------------------------------------------------

_HEADER = """
#ifndef A_H
#define A_H
#include <stddef.h>
#define LAM_PUBLIC
#define LAM_GROWING(type) struct type
typedef enum lam_e { LAM_A, LAM_B = 7 /* seven, eight */
} lam_e;
typedef struct lam_o {
    size_t struct_size;
    const char *name; /* a name; borrowed */
    int (*f)(void *state, int (*g)(char c), const char *text);
    char x;
} lam_o;
LAM_GROWING(lam_o);
typedef struct lam_v {
    union {
        int i;
        char c[3];
    } as;
} lam_v;
LAM_PUBLIC const char *lam_f(const lam_o *options, unsigned n, void (*each)(lam_v *value));
#endif
"""


def self_test():
    def lines_of(*changes):
        text = _HEADER
        for old, new in changes:
            assert old in text, old
            text = text.replace(old, new)
        with tempfile.TemporaryDirectory() as root:
            os.makedirs(os.path.join(root, "include/lamella"))
            with open(os.path.join(root, "include/lamella/a.h"), "w", encoding="utf-8") as file:
                file.write(text)
            return make_list({"include/lamella/a.h": text}, root, _compiler())

    good = lines_of()
    if good is None:
        return
    assert good == [
        "struct lam_o: 32 bytes, grows",
        "    0 8 struct_size: size_t",
        "    8 8 name: const char *",
        "    16 8 f: int (*)(void *, int (*)(char), const char *)",
        "    24 1 x: char",
        "struct lam_v: 4 bytes",
        "    0 4 as: union { int i; char c[3]; }",
        "constant LAM_A: 0",
        "constant LAM_B: 7",
        "function lam_f: const char * (const lam_o *, unsigned, void (*)(lam_v *))",
    ], "\n".join(good)

    tree.expect(kinds({"lam_o"}, ["LAM_A", "LAM_STRUCT_O"]))
    tree.expect(kinds({"lam_o"}, ["LAM_STRUCT_P"]), "lacks LAM_STRUCT_O", "has LAM_STRUCT_P")

    def expect(change, broken=(), grown=()):
        found = compare(good, lines_of(*change))
        for texts, wanted in zip(found, (broken, grown)):
            assert len(texts) == len(wanted), found
            assert all(word in text for word, text in zip(wanted, texts)), found

    end, other = "    char x;\n} lam_o;", "} lam_v;"
    expect([])
    expect([("const lam_o *options", "const lam_o *other")])
    expect([(end, "    char x;\n    char room[7];\n    int y;\n} lam_o;")], ["first in 25 7 room"])
    expect([(end, "    char x;\n    char unused[7];\n    int y;\n} lam_o;")], [], ["lam_o has new"])
    expect([(end, "    char x;\n    void *y;\n} lam_o;")], [], ["lam_o has new members"])
    expect([(end, "    char x;\n    char y;\n} lam_o;")], ["32 bytes, grows and is 32 bytes, grows, first in 25 1 y"])
    expect([(end, "} lam_o;")], ["was 32 bytes, grows and is 24 bytes, grows, first in 24 1 x"])
    expect([(end, "    unsigned char x;\n} lam_o;")], ["first in 24 1 x: char"])
    expect([("    char x;\n", ""), ("    size_t s", "    char x;\n    size_t s")], ["was 32 bytes"])
    expect([(other, "    int y;\n} lam_v;")], ["lam_v was 4 bytes and is 8"])
    expect([("LAM_B = 7", "LAM_B = 8")], ["LAM_B was 7"])
    expect([("LAM_B = 7", "LAM_B = 7,\nLAM_C")], [], ["LAM_C is new"])
    expect([("unsigned n", "long n")], ["lam_f was"])
    expect([("LAM_PUBLIC const char *lam_f", "const char *lam_f")], ["lam_f is gone"])


if __name__ == "__main__":
    if "--write" in sys.argv[1:]:
        write()
    else:
        tree.main(check_tree, self_test)
