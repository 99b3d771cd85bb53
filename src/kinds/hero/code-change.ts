/** What a file that is other than in the failed attempt may do to the training: nothing, tell otherwise of it, set it otherwise, or train otherwise (policy HR-32, HR-33, HR-36, HR-45). */

import { bucketOf } from '../../delta/bucket.ts';
import { cutText } from '../../domain/cut-text.ts';
import type { FileChange } from '../../domain/facts.ts';
import type { KnobChange } from '../../domain/launch/delta.ts';

/** `value`: a setting with its place. `code`: a file. Both are known by what a person would write to mean them. */
export type CodeChange = {
  readonly touches: 'telling' | 'value' | 'code';
  /** As people see it. */
  readonly shown: string;
  /** Either of them names it. */
  readonly names: readonly string[];
};

const VALUE_CHARACTERS = 40;

/** Text for people, logs, and tests: no job reads them. */
const NO_PART = /\.(md|rst|log)$|(^|\/)(tests?|docs)\/|(^|\/)(test_[^/]*|[^/]*_test|conftest)\.py$/i;
/** Files that report and evaluate have one of these as their first word, or one of the others as their last: nothing is trained there. */
const TELLING_FIRST = new Set([
  ...['log', 'logs', 'logging', 'logger', 'tracker', 'trackers', 'tracking', 'wandb', 'telemetry'],
  ...['profiler', 'profiling', 'eval', 'evals', 'evaluation', 'evaluator'],
]);
const TELLING_LAST = new Set(['logging', 'logger', 'tracker']);

/** Empty where it can touch nothing; what nobody can tell counts as code that trains. */
export function codeChanges({ path, delta }: FileChange): readonly CodeChange[] {
  // rule HR-36
  if (NO_PART.test(path) || delta?.kind === 'none') return [];
  // rule HR-45
  if (delta?.kind === 'knobs') return delta.changes.map((change) => valueChange(path, change));
  const line = delta === null ? '' : `, line ${delta.line}`;
  // rule HR-32
  return [{ touches: isTelling(path) ? 'telling' : 'code', shown: `${path}${line}`, names: [path] }];
}

function valueChange(path: string, { path: knob, before, after }: KnobChange): CodeChange {
  const of = (value: string | null): string => cutText(value ?? 'nothing', VALUE_CHARACTERS);
  return {
    touches: isTelling(path) || bucketOf(knob) === 'observability' ? 'telling' : 'value',
    shown: `${path}: ${knob} (${of(before)} → ${of(after)})`,
    names: [path, `${path}: ${knob}`],
  };
}

/** By the words of the file's own name. */
function isTelling(path: string): boolean {
  const name = path.split('/').at(-1)?.toLowerCase() ?? '';
  const stem = name.endsWith('.py') ? name.slice(0, -'.py'.length) : '';
  if (/\W/.test(stem)) return false;
  const words = stem.split('_').filter((word) => word !== '');
  return TELLING_FIRST.has(words[0] ?? '') || (words.length > 1 && TELLING_LAST.has(words.at(-1) ?? ''));
}
