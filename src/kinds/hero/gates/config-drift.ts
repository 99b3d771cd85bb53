/** Gate: after an attempt, nothing that decides how the run trains is other than before, unless the contract says that it is meant (policy HR-45). */

import { namesOf } from '../../../contracts/fields.ts';
import type { Manifest } from '../../../domain/launch/manifest.ts';
import { type Gate, given, judging } from '../../../gates/gate.ts';
import { FIELDS } from '../contract/fields.ts';
import { contractValue } from '../contract/read-contract.ts';

const { block, pass } = judging('config-drift');

/** What another attempt is expected to have anew: the code that was mended, and what is said about it. */
const EXPECTED: readonly string[] = ['commit', 'branch', 'bundle', 'changes'];

/** Parts that also a lane or a cluster decides, by the names of a contract where it has one. */
const PARTS: readonly (readonly [name: string, of: (manifest: Manifest) => unknown])[] = [
  [FIELDS.command.label, ({ command }) => command],
  [FIELDS.outputRoot.label, ({ outputRoot }) => outputRoot],
  [FIELDS.trackerId.label, ({ tracker }) => tracker],
  [FIELDS.resume.label, ({ resume }) => resume.policy],
  ['Checkpoint retention', ({ retention }) => retention],
  [FIELDS.checkpointRoot.label, ({ resume }) => resume.roots],
  ['Cluster', ({ cluster }) => cluster],
];

export const configDrift: Gate = {
  id: 'config-drift',
  evaluate: ({ ranBefore = null, manifest, contract }) => {
    if (ranBefore === null) return pass('first');
    return given(manifest, (now) => {
      const names = [...new Set([...contractDrift(ranBefore, now), ...partDrift(ranBefore, now)])];
      const said = contract === undefined ? null : contractValue(contract.recorded, 'changes');
      const meant = (said ?? '').split(/[,;\n]/).map(wordsOf);
      const drift = names.filter((name) => !meant.includes(wordsOf(name)));
      if (drift.length > 0) return block('drift', 'author', { names: drift });
      return names.length === 0 ? pass('as-before') : pass('meant', { names });
    });
  },
};

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
