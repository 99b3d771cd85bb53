/** Completes a proposal that was begun and not recorded: its branch is there, its run is not. */

import { dateAfter, dateOf } from '../../domain/time.ts';
import type { OpenLab } from '../open-lab.ts';
import { proposalBranchOf, propose } from '../propose/propose.ts';

/** Looks for half-made proposals of today and yesterday; by name, at no request. */
export async function adoptProposals(open: OpenLab): Promise<void> {
  const today = dateOf(open.lab.now());
  for (const date of [dateAfter(today, -1), today]) {
    const run = `ferry-daily-${date.replaceAll('-', '')}`;
    const isKnown = open.keeper.current().runs.some((state) => state.run === run);
    if (isKnown || (await open.git.resolve(`refs/heads/${proposalBranchOf(run)}`)) === null) continue;
    const outcome = await propose(open, { objective: { kind: 'integration', text: '' }, date });
    open.lab.log(`a proposal that was begun: ${outcome.kind}`, { run });
  }
}
