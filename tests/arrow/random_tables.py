# SPDX-License-Identifier: Apache-2.0
"""Random Arrow tables, laid out in every way that the columnar format allows.

A table comes from a random.Random: its schema first, then arrays from buffers. Arrays begin at any
offset into buffers that hold more, lists have gaps between or overlap each other as far as their
type lets them, and what is not there (under a null, outside of a slice or of all lists) is garbage
that nobody may look at. `Kinds` says which types occur.
"""

import dataclasses
import json
import random
import struct

import pyarrow as pa

import arrow_values

types = pa.types

INTEGERS = [
    *[pa.int8(), pa.int16(), pa.int32(), pa.int64()],
    *[pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64()],
]
# What pyarrow says of field ids.
FIELD_ID = b"PARQUET:field_id"
NAMES = ["a", "b", "value", "key", "id", "list", "element", "item", "Ä b", "x.y", "", "名前", 'q"o', "MAP"]
ZONES = ["UTC", "Europe/Berlin", "America/New_York", "+05:30", "-00:01", "Asia/Kathmandu"]


@dataclasses.dataclass
class Kinds:
    """What random types are made of."""

    leaves: tuple = (
        *["null", "bool", "integer", "integer", "integer", "float16", "float32", "float64"],
        *["decimal32", "decimal64", "decimal128", "decimal256", "date32", "date64"],
        *["time32", "time64", "timestamp", "timestamp", "duration", "interval"],
        *["binary", "large_binary", "binary_view", "fixed_size_binary"],
        *["string", "string", "large_string", "string_view"],
    )
    nested: tuple = (
        *["struct", "struct", "list", "list", "large_list", "list_view", "large_list_view"],
        *["fixed_size_list", "map", "dictionary", "dictionary", "run_end_encoded", "extension"],
    )
    extensions: tuple = ("uuid", "json", "bool8", "opaque", "fixed_shape_tensor")
    dictionary_leaves: tuple = None  # of dictionaries, map keys and runs; as `leaves`
    depth: int = 6
    unknown_extensions: bool = True
    field_metadata: bool = True
    nulls_in_dictionaries: bool = True
    garbage: bool = True
    empty_fixed_size_lists: bool = True
    required: bool = True
    modest: bool = False  # names, times and decimals that engines can hold that are not for Arrow


# --- Types -----------------------------------------------------------------------------------------


class Types:
    def __init__(self, source, kinds):
        self.source = source
        self.kinds = kinds
        self.names = [name for name in NAMES if name or not kinds.modest]
        self.ids = 0

    def leaf(self, kind=None):
        source = self.source
        kind = kind or source.choice(self.kinds.leaves)
        if kind == "integer":
            return source.choice(INTEGERS)
        if kind.startswith("decimal"):
            most = {"decimal32": 9, "decimal64": 18, "decimal128": 38, "decimal256": 76}[kind]
            precision = source.randint(1, min(38, most) if self.kinds.modest else most)
            return getattr(pa, kind)(precision, source.choice([0, source.randint(0, precision)]))
        if kind == "time32":
            return pa.time32(source.choice(["s", "ms"]))
        if kind == "time64":
            return pa.time64(source.choice(["us", "ns"]))
        if kind == "timestamp":
            unit = source.choice(["s", "ms", "us", "ns"])
            zones = [zone for zone in ZONES if zone[0] not in "+-" or not self.kinds.modest]
            return pa.timestamp(unit, source.choice([None, source.choice(zones)]))
        if kind == "duration":
            return pa.duration(source.choice(["s", "ms", "us", "ns"]))
        if kind == "interval":
            return pa.month_day_nano_interval()
        if kind == "fixed_size_binary":
            return pa.binary(source.choice([1, 2, 3, 4, 7, 8, 12, 16, 33]))
        return {"bool": pa.bool_}.get(kind, getattr(pa, kind, None))()

    def type(self, depth):
        if depth == 0 or self.source.random() < 0.2:
            return self.leaf()
        return getattr(self, "_" + self.source.choice(self.kinds.nested))(depth - 1)

    def _field(self, name, depth, nullable=None):
        found = self.type(depth)
        if nullable is None:
            nullable = not self.kinds.required or self.source.random() < 0.75
        # What has no values has nulls alone.
        nullable = nullable or types.is_null(arrow_values.storage(found))
        return pa.field(name, found, nullable, self.metadata(found))

    def metadata(self, found):
        metadata = {}
        source = self.source
        if self.kinds.field_metadata and source.random() < 0.2:
            metadata[source.choice([b"key", b"", "ключ".encode()])] = source.choice([b"", b"value"])
        if self.kinds.field_metadata and source.random() < 0.1:
            self.ids += 1
            metadata[FIELD_ID] = str(self.ids).encode()
        extended = isinstance(found, pa.BaseExtensionType)
        if self.kinds.unknown_extensions and not extended and source.random() < 0.05:
            metadata[b"ARROW:extension:name"] = b"test.unknown"
            metadata[b"ARROW:extension:metadata"] = source.choice([b"", b"{}", b"\x01\x02 abc"])
        return metadata or None

    def _struct(self, depth):
        names = self.source.sample(self.names, self.source.choice([1, 1, 2, 2, 3]))
        return pa.struct([self._field(name, depth) for name in names])

    def _element(self, depth):
        return self._field(self.source.choice(["item", "element", "e"]), depth)

    def _list(self, depth):
        return pa.list_(self._element(depth))

    def _large_list(self, depth):
        return pa.large_list(self._element(depth))

    def _list_view(self, depth):
        return pa.list_view(self._element(depth))

    def _large_list_view(self, depth):
        return pa.large_list_view(self._element(depth))

    def _fixed_size_list(self, depth):
        least = 0 if self.kinds.empty_fixed_size_lists else 1
        return pa.list_(self._element(depth), self.source.randint(least, 4))

    def _scalar(self):
        """A type that dictionaries and runs can have for their values."""
        found = self.leaf(self.source.choice(self.kinds.dictionary_leaves or self.kinds.leaves))
        return pa.int32() if types.is_null(found) else found

    def _map(self, depth):
        key = pa.field("key", self._scalar(), nullable=False)
        return pa.map_(key, self._field("value", depth), keys_sorted=self.source.random() < 0.3)

    def _dictionary(self, _depth):
        return pa.dictionary(
            self.source.choice(INTEGERS), self._scalar(), ordered=self.source.random() < 0.3
        )

    def _run_end_encoded(self, _depth):
        ends = self.source.choice([pa.int16(), pa.int32(), pa.int64()])
        return pa.run_end_encoded(ends, self._scalar())

    def _extension(self, depth):
        source = self.source
        kind = source.choice(self.kinds.extensions)
        if kind == "uuid":
            return pa.uuid()
        if kind == "json":
            return pa.json_(source.choice([pa.string(), pa.large_string(), pa.string_view()]))
        if kind == "bool8":
            return pa.bool8()
        if kind == "opaque":
            return pa.opaque(plain_fields(self.type(min(depth, 2))), "point", "a vendor")
        shape = [source.randint(1, 3) for _ in range(source.randint(1, 3))]
        names = [f"d{n}" for n in range(len(shape))] if source.random() < 0.5 else None
        order = source.sample(range(len(shape)), len(shape)) if source.random() < 0.5 else None
        value = source.choice([*INTEGERS, pa.float32(), pa.float64()])
        return pa.fixed_shape_tensor(value, shape, dim_names=names, permutation=order)

    def schema(self):
        count = self.source.choice([1, 1, 2, 3, 5])
        names = self.source.sample(self.names, count)
        depths = [self.source.randint(0, self.kinds.depth) for _ in names]
        fields = [self._field(name, depth) for name, depth in zip(names, depths)]
        metadata = {b"origin": b"random", b"\xc3\xa4": b""} if self.source.random() < 0.5 else None
        return pa.schema(fields, metadata)


def plain_fields(found):
    """What extends a type here is in no type that is extended itself."""

    def change(inner):
        return arrow_values.plain_runs(arrow_values.storage(inner))

    return arrow_values.change_types(found, change)


# --- Values ----------------------------------------------------------------------------------------

_FORMATS = {
    pa.int8(): "b",
    pa.uint8(): "B",
    pa.int16(): "h",
    pa.uint16(): "H",
    pa.int32(): "i",
    pa.uint32(): "I",
    pa.int64(): "q",
    pa.uint64(): "Q",
}
# Bits of numbers that are easily got wrong: zeros, infinities, NaNs with and without a sign, the
# smallest and the largest.
_FLOATS = {
    2: [0x0000, 0x8000, 0x7C00, 0xFC00, 0x7E00, 0x7E01, 0xFE00, 0x0001, 0x7BFF, 0x3C00],
    4: [0, 0x80000000, 0x7F800000, 0xFF800000, 0x7FC00000, 0x7FC00001, 0xFFC00000, 1, 0x3F800000],
    8: [
        *[0, 1 << 63, 0x7FF0 << 48, 0xFFF0 << 48, 0x7FF8 << 48, (0x7FF8 << 48) + 1, 0xFFF8 << 48],
        *[1, 0x3FF0 << 48, 0x7FEFFFFFFFFFFFFF],
    ],
}
_WORDS = ["", "a", "oak", "ash", "Ä", "🙂", "twelve bytes", "thirteen byte", "\0", "long " * 9]
_JSON = [None, 1, "a", {"a": [1, 2, {"b": None}]}, [], {}, "🙂 twelve and more", 1.5, True]


def float_bytes(found):
    return found.bit_width // 8


class Values:
    """Values of leaves as the bytes that stand in a buffer."""

    def __init__(self, source, kinds):
        self.source = source
        self.garbage = kinds.garbage
        self.modest = kinds.modest

    def fixed(self, found, live):
        """One value of as many bytes as the type has for each slot; in some that are not live one
        that Parquet cannot hold."""
        source = self.source
        make = self._maker(found)
        style = source.choice(["any", "any", "few", "one", "rising"])
        if style == "any":
            values = [make() for _ in live]
        elif style == "rising" and found in _FORMATS:
            values = [self._integer(found, n) for n in range(len(live))]
        else:
            pool = [make() for _ in range(1 if style == "one" else 4)]
            values = [source.choice(pool) for _ in live]
        wild = self._wild(found)
        if wild is not None and self.garbage:
            values = [
                value if ok or source.random() < 0.5 else wild for value, ok in zip(values, live)
            ]
        return values

    def _wild(self, found):
        """A value that Arrow can hold and Parquet cannot."""
        if types.is_timestamp(found) and found.unit == "s":
            return struct.pack("<q", 2**62)
        return struct.pack("<iiq", -1, -5, 7) if types.is_interval(found) else None

    def _integer(self, found, number):
        code = _FORMATS[found]
        bits = struct.calcsize(code) * 8
        number %= 1 << bits
        return number.to_bytes(bits // 8, "little")

    def _maker(self, found):
        source = self.source
        if found in _FORMATS:
            return lambda: self._any_integer(found)
        if types.is_floating(found):
            size = float_bytes(found)
            return lambda: (
                source.choice(_FLOATS[size]).to_bytes(size, "little")
                if source.random() < 0.4
                else source.getrandbits(8 * size).to_bytes(size, "little")
            )
        if types.is_decimal(found):
            return lambda: self._decimal(found)
        if types.is_interval(found):
            return lambda: struct.pack(
                "<iiq",
                source.choice([0, 1, 12000 if self.modest else 2**31 - 1]),
                source.choice([0, 30, 3000 if self.modest else 2**31 - 1]),
                source.choice([0, 1, 86399999, 0 if self.modest else 2**32 - 1]) * 10**6,
            )
        if types.is_fixed_size_binary(found):
            return lambda: source.randbytes(found.byte_width)
        return self._time_maker(found)

    def _any_integer(self, found):
        source = self.source
        number = source.choice([0, 1, -1, 127, 128, source.randint(-100, 100)])
        if source.random() < 0.3:
            number = source.choice([2**31, 2**63, 2**7, 2**15]) - source.randint(0, 1)
        elif source.random() < 0.3:
            number = source.getrandbits(64)
        return self._integer(found, number)

    def _decimal(self, found):
        source = self.source
        most = 10**found.precision - 1
        number = source.choice([0, 1, -1, most, -most, source.randint(-most, most)])
        return number.to_bytes(found.bit_width // 8, "little", signed=True)

    def _time_maker(self, found):
        source = self.source
        if types.is_date32(found):
            far = [] if self.modest else [-(2**31), 2**31 - 1]
            return lambda: struct.pack("<i", source.choice([0, -1, 19000, 20000, *far]))
        if types.is_date64(found):
            return lambda: struct.pack("<q", 86400000 * source.randint(-700000, 2900000))
        if types.is_time(found):
            day = 86400 * 10**9 // arrow_values.UNITS[found.unit]
            code = "<i" if found.bit_width == 32 else "<q"
            return lambda: struct.pack(code, source.choice([0, 1, day - 1, source.randrange(day)]))
        # Milliseconds in 64 bits must hold the seconds.
        most = (2**63 - 1) // (1000 if types.is_timestamp(found) and found.unit == "s" else 1)
        if self.modest and types.is_timestamp(found):  # of the years 1843 to 2096
            most = min(most, 4 * 10**18 // arrow_values.UNITS[found.unit])
        return lambda: struct.pack(
            "<q", source.choice([0, -1, most, -most, 1700000, source.randint(-most, most)])
        )

    def texts(self, count, json_texts=False, text=True):
        source = self.source
        if json_texts:
            return [json.dumps(source.choice(_JSON)).encode() for _ in range(count)]
        words = [word.encode() for word in _WORDS]
        if not text:
            words += [b"\xff\xfe", b"\x80"]
        if source.random() < 0.4:
            words = source.sample(words, 2)
        if source.random() < 0.4:
            return [source.choice(words) for _ in range(count)]
        return [
            source.choice(words) + source.choice(words) + str(source.randrange(1000)).encode()
            for _ in range(count)
        ]


# --- Arrays ----------------------------------------------------------------------------------------


def bitmap(source, bits):
    """Bits, and garbage behind the last."""
    garbage = [source.random() < 0.5 for _ in range(-len(bits) % 8)]
    number = 0
    for bit in reversed([*bits, *garbage]):
        number = number * 2 + bit
    return buffer(source, number.to_bytes((len(bits) + 7) // 8, "little"))


def buffer(source, data):
    """Sometimes at an address that fits no number."""
    if source.random() < 0.1:
        return pa.py_buffer(b"\xee" + data).slice(1)
    return pa.py_buffer(data)


class Arrays:
    """Arrays of a type whose slots are those of `live`: whether anybody can see the slot."""

    def __init__(self, source, kinds):
        self.source = source
        self.kinds = kinds
        self.values = Values(source, kinds)

    def array(self, found, live, nullable, pad=True):
        """As many slots as `live` has, and more before and behind them in the buffers."""
        source = self.source
        before = after = 0
        if pad and source.random() < 0.4:
            before, after = source.choice([0, 1, 3, 8, 13, 65]), source.choice([0, 1, 9])
        slots = [False] * before + live + [False] * after
        array = self.build(found, slots, nullable)
        if before or after:
            array = array.slice(before, len(live))
        return array

    def build(self, found, live, nullable):
        if isinstance(found, pa.BaseExtensionType):
            return self._extension(found, live, nullable)
        if types.is_null(found):
            return pa.Array.from_buffers(found, len(live), [None])
        if types.is_dictionary(found):
            return self._dictionary(found, live, nullable)
        if types.is_run_end_encoded(found):
            return self._runs(found, live, nullable)
        valid = self._validity(live, nullable)
        mask = self._mask(valid)
        seen = [here and ok for here, ok in zip(live, valid)]
        if types.is_struct(found):
            return self._struct(found, seen, valid, mask)
        if arrow_values.is_list_view(found):
            return self._list_view(found, seen, valid, mask)
        if types.is_fixed_size_list(found):
            return self._fixed_size_list(found, seen, valid, mask)
        if types.is_map(found) or arrow_values.is_list(found):
            return self._list(found, seen, valid, mask)
        return self._leaf(found, live, valid, mask)

    def _validity(self, live, nullable):
        """A bool per slot; slots that nobody sees may be null even where no null is allowed."""
        source = self.source
        if not nullable and not (self.kinds.garbage and source.random() < 0.3):
            return [True] * len(live)
        chance = source.choice([0, 0.02, 0.2, 0.5, 0.95, 1])
        return [
            (not nullable and here) or source.random() >= chance for here in live
        ]

    def _mask(self, valid):
        if all(valid) and self.source.random() < 0.6:
            return None
        return bitmap(self.source, valid)

    def _nulls(self, valid):
        """The number of nulls, or that nobody counted."""
        return self.source.choice([-1, len(valid) - sum(valid)])

    def _make(self, found, valid, buffers, children=None):
        return pa.Array.from_buffers(
            found, len(valid), buffers, self._nulls(valid) if buffers[0] else 0, 0, children
        )

    # --- Leaves ------------------------------------------------------------------------------------

    def _leaf(self, found, live, valid, mask, json_texts=False):
        if types.is_boolean(found):
            bits = [self.source.random() < 0.5 for _ in valid]
            return self._make(found, valid, [mask, bitmap(self.source, bits)])
        if arrow_values.is_text(found) or (
            arrow_values.is_bytes(found) and not types.is_fixed_size_binary(found)
        ):
            return self._texts(found, valid, mask, json_texts)
        values = self.values.fixed(found, live)
        if self.kinds.garbage and self.source.random() < 0.5:
            values = [
                value if ok else self.source.randbytes(len(value))
                for value, ok in zip(values, valid)
            ]
        return self._make(found, valid, [mask, buffer(self.source, b"".join(values))])

    def _texts(self, found, valid, mask, json_texts):
        source = self.source
        texts = self.values.texts(len(valid), json_texts, arrow_values.is_text(found))
        style = source.choice(["empty", "text", "garbage"]) if self.kinds.garbage else "empty"
        if style != "text":
            under = b"" if style == "empty" else b"\xff\xfe under a null"
            texts = [text if ok else under for text, ok in zip(texts, valid)]
        if arrow_values.is_view(found):
            return self._views(found, texts, valid, mask)
        ahead = source.choice([b"", b"", b"\xff", b"ahead of all"])
        offsets = [len(ahead)]
        for text in texts:
            offsets.append(offsets[-1] + len(text))
        data = ahead + b"".join(texts) + source.choice([b"", b"behind"])
        code = "q" if types.is_large_unicode(found) or types.is_large_binary(found) else "i"
        packed = struct.pack(f"<{len(offsets)}{code}", *offsets)
        return self._make(found, valid, [mask, buffer(source, packed), buffer(source, data)])

    def _views(self, found, texts, valid, mask):
        """Text of up to 12 bytes stands in its view, longer text in one of several buffers."""
        source = self.source
        heaps = [bytearray(source.choice([b"", b"gap"])) for _ in range(source.randint(1, 3))]
        views = []
        for text, ok in zip(texts, valid):
            if not ok and self.kinds.garbage and source.random() < 0.3:
                views.append(source.randbytes(16))
            elif len(text) <= 12:
                views.append(struct.pack("<i12s", len(text), text))
            else:
                which = source.randrange(len(heaps))
                at = heaps[which].find(text)  # the bytes of another, if they are there
                if at < 0:
                    at = len(heaps[which])
                    heaps[which] += text
                views.append(struct.pack("<i4sii", len(text), text[:4], which, at))
        buffers = [mask, buffer(source, b"".join(views)), *map(pa.py_buffer, map(bytes, heaps))]
        return self._make(found, valid, buffers)

    # --- Nested ------------------------------------------------------------------------------------

    def _struct(self, found, seen, valid, mask):
        children = []
        for field in found:
            extra = [False] * self.source.choice([0, 0, 0, 5])
            children.append(self.array(field.type, seen + extra, field.nullable))
        return self._make(found, valid, [mask], children)

    def _size(self, slots):
        # Deep nesting must not explode.
        return self.source.choice([0, 1, 2, 3, 5] if slots < 200 else [0, 0, 1, 1, 2])

    def _list(self, found, seen, valid, mask):
        source = self.source
        ahead = source.choice([0, 0, 2, 70]) if self.kinds.garbage else 0
        live = [False] * ahead
        offsets = [ahead]
        for here, ok in zip(seen, valid):
            # A null may have elements, which nobody sees.
            hidden = self.kinds.garbage and source.random() < 0.3
            size = self._size(len(seen)) if ok or hidden else 0
            live += [here] * size
            offsets.append(len(live))
        live += [False] * source.choice([0, 0, 3])
        if types.is_map(found):
            child = self._entries(found, live)
        else:
            child = self.array(found.value_type, live, found.value_field.nullable)
        code = "q" if types.is_large_list(found) else "i"
        packed = struct.pack(f"<{len(offsets)}{code}", *offsets)
        return self._make(found, valid, [mask, buffer(source, packed)], [child])

    def _entries(self, found, live):
        """The structs in a map. They begin at offset 0, because pyarrow takes that for granted."""
        entries = found.field(0).type
        # pyarrow also wants no key to be null where nobody sees it.
        keys = self.array(found.key_type, [True] * len(live), False)
        items = self.array(found.item_type, live, found.item_field.nullable)
        return self._make(entries, live, [None], [keys, items])

    def _list_view(self, found, seen, valid, mask):
        source = self.source
        order = list(range(len(seen)))
        source.shuffle(order)
        live = [False] * source.choice([0, 4])
        offsets, sizes = [0] * len(seen), [0] * len(seen)
        for slot in order:
            size = self._size(len(seen)) if valid[slot] or self.kinds.garbage else 0
            if live and source.random() < 0.3:  # elements of others
                begin = source.randrange(len(live))
                size = min(size, len(live) - begin)
                for n in range(begin, begin + size):
                    live[n] = live[n] or seen[slot]
            else:
                begin = len(live)
                live += [seen[slot]] * size
            offsets[slot], sizes[slot] = begin, size
        child = self.array(found.value_type, live, found.value_field.nullable)
        code = f"<{len(seen)}" + ("q" if types.is_large_list_view(found) else "i")
        buffers = [mask, struct.pack(code, *offsets), struct.pack(code, *sizes)]
        buffers[1:] = [buffer(source, data) for data in buffers[1:]]
        return self._make(found, valid, buffers, [child])

    def _fixed_size_list(self, found, seen, valid, mask):
        live = [here for here in seen for _ in range(found.list_size)]
        live += [False] * self.source.choice([0, found.list_size])
        child = self.array(found.value_type, live, found.value_field.nullable)
        return self._make(found, valid, [mask], [child])

    # --- Encoded -----------------------------------------------------------------------------------

    def _dictionary(self, found, live, nullable):
        source = self.source
        # All chunks of a row group together must stay below what 8 bits can tell apart.
        count = source.choice([1, 2, 5, 12])
        nulls = nullable and self.kinds.nulls_in_dictionaries and source.random() < 0.3
        values = self.array(found.value_type, [True] * count, nulls)
        valid = self._validity(live, nullable)
        size = found.index_type.bit_width // 8
        indices = [
            source.randrange(count).to_bytes(size, "little")
            if ok or not self.kinds.garbage
            else source.randbytes(size)
            for ok in valid
        ]
        mask = self._mask(valid)
        packed = self._make(found.index_type, valid, [mask, buffer(source, b"".join(indices))])
        return pa.DictionaryArray.from_arrays(
            packed, values, ordered=found.ordered, safe=False
        )

    def _runs(self, found, live, nullable):
        source = self.source
        ends, runs = [], []
        begin = 0
        while begin < len(live):
            end = min(len(live), begin + source.choice([1, 1, 2, 5, 40]))
            runs.append(any(live[begin:end]))
            ends.append(end)
            begin = end
        if source.random() < 0.3:  # a last run that reaches further, and one behind it
            ends = [*ends[:-1], len(live) + 3, len(live) + 4]
            runs = [*runs[:-1], bool(runs and runs[-1]), False]
        values = self.array(found.value_type, runs, nullable)
        ends = pa.array(ends, found.run_end_type)
        return pa.Array.from_buffers(found, len(live), [None], 0, 0, [ends, values])

    def _extension(self, found, live, nullable):
        storage = found.storage_type
        if isinstance(found, pa.JsonType):
            valid = self._validity(live, nullable)
            array = self._leaf(storage, live, valid, self._mask(valid), json_texts=True)
        else:
            array = self.build(storage, live, nullable)
        return pa.ExtensionArray.from_storage(found, array)


# --- Tables ----------------------------------------------------------------------------------------


def cuts(source, rows):
    """Lengths of chunks, odd and empty ones among them, that add up to `rows`."""
    if source.random() < 0.4:
        return [rows]
    lengths = []
    while rows > 0 and len(lengths) < 5:
        lengths.append(min(rows, source.choice([0, 1, 3, 7, 31, 64])))
        rows -= lengths[-1]
    return [*lengths, rows]


def table_of(source, schema, rows, kinds):
    arrays = Arrays(source, kinds)
    columns = []
    for field in schema:
        chunks = [
            arrays.array(field.type, [True] * length, field.nullable)
            for length in cuts(source, rows)
        ]
        columns.append(pa.chunked_array(chunks, field.type))
    return pa.Table.from_arrays(columns, schema=schema)


def random_table(seed, kinds=None):
    """The table of a seed."""
    source = random.Random(seed)
    kinds = kinds or Kinds()
    schema = Types(source, kinds).schema()
    return table_of(source, schema, source.choice([0, 1, 2, 10, 30, 100, 300]), kinds)
