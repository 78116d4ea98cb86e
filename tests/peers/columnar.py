"""Parquet and Arrow files by the writers that people use, with the rows that are expected of each.

`columnar.py write FOLDER` writes the files and `expected.json`; `columnar.py check FOLDER` compares `NAME.jsonl` of each file, as the
program wrote it, with what is expected. `columnar.py fixtures FOLDER` writes the few that the tests of the crate `columnar` keep.
The expected values are written down here, not computed from what a library reads back.
"""
import datetime as dt
import decimal
import json
import pathlib
import sys
import uuid

import pyarrow as pa
import pyarrow.feather
import pyarrow.ipc
import pyarrow.parquet as pq

D = decimal.Decimal
BIG = 12345678901234567890123
IDENTIFIER = uuid.UUID("01234567-89ab-cdef-0123-456789abcdef")
MICRO = 1_709_211_900_123_456

# Name, type, values, what is expected. Three rows; the last one is null where nothing else is said.
PLAIN = [
    ("i8", pa.int8(), [-128, 127, None], [-128, 127, None]),
    ("i16", pa.int16(), [-32768, 1, None], [-32768, 1, None]),
    ("i32", pa.int32(), [-2147483648, 1, None], [-2147483648, 1, None]),
    ("i64", pa.int64(), [-(2**63), 2**63 - 1, None], [-(2**63), 2**63 - 1, None]),
    ("u8", pa.uint8(), [255, 0, None], [255, 0, None]),
    ("u16", pa.uint16(), [65535, 0, None], [65535, 0, None]),
    ("u32", pa.uint32(), [4294967295, 0, None], [4294967295, 0, None]),
    ("u64", pa.uint64(), [2**64 - 1, 2**53 + 1, None], [2**64 - 1, 2**53 + 1, None]),
    ("f16", pa.float16(), [1.5, float("nan"), None], [1.5, "NaN", None]),
    ("f32", pa.float32(), [0.1, float("-inf"), None], [0.1, "-Infinity", None]),
    ("f64", pa.float64(), [0.1, float("inf"), None], [0.1, "Infinity", None]),
    ("bool", pa.bool_(), [True, False, None], [True, False, None]),
    ("d9", pa.decimal128(9, 2), [D("1234567.89"), D("-0.01"), None], [1234567.89, -0.01, None]),
    ("d38", pa.decimal128(38, 3), [D("12345678901234567890.123"), D("7"), None], ["12345678901234567890.123", 7, None]),
    ("d76", pa.decimal256(76, 0), [D("1234567890" * 7 + "123456"), D(1), None], ["1234567890" * 7 + "123456", 1, None]),
    ("text", pa.string(), ["Zürich \"x\"\n", "", None], ["Zürich \"x\"\n", "", None]),
    ("large", pa.large_string(), ["a", "b", None], ["a", "b", None]),
    ("bytes", pa.binary(), [b"\x00\xff", b"", None], ["AP8=", "", None]),
    ("fixed", pa.binary(3), [b"abc", b"def", None], ["YWJj", "ZGVm", None]),
    ("date", pa.date32(), [dt.date(2024, 2, 29), dt.date(1, 1, 1), None], ["2024-02-29", "0001-01-01", None]),
    ("ms", pa.timestamp("ms"), [MICRO // 1000, -1, None], ["2024-02-29T13:05:00.123", "1969-12-31T23:59:59.999", None]),
    ("us", pa.timestamp("us"), [MICRO, 0, None], ["2024-02-29T13:05:00.123456", "1970-01-01T00:00:00.000", None]),
    ("ns", pa.timestamp("ns"), [MICRO * 1000 + 789, 0, None], ["2024-02-29T13:05:00.123456789", "1970-01-01T00:00:00.000", None]),
    ("utc", pa.timestamp("us", "UTC"), [MICRO, 0, None], ["2024-02-29T13:05:00.123456Z", "1970-01-01T00:00:00.000Z", None]),
    ("clock", pa.time64("us"), [dt.time(23, 59, 59, 1), dt.time(0), None], ["23:59:59.000001", "00:00:00", None]),
    ("clock_ms", pa.time32("ms"), [dt.time(13, 45), dt.time(1, 2, 3, 4000), None], ["13:45:00", "01:02:03.004", None]),
    ("clock_ns", pa.time64("ns"), [1, 86_399_999_999_999, None], ["00:00:00.000000001", "23:59:59.999999999", None]),
    ("list", pa.list_(pa.int32()), [[1, None], [], None], [[1, None], [], None]),
    ("deep", pa.list_(pa.list_(pa.string())), [[["a"], []], [None], None], [[["a"], []], [None], None]),
    ("object", pa.struct([("a", pa.int32()), ("b", pa.struct([("c", pa.string())]))]),
     [{"a": 1, "b": {"c": "x"}}, {"a": None, "b": None}, None], [{"a": 1, "b": {"c": "x"}}, {"a": None, "b": None}, None]),
    ("map", pa.map_(pa.string(), pa.int64()), [[("k", 1)], [], None], [{"k": 1}, {}, None]),
    ("by_number", pa.map_(pa.int32(), pa.string()), [[(7, "x"), (8, None)], [], None],
     [[{"key": 7, "value": "x"}, {"key": 8, "value": None}], [], None]),
    ("objects", pa.list_(pa.struct([("n", pa.decimal128(20, 2)), ("at", pa.timestamp("us", "UTC"))])),
     [[{"n": D("1.50"), "at": MICRO}], [None], None], [[{"n": 1.5, "at": "2024-02-29T13:05:00.123456Z"}], [None], None]),
]
# What Parquet keeps only with the copy of its types that Arrow writes.
WITH_SCHEMA = [
    ("span", pa.duration("us"), [95_400_500_000, -1, None], ["PT26H30M0.5S", "PT-0.000001S", None]),
    ("day64", pa.date64(), [1_709_164_800_000, 0, None], ["2024-02-29", "1970-01-01", None]),
    ("second", pa.timestamp("s"), [253_402_300_800, 0, None], ["+10000-01-01T00:00:00.000", "1970-01-01T00:00:00.000", None]),
    ("zone", pa.timestamp("us", "Europe/Berlin"), [MICRO, 0, None], ["2024-02-29T13:05:00.123456Z", "1970-01-01T00:00:00.000Z", None]),
    ("view", pa.string_view(), ["a text that is longer than twelve bytes", "b", None], ["a text that is longer than twelve bytes", "b", None]),
    ("bytes_view", pa.binary_view(), [b"abc", b"", None], ["YWJj", "", None]),
    ("three", pa.list_(pa.float32(), 3), [[1, 2, 3], [0.5, None, 0], None], [[1, 2, 3], [0.5, None, 0], None]),
    ("large_list", pa.large_list(pa.int8()), [[1], [], None], [[1], [], None]),
    ("id", pa.uuid(), [IDENTIFIER.bytes, bytes(16), None], [str(IDENTIFIER), str(uuid.UUID(int=0)), None]),
    ("coded", pa.dictionary(pa.int8(), pa.string()), ["red", "red", None], ["red", "red", None]),
    ("none", pa.null(), [None, None, None], [None, None, None]),
]
ARROW_ONLY = [
    ("d7", pa.decimal32(7, 2), [D("12345.67"), D("0.10"), None], [12345.67, 0.1, None]),
    ("d18", pa.decimal64(18, 4), [D("1.5"), D("-99999999999999.9999"), None], [1.5, "-99999999999999.9999", None]),
    ("part", pa.month_day_nano_interval(), [pa.MonthDayNano([14, 3, 4_000_000_001]), pa.MonthDayNano([0, 0, 0]), None],
     ["P1Y2M3DT4.000000001S", "PT0S", None]),
    ("list_view", pa.list_view(pa.int16()), [[1, 2], [], None], [[1, 2], [], None]),
    ("json", pa.json_(), ['{"a": [1.50, 12345678901234567890123]}', "[]", None], [{"a": [1.5, "12345678901234567890123"]}, [], None]),
    ("flag", pa.bool8(), [1, 0, None], [True, False, None]),
]


def array(kind, values):
    """Values as an array; numbers stand for moments, times and spans."""
    storage = {"timestamp": pa.int64(), "time64": pa.int64(), "duration": pa.int64(), "date64": pa.int64()}
    if isinstance(kind, pa.DictionaryType):
        return pa.array(values, kind.value_type).dictionary_encode().cast(kind)
    if isinstance(kind, pa.BaseExtensionType):
        return pa.ExtensionArray.from_storage(kind, pa.array(values, kind.storage_type))
    for name, plain in storage.items():
        if str(kind).startswith(name) and any(isinstance(value, int) for value in values):
            return pa.array(values, plain).cast(kind)
    return pa.array(values, kind)


def table(columns):
    arrays = [array(kind, values) for _, kind, values, _ in columns]
    return pa.table(arrays, names=[name for name, *_ in columns])


def rows(columns):
    return [{name: wanted[at] for name, _, _, wanted in columns} for at in range(3)]


class Files:
    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.expected = {}

    def add(self, name, wanted, write):
        write(str(self.folder / name))
        self.expected[name] = wanted

    def end(self):
        text = json.dumps(self.expected, indent=1, ensure_ascii=False)
        (self.folder / "expected.json").write_text(text + "\n", encoding="utf-8")


def parquet(files, name, columns, **options):
    files.add(name, rows(columns), lambda path: pq.write_table(table(columns), path, **options))


def arrow(files, name, columns, stream=False, **options):
    made = table(columns)

    def write(path):
        new = pa.ipc.new_stream if stream else pa.ipc.new_file
        with pa.OSFile(path, "wb") as out, new(out, made.schema, options=pa.ipc.IpcWriteOptions(**options)) as writer:
            writer.write_table(made)

    files.add(name, rows(columns), write)


SMALL = [column for column in PLAIN if column[0] in ("i64", "text", "list")]
# Compressible, so that compression is not given up.
LONG = [("text", pa.string(), ["abc" * 400, "", None], ["abc" * 400, "", None])]


def codecs(files):
    for codec in ("none", "snappy", "gzip", "brotli", "zstd", "lz4"):
        for version in ("1.0", "2.0"):
            parquet(files, f"{codec}-{version[0]}.parquet", SMALL + [("long",) + LONG[0][1:]], compression=codec, data_page_version=version)
    for codec in (None, "lz4", "zstd"):
        arrow(files, f"{codec or 'none'}.arrow", SMALL + [("long",) + LONG[0][1:]], compression=codec)
        arrow(files, f"{codec or 'none'}.arrows", SMALL + [("long",) + LONG[0][1:]], stream=True, compression=codec)


def checksum(files):
    """A byte of a page is not what it was."""
    def write(path):
        pq.write_table(pa.table({"n": pa.array(range(100), pa.int64())}), path, compression="none", use_dictionary=False, write_page_checksum=True)
        content = bytearray(pathlib.Path(path).read_bytes())
        content[content.index((77).to_bytes(8, "little"))] = 78
        pathlib.Path(path).write_bytes(content)

    files.add("checksum.parquet", "BAD_PARQUET", write)


def encrypted(files):
    import pyarrow.parquet.encryption as pe

    class Keys(pe.KmsClient):
        def __init__(self, _config):
            pe.KmsClient.__init__(self)

        def wrap_key(self, key, _name):
            return key.hex()

        def unwrap_key(self, key, _name):
            return bytes.fromhex(key)

    def write(path, **options):
        factory = pe.CryptoFactory(lambda config: Keys(config))
        settings = pe.EncryptionConfiguration(footer_key="footer", column_keys={"column": ["i64"]}, **options)
        made = table(SMALL)
        with pq.ParquetWriter(path, made.schema, encryption_properties=factory.file_encryption_properties(pe.KmsConnectionConfig(), settings)) as writer:
            writer.write_table(made)

    files.add("encrypted.parquet", "ENCRYPTED", write)
    files.add("encrypted-columns.parquet", "ENCRYPTED", lambda path: write(path, plaintext_footer=True))


def arrow_special(files):
    """Dictionaries that grow, unions, runs; a file that was cut; a column of which two have the name."""
    parts = [pa.record_batch([pa.array(values).dictionary_encode()], names=["c"]) for values in (["a", "b"], ["a", "b", "c"])]
    parts[1] = pa.record_batch([pa.DictionaryArray.from_arrays(pa.array([2, 0], pa.int32()), pa.array(["a", "b", "c"]))], names=["c"])

    def deltas(path, stream):
        options = pa.ipc.IpcWriteOptions(emit_dictionary_deltas=True)
        new = pa.ipc.new_stream if stream else pa.ipc.new_file
        with pa.OSFile(path, "wb") as out, new(out, parts[0].schema, options=options) as writer:
            for part in parts:
                writer.write_batch(part)

    wanted = [{"c": "a"}, {"c": "b"}, {"c": "c"}, {"c": "a"}]
    files.add("deltas.arrow", wanted, lambda path: deltas(path, False))
    files.add("deltas.arrows", wanted, lambda path: deltas(path, True))
    union = pa.UnionArray.from_dense(pa.array([0, 1, 0], pa.int8()), pa.array([0, 0, 1], pa.int32()), [pa.array([1, None]), pa.array(["x"])])
    sparse = pa.UnionArray.from_sparse(pa.array([0, 1, 0], pa.int8()), [pa.array([1, 0, None]), pa.array(["", "x", ""])])
    runs = pa.RunEndEncodedArray.from_arrays(pa.array([2, 3], pa.int32()), pa.array(["a", None]))
    made = pa.table([union, sparse, runs], names=["dense", "sparse", "runs"])

    def write(path):
        with pa.OSFile(path, "wb") as out, pa.ipc.new_file(out, made.schema) as writer:
            writer.write_table(made)

    files.add("special.arrow", [{"dense": 1, "sparse": 1, "runs": "a"}, {"dense": "x", "sparse": "x", "runs": "a"}, {"dense": None, "sparse": None, "runs": None}], write)
    twice = pa.table([pa.array([1]), pa.array([2])], names=["a", "a"])
    files.add("twice.parquet", [{"a": 1, "a_2": 2}], lambda path: pq.write_table(twice, path))


def by_pyarrow(files):
    parquet(files, "types.parquet", PLAIN + WITH_SCHEMA)
    parquet(files, "types-plain.parquet", PLAIN, use_dictionary=False, store_schema=False, write_page_checksum=True)
    parquet(files, "types-2.parquet", PLAIN, data_page_version="2.0", row_group_size=2, column_encoding={"i64": "DELTA_BINARY_PACKED", "text": "DELTA_BYTE_ARRAY", "f64": "BYTE_STREAM_SPLIT"}, use_dictionary=["date"])
    parquet(files, "int96.parquet", [column for column in PLAIN if column[0] in ("ms", "us", "ns")], use_deprecated_int96_timestamps=True)
    arrow(files, "types.arrow", PLAIN + WITH_SCHEMA + ARROW_ONLY)
    arrow(files, "types.arrows", PLAIN + WITH_SCHEMA + ARROW_ONLY, stream=True, compression="zstd")
    arrow(files, "types-lz4.arrow", PLAIN + WITH_SCHEMA + ARROW_ONLY, compression="lz4")
    files.add("feather.feather", rows(SMALL), lambda path: pa.feather.write_feather(table(SMALL), path))


def by_duckdb(files):
    import duckdb

    sql = """SELECT 12345678901234567890::UBIGINT u, 1.5::DECIMAL(18,3) d, '12345678901234567890.5'::DECIMAL(38,1) d38,
      INTERVAL '14 months 3 days 500 milliseconds' span, '01234567-89ab-cdef-0123-456789abcdef'::UUID id, '{"a": [1.50]}'::JSON doc,
      TIMESTAMPTZ '2024-02-29 13:05:00.123456+00' AS "at", TIMESTAMP_NS '2024-02-29 13:05:00.123456789' ns, TIME '13:45:00' clock, DATE '0001-01-01' d1,
      'red'::ENUM('red', 'green') e, [1, NULL] l, {'a': 1, 'b': 'x'} s, MAP {7: 'x'} m, MAP {'k': [1]} t, '\\x00\\xFF'::BLOB b, 'nan'::DOUBLE f, NULL::INTEGER n"""
    wanted = {"u": 12345678901234567890, "d": 1.5, "d38": "12345678901234567890.5", "span": "P1Y2M3DT0.5S", "id": str(IDENTIFIER), "doc": {"a": [1.5]},
              "at": "2024-02-29T13:05:00.123456Z", "ns": "2024-02-29T13:05:00.123456789", "clock": "13:45:00", "d1": "0001-01-01", "e": "red", "l": [1, None],
              "s": {"a": 1, "b": "x"}, "m": [{"key": 7, "value": "x"}], "t": {"k": [1]}, "b": "AP8=", "f": "NaN", "n": None}
    for codec in ("snappy", "zstd", "gzip", "brotli", "lz4_raw", "uncompressed"):
        for version in ("V1", "V2"):
            name = f"duckdb-{codec}-{version}.parquet"
            files.add(name, [wanted] * 3, lambda path, codec=codec, version=version: duckdb.sql(f"SELECT x.* FROM ({sql}) x, range(3)").write_parquet(path, compression=codec) if version == "V1"
                      else duckdb.execute(f"COPY (SELECT x.* FROM ({sql}) x, range(3)) TO '{path}' (FORMAT parquet, COMPRESSION {codec}, PARQUET_VERSION V2)"))


def by_polars(files):
    import polars as pl

    frame = pl.DataFrame({
        "i": pl.Series([2**63 - 1, None], dtype=pl.Int64), "u": pl.Series([2**64 - 1, 0], dtype=pl.UInt64), "f": [0.1, float("nan")], "t": ["a", None],
        "c": pl.Series(["x", "x"], dtype=pl.Categorical), "d": pl.Series([D("1.50"), None], dtype=pl.Decimal(20, 2)), "b": [b"\x00\xff", b""],
        "at": pl.Series([dt.datetime(2024, 2, 29, 13, 5, 0, 123456), None], dtype=pl.Datetime("ns")), "z": pl.Series([dt.datetime(2024, 2, 29, 13, 5), None], dtype=pl.Datetime("us", "UTC")),
        "day": [dt.date(2024, 2, 29), None], "clock": [dt.time(13, 45), None], "span": [dt.timedelta(hours=26, minutes=30), None], "l": [[1, None], []], "s": [{"a": 1}, {"a": None}],
    })
    wanted = [
        {"i": 2**63 - 1, "u": 2**64 - 1, "f": 0.1, "t": "a", "c": "x", "d": 1.5, "b": "AP8=", "at": "2024-02-29T13:05:00.123456", "z": "2024-02-29T13:05:00.000Z",
         "day": "2024-02-29", "clock": "13:45:00", "span": "PT26H30M", "l": [1, None], "s": {"a": 1}},
        {"i": None, "u": 0, "f": "NaN", "t": None, "c": "x", "d": None, "b": "", "at": None, "z": None, "day": None, "clock": None, "span": None, "l": [], "s": {"a": None}},
    ]
    for codec in ("zstd", "snappy", "gzip", "brotli", "lz4", "uncompressed"):
        files.add(f"polars-{codec}.parquet", wanted, lambda path, codec=codec: frame.write_parquet(path, compression=codec))
    for codec in ("uncompressed", "lz4", "zstd"):
        files.add(f"polars-{codec}.arrow", wanted, lambda path, codec=codec: frame.write_ipc(path, compression=codec))
        files.add(f"polars-{codec}.arrows", wanted, lambda path, codec=codec: frame.write_ipc_stream(path, compression=codec))


def by_fastparquet(files, codecs=("SNAPPY", "GZIP", "ZSTD", "LZ4_RAW", "BROTLI")):
    import fastparquet
    import pandas as pd

    frame = pd.DataFrame({"n": [1, 2], "t": ["a", "b"], "at": pd.to_datetime(["2024-02-29 13:05:00.123456", "1970-01-01 00:00:00.000000"]).astype("datetime64[ns]")})
    # Nanoseconds: as INT96 it writes microseconds as if they were nanoseconds (findings/fastparquet-int96-microseconds.sh).
    wanted = [{"n": 1, "t": "a", "at": "2024-02-29T13:05:00.123456"}, {"n": 2, "t": "b", "at": "1970-01-01T00:00:00.000"}]
    for codec in codecs:
        for times in ("int64", "int96"):
            files.add(f"fastparquet-{codec}-{times}.parquet", wanted, lambda path, codec=codec, times=times: fastparquet.write(path, frame, compression=codec, times=times, write_index=False))


def check(folder):
    """Whether what the program wrote is what is expected: values, and the types of numbers, too."""
    folder = pathlib.Path(folder)
    expected = json.loads((folder / "expected.json").read_text(encoding="utf-8"))
    failed = 0
    for name, wanted in expected.items():
        written, error = folder / f"{name}.jsonl", folder / f"{name}.error"
        found = error.read_text() if error.exists() else [json.loads(line) for line in written.read_text(encoding="utf-8").splitlines()]
        if found != wanted:
            failed += 1
            print(f"{name}: expected {wanted!r}, found {found!r}")
    print(f"{len(expected) - failed} of {len(expected)} files as expected")
    sys.exit(1 if failed else 0)


def main():
    word, folder = sys.argv[1:]
    if word == "check":
        check(folder)
    files = Files(folder)
    if word == "fixtures":
        parts = [codecs, checksum, encrypted, arrow_special, lambda files: by_fastparquet(files, ("SNAPPY",))]
        parquet(files, "types.parquet", PLAIN + WITH_SCHEMA, compression="zstd")
        arrow(files, "types.arrow", PLAIN + WITH_SCHEMA + ARROW_ONLY, compression="zstd")
    else:
        parts = [codecs, checksum, encrypted, arrow_special, by_pyarrow, by_duckdb, by_polars, by_fastparquet]
    for part in parts:
        part(files)
    files.end()


main()
