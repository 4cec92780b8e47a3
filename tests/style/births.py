# SPDX-License-Identifier: Apache-2.0
"""What is CORRUPT is born with a code; codes have numbers and names that keep their contract."""

import re

import tree

# Where an error gets its status and its words.
_BIRTH = re.compile(
    r"\b(?:LAM_FAIL|LAM_FAIL_OUT|lam_error_set|lam_field_fail|lam_arrow_fail_at|lam_array_fail"
    r"|lam_file_fail|lam_file_refuse|fail)\s*\(((?:[^;\"])*?\bLAM_STATUS_CORRUPT)\b"
)
_CODE = re.compile(r"\bLAM_ERROR_CODE_(\w+) = (\d+)")
_NAME = re.compile(r"\{LAM_ERROR_CODE_(\w+), \"([^\"]*)\"\}")
_RULE = re.compile(r"\] =\s*\{\"([a-z0-9-]+)\"")
_STATUSES = range(1, 10)
_CORRUPT = 3
# Codes of CORRUPT that are no rule of check, which knows more exactly what the bytes are for.
_NO_RULES = {"arrow-schema", "index-pages", "journal", "leftover-empty", "rle-runs"}


def births(files):
    return [
        f"{path}:{tree.line_of(text, match.start())}: CORRUPT without a code of its own"
        for path, text in ((path, tree.code(text)) for path, text in files.items())
        for match in _BIRTH.finditer(text)
    ]


def codes(header, names, rules):
    numbers = _CODE.findall(header)
    named = dict(_NAME.findall(names))
    rule_ids = set(_RULE.findall(rules))
    problems = []
    if len({number for _, number in numbers}) != len(numbers):
        problems.append("two codes have one number")
    if set(named) != {code for code, _ in numbers}:
        problems.append("codes and names are not the same set")
    for code, number in numbers:
        name = "unspecified" if code == "NONE" else code.lower().replace("_", "-")
        if named.get(code, name) != name:
            problems.append(f"{code} is named {named[code]}, not {name}")
        if code != "NONE" and int(number) // 1000 not in _STATUSES:
            problems.append(f"{code} = {number} implies no status")
        if int(number) // 1000 == _CORRUPT and name not in rule_ids | _NO_RULES:
            problems.append(f"{name} is no rule of check")
    return problems


def check_tree():
    header = tree.read("include/lamella/common.h")
    names = tree.read("lib/base/error_code.c")
    rules = tree.read("lib/check/report/rules.c")
    return births(tree.sources("lib")) + codes(header, names, rules)


def self_test():
    def run(text):
        return births({"lib/page/a.c": text})

    why = "lib/page/a.c:1: CORRUPT without a code"
    tree.expect(run('LAM_FAIL(error, LAM_STATUS_CORRUPT, "x");'), why)
    tree.expect(run('return lam_error_set(error, a ? b : LAM_STATUS_CORRUPT, "x");'), why)
    tree.expect(run('return lam_field_fail(error,\n    LAM_STATUS_CORRUPT, leaf, "x");'), why)
    tree.expect(run('LAM_FAIL(error, LAM_ERROR_CODE_UTF8, "x"); return LAM_STATUS_CORRUPT;'))
    tree.expect(run('LAM_FAIL(error, LAM_STATUS_IO, "x");\nif (status == LAM_STATUS_CORRUPT)'))

    def compare(header, names):
        return codes(header, names, '[A] = {"utf8", X}')

    good = '{LAM_ERROR_CODE_UTF8, "utf8"},'
    tree.expect(compare("LAM_ERROR_CODE_UTF8 = 3501,", good))
    tree.expect(compare("LAM_ERROR_CODE_UTF8 = 501,", good), "implies no status")
    tree.expect(compare("LAM_ERROR_CODE_UTF8 = 3501,", good.replace('"utf8"', '"u"')), "is named u")
    tree.expect(compare("LAM_ERROR_CODE_UTF8 = 3501,", ""), "not the same set")
    more = good + good.replace("UTF8", "A").replace("utf8", "a")
    tree.expect(compare("LAM_ERROR_CODE_UTF8 = 3501, LAM_ERROR_CODE_A = 3502,", more), "a is no rule")
    tree.expect(
        compare("LAM_ERROR_CODE_UTF8 = 3501, LAM_ERROR_CODE_A = 3501,", more), "one number", "a is no rule"
    )


if __name__ == "__main__":
    tree.main(check_tree, self_test)
