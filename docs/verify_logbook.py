#!/usr/bin/env python3
"""Verifies a logbook of ferrybot with the Python standard library alone, as docs/logbook.md describes it.

    verify_logbook.py [--keys KEYS.json] [--head SEQ:HASH] [--no-signatures] PATH

PATH is an events.jsonl, a run's folder, or a folder with runs/YYYY/MM/*/events.jsonl and journal/events.jsonl. Further files of
the same run (events-0002.jsonl and so on) lie beside the first and are read with it. KEYS.json
is {"keys": [{"id", "role", "public", "from", "until"}, ...]}, the `keys` of the config as JSON. Prints one JSON
value, whatever the files hold; exit 0 = good, 1 = bad, 2 = used wrongly (then the value has an `error` in place of
`runs`). It checks the record: bytes, order, chain, signatures, writers, end, and that the runs of a checkout have what the
checkpoints in its journal say. It does not check what may follow what
in the life of a run, nor the fields inside `data`, nor git history.
"""

# rule AG-22
import argparse
import base64
import hashlib
import json
import os
import re
import sys
from datetime import datetime

# From the definitions of the events: node scripts/logbook-docs.ts
WRITERS = {
    "proposing": "control",
    "contracted": "control",
    "proposed": "control",
    "gated": "control",
    "shown": "control",
    "approved": "control",
    "approval-dropped": "control",
    "ordered": "control",
    "claimed": "runner",
    "submitted": "runner",
    "observed": "watch",
    "dispatched": "control",
    "stop-requested": "control",
    "ended": "watch",
    "sealed": "control",
    "closed": "control",
    "incident": "control runner watch",
    "command-seen": "control",
    "command-answered": "control",
    "held": "control",
    "released": "control",
    "action-proposed": "control watch",
    "action-approved": "control",
    "action-claimed": "runner",
    "action-ended": "runner",
    "disk-scanned": "watch",
    "checkpoint-rejected": "control",
    "milestone": "control",
    "notified": "control watch",
    "delivered": "control watch",
    "objective-asked": "control",
    "described": "watch",
    "adopted": "control",
    "handoff": "control",
    "watch-bounded": "control",
    "watch-ended": "control watch",
    "watch-resumed": "control",
    "taken": "control",
    "offer-seen": "watch",
    "machines-seen": "watch",
    "tear-down-begun": "watch",
    "tear-down-ended": "watch",
    "machine-kept": "control",
    "tear-down-asked": "control",
    "record-checkpointed": "control",
}
ROLES = ("control", "runner", "watch")
TERMINAL = ("sealed", "closed")
FILE_NAME = "events.jsonl"
FILE_PART = re.compile(r"events(?:-(\d{4,9}))?\.jsonl", re.ASCII)
FILE_BYTES = 64 * 1024 * 1024
LINE_UNITS = 1_000_000
DEPTH = 64
HASH = re.compile(r"[0-9a-f]{64}")
SIGNATURE = re.compile(r"[A-Za-z0-9+/]{85}[AQgw]==")
MOMENT = re.compile(r"(?:19[7-9]\d|[2-9]\d{3})-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", re.ASCII)
RFC_3339 = re.compile(r"(\d{4}-\d\d-\d\d)T([01]\d|2[0-3]):([0-5]\d):([0-5]\d)(?:\.(\d+))?"
                      r"(?:Z|([+-])([01]\d|2[0-3]):([0-5]\d))", re.ASCII)


class Bad(Exception):
    """The first bad entry: args are the reason and a message."""


class Misuse(Exception):
    """Nothing could be verified as it was asked for: the message is for the person who asked."""


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
    if depth >= DEPTH:
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
        if len(line.encode("utf-16-le")) > 2 * LINE_UNITS:
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
        and isinstance(event.get("type"), str) and event["type"] in WRITERS and event.get("role") in ROLES
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
    """Milliseconds since 1970 of an RFC 3339 text, further digits of a second left out; None where it is none."""
    found = RFC_3339.fullmatch(text)
    if found is None:
        return None
    day, hours, minutes, seconds, fraction, sign, off_hours, off_minutes = found.groups()
    try:
        days = datetime.strptime(day, "%Y-%m-%d").toordinal() - datetime(1970, 1, 1).toordinal()
    except ValueError:
        return None
    clock = ((days * 24 + int(hours)) * 60 + int(minutes)) * 60 + int(seconds)
    offset = (int(off_hours) * 60 + int(off_minutes)) * 60 if sign else 0
    return (clock - (-offset if sign == "-" else offset)) * 1000 + int((fraction or "")[:3].ljust(3, "0"))


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
    public = public_of(key["public"])
    signed = b"ferrybot.logbook.v1:" + event["hash"].encode()
    if public is None or not is_signed(public, signed, base64.b64decode(event["sig"])):
        raise Bad("signature", f"the signature is not that of {event['keyId']}")


def public_of(text):
    """The 32 bytes of a public key in standard base64 with padding, or None: another text of the same bytes is none."""
    try:
        public = base64.b64decode(text, validate=True)
    except ValueError:
        return None
    return public if len(public) == 32 and base64.b64encode(public).decode() == text else None


def is_keys(value):
    return isinstance(value, list) and all(
        isinstance(key, dict) and key.get("role") in ROLES
        and all(isinstance(key.get(name), str) for name in ("id", "public", "from", "until")) for key in value)


def verify(parts, run, month, keys, head, signatures, covered=None):
    """(events, bad): the good events from the start, and None or (line, reason, message), lines counted through all parts."""
    events = []
    try:
        for index, data in enumerate(parts):
            *lines, torn = data.split(b"\n")
            for line in lines:
                event = read_event(line)
                if event["run"] != (run or event["run"]):
                    raise Bad("order", f"an event of {event['run']} in the file of {run}")
                if event["seq"] != len(events):
                    raise Bad("order", f"number {event['seq']} stands where {len(events)} belongs")
                if month and not events and event["at"][:7].replace("-", "/") != month:
                    raise Bad("order", f"began at {event['at']} and lies in {month}")
                run = event["run"]
                rest = {name: event[name] for name in event if name not in ("hash", "sig")}
                if hashlib.sha256(canonical(rest).encode()).hexdigest() != event["hash"]:
                    raise Bad("hash", "the entry is not the one that was hashed")
                if event["prev"] != (events[-1]["hash"] if events else "0" * 64):
                    raise Bad("hash", "does not continue the entry before it")
                if event["role"] not in WRITERS[event["type"]].split():
                    raise Bad("role", f"{event['role']} may not write {event['type']}")
                if signatures:
                    if keys is None:
                        keys = event["data"].get("keys")
                        if not is_keys(keys):
                            raise Bad("signature", "no keys are given and the first event records none")
                    check_key(event, keys)
                events.append(event)
            if torn:
                raise Bad("truncated", "the last line was torn")
            if not lines and len(parts) > 1:
                raise Bad("truncated", "a file of it is missing, or empty")
        if not events:
            raise Bad("truncated", "there is no entry")
        anchor = head or covered
        if anchor and anchor[0] >= len(events):
            raise Bad("truncated", f"entry {anchor[0]} was there and is missing")
    except Bad as bad:
        return events, (len(events) + 1, *bad.args)
    if anchor and not events[anchor[0]]["hash"].startswith(anchor[1]):
        return events, (anchor[0] + 1, "hash", f"another entry {anchor[0]} was there")
    if not head and events[-1]["type"] not in TERMINAL:
        return events, (len(events) + 1, "unanchored", "the run is not over; give --head")
    return events, None


def covered_by(events):
    """What the checkpoints of a journal say: of each run an entry that it has, and when it began."""
    found = {}
    for data in (event["data"] for event in events if event["type"] == "record-checkpointed"):
        for name in ("live", "ended"):
            for one in data[name] if isinstance(data.get(name), list) else []:
                if isinstance(one, dict) and type(one.get("seq")) is int and one["seq"] >= 0 and all(
                        isinstance(one.get(field), str) for field in ("run", "firstEntryAt", "hash")):
                    found[one["run"]] = (one["seq"], one["hash"], one["firstEntryAt"])
    return found


def part_name(part):
    return FILE_NAME if part == 1 else f"events-{part:04d}.jsonl"


def parts_of(folder):
    """The files of the run in a folder, in order. Of what follows a gap only the gap is told: a file that is not there."""
    found = [FILE_PART.fullmatch(name) for name in (os.listdir(folder or ".") if is_folder(folder or ".") else [])]
    numbers = {int(one[1] or 1) for one in found if one and part_name(int(one[1] or 1)) == one[0]}
    names = []
    while len(names) < len(numbers):
        names.append(part_name(len(names) + 1))
        if len(names) not in numbers:
            break
    return [os.path.join(folder, name) for name in names]


def runs_of(path):
    """The runs that a path means, each as its files, in the order of their folders' names as UTF-16 code units."""
    if not os.path.lexists(path):
        raise Misuse(f"there is nothing at {path}")
    if not is_folder(path):
        parts = parts_of(os.path.dirname(path))
        return [parts if os.path.basename(path) in [os.path.basename(part) for part in parts] else [path]]
    if parts_of(path):
        return [parts_of(path)]
    names = ["runs"]
    for level in (r"\d{4}", r"\d\d", r".*"):
        names = [f"{place}/{name}" for place in names if is_folder(os.path.join(path, place))
                 for name in os.listdir(os.path.join(path, place)) if re.fullmatch(level, name, re.ASCII | re.DOTALL)]
    names.append("journal")
    names.sort(key=lambda name: f"{name}/".encode("utf-16-be", "surrogatepass"))
    found = [parts for parts in (parts_of(os.path.join(path, name)) for name in names) if parts]
    if not found:
        raise Misuse(f"{path} has no {FILE_NAME} and no runs/YYYY/MM/*/{FILE_NAME}")
    return found


def exists(path):
    """False where nothing is there; what is there and cannot be looked at is an OSError, never nothing."""
    try:
        os.stat(path)
        return True
    except (FileNotFoundError, NotADirectoryError):
        return False


def is_folder(path):
    return exists(path) and os.path.isdir(path)


def place_of(path):
    """The run that the file's folder names and the month that it lies in, each None where the path does not say."""
    folder = os.path.dirname(os.path.abspath(path))
    name = os.path.basename(folder)
    found = re.fullmatch(r"(?:.*/)?runs/(\d{4}/\d\d)", os.path.dirname(folder).replace(os.sep, "/"), re.ASCII | re.DOTALL)
    return name if found or name == "journal" else None, found[1] if found else None


def read_part(path):
    """The bytes of a file of a run; none where it is not there, which verification tells."""
    return read_bytes(path) if exists(path) else b""


def read_bytes(path):
    with open(path, "rb") as file:
        data = file.read(FILE_BYTES + 1)
    if len(data) > FILE_BYTES:
        raise Misuse(f"{path} is larger than a logbook may be")
    return data


def read_keys(path):
    try:
        found = json.loads(read_bytes(path).decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise Misuse(f"{path} cannot be read: {error}") from error
    keys = found.get("keys") if isinstance(found, dict) else None
    if not keys or not is_keys(keys):
        raise Misuse(f"{path} lists no keys, each with id, role, public, from and until as texts")
    return keys


class Arguments(argparse.ArgumentParser):
    """Wrong use is told as every other answer is: as JSON."""

    def error(self, message):
        raise Misuse(message)


def read_arguments(arguments):
    parser = Arguments(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False)
    parser.add_argument("path")
    parser.add_argument("--keys")
    parser.add_argument("--head")
    parser.add_argument("--no-signatures", action="store_true")
    options = parser.parse_args(arguments)
    given = re.fullmatch(r"([0-9]{1,15}):([0-9a-f]{12,64})", options.head or "")
    if options.head is not None and not given:
        raise Misuse("--head takes SEQ:HASH, at least 12 hex digits")
    if options.path == "":
        raise Misuse("exactly one path is needed")
    options.head = (int(given[1]), given[2]) if given else None
    return options


def answer_of(options):
    """The answer about every file that the path means, up to the first bad one; an end that nothing shows is the least fault."""
    keys = read_keys(options.keys) if options.keys is not None else None
    found = runs_of(options.path)
    if options.head and len(found) > 1:
        raise Misuse("--head is of one run, and there are several here")
    runs, covered, names, open_end = [], {}, set(), None
    for files, parts in [(files, [read_part(file) for file in files]) for files in found]:
        run, month = place_of(files[0])
        events, fault = verify(parts, run, month, keys, options.head, not options.no_signatures, covered.get(run))
        names.add(run)
        # The journal comes first. What it covers is looked for where its neighbours are looked at.
        if run == "journal" and os.path.join(options.path, "journal") == os.path.dirname(files[0]):
            covered = covered_by(events)
        last = events[-1] if events else None
        anchor = "flag" if options.head else "terminal" if last and last["type"] in TERMINAL else "none"
        runs.append({"run": last["run"] if last else run or "", "events": len(events), "anchor": anchor,
                     "head": f"{last['seq']}:{last['hash']}" if last else "", "keys": "config" if keys else "recorded"})
        if fault:
            line, seq = fault[0], fault[0] - 1
            for file, data in zip(files, parts):
                lines = data.count(b"\n")
                torn = not data.endswith(b"\n")  # then, or with nothing in it, the bad line is the one that it lacks
                if line <= lines + torn or file == files[-1]:
                    break
                line -= lines
            bad = {"file": file, "line": line, "seq": seq, "reason": fault[1], "message": fault[2]}
            if fault[1] != "unanchored":
                return {"ok": False, "runs": runs, "bad": bad}
            open_end = open_end or bad
    for run, (seq, _, began) in covered.items():
        if run not in names:
            file = f"runs/{began[:7].replace('-', '/')}/{run}/{FILE_NAME}"
            message = f"a checkpoint of the record has entry {seq} of this run, which is gone"
            return {"ok": False, "runs": runs,
                    "bad": {"file": file, "line": 1, "seq": 0, "reason": "truncated", "message": message}}
    return {"ok": open_end is None, "runs": runs, "bad": open_end}


def main(arguments=None):
    try:
        answer = answer_of(read_arguments(arguments))
    except (Misuse, OSError) as error:
        print(json.dumps({"ok": False, "error": {"code": "usage", "message": str(error)}}))
        return 2
    print(json.dumps(answer))
    return 0 if answer["ok"] else 1


if __name__ == "__main__":
    sys.exit(main())
