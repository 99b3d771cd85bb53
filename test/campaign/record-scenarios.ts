// Attacks on the record without a key, or with the key of another role: a forged entry lifts a hold. The
// control key can do this (threat model), so no other key may.

import { DEMO_KEYS } from '../support/demo-keys.ts';
import { logbookText } from '../support/play.ts';
import { FOREIGN_SEED, pushEntry, type Signature } from './forging.ts';
import { approve, brake } from './honest.ts';
import type { Scene } from './scene.ts';
import type { Between, Scenario } from './steps.ts';

const MINUTE = 60_000;
const WATCH = { keyId: 'watch-demo', seed: DEMO_KEYS.watch.seed };

/** mira holds the lane and approves the run for after the hold; a forged entry lifts the hold. */
function holdLifted(signature: Signature): (scene: Scene, between: Between) => Promise<void> {
  return async (scene, between) => {
    scene.launcher.awayMs = 0;
    await brake(scene, 'hold lane');
    await between(2 * MINUTE);
    const held = entriesOf(await logbookText(scene.lab, 'journal')).findLast(({ type }) => type === 'held');
    if (held === undefined) return;
    const { reason: _, ...data } = held.data;
    const actor = { id: scene.ids.mira, login: 'mira' };
    if (!(await pushEntry(scene, 'journal', { type: 'released', actor, data }, signature))) return;
    await between(MINUTE);
    await approve(scene, 'mira');
    await between(12 * MINUTE);
  };
}

type Entry = { readonly type?: string; readonly data: Readonly<Record<string, unknown>> };

function entriesOf(text: string): readonly Entry[] {
  return text.split('\n').flatMap((line) => {
    try {
      return [JSON.parse(line) as Entry];
    } catch {
      // A pushed line that is no entry, or the end of the file.
      return [];
    }
  });
}

export const RECORD_SCENARIOS: readonly Scenario[] = [
  {
    what: 'a hold is lifted without a key',
    act: holdLifted({ role: 'control', keyId: 'control-demo', seed: FOREIGN_SEED }),
    wants: { quorum: 1 },
  },
  {
    what: 'watch key: a hold is lifted in the name of control',
    act: holdLifted({ role: 'control', ...WATCH }),
    wants: { quorum: 1 },
  },
  { what: 'watch key: a hold is lifted', act: holdLifted({ role: 'watch', ...WATCH }), wants: { quorum: 1 } },
];
