#!/usr/bin/env python3
"""Computes the digest of a manifest with the Python standard library alone, as RFC 8785 and docs/logbook.md say.

    manifest_digest.py < manifests.jsonl

Each line of the input is one JSON value: a manifest, or an answer of `ferrybot manifest RUN --json`, whose member
`manifest` is taken. For each line it prints `sha256:` and 64 hex digits: the SHA-256 of the canonical UTF-8 text without
a newline, which is what a person approves. Exit 1 where a line is no manifest, with one line on stderr that says
which and why; exit 2 where it is used wrongly.
"""

import hashlib
import json
import sys

LARGEST = 2**53 - 1
DEPTH = 64


def canonical(value, depth=0):
    """RFC 8785 for what a manifest may hold: members sorted by UTF-16 code units, integers, shortest escapes."""
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    if isinstance(value, int):
        if abs(value) > LARGEST:
            raise ValueError(f"not a safe integer: {value}")
        return str(value)
    if isinstance(value, str):
        value.encode("utf-8")  # a lone surrogate has no UTF-8 and raises
        return json.dumps(value, ensure_ascii=False)
    if depth >= DEPTH:
        raise ValueError("nested too deeply")
    if isinstance(value, list):
        return "[" + ",".join(canonical(item, depth + 1) for item in value) + "]"
    if isinstance(value, dict):
        names = sorted(value, key=lambda name: name.encode("utf-16-be"))
        return "{" + ",".join(f"{canonical(name)}:{canonical(value[name], depth + 1)}" for name in names) + "}"
    raise ValueError(f"a decimal is a string in a manifest: {value}")


def digest(manifest):
    return "sha256:" + hashlib.sha256(canonical(manifest).encode("utf-8")).hexdigest()


def manifest_of(line):
    """The manifest of one line (bytes): the value itself, or its member `manifest`. ValueError where it is none."""
    try:
        value = json.loads(line.decode("utf-8"))
    except RecursionError as error:
        raise ValueError("nested too deeply") from error
    if isinstance(value, dict):
        value = value.get("manifest", value)
    if not isinstance(value, dict):
        raise ValueError("a manifest is an object")
    return value


def main():
    if len(sys.argv) > 1:
        print("no arguments are taken: manifest_digest.py < manifests.jsonl", file=sys.stderr)
        return 2
    for number, line in enumerate(sys.stdin.buffer, 1):
        if line.strip() == b"":
            continue
        try:
            print(digest(manifest_of(line)))
        except ValueError as error:
            print(f"line {number}: no manifest: {error}", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
