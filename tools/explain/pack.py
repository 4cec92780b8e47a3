#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Packs the page of `lamella explain` into a C source: page.html with styles, scripts and engine.

usage: pack.py OUT PAGE STYLE ENGINE|- SCRIPT...

The page is cut where its data go: explain_page_head and explain_page_tail. The engine is a
WebAssembly module, or - for a page without the live view. Scripts and styles are allowed by their
hashes alone, so that nothing else on the page can run, whatever the data are.
"""
import base64
import gzip
import hashlib
import re
import sys
from pathlib import Path


def hash_of(text):
    return "'sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() + "'"


def array(name, data):
    lines = [f"const unsigned char {name}[] = {{"]
    for i in range(0, len(data), 24):
        lines.append(" " + ",".join(str(b) for b in data[i:i + 24]) + ",")
    return "\n".join([*lines, "};", f"const size_t {name}_size = {len(data)};", ""])


def declared_twice(script):
    """Names: all scripts share a scope, where a second function of a name replaces the first."""
    names = re.findall(r"^(?:async )?(?:function\*?|const|let|class) (\w+)", script, re.M)
    return sorted({name for name in names if names.count(name) > 1})


def main(out, page, style, engine, *scripts):
    script = '"use strict";\n' + "\n".join(Path(s).read_text(encoding="utf-8") for s in scripts)
    if declared_twice(script):
        sys.exit("scripts declare names twice: " + ", ".join(declared_twice(script)))
    css = Path(style).read_text(encoding="utf-8")
    for text in (script, css):
        if "</" in text.replace("</script", "</").lower() and "</s" in text.lower():
            sys.exit("a script or style holds an end tag")
    policy = "; ".join(["default-src 'none'", f"script-src {hash_of(script)} 'wasm-unsafe-eval'",
                        f"style-src {hash_of(css)}", "base-uri 'none'", "form-action 'none'"])
    packed = "" if engine == "-" else \
        base64.b64encode(gzip.compress(Path(engine).read_bytes(), 9, mtime=0)).decode()
    text = Path(page).read_text(encoding="utf-8")
    for mark, part in (("policy", policy), ("style", css), ("engine", packed), ("script", script)):
        assert text.count(f"<!-- {mark} -->") == 1, mark
        text = text.replace(f"<!-- {mark} -->", part)
    head, tail = text.split("<!-- data -->")
    Path(out).write_text(
        "/* Made by tools/explain/pack.py. */\n#include \"explain_page.h\"\n\n"
        + array("explain_page_head", head.encode()) + array("explain_page_tail", tail.encode()))


main(*sys.argv[1:])
