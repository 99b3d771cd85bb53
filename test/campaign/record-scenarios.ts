// What somebody appends to the record who has no key, or one of another role: a hold is lifted that nobody lifted. Whoever
// has the control key can do just that, which the threat model says, so that no key but control's may be good for it.

import { DEMO_KEYS } from '../support/demo-keys.ts';
import { logbookText } from '../support/play.ts';
import { FOREIGN_SEED, pushEntry, type Signature } from './forging.ts';
import { approve, brake } from './honest.ts';
import type { Scene } from './scene.ts';
import type { Between, Scenario } from './steps.ts';

const MINUTE = 60_000;
const WATCH = { keyId: 'watch-demo', seed: DEMO_KEYS.watch.seed };

/** mira holds the lane, and approves what is to run once the hold is lifted; somebody writes that it is. */
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
      // Somebody pushed what is no entry, or it is the end of the file.
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
  {
    what: 'watch key: a hold is lifted',
    act: holdLifted({ role: 'watch', ...WATCH }),
    wants: { quorum: 1 },
  },
];
