/** What a config would leave behind, for the check of the pull request that changes it; and a hold whose lane is gone. */

import type { LeftBehind, StrayHold } from '../config/left-behind.ts';
import { assertNever } from '../domain/assert.ts';
import { heldWords, liftWords } from './hold-words.ts';
import { code, count, listed, person, text } from './words.ts';

/** For the title: a few plain words, empty where nothing is left behind. */
export function leftBehindTitle(left: readonly LeftBehind[]): string {
  const jobs = left.filter(({ kind }) => kind === 'job').length;
  const holds = left.filter(({ kind }) => kind === 'hold').length;
  const parts = [
    ...(jobs > 0 ? [`${count(jobs, 'running job')} out of reach`] : []),
    ...(holds > 0 ? [`${count(holds, 'hold')} without a lane`] : []),
  ];
  const known = parts.length === 0 ? '' : `It would leave ${listed(parts)}. `;
  return left.some(({ kind }) => kind === 'unknown')
    ? `${known}Not all that it would leave behind is known. `
    : known;
}

/** One line of a list for each; null where there is none. */
export function leftBehindLines(left: readonly LeftBehind[]): string | null {
  return left.length === 0 ? null : left.map((one) => `- ${leftWords(one)}`).join('\n');
}

function leftWords(left: LeftBehind): string {
  switch (left.kind) {
    case 'job':
      return `**${code(left.run)} has a job on the cluster ${code(left.cluster)}, which this config does not have.** From the merge on nothing could watch that job, and a \`/stop\` would not reach it. Keep the cluster until the job has ended.`;
    case 'hold': {
      const { hold } = left;
      return `**A hold would be left behind: ${strayHoldWords(hold)}.** If the lane has another name here, hold it again under that name; ${liftWords(hold)} lifts this hold.`;
    }
    case 'unknown':
      return `Whether a job or a hold would be left behind is not known: ${text(left.why)}.`;
    default:
      return assertNever(left);
  }
}

/** For where holds are listed. */
export function strayHoldWords(hold: StrayHold): string {
  const { actor, reason } = hold;
  return `${heldWords(hold, person(actor), reason)}, and blocks nothing: the config has no such lane`;
}
