#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Nested JSON logs, made of real documents.

    bench/make_logs.py OUT [MEGABYTES [DOCUMENT.json ...]]

Writes lines of JSON, 128 MB unless told, as services of a shop might log them. What happened, and to what,
is an entry of one of the documents: countries, languages, scripts, currencies of the Debian package iso-codes
unless others are named, each an array of objects or an object that holds one. What is around it has many
shapes, too: fields that come with one kind of event only, arrays of objects, a field whose values are of no
one kind, names that are data. The same arguments give the same bytes.
"""

import glob
import json
import os
import random
import sys

ISO_CODES = "/usr/share/iso-codes/json/iso_*.json"
SERVICES = ["catalog", "cart", "checkout", "search", "profile"]
AGENTS = [
    "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0",
    "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Safari/605.1.15",
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36",
    "curl/8.8.0",
]


def entries_of(path):
    """The objects that a document lists."""
    with open(path, encoding="utf-8") as file:
        content = json.load(file)
    if isinstance(content, dict) and len(content) == 1:
        (content,) = content.values()
    entries = content if isinstance(content, list) else [content]
    return [entry for entry in entries if isinstance(entry, dict)]


def text_of(entry):
    """Some text of an entry, its name if it has one."""
    texts = [value for value in entry.values() if isinstance(value, str)]
    return entry.get("name") or max(texts, key=len, default="")


class Logs:
    def __init__(self, documents):
        self.rng = random.Random(1)
        self.kinds = [(name, entries) for name, entries in documents if entries]
        self.millis = 1767225600000

    def user(self, entry):
        rng = self.rng
        number = int(rng.paretovariate(0.7)) % 200000
        user = {"id": 100000 + number, "name": f"user-{number}", "locale": next(iter(entry.values()))}
        if number % 3 == 0:
            user["address"] = {
                "city": text_of(entry),
                "zip": f"{number * 7919 % 100000:05}",
                "position": {
                    "latitude": round(rng.uniform(-90, 90), 5),
                    "longitude": round(rng.uniform(-180, 180), 5),
                },
            }
        return user

    def request(self, kind):
        rng = self.rng
        request = {
            "id": f"{rng.getrandbits(64):016x}",
            "method": rng.choices(["GET", "POST", "PUT", "DELETE"], [80, 14, 4, 2])[0],
            "path": f"/v2/{kind}/{rng.randint(1, 4000)}",
            "status": rng.choices([200, 201, 204, 304, 404, 500], [75, 6, 4, 8, 5, 2])[0],
            "bytes": int(rng.lognormvariate(7, 1.5)),
            "headers": {
                "accept": "application/json",
                "user-agent": rng.choice(AGENTS),
                "host": "shop.example.org",
            },
        }
        if rng.random() < 0.2:
            request["query"] = {rng.choice(["q", "page", "sort", "limit", "lang"]): str(rng.randint(1, 50))}
        return request

    def spans(self):
        rng = self.rng
        return [
            {
                "name": rng.choice(["db.query", "cache.get", "render", "auth", "http.call"]),
                "start": rng.randint(0, 400),
                "took": round(rng.expovariate(0.2), 3),
            }
            for _ in range(rng.randint(0, 4))
        ]

    def event(self):
        rng = self.rng
        kind, entries = rng.choice(self.kinds)
        entry = rng.choice(entries)
        self.millis += rng.randint(0, 40)
        seconds, millis = divmod(self.millis, 1000)
        day = f"2026-{1 + seconds // 2592000 % 12:02}-{1 + seconds // 86400 % 28:02}"
        clock = f"{seconds // 3600 % 24:02}:{seconds // 60 % 60:02}:{seconds % 60:02}.{millis:03}"
        event = {
            "timestamp": f"{day}T{clock}Z",
            "sequence": self.millis,
            "level": rng.choices(["info", "debug", "warning", "error"], [80, 12, 5, 3])[0],
            "service": rng.choice(SERVICES),
            "host": f"node-{rng.randint(1, 24):02}.eu-north",
            "event": f"{kind}.{rng.choice(['viewed', 'listed', 'changed'])}",
            "took": round(rng.expovariate(0.05), 3),
            "user": self.user(entry),
            "request": self.request(kind),
            "spans": self.spans(),
            "tags": sorted(rng.sample(["web", "app", "batch", "canary", "retry", "beta"], rng.randint(0, 3))),
            "payload": {kind: entry},
            "price": f"{rng.randint(1, 200)}.{rng.randint(0, 99):02}",
        }
        if kind.startswith("4217"):
            event["amounts"] = [round(rng.uniform(1, 900), 2) for _ in range(rng.randint(1, 5))]
        if event["level"] == "error":
            event["error"] = {
                "code": rng.randint(1000, 1040),
                "message": f"no {kind} for {text_of(entry)}",
                "stack": [f"{service}.py:{rng.randint(1, 900)}" for service in SERVICES],
            }
        if rng.random() < 0.3:
            event["detail"] = rng.choice([rng.randint(0, 9), text_of(entry), entry, [text_of(entry)], None, True])
        if rng.random() < 0.1:
            event["labels"] = {f"label-{rng.randint(0, 99):02}": rng.randint(0, 9)}
        return event


def main():
    out = sys.argv[1]
    size = int(float(sys.argv[2]) * 1e6) if len(sys.argv) > 2 else 128_000_000
    paths = sys.argv[3:] or sorted(glob.glob(ISO_CODES))
    if not paths:
        sys.exit("no documents: name some, or install the package iso-codes")
    names = [os.path.splitext(os.path.basename(path))[0].removeprefix("iso_") for path in paths]
    logs = Logs(list(zip(names, map(entries_of, paths))))
    written = lines = 0
    with open(out, "w", encoding="utf-8") as file:
        while written < size:
            line = json.dumps(logs.event(), ensure_ascii=False) + "\n"
            # The price is a number with two digits behind its point, which Python's floats do not keep.
            line = line.replace('"price": "', '"price": ', 1)
            head, price, tail = line.rpartition('"price": ')
            digits = tail.index('"')
            line = head + price + tail[:digits] + tail[digits + 1 :]
            written += file.write(line)
            lines += 1
    print(f"{lines} lines, {os.path.getsize(out) / 1e6:.1f} MB of JSON")


if __name__ == "__main__":
    main()
