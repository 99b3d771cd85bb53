/** What a config would leave behind, for the check of the pull request that changes it; and a hold whose lane is gone. */

import type { LeftBehind, StrayHold } from '../config/left-behind.ts';
import { assertNever } from '../domain/assert.ts';
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
      const { kind, lane, actor, reason } = left.hold;
      const lift = kind === 'freeze' ? `; otherwise ${code(`/thaw lane=${lane}`)} lifts it` : '';
      return `**The ${kind} of the lane ${code(lane)} by ${person(actor)} stands (${text(reason)}), and this config has no such lane.** It would hold nothing back. If the lane has another name here, say ${code(`/${kind}`)} once more with that name${lift}.`;
    }
    case 'unknown':
      return `Whether a job or a hold would be left behind is not known: ${text(left.why)}.`;
    default:
      return assertNever(left);
  }
}

/** For where holds are listed. */
export function strayHoldWords({ kind, lane, actor, reason }: StrayHold): string {
  return `a ${kind} of the lane ${code(lane)} by ${person(actor)} (${text(reason)}) stands and holds nothing back, because the config has no such lane`;
}
