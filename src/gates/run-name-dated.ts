/** Gate: the run is named by its date, so that no result is mistaken for another day's (policy DF-14). */

import { type Gate, given, judging } from './gate.ts';

const { block, pass } = judging('run-name-dated');

/** Both the name that was proposed and the one that would be launched: the config may have changed between the two. */
export const runNameDated: Gate = {
  id: 'run-name-dated',
  evaluate: ({ proposal, lane, manifest }) =>
    given(manifest, ({ runName }) => {
      const wanted = lane.runName.replaceAll('{date}', proposal.date);
      const found = proposal.runName === wanted ? runName : proposal.runName;
      // rule DF-14
      return found === wanted
        ? pass('dated', { runName: wanted })
        : block('wrong-name', 'lab', { found, wanted });
    }),
  readsSettings: true,
};
