"""Which checkpoint is chosen, written from the text of docs/checkpoints.md alone. Reads layouts as JSON, answers as JSON."""

import datetime
import json
import re
import sys

MINUTE_MS = 60_000
TIME = re.compile(
    r"([12][0-9]{3})-([0-9]{2})-([0-9]{2})[T ]([0-9]{2}):([0-9]{2}):([0-9]{2})"
    r"(?:[.,]([0-9]{1,9}))?(?:Z|([+-])([0-9]{2}):?([0-9]{2}))?"
)


def no_constant(name):
    raise ValueError(name)


def microseconds(text):
    match = TIME.fullmatch(text)
    if match is None:
        return None
    year, month, day, hour, minute, second = (int(part) for part in match.groups()[:6])
    fraction, sign, zone_hours, zone_minutes = match.groups()[6:]
    try:
        at = datetime.datetime(year, month, day, hour, minute, second, tzinfo=datetime.timezone.utc)
    except ValueError:
        return None
    epoch = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)
    whole = (at - epoch) // datetime.timedelta(microseconds=1)
    whole += int(((fraction or "") + "000000")[:6])
    if sign is not None:
        zone = (int(zone_hours) * 60 + int(zone_minutes)) * 60_000_000
        whole += zone if sign == "-" else -zone
    return whole


def complete(text):
    """(step, time), or None."""
    try:
        data = json.loads(text, parse_constant=no_constant)
    except ValueError:
        return None
    if not isinstance(data, dict):
        return None
    step, timestamp = data.get("step"), data.get("timestamp")
    if isinstance(step, float) and step.is_integer():
        step = int(step)
    if isinstance(step, bool) or not isinstance(step, int) or not 0 <= step <= 2**53 - 1:
        return None
    if not isinstance(timestamp, str) or not isinstance(data.get("is_temporary", False), bool):
        return None
    at = microseconds(timestamp)
    return None if at is None else (step, at)


def named_step(path):
    match = re.fullmatch(r"step-([0-9]{1,15})", path.rsplit("/", 1)[-1])
    return int(match.group(1)) if match else None


def writer(attempts, written_at):
    for index, one in enumerate(attempts):
        begin, end = one["from"] - MINUTE_MS, float("inf")
        if index > 0 and attempts[index - 1]["until"] is not None:
            begin = max(begin, min(attempts[index - 1]["until"], one["from"]))
        if one["until"] is not None:
            end = one["until"] + MINUTE_MS
        if index + 1 < len(attempts):
            end = min(end, attempts[index + 1]["from"])
        if begin <= written_at < end:
            return one
    return None


def out(lineage, step, written_at):
    attempt = writer(lineage["attempts"], written_at)
    if attempt is None:
        return True
    for rejection in lineage["rejections"]:
        if step < rejection["step"]:
            continue
        if attempt["from"] <= rejection["at"]:
            return True
        if attempt["startStep"] is None:
            return True
        if attempt["startStep"] >= rejection["step"] and not attempt.get("isFromOrder", False):
            return True
    return False


def below(path, folder):
    folder = folder.rstrip("/")
    return path == folder or path.startswith(folder + "/")


def choose(layout):
    if any(root["found"] is None for root in layout["roots"]):
        return "root-unreadable"
    candidates = {one["path"]: one for root in layout["roots"] for one in root["found"]}
    left, unread, any_complete = [], [], False
    for path, one in candidates.items():
        if one["metadata"] == "unreadable":
            unread.append(path)
            continue
        if one["metadata"] is None:
            continue
        seen = complete(one["metadata"]["text"])
        if seen is None:
            continue
        step, at = seen
        if named_step(path) not in (None, step):
            continue
        any_complete = True
        if layout["maxStep"] is not None and step > layout["maxStep"]:
            continue
        if any(below(path, folder) for folder in layout["excludePaths"]):
            continue
        if layout["lineage"] is not None and out(layout["lineage"], step, one["metadata"]["writtenAt"]):
            continue
        left.append((step, at, path))
    newest = max(left) if left else None
    for path in unread:
        named = named_step(path)
        if named is None or newest is None or named >= newest[0]:
            return "checkpoint-unreadable"
    if newest is not None:
        return newest[2]
    return "none-of-lineage" if any_complete else "none-complete"


json.dump([choose(layout) for layout in json.load(sys.stdin)], sys.stdout)
