/** What changed between two versions of an experiment file: nothing, knobs, something that is no knob, or text that is no Python. */

import { cutText } from '../domain/cut-text.ts';
import type { Delta, KnobChange } from '../domain/launch/delta.ts';
import type { PyNode, PySyntax } from '../domain/python-syntax.ts';
import { type BucketRow, bucketOf, DEFAULT_BUCKETS } from './bucket.ts';
import { diffBlock } from './diff-block.ts';
import { diffExpression } from './diff-expression.ts';
import type { Differences, ImportBinding, Structural } from './diff-outcome.ts';
import { diffStatement } from './diff-statement.ts';
import type { Pair } from './diff-value.ts';
import { createPyFile, type PyFile } from './normal-form.ts';
import { slotIndex } from './read-knobs.ts';
import { isImport } from './statements.ts';
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

/** The first import that does more than serve changed values, as the place that makes the change structural; else null. */
function idleImport(differences: Differences, base: PyFile, head: PyFile): Structural | null {
  const now = differences.changes.flatMap((change) => (change.head === null ? [] : [change.head]));
  const added = differences.importsAdded.find(
    (binding) => !serves(binding, now, head) || isUsed(binding, base),
  );
  if (added !== undefined) return { kind: 'structural', side: 'head', node: added.statement };
  const old = differences.changes.flatMap((change) => (change.base === null ? [] : [change.base]));
  const removed = differences.importsRemoved.find(
    (binding) => !serves(binding, old, base) || isUsed(binding, head),
  );
  return removed === undefined ? null : { kind: 'structural', side: 'base', node: removed.statement };
}

// A name that means something without the import too (a builtin, say) has changed its meaning.
function isUsed(binding: ImportBinding, file: PyFile): boolean {
  return usesOf(binding, file).length > 0;
}

// Used at least once, and nowhere outside the changed values.
function serves(binding: ImportBinding, values: readonly PyNode[], file: PyFile): boolean {
  const uses = usesOf(binding, file);
  return (
    uses.length > 0 &&
    uses.every((use) => values.some((value) => value.start <= use.start && use.end <= value.end))
  );
}

function usesOf(binding: ImportBinding, file: PyFile): readonly PyNode[] {
  const uses: PyNode[] = [];
  const visit = (node: PyNode): void => {
    if (isImport(node)) return;
    if (node.kind === 'identifier' || node.kind === 'attribute') {
      const dotted = file.source(node).replace(/\s+/g, '').normalize('NFKC');
      if (dotted === binding.usedAs || dotted.startsWith(`${binding.usedAs}.`)) {
        uses.push(node);
        return;
      }
    }
    for (const child of node.children)
      if (!(node.kind === 'keyword_argument' && child.field === 'name') && child.field !== 'attribute')
        visit(child);
  };
  visit(file.syntax.root);
  return uses;
}
