/** Whether the lane is kept back as it was at the last look. */

import type { OpenLab } from '../open-lab.ts';

/** What keeps the lane back, as one text to compare: a change of it moves the gates of every run that waits. */
export function holdsOf({ store }: OpenLab): string {
  return store
    .current()
    .journal.holds.map(({ scope, lane, date }) => `${scope} ${lane} ${date}`)
    .join(', ');
}
