# SPDX-License-Identifier: Apache-2.0
"""Structs of the compact protocol, for footers and page headers that are written by hand."""


def varint(number):
    out = b""
    while number > 127:
        out += bytes([number & 127 | 128])
        number >>= 7
    return out + bytes([number])


def zigzag(number):
    return varint(number << 1 if number >= 0 else (-number << 1) - 1)


class Struct:
    """A struct of the compact protocol, whose fields are added in order."""

    def __init__(self):
        self.data, self.last = b"", 0

    def add(self, number, kind, value):
        step = number - self.last
        self.data += (bytes([step << 4 | kind]) if step < 16 else bytes([kind]) + zigzag(number)) + value
        self.last = number
        return self

    def i32(self, number, value):
        return self.add(number, 5, zigzag(value))

    def i64(self, number, value):
        return self.add(number, 6, zigzag(value))

    def text(self, number, value):
        return self.add(number, 8, varint(len(value)) + value)

    def struct(self, number, value):
        return self.add(number, 12, value.end())

    def list(self, number, kind, values):
        count = len(values)
        head = bytes([count << 4 | kind]) if count < 15 else bytes([0xF0 | kind]) + varint(count)
        return self.add(number, 9, head + b"".join(values))

    def end(self):
        return self.data + b"\0"
