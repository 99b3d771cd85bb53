/** Follows set-up commands and knows, at each, on which mount points something is surely mounted if it runs at all. */

import { assertNever } from '../../domain/assert.ts';
import { commandMeaning } from './command-meaning.ts';
import type { ShellNode } from './shell-parse.ts';

/** Mount points that are surely mounted; null: nothing gets here. */
export type Sure = ReadonlySet<string> | null;

/** A write below a mount point that may not be mounted, or a command that names one and may write there. */
export type Sighting = {
  readonly code: 'write-unguarded' | 'not-understood';
  readonly mountPoint: string;
  readonly line: number;
  readonly what: string;
};

export type Flow = { readonly after: Sure; readonly seen: readonly Sighting[] };

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
  const run: Run = { mountPoints, seen: [], ends: [], errexit: false };
  const { ok } = follow(node, before, run);
  return { after: [ok, ...run.ends].reduce<Sure>(joined, null), seen: run.seen };
}

type Run = {
  readonly mountPoints: readonly string[];
  readonly seen: Sighting[];
  /** What is sure where the entry ends early and well. */
  readonly ends: Sure[];
  errexit: boolean;
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

function simple(node: Extract<ShellNode, { kind: 'simple' }>, sure: ReadonlySet<string>, run: Run): Outcome {
  const meaning = commandMeaning(node, run.mountPoints);
  const sight = (code: Sighting['code'], mountPoint: string): void => {
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
      if (meaning.isWell) run.ends.push(sure);
      return NOWHERE;
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
    const found = run.mountPoints.find((point) => second.words.some((word) => word.trim() === point));
    if (reads && isTable && found !== undefined && !second.words.includes('-v'))
      return { ok: new Set([...sure, found]), hard: without(sure, found), soft: null };
  }
  for (const part of parts) follow(part, sure, run);
  return { ok: sure, hard: sure, soft: null };
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
