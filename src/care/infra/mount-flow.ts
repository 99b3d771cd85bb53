/** Follows set-up commands and knows, at each, on which mount points something is surely mounted if it runs at all. */

import { assertNever } from '../../domain/assert.ts';
import { trimmedEnd } from '../../domain/trimmed-end.ts';
import { commandMeaning } from './command-meaning.ts';
import type { ShellNode } from './shell-parse.ts';

/** Mount points that are surely mounted; null: nothing gets here. */
export type Sure = ReadonlySet<string> | null;

/** A write below a mount point that may not be mounted, or a command that names one and may write there. */
export type MountFinding = {
  readonly code: 'write-unguarded' | 'not-understood';
  readonly mountPoint: string;
  readonly line: number;
  readonly what: string;
};

export type Flow = { readonly after: Sure; readonly seen: readonly MountFinding[] };

/**
 * What is sure after one entry of a list of set-up commands that runs to a good end. Ray runs each entry by itself and
 * gives the node up where one ends badly (ray, python/ray/autoscaler/_private/updater.py), so that the next entry begins
 * only then.
 */
export function followEntry(
  node: ShellNode,
  before: ReadonlySet<string>,
  mountPoints: readonly string[],
): Flow {
  const run: Run = {
    mountPoints,
    seen: [],
    ends: [],
    fails: [],
    breaks: [],
    errexit: false,
    isBelow: null,
  };
  const { ok } = follow(node, before, run);
  return { after: [ok, ...run.ends].reduce<Sure>(joined, null), seen: run.seen };
}

type Run = {
  readonly mountPoints: readonly string[];
  readonly seen: MountFinding[];
  /** What is sure where the entry ends early and well. */
  readonly ends: Sure[];
  /** What is sure where it ends early and badly. */
  readonly fails: Sure[];
  /** What is sure where the loop is left before its test says so. */
  readonly breaks: Sure[];
  errexit: boolean;
  /** The mount point that the working directory is at or below. */
  isBelow: string | null;
};

/** `soft`: a failure that `set -e` lets pass, because something was made of it. */
type Outcome = { readonly ok: Sure; readonly hard: Sure; readonly soft: Sure };

const NOWHERE: Outcome = { ok: null, hard: null, soft: null };

function follow(node: ShellNode, sure: Sure, run: Run): Outcome {
  if (sure === null) return NOWHERE;
  switch (node.kind) {
    case 'simple':
      return simple(node, sure, run);
    case 'and': {
      const left = follow(node.left, sure, run);
      const right = follow(node.right, left.ok, run);
      return { ok: right.ok, hard: right.hard, soft: [left.hard, left.soft, right.soft].reduce(joined) };
    }
    case 'or': {
      const left = follow(node.left, sure, run);
      const right = follow(node.right, joined(left.hard, left.soft), run);
      return { ok: joined(left.ok, right.ok), hard: right.hard, soft: right.soft };
    }
    case 'not': {
      const of = follow(node.of, sure, run);
      return { ok: joined(of.hard, of.soft), hard: null, soft: of.ok };
    }
    case 'subshell':
      return inSubshell(node.of, sure, run);
    case 'background':
      // It is only begun here.
      inSubshell(node.of, sure, run);
      return { ok: sure, hard: null, soft: null };
    case 'while':
    case 'until':
    case 'each':
      return looped(node, sure, run);
    case 'pipe':
      return piped(node.parts, sure, run);
    case 'list':
      return listed(node.items, sure, run);
    case 'if': {
      const test = follow(node.test, sure, run);
      const body = follow(node.body, test.ok, run);
      const otherwise = follow(node.otherwise, joined(test.hard, test.soft), run);
      return {
        ok: joined(body.ok, otherwise.ok),
        hard: joined(body.hard, otherwise.hard),
        soft: joined(body.soft, otherwise.soft),
      };
    }
    default:
      return assertNever(node);
  }
}

/** It ends by itself, and what it sets and where it goes stays its own. */
function inSubshell(of: ShellNode, sure: ReadonlySet<string>, run: Run): Outcome {
  const inner: Run = { ...run, ends: [], fails: [], breaks: [] };
  const { ok, hard, soft } = follow(of, sure, inner);
  return {
    ok: [ok, ...inner.ends].reduce<Sure>(joined, null),
    hard: [hard, soft, ...inner.fails].reduce<Sure>(joined, null),
    soft: null,
  };
}

/** After `until mountpoint -q POINT` something is mounted; of a loop that may end otherwise only what was sure before it. */
function looped(
  node: Extract<ShellNode, { kind: 'while' | 'until' | 'each' }>,
  sure: ReadonlySet<string>,
  run: Run,
): Outcome {
  const inner: Run = { ...run, breaks: [] };
  if (node.kind === 'each') {
    const { ok, hard, soft } = follow(node.body, sure, inner);
    return { ok: [sure, ok, hard, soft, ...inner.breaks].reduce<Sure>(joined, null), hard: null, soft: null };
  }
  const test = follow(node.test, sure, inner);
  const failed = joined(test.hard, test.soft);
  follow(node.body, node.kind === 'while' ? test.ok : failed, inner);
  const left = node.kind === 'while' ? failed : test.ok;
  return { ok: [left, ...inner.breaks].reduce<Sure>(joined, null), hard: null, soft: null };
}

function simple(node: Extract<ShellNode, { kind: 'simple' }>, sure: ReadonlySet<string>, run: Run): Outcome {
  const meaning = commandMeaning(node, run.mountPoints, run.isBelow);
  const sight = (code: MountFinding['code'], mountPoint: string): void => {
    if (!sure.has(mountPoint))
      run.seen.push({ code, mountPoint, line: node.line, what: node.words.join(' ') });
  };
  switch (meaning.kind) {
    case 'mounts':
      return { ok: new Set([...sure, meaning.mountPoint]), hard: sure, soft: null };
    case 'checks':
      return {
        ok: new Set([...sure, meaning.mountPoint]),
        hard: without(sure, meaning.mountPoint),
        soft: null,
      };
    case 'unmounts':
      return { ok: without(sure, meaning.mountPoint), hard: without(sure, meaning.mountPoint), soft: null };
    case 'ends':
      run[meaning.isWell ? 'ends' : 'fails'].push(sure);
      return NOWHERE;
    case 'breaks':
      run.breaks.push(sure);
      return NOWHERE;
    case 'moves':
      run.isBelow = meaning.to;
      return { ok: sure, hard: sure, soft: null };
    case 'succeeds':
      if (meaning.errexit !== null) run.errexit = meaning.errexit;
      return { ok: sure, hard: null, soft: null };
    case 'fails':
      return { ok: null, hard: sure, soft: null };
    case 'writes':
      for (const mountPoint of meaning.below) sight('write-unguarded', mountPoint);
      return { ok: sure, hard: sure, soft: null };
    case 'unclear':
      for (const mountPoint of meaning.names) sight('not-understood', mountPoint);
      return { ok: sure, hard: sure, soft: null };
    case 'harmless':
      return { ok: sure, hard: sure, soft: null };
    default:
      return assertNever(meaning);
  }
}

/** A list goes on after whatever `set -e` does not stop; how it ends is how its last command ends. */
function listed(items: readonly ShellNode[], sure: ReadonlySet<string>, run: Run): Outcome {
  let now: Sure = sure;
  let last: Outcome = { ok: sure, hard: null, soft: null };
  for (const [index, item] of items.entries()) {
    last = follow(item, now, run);
    const isLast = index === items.length - 1;
    if (!isLast) now = [last.ok, last.soft, run.errexit ? null : last.hard].reduce<Sure>(joined, null);
  }
  return last;
}

/** `mount | grep -q POINT` looks; of any other pipe only its writes are known, and nothing of its end. */
function piped(parts: readonly ShellNode[], sure: ReadonlySet<string>, run: Run): Outcome {
  const [first, second] = parts;
  if (first?.kind === 'simple' && second?.kind === 'simple' && parts.length === 2) {
    const reads =
      ['mount', 'cat', 'findmnt', 'df'].includes(first.words[0] ?? '') && second.words[0] === 'grep';
    const isTable = first.words[0] !== 'cat' || /mounts|mountinfo/.test(first.words[1] ?? '');
    const found = run.mountPoints.find((point) =>
      second.words.slice(1).some((word) => isSoughtBy(word, point, run.mountPoints)),
    );
    if (reads && isTable && found !== undefined && !second.words.includes('-v'))
      return { ok: new Set([...sure, found]), hard: without(sure, found), soft: null };
  }
  for (const part of parts) follow(part, sure, run);
  return { ok: sure, hard: sure, soft: null };
}

/** Whether a word that is looked for in the table of mounts can only mean this mount point. */
function isSoughtBy(word: string, point: string, all: readonly string[]): boolean {
  const sought = trimmedEnd(word.trim(), `"'$ \t\r\n`).replace(/^["'^\s]+/, '');
  if (sought === point) return true;
  const isName = sought.length >= 4 && !sought.startsWith('-');
  return (
    isName &&
    all.length === 1 &&
    (point.includes(sought) || /^(?:fuse\.)?(?:gcsfuse|s3fs|rclone)$/.test(sought))
  );
}

function without(sure: ReadonlySet<string>, mountPoint: string): ReadonlySet<string> {
  return new Set([...sure].filter((point) => point !== mountPoint));
}

/** Sure on both ways. */
function joined(a: Sure, b: Sure): Sure {
  if (a === null) return b;
  if (b === null) return a;
  return new Set([...a].filter((point) => b.has(point)));
}
