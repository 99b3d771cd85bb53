// What somebody appends to the record who has no key, or one of another role: a freeze is lifted that nobody lifted. Whoever
// has the control key can do just that, which the threat model says, so that no key but control's may be good for it.

import { DEMO_KEYS } from '../support/demo-keys.ts';
import { logbookText } from '../support/play.ts';
import { FOREIGN_SEED, pushEntry, type Signature } from './forging.ts';
import { approve, brake } from './honest.ts';
import type { Scene } from './scene.ts';
import type { Between, Scenario } from './steps.ts';

const MINUTE = 60_000;
const WATCH = { keyId: 'watch-demo', seed: DEMO_KEYS.watch.seed };

/** mira freezes the lab, and approves what is to run once it is thawed; somebody writes that it is. */
function freezeLifted(signature: Signature): (scene: Scene, between: Between) => Promise<void> {
  return async (scene, between) => {
    scene.launcher.awayMs = 0;
    await brake(scene, 'freeze');
    await between(2 * MINUTE);
    const frozen = entriesOf(await logbookText(scene.lab, 'journal')).findLast(({ type }) => type === 'held');
    if (frozen === undefined) return;
    const { reason: _, ...data } = frozen.data;
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
    what: 'a freeze is lifted without a key',
    act: freezeLifted({ role: 'control', keyId: 'control-demo', seed: FOREIGN_SEED }),
    wants: { quorum: 1 },
  },
  {
    what: 'watch key: a freeze is lifted in the name of control',
    act: freezeLifted({ role: 'control', ...WATCH }),
    wants: { quorum: 1 },
  },
  {
    what: 'watch key: a freeze is lifted',
    act: freezeLifted({ role: 'watch', ...WATCH }),
    wants: { quorum: 1 },
  },
];
