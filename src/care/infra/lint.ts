/** Lint of a cluster's file: set-up commands that write where a bucket belongs although it may not be mounted (policy AG-20). */

import { mountedBy } from './command-meaning.ts';
import { followEntry, type Sure } from './mount-flow.ts';
import { parseShell, type ShellNode, type ShellReading } from './shell-parse.ts';
import { type FillBudget, resolved } from './shell-resolve.ts';

/** Each command is held against each mount point; a cluster has one or two. */
const INFRA_MOUNT_POINTS_MAX = 20;
/** Characters of a file's commands once variables are filled in: `bash -c $A$A` multiplies what is read. */
const SHELL_FILLED_CHARACTERS_MAX = 200_000;

/** One entry of a list of commands; `line` is that of its first line in the file, from 1. */
export type SetupEntry = { readonly key: string; readonly text: string; readonly line: number };

/**
 * `write-unguarded`: writes there although nothing may be mounted. `mount-unchecked`: set-up goes on though the mount
 * failed, so that whatever runs later writes on the boot disk. `not-understood`: it may, and this reader cannot say.
 */
export type InfraFinding = {
  readonly code: 'write-unguarded' | 'mount-unchecked' | 'not-understood';
  readonly mountPoint: string;
  readonly line: number;
  readonly what: string;
};

/** What every machine runs first, and then what heads and workers run, each by itself (Ray's cluster YAML). */
const FIRST = ['initialization_commands', 'setup_commands'];

/** Findings in the order of the file. `known`: mount points beside those that the commands themselves name. */
export function lintInfra(entries: readonly SetupEntry[], known: readonly string[]): readonly InfraFinding[] {
  const budget: FillBudget = { left: SHELL_FILLED_CHARACTERS_MAX };
  const read = entries.map((entry) => ({ entry, reading: readEntry(entry.text, budget) }));
  if (budget.left < 0) return [notJudged(`more than ${SHELL_FILLED_CHARACTERS_MAX} characters of commands`)];
  const nodes = read.flatMap(({ reading }) => (reading.kind === 'read' ? [reading.node] : []));
  const mountPoints = [...new Set([...known, ...nodes.flatMap(mountsIn)])];
  if (mountPoints.length > INFRA_MOUNT_POINTS_MAX)
    return [notJudged(`more than ${INFRA_MOUNT_POINTS_MAX} mount points`)];
  const findings: InfraFinding[] = [];
  const followAll = (keys: readonly string[], before: ReadonlySet<string>): ReadonlySet<string> => {
    let sure = before;
    for (const { entry, reading } of read.filter(({ entry: { key } }) => keys.includes(key))) {
      if (reading.kind === 'not-understood') {
        const named = mountPoints.filter((point) => entry.text.includes(point));
        const points = named.length === 0 && /\bgcsfuse\b/.test(entry.text) ? ['(unknown)'] : named;
        for (const mountPoint of points)
          findings.push({
            code: 'not-understood',
            mountPoint,
            line: entry.line + reading.line,
            what: reading.what,
          });
        continue;
      }
      const flow = followEntry(reading.node, sure, mountPoints);
      findings.push(...unchecked(entry, reading.node, flow.after));
      findings.push(...flow.seen.map((seen) => ({ ...seen, line: entry.line + seen.line })));
      // Where nothing gets beyond an entry, nothing after it can do harm.
      sure = flow.after ?? new Set(mountPoints);
    }
    return sure;
  };
  const common = followAll(FIRST, new Set());
  for (const key of new Set(entries.map((entry) => entry.key)))
    if (!FIRST.includes(key)) followAll([key], common);
  return findings.toSorted((a, b) => a.line - b.line);
}

/** Each command is held against each mount point: beyond a bound the file is told, and never fine. */
function notJudged(what: string): InfraFinding {
  return { code: 'not-understood', mountPoint: '(unknown)', line: 1, what: `not judged: too large: ${what}` };
}

function readEntry(text: string, budget: FillBudget): ShellReading {
  if (budget.left < 0) return { kind: 'not-understood', what: 'too large', line: 0 };
  budget.left -= text.length;
  const reading = parseShell(text);
  return reading.kind === 'read' ? { ...reading, node: resolved(reading.node, budget) } : reading;
}

/** Mounts of an entry after whose good end nobody can be sure of them. */
function unchecked({ line }: SetupEntry, node: ShellNode, after: Sure): readonly InfraFinding[] {
  if (after === null) return [];
  return simpleIn(node).flatMap(({ words, line: offset }) => {
    const mountPoint = mountedBy(words);
    return mountPoint === null || after.has(mountPoint)
      ? []
      : [{ code: 'mount-unchecked' as const, mountPoint, line: line + offset, what: words.join(' ') }];
  });
}

function mountsIn(node: ShellNode): readonly string[] {
  return simpleIn(node).flatMap(({ words }) => mountedBy(words) ?? []);
}

function simpleIn(node: ShellNode): readonly Extract<ShellNode, { kind: 'simple' }>[] {
  switch (node.kind) {
    case 'simple':
      return [node];
    case 'and':
    case 'or':
      return [...simpleIn(node.left), ...simpleIn(node.right)];
    case 'not':
    case 'subshell':
    case 'background':
      return simpleIn(node.of);
    case 'while':
    case 'until':
      return [...simpleIn(node.test), ...simpleIn(node.body)];
    case 'each':
      return simpleIn(node.body);
    case 'pipe':
      return node.parts.flatMap(simpleIn);
    case 'list':
      return node.items.flatMap(simpleIn);
    case 'if':
      return [node.test, node.body, node.otherwise].flatMap(simpleIn);
    default:
      return node satisfies never;
  }
}
