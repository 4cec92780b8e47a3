# SPDX-License-Identifier: Apache-2.0
"""What an ELF file says of itself: segments, dynamic entries, symbols and properties.

Nothing but Python is needed, and files of any machine are read: 32 and 64 bits, both orders of bytes.
"""

import struct

ET_REL, ET_EXEC, ET_DYN = 1, 2, 3
EM_386, EM_X86_64, EM_AARCH64 = 3, 62, 183
PT_LOAD, PT_DYNAMIC, PT_INTERP = 1, 2, 3
PT_GNU_STACK, PT_GNU_RELRO = 0x6474E551, 0x6474E552
PF_X, PF_W = 1, 2
SHT_NOTE, SHT_DYNSYM = 7, 11
SHF_EXECINSTR = 4
DT_NEEDED, DT_STRTAB, DT_RPATH, DT_TEXTREL, DT_BIND_NOW, DT_RUNPATH, DT_FLAGS = 1, 5, 15, 22, 24, 29, 30
DT_FLAGS_1 = 0x6FFFFFFB
DF_TEXTREL, DF_BIND_NOW, DF_1_NOW, DF_1_PIE = 4, 8, 1, 0x08000000
STT_FUNC = 2
NT_GNU_PROPERTY_TYPE_0 = 5
# The words of .note.gnu.property that say what all code of a file keeps to, and their bits.
X86_FEATURES, AARCH64_FEATURES = 0xC0000002, 0xC0000000
FEATURES = {X86_FEATURES: {1: "IBT", 2: "SHSTK"}, AARCH64_FEATURES: {1: "BTI", 2: "PAC"}}


def is_elf(data):
    return data[:4] == b"\x7fELF"


class Elf:
    def __init__(self, data):
        assert is_elf(data), "not an ELF file"
        self.data = data
        self.wide = data[4] == 2
        self.order = "<" if data[5] == 1 else ">"
        self.type, self.machine = self._get("HH", 16)
        header = "HHIQQQIHHHHHH" if self.wide else "HHIIIIIHHHHHH"
        _, _, _, _, segments_at, sections_at, _, _, segment_size, segments, section_size, sections, names = self._get(
            header, 16
        )
        self.segments = [self._segment(segments_at + i * segment_size) for i in range(segments)]
        self.sections = [self._section(sections_at + i * section_size) for i in range(sections)]
        for section in self.sections:
            section["name"] = self._text(self.sections[names]["offset"] + section["name_at"])
        self.dynamic = self._dynamic()

    def _get(self, form, offset):
        return struct.unpack_from(self.order + form, self.data, offset)

    def _text(self, offset):
        return self.data[offset : self.data.index(b"\0", offset)].decode()

    def _segment(self, at):
        if self.wide:
            kind, flags, offset, address, _, size, _, _ = self._get("IIQQQQQQ", at)
        else:
            kind, offset, address, _, size, _, flags, _ = self._get("IIIIIIII", at)
        return {"type": kind, "flags": flags, "offset": offset, "address": address, "size": size}

    def _section(self, at):
        form = "IIQQQQIIQQ" if self.wide else "IIIIIIIIII"
        name, kind, flags, _, offset, size, link, _, _, entry = self._get(form, at)
        return {"name_at": name, "type": kind, "flags": flags, "offset": offset, "size": size, "link": link, "entry": entry}

    def _dynamic(self):
        """The entries of the dynamic section as (tag, value)."""
        for segment in self.of_type(PT_DYNAMIC):
            size = 16 if self.wide else 8
            entries = [
                self._get("QQ" if self.wide else "II", at)
                for at in range(segment["offset"], segment["offset"] + segment["size"] - size + 1, size)
            ]
            return [entry for entry in entries if entry[0] != 0]
        return []

    def of_type(self, kind):
        return [segment for segment in self.segments if segment["type"] == kind]

    def values(self, tag):
        return [value for name, value in self.dynamic if name == tag]

    def texts(self, tag):
        """The texts that dynamic entries of a tag point to, as of DT_NEEDED."""
        return [self._text(self.offset_of(self.values(DT_STRTAB)[0]) + value) for value in self.values(tag)]

    def offset_of(self, address):
        for segment in self.of_type(PT_LOAD):
            if segment["address"] <= address < segment["address"] + segment["size"]:
                return segment["offset"] + address - segment["address"]
        raise ValueError(f"no byte of the file is at {address:#x}")

    def dynamic_symbols(self):
        """(name, type, address, is defined) of each."""
        found = []
        for section in self.sections:
            if section["type"] != SHT_DYNSYM:
                continue
            names = self.sections[section["link"]]["offset"]
            for at in range(section["offset"], section["offset"] + section["size"], section["entry"]):
                if self.wide:
                    name, info, _, index, address, _ = self._get("IBBHQQ", at)
                else:
                    name, address, _, info, _, index = self._get("IIIBBH", at)
                found.append((self._text(names + name), info & 15, address, index != 0))
        return found

    def imported(self):
        return {name for name, _, _, is_defined in self.dynamic_symbols() if name and not is_defined}

    def exported_functions(self):
        """Name to address."""
        return {
            name: address
            for name, kind, address, is_defined in self.dynamic_symbols()
            if is_defined and kind == STT_FUNC
        }

    def has_code(self):
        return any(section["flags"] & SHF_EXECINSTR and section["size"] > 0 for section in self.sections)

    def code(self):
        """The bytes of each section of instructions."""
        return [
            self.data[section["offset"] : section["offset"] + section["size"]]
            for section in self.sections
            if section["flags"] & SHF_EXECINSTR
        ]

    def properties(self):
        """The names in FEATURES that .note.gnu.property states."""
        found = set()
        for section in self.sections:
            if section["type"] == SHT_NOTE and section["name"] == ".note.gnu.property":
                found |= self._properties_of(section["offset"], section["offset"] + section["size"])
        return found

    def _properties_of(self, at, end):
        found = set()
        align = 8 if self.wide else 4
        while at + 16 <= end:
            name_size, size, kind = self._get("III", at)
            value_at = at + 12 + (name_size + 3) // 4 * 4
            next_at = value_at + (size + align - 1) // align * align
            if kind == NT_GNU_PROPERTY_TYPE_0:
                while value_at + 8 <= next_at:
                    word, word_size = self._get("II", value_at)
                    if word in FEATURES and word_size == 4:
                        bits = self._get("I", value_at + 8)[0]
                        found |= {name for bit, name in FEATURES[word].items() if bits & bit}
                    value_at += 8 + (word_size + align - 1) // align * align
            at = next_at
        return found


def read(path):
    with open(path, "rb") as file:
        return file.read()

