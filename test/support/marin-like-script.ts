/**
 * A lab's script that behaves like Marin's (marin-community/marin, run/ray_run.py, cluster/config.py,
 * fray/v1/cluster/ray/deps.py), for machines without Ray. It finds a cluster's file relative to its working
 * folder, runs `uv` from PATH with the whole environment, and obeys ignore files. It writes what it would
 * have sent to a file.
 */

/** Python: `--sink FILE submit …` writes what would arrive at which cluster. */
export const MARIN_LIKE_SCRIPT = `
import argparse, fnmatch, hashlib, json, os, re, subprocess, sys
from pathlib import Path

def find_config_by_region(region):
    for suffix in ("", "-a", "-b", "-vllm"):
        path = f"infra/marin-{region}{suffix}.yaml"
        if os.path.exists(path):
            return path
    raise FileNotFoundError(f"No cluster config found for region {region}")

def blob(path):
    data = path.read_bytes()
    return hashlib.sha1(b"blob %d\\0" % len(data) + data).hexdigest()

def shipped(root):
    heeds = os.environ.get("RAY_RUNTIME_ENV_IGNORE_GITIGNORE") != "1"
    files = {}
    for path in sorted(p for p in root.rglob("*") if p.is_file()):
        name = path.relative_to(root)
        if "docs" in name.parts[:-1] or path.suffix == ".pack":
            continue
        rules = [l for d in path.parents if d.is_relative_to(root) and (d / ".gitignore").is_file()
                 for l in (d / ".gitignore").read_text().split()]
        if heeds and any(fnmatch.fnmatch(path.name, rule) for rule in rules):
            continue
        files[str(name)] = blob(path)
    return files

parser = argparse.ArgumentParser()
parser.add_argument("--sink")
parser.add_argument("verb")
parser.add_argument("--cluster")
parser.add_argument("--submission-id")
parser.add_argument("-e", action="append", default=[])
given = sys.argv[1:]
args = parser.parse_args(given[: given.index("--")] if "--" in given else given)
sink = Path(args.sink)
direct = args.cluster.endswith(".yaml") or os.path.exists(args.cluster)
cluster_file = args.cluster if direct else find_config_by_region(args.cluster)
cluster = re.search(r"^cluster_name: (.*)$", Path(cluster_file).read_text(), re.M)[1]
# RAY_AUTH_TOKEN means nothing to it (fray/v1/cluster/ray/auth.py).
token_path = Path(os.environ.get("RAY_AUTH_TOKEN_PATH") or Path.home() / ".ray" / "auth_token")
if token_path.exists():
    token = token_path.read_text()
else:
    token = subprocess.check_output(["gcloud", "secrets", "versions", "access", "latest"], text=True)
subprocess.run(["ray", "--version"], check=True, stdout=subprocess.DEVNULL)
subprocess.check_output(["uv", "export", "--package", "marin"], text=True)
job = {"type": "SUBMISSION", "submission_id": args.submission_id, "status": "RUNNING", "message": "",
       "metadata": {}, "runtime_env": {"env_vars": dict(pair.split("=", 1) for pair in args.e)}}
sink.write_text(json.dumps({"cluster": cluster, "token": token, "home": oct(token_path.stat().st_mode), "files": shipped(Path.cwd()), "job": job}))
print(f"Job submitted with ID: {args.submission_id}", file=sys.stderr)
`;

/** A `ray` program that exists and does nothing. */
export const RAY_THAT_IS_THERE = '#!/bin/sh\nexit 0\n';

/** A `uv` that runs the named build backend of an unlocked folder, like the real one. */
export const UV_THAT_BUILDS = `#!/usr/bin/env python3
import subprocess, sys, tomllib
from pathlib import Path
build = tomllib.loads(Path("pyproject.toml").read_text())["build-system"]
if "backend-path" in build:
    code = f"import sys; sys.path[:0] = {build['backend-path']!r}; __import__({build['build-backend']!r})"
    subprocess.run([sys.executable, "-c", code], check=True)
`;

/** A build backend that writes every secret it can find to a file. */
export function thievishBackend(into: string): string {
  return `
import os
from pathlib import Path
home = Path(os.environ["HOME"])
found = [p.read_text() for p in home.rglob("*") if p.is_file()] + [f"{k}={v}" for k, v in os.environ.items()]
Path(${JSON.stringify(into)}).write_text("\\n".join(found))
`;
}
