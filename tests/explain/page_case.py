# SPDX-License-Identifier: Apache-2.0
"""What the tests of pages share: the program, its JSON, and what is on the screen of a browser."""
import json
import os
import subprocess
import sys

PROGRAM = os.path.abspath(sys.argv[1])


def run(*arguments, text=None):
    done = subprocess.run([PROGRAM, *arguments], input=text, capture_output=True, text=True, timeout=120, check=False)
    if done.returncode != 0:
        raise AssertionError(f"lamella {' '.join(arguments)}: {done.stderr}")
    return done.stdout


class Number(str):
    """A number of JSON with all of its digits."""


def lines(text):
    """JSON of one object per line; numbers keep all their digits."""
    return [json.loads(line, parse_float=Number, parse_int=Number) for line in text.split("\n") if line]


def value_text(value):
    """A value as a page writes it, if it is short and has nothing that would be made visible; "" otherwise."""
    text = str(value) if isinstance(value, Number) else json.dumps(value, ensure_ascii=False)
    return text if len(text) < 110 and text.isprintable() and text.isascii() else ""


def triple_text(triple):
    """(r, d, value) as the words of a step have it."""
    value = value_text(triple["value"]) if "value" in triple else "NULL"
    return f"(r {triple['r']}, d {triple['d']}, {value}" + (")" if value else "")
