# SPDX-License-Identifier: Apache-2.0
"""Schemas and arrays that break the rules of the C data interface are refused, and say where; those
that keep them are taken, also where pyarrow cannot make them."""

import contextlib
import ctypes
import os

import arrow_peers as peers

import arrow_by_hand as hand
import arrow_values
import lamella_ctypes as lamella
import random_tables

pa = peers.pa
TABLES = 400
PAIR = [hand.schema(b"i", b"k", flags=0), hand.schema(b"i", b"v")]


def extension(name, metadata, storage, **others):
    pairs = [(b"ARROW:extension:name", name), (b"ARROW:extension:metadata", metadata)]
    return hand.root(hand.schema(storage, b"x", metadata=pairs, **others))


def item(format=b"i", name=b"item", **others):
    return hand.schema(format, name, **others)


def variant_of(*fields):
    return extension(b"arrow.parquet.variant", b"", b"+s", children=fields)


# What a schema is, the schema, and the status it is refused with.
SCHEMAS = [
    ("no struct", lambda: hand.schema(b"i"), "invalid"),
    ("released", lambda: hand.root(release=hand.ReleaseSchema(0)), "invalid"),
    ("no format", lambda: hand.root(hand.schema(None, b"x")), "invalid"),
    ("a null child", lambda: hand.root(None), "invalid"),
    ("children missing", lambda: hand.root(n_children=1), "invalid"),
    ("fewer than no children", lambda: hand.root(n_children=-1), "invalid"),
    (
        "a released child",
        lambda: hand.root(hand.schema(b"i", b"x", release=hand.ReleaseSchema(0))),
        "invalid",
    ),
    ("a name that is no UTF-8", lambda: hand.root(hand.schema(b"i", b"\xff")), "invalid"),
    ("metadata of -1 pairs", lambda: hand.root(item(name=b"x", metadata=hand.ints("i", -1))), "invalid"),
    (
        "metadata of a key of -1 bytes",
        lambda: hand.root(item(name=b"x", metadata=hand.ints("iii", 1, -1, 0))),
        "invalid",
    ),
    *[
        (f"format {format!r}", lambda format=format: hand.root(hand.schema(format, b"x")), "invalid")
        for format in [
            *[b"", b"q", b"ii", b"w:", b"w:-1", b"w:x", b"w:99999999999", b"d:", b"d:1", b"d:0,0"],
            *[b"d:39,2", b"d:10,2,33", b"d:10,2,32", b"d:77,0,256", b"t", b"td", b"tdx", b"tt"],
            *[b"ttx", b"ts", b"tsx:", b"tsu", b"tD", b"ti", b"v", b"vx", b"+", b"+x", b"+w:", b"+w:-1"],
            *[b"+v", b"i\xff", b"u ", b"+l", b"+L", b"+w:2", b"+m", b"+r", b"+vl", b"+vL"],
        ]
    ],
    ("a list of two", lambda: hand.root(item(b"+l", b"x", children=[item(), item()])), "invalid"),
    ("a leaf with a child", lambda: hand.root(item(b"i", b"x", children=[item()])), "invalid"),
    ("a map of no struct", lambda: hand.root(item(b"+m", b"x", children=[item()])), "invalid"),
    (
        "a map of three",
        lambda: hand.root(item(b"+m", b"x", children=[item(b"+s", children=[*PAIR, item()], flags=0)])),
        "invalid",
    ),
    (
        "runs whose ends are text",
        lambda: hand.root(item(b"+r", b"x", children=[item(b"u", b"run_ends", flags=0), item()])),
        "invalid",
    ),
    (
        "runs of one child",
        lambda: hand.root(item(b"+r", b"x", children=[item(b"i", b"run_ends", flags=0)])),
        "invalid",
    ),
    ("text for an index", lambda: hand.root(item(b"u", b"x", dictionary=item(b"u"))), "invalid"),
    ("two of one name", lambda: hand.root(item(name=b"x"), item(name=b"x")), "invalid"),
    # What Arrow can say and Parquet cannot hold.
    ("a struct of nothing", lambda: hand.root(item(b"+s", b"x")), "unsupported"),
    ("bytes of no size", lambda: hand.root(item(b"w:0", b"x")), "unsupported"),
    ("a negative scale", lambda: hand.root(item(b"d:5,-2", b"x")), "unsupported"),
    ("a scale above the precision", lambda: hand.root(item(b"d:5,6", b"x")), "unsupported"),
    (
        "a sparse union",
        lambda: hand.root(item(b"+us:0,1", b"x", children=[item(name=b"a"), item(name=b"b")])),
        "unsupported",
    ),
    ("a dense union", lambda: hand.root(item(b"+ud:0", b"x", children=[item()])), "unsupported"),
    (
        "a dictionary of lists",
        lambda: hand.root(item(b"i", b"x", dictionary=item(b"+l", children=[item()]))),
        "unsupported",
    ),
    # Extension types whose parameters are not what their definition says.
    ("uuid of 15 bytes", lambda: extension(b"arrow.uuid", b"", b"w:15"), "invalid"),
    ("uuid of text", lambda: extension(b"arrow.uuid", b"", b"u"), "invalid"),
    ("json of numbers", lambda: extension(b"arrow.json", b"", b"i"), "invalid"),
    ("json with parameters", lambda: extension(b"arrow.json", b"[1]", b"u"), "invalid"),
    ("bool8 of 16 bits", lambda: extension(b"arrow.bool8", b"", b"s"), "invalid"),
    ("opaque without names", lambda: extension(b"arrow.opaque", b"{}", b"n"), "invalid"),
    (
        "opaque of a number",
        lambda: extension(b"arrow.opaque", b'{"type_name":1,"vendor_name":"b"}', b"n"),
        "invalid",
    ),
    *[
        (
            f"fixed_shape_tensor {text!r}",
            lambda text=text: extension(
                b"arrow.fixed_shape_tensor", text, b"+w:6", children=[item()]
            ),
            "invalid",
        )
        for text in [
            *[b"", b"{}", b"[2,3]", b'{"shape":[2,3]', b'{"shape":[2,4]}', b'{"shape":[-2,-3]}'],
            *[b'{"shape":"23"}', b'{"shape":[2,"3"]}', b'{"shape":[2,3],"dim_names":["a"]}'],
            *[b'{"shape":[2,3],"permutation":[0,0]}', b'{"shape":[2,3],"permutation":[1,2]}'],
            *[b'{"shape":[2,3],"permutation":[0]}', b'{"shape":[2,3],"dim_names":[1,2]}'],
        ]
    ],
    (
        "fixed_shape_tensor in a list",
        lambda: extension(
            b"arrow.fixed_shape_tensor", b'{"shape":[2]}', b"+l", children=[item()]
        ),
        "invalid",
    ),
    ("variant of a number", lambda: extension(b"arrow.parquet.variant", b"", b"i"), "invalid"),
    ("variant without metadata", lambda: variant_of(item(b"z", b"value")), "invalid"),
    (
        "variant without value",
        lambda: variant_of(item(b"z", b"metadata", flags=0)),
        "invalid",
    ),
    (
        "variant whose metadata is text",
        lambda: variant_of(item(b"u", b"metadata", flags=0), item(b"z", b"value")),
        "invalid",
    ),
    ("a geometry of numbers", lambda: extension(b"geoarrow.wkb", b"{}", b"i"), "invalid"),
]


def deep(depth):
    inner = item()
    for _ in range(depth):
        inner = item(b"+l", children=[inner])
    return hand.root(inner)


@contextlib.contextmanager
def members(holder, **values):
    """Sets members of a struct for a while."""
    # As bytes, because what a member gives points into the struct.
    old = bytes(holder)
    for name, value in values.items():
        setattr(holder, name, value)
    try:
        yield
    finally:
        ctypes.memmove(ctypes.byref(holder), old, len(old))


@contextlib.contextmanager
def element(pointers, index, value):
    """Sets a pointer among others for a while, given as an address."""
    view = ctypes.cast(pointers, ctypes.POINTER(ctypes.c_void_p))
    old = view[index]
    view[index] = value
    try:
        yield
    finally:
        view[index] = old


class Malformed(peers.PeerTest):
    # --- Schemas -----------------------------------------------------------------------------------

    def test_schemas_that_break_the_rules(self):
        for what, make, status in SCHEMAS:
            with self.subTest(what):
                with self.assertRaises(lamella.Error) as raised:
                    lamella.parquet_schema(make())
                self.assertEqual(raised.exception.status, status, raised.exception.message)
                if "x" in what or status == "unsupported":
                    self.assertIn("x", raised.exception.message)

    def test_schemas_that_are_too_deep(self):
        self.assertIn("optional int32", lamella.parquet_schema(deep(50)))
        for depth in [126, 300, 2000]:
            with self.assertRaises(lamella.Error) as raised:
                lamella.parquet_schema(deep(depth))
            self.assertEqual(raised.exception.status, "limit", raised.exception.message)

    # --- Arrays ------------------------------------------------------------------------------------

    def refuses(self, schema, array, pattern="x", status="invalid"):
        path = self.path("x.parquet")
        with lamella.Writer(path, schema) as writer:
            with self.assertRaises(lamella.Error) as raised:
                writer.write(array)
            self.assertEqual(raised.exception.status, status, raised.exception.message)
            self.assertRegex(raised.exception.message, pattern)

    def takes(self, schema, array):
        """The plain values of a struct array that is written and read."""
        path = self.path("y.parquet")
        with lamella.Writer(path, schema) as writer:
            writer.write(array)
            writer.finish()
        found = lamella.read(path)
        found.validate(full=True)
        return [arrow_values.of_array(column) for column in found.columns]

    def check_pair(self, schema, good, bad, values):
        """One array is taken and gives the values; the others are refused."""
        self.assertEqual(self.takes(schema(), hand.rows(len(values), good())), [values])
        for number, make in enumerate(bad):
            with self.subTest(number=number):
                self.refuses(schema(), hand.rows(len(values), make()))

    def test_numbers(self):
        self.check_pair(
            lambda: hand.root(item(name=b"x")),
            lambda: hand.array(3, [b"\x05", hand.ints("i", 7, 8, 9)], 1),
            [
                lambda: hand.array(3, [None, None]),
                lambda: hand.array(3, [None]),
                lambda: hand.array(3, [None, hand.ints("i", 7, 8, 9), b"abc"]),
                lambda: hand.array(2, [None, hand.ints("i", 7, 8, 9)]),
                lambda: hand.array(-3, [None, hand.ints("i", 7, 8, 9)]),
                lambda: hand.array(3, [None, hand.ints("i", 7, 8, 9)], offset=-1),
                lambda: hand.array(3, [None, hand.ints("i", 7, 8, 9)], offset=2**63 - 1),
                lambda: hand.array(3, [None, hand.ints("i", 7, 8, 9)], null_count=1),
                lambda: hand.array(3, [b"\x07", hand.ints("i", 7, 8, 9)], null_count=4),
                lambda: hand.array(3, [b"\x07", hand.ints("i", 7, 8, 9)], null_count=-2),
                lambda: hand.array(3, [b"\x05", hand.ints("i", 7, 8, 9)], null_count=0),
                lambda: hand.array(3, n_buffers=2),
                lambda: hand.array(
                    3, [None, hand.ints("i", 7, 8, 9)], children=[hand.array(3, [None, b"abcd"])]
                ),
                lambda: hand.array(
                    3, [None, hand.ints("i", 0, 0, 0)], dictionary=hand.array(1, [None, b"abcd"])
                ),
                lambda: hand.array(3, [None, hand.ints("i", 7, 8, 9)], release=hand.ReleaseArray(0)),
            ],
            [7, None, 9],
        )

    def test_nulls_where_none_may_be(self):
        schema = hand.root(item(name=b"x", flags=0))
        self.assertEqual(
            self.takes(schema, hand.rows(2, hand.array(2, [b"\x03", hand.ints("i", 1, 2)]))),
            [[1, 2]],
        )
        schema = hand.root(item(name=b"x", flags=0))
        self.refuses(schema, hand.rows(2, hand.array(2, [b"\x02", hand.ints("i", 1, 2)], -1)))
        # Under a null that stands above, nobody sees it.
        schema = hand.root(item(b"+s", b"s", children=[item(name=b"x", flags=0)]))
        child = hand.array(2, [b"\x02", hand.ints("i", 1, 2)], -1)
        outer = hand.array(2, [b"\x02"], -1, children=[child])
        self.assertEqual(self.takes(schema, hand.rows(2, outer)), [[None, (2,)]])

    def test_the_root(self):
        schema = lambda: hand.root(item(name=b"x"))  # noqa: E731
        column = lambda: hand.array(3, [None, hand.ints("i", 7, 8, 9)])  # noqa: E731
        for bad in [
            hand.array(3, [], children=[column()]),
            hand.array(3, [None], children=[]),
            hand.array(3, [None], children=[None]),
            hand.array(3, [None], children=[column(), column()]),
            hand.array(4, [None], children=[column()]),
            hand.array(3, [None], offset=1, children=[column()]),
            hand.array(3, [b"\x03"], 1, children=[column()]),
            hand.rows(3, column(), release=hand.ReleaseArray(0)),
        ]:
            self.refuses(schema(), bad, ".")
        self.assertEqual(self.takes(schema(), hand.rows(2, column(), offset=1)), [[8, 9]])

    def test_text(self):
        for format, code in [(b"u", "i"), (b"U", "q"), (b"z", "i"), (b"Z", "q")]:
            schema = lambda format=format: hand.root(item(format, b"x"))  # noqa: E731
            self.check_pair(
                schema,
                lambda code=code: hand.array(2, [None, hand.ints(code, 1, 3, 4), b"-abc"]),
                [
                    lambda code=code: hand.array(2, [None, None, b"-abc"]),
                    lambda code=code: hand.array(2, [None, hand.ints(code, 1, 3, 4), None]),
                    lambda code=code: hand.array(2, [None, hand.ints(code, 1, 3, 4)]),
                    lambda code=code: hand.array(2, [None, hand.ints(code, 1, 4, 3), b"-abc"]),
                    lambda code=code: hand.array(2, [None, hand.ints(code, -1, 3, 4), b"-abc"]),
                    lambda code=code: hand.array(2, [None, hand.ints(code, 3, -1, 4), b"-abc"]),
                ],
                [b"ab", b"c"],
            )
        # Without any text its buffer may be missing.
        none = hand.array(2, [None, hand.ints("i", 0, 0, 0), None])
        self.assertEqual(self.takes(hand.root(item(b"u", b"x")), hand.rows(2, none)), [[b"", b""]])
        text = hand.array(2, [None, hand.ints("i", 0, 1, 2), b"a\xff"])
        self.refuses(hand.root(item(b"u", b"x")), hand.rows(2, text))
        # What is no UTF-8 under a null does not matter.
        text = hand.array(2, [b"\x01", hand.ints("i", 0, 1, 2), b"a\xff"], 1)
        self.assertEqual(self.takes(hand.root(item(b"u", b"x")), hand.rows(2, text)), [[b"a", None]])

    def test_views(self):
        short = lambda text: hand.ints("i", len(text)) + text.ljust(12, b"\0")  # noqa: E731
        long = b"longer than twelve"
        view = lambda size, prefix, which, at: (  # noqa: E731
            hand.ints("i", size) + prefix + hand.ints("i", which, at)
        )

        def views(second, sizes=hand.ints("q", 19), heap=b"-" + long, **others):
            return hand.array(2, [None, short(b"ab") + second, heap, sizes], **others)

        for format in [b"vu", b"vz"]:
            self.check_pair(
                lambda format=format: hand.root(item(format, b"x")),
                lambda: views(view(18, b"long", 0, 1)),
                [
                    lambda: views(view(18, b"long", 0, 2)),
                    lambda: views(view(18, b"long", 1, 1)),
                    lambda: views(view(18, b"long", -1, 1)),
                    lambda: views(view(18, b"long", 0, -1)),
                    lambda: views(view(-18, b"long", 0, 1)),
                    lambda: views(view(18, b"long", 0, 2**31 - 1)),
                    lambda: views(view(18, b"long", 0, 1), sizes=hand.ints("q", 18)),
                    lambda: views(view(18, b"long", 0, 1), sizes=hand.ints("q", -1)),
                    lambda: views(view(18, b"long", 0, 1), sizes=None),
                    lambda: views(view(18, b"long", 0, 1), heap=None),
                    lambda: hand.array(2, [None, short(b"ab") * 2]),
                    lambda: hand.array(2, [None, None, hand.ints("q")]),
                ],
                [b"ab", long],
            )
        # Garbage under a null, and no heap at all.
        one = hand.array(2, [b"\x01", short(b"ab") + b"\xff" * 16, None], 1)
        self.assertEqual(self.takes(hand.root(item(b"vu", b"x")), hand.rows(2, one)), [[b"ab", None]])

    def test_lists(self):
        numbers = lambda n=4: hand.array(n, [None, hand.ints("i", *range(n))])  # noqa: E731
        for format, code in [(b"+l", "i"), (b"+L", "q")]:
            make = lambda *ends, code=code, child=numbers: hand.array(  # noqa: E731
                2, [None, hand.ints(code, *ends)], children=[child()]
            )
            self.check_pair(
                lambda format=format: hand.root(item(format, b"x", children=[item()])),
                lambda make=make: make(1, 2, 4),
                [
                    lambda make=make: make(1, 2, 5),
                    lambda make=make: make(-1, 2, 4),
                    lambda make=make: make(2, 1, 4),
                    lambda make=make: make(1, 9, 4),
                    lambda make=make: make(0, 0, 4, child=lambda: None),
                    lambda: hand.array(2, [None, None], children=[numbers()]),
                    lambda code=code: hand.array(2, [None, hand.ints(code, 1, 2, 4)]),
                ],
                [[1], [2, 3]],
            )

    def test_list_views(self):
        numbers = lambda: hand.array(4, [None, hand.ints("i", *range(4))])  # noqa: E731
        for format, code in [(b"+vl", "i"), (b"+vL", "q")]:
            make = lambda a, b, code=code: hand.array(  # noqa: E731
                2, [None, hand.ints(code, *a), hand.ints(code, *b)], children=[numbers()]
            )
            self.check_pair(
                lambda format=format: hand.root(item(format, b"x", children=[item()])),
                lambda make=make: make((2, 1), (2, 3)),
                [
                    lambda make=make: make((2, 1), (3, 3)),
                    lambda make=make: make((-1, 1), (2, 3)),
                    lambda make=make: make((2, 1), (-1, 3)),
                    lambda make=make: make((5, 1), (0, 3)),
                    lambda make=make: make((2**31 - 1, 1), (2**31 - 1, 3)),
                    lambda code=code: hand.array(
                        2, [None, None, hand.ints(code, 1, 1)], children=[numbers()]
                    ),
                    lambda code=code: hand.array(
                        2, [None, hand.ints(code, 1, 1)], children=[numbers()]
                    ),
                ],
                [[2, 3], [1, 2, 3]],
            )

    def test_lists_of_fixed_size(self):
        numbers = lambda n=4: hand.array(n, [None, hand.ints("i", *range(n))])  # noqa: E731
        self.check_pair(
            lambda: hand.root(item(b"+w:2", b"x", children=[item()])),
            lambda: hand.array(2, [b"\x02"], 1, children=[numbers()]),
            [
                lambda: hand.array(2, [None], children=[numbers(3)]),
                lambda: hand.array(2, [None], offset=1, children=[numbers()]),
                lambda: hand.array(2, [None, b"abcdefgh"], children=[numbers()]),
                lambda: hand.array(2, [None], offset=2**62, children=[numbers()]),
            ],
            [None, [2, 3]],
        )

    def test_maps(self):
        schema = lambda: hand.root(  # noqa: E731
            item(
                b"+m",
                b"x",
                children=[
                    item(b"+s", b"entries", flags=0, children=[item(name=b"k", flags=0), item()])
                ],
            )
        )
        numbers = lambda n=3, validity=None: hand.array(  # noqa: E731
            n, [validity, hand.ints("i", *range(n))], -1
        )
        # The entries begin behind their first, which pyarrow cannot do.
        entries = lambda **others: hand.array(  # noqa: E731
            2, [None], offset=1, children=[numbers(), numbers()], **others
        )
        make = lambda inner: hand.array(  # noqa: E731
            2, [None, hand.ints("i", 0, 1, 2)], children=[inner]
        )
        self.check_pair(
            schema,
            lambda: make(entries()),
            [
                lambda: make(hand.array(2, [None], children=[numbers(1), numbers()])),
                lambda: make(hand.array(2, [None], children=[numbers()])),
                lambda: make(hand.array(2, [b"\x01"], 1, children=[numbers(), numbers()])),
                lambda: make(hand.array(2, [None], children=[numbers(3, b"\x05"), numbers()])),
            ],
            [[(1, 1)], [(2, 2)]],
        )

    def test_dictionaries(self):
        schema = lambda: hand.root(item(b"c", b"x", dictionary=item(b"u")))  # noqa: E731
        texts = lambda: hand.array(2, [None, hand.ints("i", 0, 1, 2), b"ab"])  # noqa: E731
        make = lambda *numbers, **others: hand.array(  # noqa: E731
            3, [None, hand.ints("b", *numbers)], dictionary=texts(), **others
        )
        self.check_pair(
            schema,
            lambda: hand.array(3, [b"\x05", hand.ints("b", 1, 99, 0)], 1, dictionary=texts()),
            [
                lambda: make(0, 1, 2),
                lambda: make(0, -1, 1),
                lambda: hand.array(3, [None, hand.ints("b", 0, 1, 0)]),
                lambda: hand.array(3, [None, None], dictionary=texts()),
                lambda: hand.array(
                    3, [None, b"\0\0\0"], dictionary=hand.array(2, [None, hand.ints("i", 0, 2, 1), b"ab"])
                ),
            ],
            [b"b", None, b"a"],
        )

    def test_runs(self):
        schema = lambda: hand.root(  # noqa: E731
            item(b"+r", b"x", children=[item(b"i", b"run_ends", flags=0), item(b"i", b"values")])
        )
        make = lambda *ends, values=2, length=4, **others: hand.array(  # noqa: E731
            length,
            children=[
                hand.array(len(ends), [None, hand.ints("i", *ends)]),
                hand.array(values, [None, hand.ints("i", *range(7, 7 + values))]),
            ],
            **others,
        )
        self.check_pair(
            schema,
            lambda: make(2, 6, offset=1),
            [
                lambda: make(2, 3),
                lambda: make(2, 2),
                lambda: make(2, 1, 6, values=3),
                lambda: make(2, 2, 6, values=3),
                lambda: make(2, 6, values=1),
                lambda: make(2, 6, offset=3),
                lambda: make(2, 6, null_count=1),
                lambda: make(2, 6, n_buffers=1),
                lambda: hand.array(
                    4,
                    children=[
                        hand.array(2, [b"\x01", hand.ints("i", 2, 6)], 1),
                        hand.array(2, [None, hand.ints("i", 7, 8)]),
                    ],
                ),
            ],
            [7, 8, 8, 8],
        )

    def test_values_that_parquet_cannot_hold(self):
        days = 86400000
        for format, data, bad in [
            (b"tdm", hand.ints("q", days, -days), hand.ints("q", days, 1)),
            (b"tss:", hand.ints("q", 1, -1), hand.ints("q", 1, 2**62)),
            (b"tiM", hand.ints("i", 1, 2), hand.ints("i", 1, -1)),
            (b"tiD", hand.ints("i", 1, 2, 3, 4), hand.ints("i", 1, 2, 3, -4)),
            (b"tiD", hand.ints("i", 1, 2, 3, 4), hand.ints("i", 1, 2, -3, 4)),
            (b"tin", hand.ints("iiqiiq", 1, 2, 10**6, 3, 4, 0), hand.ints("iiqiiq", 1, 2, 1, 3, 4, 0)),
            (b"tin", hand.ints("iiqiiq", 1, 2, 0, 3, 4, 0), hand.ints("iiqiiq", 1, -2, 0, 3, 4, 0)),
            (b"d:4,0,32", hand.ints("i", 9999, -9999), hand.ints("i", 9999, 10000)),
        ]:
            with lamella.Writer(self.path("y.parquet"), hand.root(item(format, b"x"))) as writer:
                writer.write(hand.rows(2, hand.array(2, [None, data])))
            schema = hand.root(item(format, b"x"))
            self.refuses(schema, hand.rows(2, hand.array(2, [None, bad])))

    def test_intervals_that_pyarrow_has_not(self):
        months = hand.array(3, [b"\x05", hand.ints("i", 0, -1, 2**31 - 1)], 1)
        times = hand.array(3, [b"\x05", hand.ints("i", 0, 1, -1, -1, 9, 2)], 1)
        schema = lambda: hand.root(item(b"tiM", b"m"), item(b"tiD", b"d"))  # noqa: E731
        path = self.path("intervals.parquet")
        with lamella.Writer(path, schema()) as writer:
            writer.write(hand.rows(3, months, times))
            writer.finish()
        stream = lamella.open_stream(path)
        found = stream.get_schema()
        self.assertEqual([found.children[n].contents.format for n in range(2)], [b"tiM", b"tiD"])
        found.release(ctypes.byref(found))
        array = stream.get_next()
        for n, wanted in enumerate([[0, None, 2**31 - 1], [0, 1, None, None, 9, 2]]):
            child = array.children[n].contents
            self.assertEqual((child.length, child.null_count, child.offset), (3, 1, 0))
            validity = ctypes.cast(child.buffers[0], ctypes.POINTER(ctypes.c_uint8))
            self.assertEqual(validity[0] & 7, 5)
            values = ctypes.cast(child.buffers[1], ctypes.POINTER(ctypes.c_int32))
            for place, value in enumerate(wanted):
                self.assertIn(value, (None, values[place]))
        array.release(ctypes.byref(array))

    # --- Any array ---------------------------------------------------------------------------------

    def test_any_member_of_any_array(self):
        """In arrays of random tables one member is made wrong."""
        self.each_seed(60000, TABLES, self.check_member)

    def check_member(self, seed):
        source = peers.source_of(seed)
        batches = random_tables.random_table(seed).to_batches()
        batches = [batch for batch in batches if batch.num_rows]
        if not batches:
            return
        path = self.path("z.parquet")
        batch = source.choice(batches)
        table = pa.Table.from_batches([batch])
        with lamella.exported_array(batch) as struct, lamella.Writer(path, table.schema) as writer:
            for _ in range(4):
                place = source.randrange(struct.n_children)
                node, found = struct.children[place].contents, table.schema.field(place).type
                wrongs = [wrong for wrong in self.wrongs(node, found)]
                make = source.choice(wrongs)
                with make():
                    with self.assertRaises(lamella.Error) as raised:
                        writer.write(struct)
                error = raised.exception
                self.assertEqual(error.status, "invalid", error.message)
                self.assertIn(table.column_names[place].replace('"', '""'), error.message)  # as a path has it
            writer.write(struct)
            writer.finish()
        self.same_values(table, lamella.read(path), "the array when nothing is wrong")

    def wrongs(self, node, found):
        """Ways to make a node or those below it wrong, where it is always to be seen."""
        found = arrow_values.storage(found)
        for values in [
            {"length": -1},
            {"length": node.length - 1},
            {"offset": -1},
            {"offset": 2**63 - 1},
            {"null_count": node.length + 1},
            {"null_count": -2},
            {"n_buffers": -1},
            {"n_children": node.n_children + 1},
            {"n_children": -1},
            {"release": lamella.ReleaseArray(0)},
        ]:
            yield lambda values=values: members(node, **values)
        # Views may have any number of buffers.
        if not arrow_values.is_view(found):
            yield lambda: members(node, n_buffers=node.n_buffers + 1)
            yield lambda: members(node, n_buffers=node.n_buffers - 1)
        if node.n_children:
            yield lambda: members(node, children=None)
            yield lambda: members(node, n_children=node.n_children - 1)
            yield lambda: element(node.children, 0, None)
            child = node.children[node.n_children - 1].contents
            yield lambda: members(child, release=lamella.ReleaseArray(0))
            yield lambda: members(child, length=-1)
            yield lambda: members(child, n_children=child.n_children + 1)
        if node.n_buffers:
            yield lambda: members(node, buffers=None)
        types = pa.types
        if types.is_dictionary(found):
            yield lambda: members(node, dictionary=None)
            yield lambda: members(node.dictionary.contents, length=-1)
            yield lambda: members(node.dictionary.contents, release=lamella.ReleaseArray(0))
        plain = types.is_primitive(found) or types.is_list(found) or types.is_map(found)
        if (plain or types.is_dictionary(found)) and node.length > node.null_count >= 0:
            yield lambda: element(node.buffers, 1, None)

    # --- Streams -----------------------------------------------------------------------------------

    def test_everything_is_released_once(self):
        def numbers(*values):
            return hand.rows(len(values), hand.array(len(values), [None, hand.ints("i", *values)]))

        path = self.path("s.parquet")
        bad = lambda: hand.rows(9, hand.array(1, [None, b"abcd"]))  # noqa: E731
        for arrays, number, status in [
            ([numbers(1, 2), numbers(), numbers(3)], 0, None),
            ([numbers(1, 2), bad(), numbers(3)], 0, "invalid"),
            ([numbers(1, 2)], 5, "io"),
            ([], 12, "io"),
        ]:
            hand.released.update(schemas=0, arrays=0, streams=0)
            count = len(arrays)
            stream = hand.stream(hand.root(item(name=b"x")), arrays, number, b"no more of it")
            if status is None:
                lamella.write(path, stream)
                wanted = [[1, 2, 3]]
                found = [arrow_values.of_array(c) for c in lamella.read(path).columns]
                self.assertEqual(found, wanted)
            else:
                with self.assertRaises(lamella.Error) as raised:
                    lamella.write(path, stream)
                self.assertEqual(raised.exception.status, status)
                if status == "io":
                    self.assertIn("no more of it", raised.exception.message)
            given = count if status != "invalid" else 2
            # The schema with its child; each array with its child.
            self.assertEqual(hand.released, {"schemas": 2, "arrays": 2 * given, "streams": 0})
            self.assertTrue(stream.release)
            stream.release(ctypes.byref(stream))

    def test_another_schema_than_that_of_the_writer(self):
        path = self.path("w.parquet")
        schema = pa.schema([("x", pa.int32())])
        with lamella.Writer(path, schema) as writer:
            for other in [
                pa.record_batch({"x": ["text"]}),
                pa.record_batch({"x": [1], "y": [2]}),
                pa.record_batch({"x": [[1]]}),
            ]:
                with self.assertRaises(lamella.Error) as raised:
                    writer.write(other)
                self.assertEqual(raised.exception.status, "invalid")
        self.assertFalse(os.path.exists(path))


if __name__ == "__main__":
    peers.main()
