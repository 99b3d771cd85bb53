/** What changed between two versions of an experiment file: nothing, knobs, something that is no knob, or text that is no Python. */

import { cutText } from '../domain/cut-text.ts';
import type { Delta, KnobChange } from '../domain/launch/delta.ts';
import type { PySyntax } from '../domain/python-syntax.ts';
import { type BucketRow, bucketOf, DEFAULT_BUCKETS } from './bucket.ts';
import { diffBlock } from './diff-block.ts';
import { diffExpression } from './diff-expression.ts';
import type { Differences, Structural } from './diff-outcome.ts';
import { diffStatement } from './diff-statement.ts';
import type { Pair } from './diff-value.ts';
import { idleImport } from './import-service.ts';
import { createPyFile, type PyFile } from './normal-form.ts';
import { slotIndex } from './read-knobs.ts';
import { syntaxErrorIn } from './syntax-error.ts';

const STATEMENT_CHARS_MAX = 200;

/**
 * The delta from `base` to `head` (policy DF-18). A knob is data in a place that a person would name; a change of code is never counted as one.
 */
export function configDelta(
  base: PySyntax,
  head: PySyntax,
  buckets: readonly BucketRow[] = DEFAULT_BUCKETS,
): Delta {
  for (const [side, syntax] of [
    ['base', base],
    ['head', head],
  ] as const) {
    const error = syntaxErrorIn(syntax);
    if (error !== null) return { kind: 'unparsable', side, ...error };
  }
  if (base.text === head.text) return { kind: 'none' };
  const files = createPair(createPyFile(base), createPyFile(head));
  const outcome = files.block(base.root, head.root, 'module');
  if (outcome.kind === 'structural') return structural(outcome, files);
  const idle = idleImport(outcome, files.base, files.head);
  if (idle !== null) return structural(idle, files);
  return outcome.changes.length === 0 ? { kind: 'none' } : named(outcome, files, buckets);
}

function createPair(base: PyFile, head: PyFile): Pair {
  const files: Pair = {
    base,
    head,
    expression: (left, right) => diffExpression(left, right, files),
    statement: (left, right) => diffStatement(left, right, files),
    block: (left, right, scope) => diffBlock(left, right, scope, files),
  };
  return files;
}

function structural({ side, node }: Structural, files: Pair): Delta {
  const file = files[side];
  const place = node ?? file.syntax.root;
  const statement = file.source(place).split(/\r\n?|\n/)[0] ?? '';
  return {
    kind: 'structural',
    side,
    line: place.line,
    statement: cutText(statement.trim(), STATEMENT_CHARS_MAX),
  };
}

function named({ changes }: Differences, files: Pair, buckets: readonly BucketRow[]): Delta {
  const baseSlots = slotIndex(files.base);
  const headSlots = slotIndex(files.head);
  const used = new Set<string>();
  const result: KnobChange[] = [];
  for (const { base, head, at } of changes.toSorted((left, right) => left.at.start - right.at.start)) {
    const slot = (head && headSlots.get(head)) ?? (base && baseSlots.get(base));
    // A value that nobody can name is not countable.
    if (slot == null) return structural({ kind: 'structural', side: 'head', node: at }, files);
    result.push({
      knob: slot.knob,
      path: unused(slot.path, used),
      before: base === null ? null : files.base.source(base),
      after: head === null ? null : files.head.source(head),
      bucket: bucketOf(slot.path, buckets),
      line: at.line,
    });
  }
  return { kind: 'knobs', changes: result, ...(isPutBack(changes, files) ? {} : { leavesMore: true }) };
}

/** Whether the head with the old values in the places of the new ones is the base, byte for byte. */
function isPutBack(changes: Differences['changes'], { base, head }: Pair): boolean {
  let text = '';
  let from = 0;
  for (const change of changes.toSorted((a, b) => (a.head?.start ?? 0) - (b.head?.start ?? 0))) {
    if (change.base === null || change.head === null || change.head.start < from) return false;
    text += head.syntax.text.slice(from, change.head.start) + base.source(change.base);
    from = change.head.end;
  }
  return text + head.syntax.text.slice(from) === base.syntax.text;
}

// An element that went and one that changed may have had the same index, each in its own file.
function unused(path: string, used: Set<string>): string {
  let free = path;
  for (let count = 2; used.has(free); count += 1) free = `${path.replace(/#\d+$/, '')}#${count}`;
  used.add(free);
  return free;
}
