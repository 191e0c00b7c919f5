"""Reads an event file of TensorBoard by its published format, and prints its events as JSON.

    python3 curves.witness.test-helper.py FILE

Nothing is shared with the writer: checksums bit by bit, protobuf by its wire format.
"""

import json
import struct
import sys


def crc32c(data):
    rest = 0xFFFFFFFF
    for byte in data:
        for bit in range(8):
            low = (rest ^ (byte >> bit)) & 1
            rest >>= 1
            if low:
                rest ^= 0x82F63B78
    return rest ^ 0xFFFFFFFF


def masked(checksum):
    return ((checksum >> 15 | checksum << 17) + 0xA282EAD8) & 0xFFFFFFFF


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def fields(data):
    at, found = 0, []
    while at < len(data):
        key, at = varint(data, at)
        kind = key & 7
        if kind == 0:
            value, at = varint(data, at)
        elif kind == 1:
            value, at = struct.unpack_from("<d", data, at)[0], at + 8
        elif kind == 5:
            value, at = struct.unpack_from("<f", data, at)[0], at + 4
        else:
            assert kind == 2, kind
            size, at = varint(data, at)
            value, at = data[at : at + size], at + size
            assert len(value) == size
        found.append((key >> 3, value))
    return found


def tensorboard(data):
    at, events = 0, []
    while at < len(data):
        size, sum_of_size = struct.unpack_from("<QI", data, at)
        assert sum_of_size == masked(crc32c(data[at : at + 8])), "length"
        event = data[at + 12 : at + 12 + size]
        assert struct.unpack_from("<I", data, at + 12 + size)[0] == masked(crc32c(event)), "data"
        at += 16 + size
        parts = dict(fields(event))
        scalars = {}
        for _, value in fields(parts.get(5, b"")):
            of = dict(fields(value))
            if 2 in of:
                scalars[of[1].decode()] = of[2]
        version = parts[3].decode() if 3 in parts else None
        events.append({"time": parts[1], "step": parts.get(2, 0), "version": version, "scalars": scalars})
    return events


with open(sys.argv[1], "rb") as file:
    print(json.dumps(tensorboard(file.read())))
