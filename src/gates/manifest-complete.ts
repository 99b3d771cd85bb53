/** Gate: everything that decides what will run is known and can be seen, so that there is one digest to approve. */

import type { Manifest, ManifestChange } from '../domain/launch/manifest.ts';
import { limits } from '../domain/limits.ts';
import { unseenSign } from '../domain/unseen-signs.ts';
import { cannotTell, type Gate, judging } from './gate.ts';

const { block, pass } = judging('manifest-complete');

export const manifestComplete: Gate = {
  id: 'manifest-complete',
  evaluate: ({ manifest, change, lane }) => {
    const missing =
      change.kind === 'known' ? lane.ships.filter((path) => (change.value.trees[path] ?? null) === null) : [];
    if (missing[0] !== undefined)
      return block('not-shipped', 'author', { path: missing[0], count: missing.length });
    if (manifest.kind === 'unknown') return cannotTell(manifest.why);
    const unseen = unseenIn(manifest.value);
    if (unseen !== null) return block('unseen', 'author', unseen);
    // As the card writes it.
    const { length: chars } = JSON.stringify(manifest.value, null, 2);
    const most = limits.shownManifestCharsMax;
    return chars <= most ? pass('complete') : block('too-long', 'author', { chars, most });
  },
  readsSettings: true,
};

/** The first part of what runs that a reader of it takes for another: texts of people about it decide nothing. */
function unseenIn(manifest: Manifest): { readonly part: string; readonly sign: string } | null {
  const { command, outputRoot, runName, tracker, resume, envelope, trees, delta, base } = manifest;
  const parts: readonly (readonly [string, readonly (string | null)[]])[] = [
    ['the command', command],
    ['the output root', [outputRoot]],
    ['the name', [runName, ...Object.values(tracker)]],
    ['a place of checkpoints', [resume.initializeFrom, ...(resume.roots ?? [])]],
    [
      'what may be done without asking',
      [...envelope.fixes, ...envelope.reductions, ...(envelope.repairs ?? [])],
    ],
    ['a path', Object.keys(trees)],
    ['a changed setting', [...delta, ...(base?.changes ?? [])].flatMap(textsOf)],
  ];
  for (const [part, texts] of parts) {
    const sign = texts.map((text) => unseenSign(text ?? '')).find((one) => one !== null) ?? null;
    if (sign !== null) return { part, sign };
  }
  return null;
}

function textsOf({ knob, path, before, after }: ManifestChange): readonly (string | null)[] {
  return [knob, path, before, after];
}
