#!/usr/bin/env python3
"""Verifies a logbook of ferrybot with the Python standard library alone, as docs/logbook.md describes it.

    verify_logbook.py [--keys KEYS.json] [--head SEQ:HASH] [--no-signatures] PATH

PATH is an events.jsonl, a run's folder, or a folder with runs/*/events.jsonl and journal/events.jsonl. KEYS.json
is {"keys": [{"id", "role", "public", "from", "until"}, ...]}, the `keys` of the config as JSON. Prints one JSON
value; exit 0 = good, 1 = bad, 2 = used wrongly. It checks the record: bytes, order, chain, signatures, writers, end.
It does not check what may follow what in the life of a run, nor the fields inside `data`, nor git history.
"""

import argparse
import base64
import hashlib
import json
import pathlib
import re
import sys
from datetime import datetime, timezone

WRITERS = {"claimed": "runner", "submitted": "runner", "observed": "watch", "ended": "watch"} | dict.fromkeys(
    "proposed gated approved approval-dropped ordered stop-requested sealed closed held released"
    " command-seen command-answered consented".split(), "control") | {
    "incident": "control runner watch", "mutation-proposed": "control watch",
    "mutation-begun": "runner", "mutation-ended": "runner", "disk-scanned": "watch"}
TERMINAL = ("sealed", "closed")
HASH = re.compile(r"[0-9a-f]{64}")
SIGNATURE = re.compile(r"[A-Za-z0-9+/]{85}[AQgw]==")
MOMENT = re.compile(r"(?:19[7-9]\d|[2-9]\d{3})-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", re.ASCII)


class Bad(Exception):
    """The first bad entry: args are the reason and a message."""


# --- Ed25519 (RFC 8032, section 6), verification only ---------------------------------------------------------------
P = 2**255 - 19
L = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P
ROOT = pow(2, (P - 1) // 4, P)


def add(a, b):
    """Sum of two points in extended coordinates (X, Y, Z, T)."""
    s, t = (a[1] - a[0]) * (b[1] - b[0]) % P, (a[1] + a[0]) * (b[1] + b[0]) % P
    u, v = 2 * a[3] * b[3] * D % P, 2 * a[2] * b[2] % P
    e, f, g, h = t - s, v - u, v + u, t + s
    return (e * f % P, g * h % P, f * g % P, e * h % P)


def times(scalar, point):
    result = (0, 1, 1, 0)
    while scalar:
        if scalar & 1:
            result = add(result, point)
        point, scalar = add(point, point), scalar >> 1
    return result


def point_of(data):
    """The point that 32 bytes encode, or None."""
    y = int.from_bytes(data, "little")
    sign, y = y >> 255, y & (2**255 - 1)
    square = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P:
        x = x * ROOT % P
    if y >= P or (x * x - square) % P or (x == 0 and sign):
        return None
    x = P - x if x & 1 != sign else x
    return (x, y, 1, x * y % P)


def bytes_of(point):
    inverse = pow(point[2], P - 2, P)
    x, y = point[0] * inverse % P, point[1] * inverse % P
    return (y | (x & 1) << 255).to_bytes(32, "little")


BASE = point_of((4 * pow(5, P - 2, P) % P).to_bytes(32, "little"))


def is_signed(public, message, signature):
    key, scalar = point_of(public), int.from_bytes(signature[32:], "little")
    if key is None or scalar >= L:
        return False
    digest = hashlib.sha512(signature[:32] + public + message).digest()
    challenge = int.from_bytes(digest, "little") % L
    minus = (P - key[0], key[1], key[2], P - key[3])
    return bytes_of(add(times(scalar, BASE), times(challenge, minus))) == signature[:32]


# --- canonical JSON (RFC 8785), integers only -----------------------------------------------------------------------
def canonical(value, depth=0):
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    if isinstance(value, int):
        if abs(value) > 2**53 - 1:
            raise Bad("canonical", "not a safe integer")
        return str(value)
    if isinstance(value, str):
        value.encode("utf-8")  # a lone surrogate has no UTF-8
        return json.dumps(value, ensure_ascii=False)
    if depth >= 64:
        raise Bad("canonical", "nested too deeply")
    if isinstance(value, list):
        return "[" + ",".join(canonical(item, depth + 1) for item in value) + "]"
    keys = sorted(value, key=lambda key: key.encode("utf-16-be"))
    return "{" + ",".join(canonical(key) + ":" + canonical(value[key], depth + 1) for key in keys) + "}"


def refuse(text):
    raise Bad("canonical", f"not an integer: {text}")


def read_event(raw):
    """The event of one line (bytes), if it is one."""
    try:
        line = raw.decode("utf-8")
        if len(line.encode("utf-16-le")) > 2 * 1_000_000:
            raise Bad("canonical", "too long")
        event = json.loads(line, parse_float=refuse, parse_constant=refuse)
        if canonical(event) != line:
            raise Bad("canonical", "not in canonical form")
    except (ValueError, RecursionError) as error:
        raise Bad("canonical", str(error)) from error
    is_event = (
        isinstance(event, dict) and event.get("v") == 1 and type(event["v"]) is int
        and all(isinstance(event.get(name), str) and event[name] for name in ("run", "keyId"))
        and type(event.get("seq")) is int and event["seq"] >= 0
        and event.get("type") in WRITERS and event.get("role") in ("control", "runner", "watch")
        and isinstance(event.get("data"), dict) and is_moment(event.get("at"))
        and all(isinstance(event.get(name), str) and HASH.fullmatch(event[name]) for name in ("prev", "hash"))
        and isinstance(event.get("sig"), str) and SIGNATURE.fullmatch(event["sig"])
        and ("actor" not in event or is_actor(event["actor"])))
    if not is_event:
        raise Bad("canonical", "a field is missing, unknown or of the wrong type")
    return event


def is_actor(actor):
    return isinstance(actor, dict) and type(actor.get("id")) is int and isinstance(actor.get("login"), str)


def is_moment(at):
    return isinstance(at, str) and bool(MOMENT.fullmatch(at)) and moment(at) is not None


def moment(text):
    try:
        at = datetime.fromisoformat(text.replace("Z", "+00:00"))
        return at if at.tzinfo else at.replace(tzinfo=timezone.utc)
    except ValueError:
        return None


# --- one file -------------------------------------------------------------------------------------------------------
def check_key(event, keys):
    key = next((key for key in keys if key["id"] == event["keyId"]), None)
    if key is None:
        raise Bad("signature", f"no key {event['keyId']} is known")
    if key["role"] != event["role"]:
        raise Bad("role", f"{event['keyId']} is a {key['role']} key")
    start, end, at = moment(key["from"]), moment(key["until"]), moment(event["at"])
    if start is None or end is None or not start <= at < end:
        raise Bad("signature", f"{event['keyId']} was not in force")
    public = base64.b64decode(key["public"])
    signed = b"ferrybot.logbook.v1:" + event["hash"].encode()
    if len(public) != 32 or not is_signed(public, signed, base64.b64decode(event["sig"])):
        raise Bad("signature", f"the signature is not that of {event['keyId']}")


def verify(data, run, keys, head, signatures):
    """(events, bad): the good events from the start, and None or (line, reason, message)."""
    *lines, torn = data.split(b"\n")
    events = []
    try:
        for line in lines:
            event = read_event(line)
            if event["run"] != (run or event["run"]):
                raise Bad("order", f"an event of {event['run']} in the file of {run}")
            if event["seq"] != len(events):
                raise Bad("order", f"number {event['seq']} stands where {len(events)} belongs")
            run = event["run"]
            rest = {name: event[name] for name in event if name not in ("hash", "sig")}
            if hashlib.sha256(canonical(rest).encode()).hexdigest() != event["hash"]:
                raise Bad("hash", "the entry is not the one that was hashed")
            if event["prev"] != (events[-1]["hash"] if events else "0" * 64):
                raise Bad("hash", "does not continue the entry before it")
            if event["role"] not in WRITERS[event["type"]].split():
                raise Bad("role", f"{event['role']} may not write {event['type']}")
            if keys is None:
                keys = event["data"].get("keys", [])
            if signatures:
                check_key(event, keys)
            events.append(event)
        if torn or not events:
            raise Bad("truncated", "the last line was torn" if torn else "there is no entry")
        if head and head[0] >= len(events):
            raise Bad("truncated", f"entry {head[0]} was there and is missing")
    except Bad as bad:
        return events, (len(events) + 1, *bad.args)
    if head and not events[head[0]]["hash"].startswith(head[1]):
        return events, (head[0] + 1, "hash", f"another entry {head[0]} was there")
    if not head and events[-1]["type"] not in TERMINAL:
        return events, (len(events) + 1, "unanchored", "the run is not over; give --head")
    return events, None


def files_of(path):
    """(file, run) pairs; the run is what the folder says, or None."""
    if path.is_file():
        files = [path]
    elif (path / "events.jsonl").is_file():
        files = [path / "events.jsonl"]
    else:
        files = sorted(path.glob("runs/*/events.jsonl")) + sorted(path.glob("journal/events.jsonl"))
    for file in sorted(files):
        folder = file.resolve().parent
        named = folder.parent.name == "runs" or folder.name == "journal"
        yield file, folder.name if named else None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("path", type=pathlib.Path)
    parser.add_argument("--keys", type=pathlib.Path)
    parser.add_argument("--head")
    parser.add_argument("--no-signatures", action="store_true")
    options = parser.parse_args()
    given = re.fullmatch(r"(\d+):([0-9a-f]{12,64})", options.head or "")
    if options.head and not given:
        parser.error("--head takes SEQ:HASH, at least 12 hex digits")
    head = (int(given[1]), given[2]) if given else None
    keys = json.loads(options.keys.read_text("utf-8"))["keys"] if options.keys else None
    runs, bad = [], None
    for file, run in files_of(options.path):
        events, fault = verify(file.read_bytes(), run, keys, head, not options.no_signatures)
        last = events[-1] if events else None
        anchor = "flag" if head else "terminal" if last and last["type"] in TERMINAL else "none"
        runs.append({"run": last["run"] if last else run or "", "events": len(events), "anchor": anchor,
                     "head": f"{last['seq']}:{last['hash']}" if last else "", "keys": "config" if keys else "recorded"})
        if fault:
            bad = {"file": str(file), "line": fault[0], "seq": fault[0] - 1, "reason": fault[1], "message": fault[2]}
            break
    if not runs:
        parser.error(f"no events.jsonl at {options.path}")
    print(json.dumps({"ok": bad is None, "runs": runs, "bad": bad}))
    return 0 if bad is None else 1


if __name__ == "__main__":
    sys.exit(main())
