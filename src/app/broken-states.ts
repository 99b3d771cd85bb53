/** Runs whose record does not verify, as their last good entry leaves them: to be watched and stopped, and nothing else. */

import type { RunState } from '../domain/logbook/run-state.ts';
import { JOURNAL } from '../logbook/rules.ts';
import { stateAfter, WHOLE_BRANCH } from './broken-run.ts';
import type { Record } from './record-files.ts';

/** Every broken run of which a good version is known; where the branch is gone, every run that its marks tell of. */
export function brokenStates({ broken, good }: Record): readonly RunState[] {
  const isWhole = broken.some(({ run }) => run === WHOLE_BRANCH);
  return [...good].flatMap(([run, { events }]) => {
    const isBroken = isWhole || broken.some((one) => one.run === run);
    const state = run === JOURNAL || !isBroken ? null : stateAfter(events);
    return state === null ? [] : [state];
  });
}

/** All runs that a watch looks at. A branch that is gone is not begun again for a look: that takes a person's stop. */
export function watchedStates(record: Record): readonly RunState[] {
  const isWhole = record.broken.some(({ run }) => run === WHOLE_BRANCH);
  return isWhole ? record.runs : [...record.runs, ...brokenStates(record)];
}
