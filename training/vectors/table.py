"""The table as bytes, and a reader of it that the Rust one has to equal.

Little-endian. Head: `NIDRAVEC`, then u16 each: version, dimensions, bits of a number, 0; then u32 rows; f32 the unit
of scales; u64 a digest of all that follows, which names the table. Then:
- places: 65537 × u16, where the rows of each of 65536 buckets begin;
- marks: rows × u32, by which a row is known within its bucket;
- scales: rows × u16, in units of the head;
- numbers: rows × dimensions, signed, of 4 bits (two in a byte, the first one low, eight added) or of 8.

Names are not stored. A name's bucket and mark are 48 bits of its hash; packing fails should two names share them.
"""

import hashlib
import struct

import numpy as np

import tokens

VERSION = 1
BUCKETS = 1 << 16
HEAD = "<8sHHHHIfQ"
MASK = (1 << 64) - 1


def hashed(name):
    """The bucket and the mark of a name: FNV-1a over its bytes, mixed."""
    value = 0xCBF29CE484222325
    for byte in name.encode():
        value = ((value ^ byte) * 0x100000001B3) & MASK
    value = ((value ^ (value >> 32)) * 0x9E3779B97F4A7C15) & MASK
    return value >> 48, (value >> 8) & 0xFFFFFFFF


def pack(names, rows, bits=4):
    """The bytes of a table."""
    count, dimensions = rows.shape
    if count >= BUCKETS:
        raise ValueError(f"{count} rows are too many")
    keys = [hashed(name) for name in names]
    if len(set(keys)) < count:
        raise ValueError("two names have the same hash")
    order = sorted(range(count), key=lambda index: keys[index])
    rows = rows[order]
    most = 2 ** (bits - 1) - 1
    scales, numbers = quantised(rows, most)
    unit = np.float32(scales.max() / 65535)
    stored = np.maximum(1, np.round(scales / unit)).astype("<u2")
    buckets = np.array([keys[index][0] for index in order])
    places = np.searchsorted(buckets, np.arange(BUCKETS + 1)).astype("<u2")
    marks = np.array([keys[index][1] for index in order], "<u4")
    if bits == 4:
        shifted = (numbers + 8).astype(np.uint8)
        body = shifted[:, 0::2] | (shifted[:, 1::2] << 4)
    else:
        body = numbers.astype(np.int8)
    rest = b"".join([places.tobytes(), marks.tobytes(), stored.tobytes(), body.tobytes()])
    digest = int.from_bytes(hashlib.blake2b(rest, digest_size=8).digest(), "little")
    return struct.pack(HEAD, b"NIDRAVEC", VERSION, dimensions, bits, 0, count, unit, digest) + rest


def quantised(rows, most):
    """Whole numbers and the scale of each row, the one of some scales that errs least."""
    largest = np.maximum(np.abs(rows).max(axis=1), 1e-9)
    best = np.full(len(rows), np.inf)
    scales, numbers = np.zeros(len(rows)), np.zeros(rows.shape)
    for share in (1.0, 0.92, 0.85, 0.78, 0.7, 0.62):
        scale = largest * share / most
        whole = np.clip(np.round(rows / scale[:, None]), -most, most)
        # The factor that fits these whole numbers best.
        scale = (rows * whole).sum(axis=1) / np.maximum((whole * whole).sum(axis=1), 1)
        error = ((rows - whole * scale[:, None]) ** 2).sum(axis=1)
        better = error < best
        best[better], scales[better], numbers[better] = error[better], scale[better], whole[better]
    return scales, numbers


class Table:
    """A packed table that is read."""

    def __init__(self, data):
        magic, version, self.dimensions, bits, _, count, unit, _ = struct.unpack_from(HEAD, data)
        assert magic == b"NIDRAVEC" and version == VERSION
        at = struct.calcsize(HEAD)
        self.places = np.frombuffer(data, "<u2", BUCKETS + 1, at)
        at += 2 * (BUCKETS + 1)
        self.marks = np.frombuffer(data, "<u4", count, at)
        at += 4 * count
        scales = np.frombuffer(data, "<u2", count, at)
        at += 2 * count
        if bits == 4:
            body = np.frombuffer(data, np.uint8, count * self.dimensions // 2, at).reshape(count, -1)
            numbers = np.stack([body & 15, body >> 4], axis=2).reshape(count, -1).astype(np.float32) - 8
        else:
            numbers = np.frombuffer(data, np.int8, count * self.dimensions, at).reshape(count, -1)
        self.rows = numbers * (scales.astype(np.float32) * np.float32(unit))[:, None]

    def find(self, name):
        """The row of a name, or nothing."""
        bucket, mark = hashed(name)
        for row in range(self.places[bucket], self.places[bucket + 1]):
            if self.marks[row] == mark:
                return row
        return None

    def row_numbers(self, text):
        """The rows that make up a text."""
        known = {}

        def has(name):
            if name not in known:
                known[name] = self.find(name)
            return known[name] is not None

        return [known[name] for name in tokens.tokens(text, has)]

    def embed(self, texts, is_query=False):
        """The vectors of texts, of length one; nothing known gives nothing."""
        out = np.zeros((len(texts), self.dimensions), np.float32)
        for index, text in enumerate(texts):
            rows = self.row_numbers(text)
            if rows:
                total = self.rows[rows].sum(axis=0)
                out[index] = total / max(np.linalg.norm(total), 1e-9)
        return out
