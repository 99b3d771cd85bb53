/** Gate: the run is named by its date, so that no result is mistaken for another day's (policy/daily-ferry.md, rules). */

import { block, type Gate, pass } from './gate.ts';

export const runNameDated: Gate = {
  id: 'run-name-dated',
  evaluate: ({ proposal, policy }) => {
    const wanted = policy.runNamePattern.replaceAll('{date}', proposal.date);
    return proposal.runName === wanted
      ? pass('dated', { runName: wanted })
      : block('wrong-name', 'lab', { found: proposal.runName, wanted });
  },
};
