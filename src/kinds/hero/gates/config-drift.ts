/** Gate: after an attempt, nothing that decides how the run trains is other than before, in its settings and in the files that it ships, unless the contract says that it is meant (policy HR-32, HR-33, HR-45). */

import { namesOf } from '../../../contracts/fields.ts';
import type { Manifest } from '../../../domain/launch/manifest.ts';
import { limits } from '../../../domain/limits.ts';
import { type Gate, given, type Judgement, judging } from '../../../gates/gate.ts';
import { type CodeChange, codeChanges } from '../code-change.ts';
import { FIELDS } from '../contract/fields.ts';
import { contractValue } from '../contract/read-contract.ts';

const { block, pass } = judging('config-drift');

/** What another attempt is expected to have anew: the code that was mended, and what is said about it. */
const EXPECTED: readonly string[] = ['commit', 'branch', 'bundle', 'builtFrom', 'changes'];

/** Parts that also a lane or a cluster decides, by the names of a contract where it has one. */
const PARTS: readonly (readonly [name: string, of: (manifest: Manifest) => unknown])[] = [
  [FIELDS.command.label, ({ command }) => command],
  [FIELDS.outputRoot.label, ({ outputRoot }) => outputRoot],
  [FIELDS.trackerId.label, ({ tracker }) => tracker],
  [FIELDS.resume.label, ({ resume }) => resume.policy],
  ['Checkpoint retention', ({ retention }) => retention],
  [FIELDS.checkpointRoot.label, ({ resume }) => resume.roots],
  ['Cluster', ({ cluster }) => cluster],
  ['Engine', ({ policy }) => policy['lane.engine']],
  ['Cluster settings', ({ policy }) => policy['lane.launcher']],
  // The files are compared by what is shipped now: what no longer is would be missed.
  ['Shipped paths', ({ trees }) => Object.keys(trees).toSorted()],
  ['Passed secrets', ({ policy }) => policy['lane.passSecrets']],
];

export const configDrift: Gate = {
  id: 'config-drift',
  evaluate: ({ ranBefore = null, manifest, change, contract }) => {
    if (ranBefore === null) return pass('first');
    return given(manifest, (now) =>
      given(change, ({ sinceAttempt }) => {
        const said = contract === undefined ? null : contractValue(contract.recorded, 'changes');
        const meant = (said ?? '').split(/[,;\n]/).map(wordsOf);
        const code = (sinceAttempt ?? []).flatMap(codeChanges);
        const settings = [...new Set([...contractDrift(ranBefore, now), ...partDrift(ranBefore, now)])];
        return judged([...settings.map(settingOf), ...code], meant);
      }),
    );
  },
};

function settingOf(name: string): CodeChange {
  return { touches: 'value', shown: name, names: [name] };
}

function judged(changes: readonly CodeChange[], meant: readonly string[]): Judgement {
  const isMeant = ({ names }: CodeChange): boolean => names.some((name) => meant.includes(wordsOf(name)));
  const shown = (...touches: readonly CodeChange['touches'][]): readonly string[] =>
    changes.filter((one) => touches.includes(one.touches)).map((one) => one.shown);
  const open = (touches: CodeChange['touches']): readonly string[] =>
    changes.filter((one) => one.touches === touches && !isMeant(one)).map((one) => one.shown);
  const [values, code] = [open('value'), open('code')];
  if (values.length > 0) return block('drift', 'author', firstOf([...values, ...code]));
  if (code.length > 0) return block('may-train-otherwise', 'author', firstOf(code));
  if (shown('value', 'code').length > 0) return pass('meant', firstOf(shown('value', 'code')));
  const beside = shown('telling');
  return beside.length > 0 ? pass('beside-training', firstOf(beside)) : pass('as-before');
}

/** A merge may bring hundreds of files. */
function firstOf(all: readonly string[]): { readonly names: readonly string[] } {
  const more = all.length - limits.shownRowsMax;
  return { names: more <= 0 ? all : [...all.slice(0, limits.shownRowsMax), `${more} more`] };
}

function contractDrift(before: Manifest, now: Manifest): readonly string[] {
  return namesOf(FIELDS)
    .filter((name) => !EXPECTED.includes(name))
    .flatMap((name) => {
      const key = `contract.${name}`;
      return before.policy[key] === now.policy[key] ? [] : [FIELDS[name].label];
    });
}

function partDrift(before: Manifest, now: Manifest): readonly string[] {
  return PARTS.flatMap(([name, of]) => (textOf(of(before)) === textOf(of(now)) ? [] : [name]));
}

/** A recorded manifest has its keys in another order than one that was made just now. */
function textOf(part: unknown): string {
  const isObject = typeof part === 'object' && part !== null && !Array.isArray(part);
  return (
    JSON.stringify(isObject ? Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1)) : part) ?? ''
  );
}

function wordsOf(name: string): string {
  return name.trim().toLowerCase();
}
