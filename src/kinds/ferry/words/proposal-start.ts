/** What a ferry goes on from, as the proposal tells it: what is new, what runs as in the last pass, and what the branch overrules. */

import { notTakenText } from '../../../render/not-taken.ts';
import { code, paragraphs, points } from '../../../render/words.ts';
import type { ProposalView } from '../proposal-view.ts';

/** Below the table of everything that changes on the target branch. */
export function startText({ changes, start, targetBranch }: ProposalView): string {
  const { pass, notTaken, total, isOwn } = start;
  if (pass === null && isOwn === true)
    return `Is held against ${code(targetBranch)}: there is no sealed pass of this lane.`;
  if (pass === null)
    return `Starts from ${code(targetBranch)}: there is no sealed pass of this lane to go on from.`;
  const kept = total.filter(({ path }) => !changes.some((change) => change.path === path));
  const value = (source: string | null): string => (source === null ? 'absent' : code(source));
  return paragraphs(
    `${isOwn === true ? 'Is held against' : 'Starts from'} what ${code(pass.run)} ran, the last ferry that was sealed as a pass (launch commit ${pass.commit}). The table is held against ${code(targetBranch)}; of it, this is new and this is not:`,
    points([
      ...changes.map(
        ({ path, before, after }) => `new today: ${code(path)}, from ${value(before)} to ${value(after)}`,
      ),
      ...(changes.length === 0 ? ['new today: nothing'] : []),
      ...kept.map(({ path, after }) => `as that ferry ran it: ${code(path)}, ${value(after)}`),
      ...notTaken.map((one) => notTakenText(one, targetBranch)),
    ]),
  );
}
