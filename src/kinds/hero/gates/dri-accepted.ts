/** Gate: who is in charge by the contract wrote it, asked for the run, or has said so (policy HR-15). */

import { isSameLogin, personInCharge } from '../../../domain/launch/contract.ts';
import { type Gate, given, judging } from '../../../gates/gate.ts';

const { block, pass } = judging('dri-accepted');

export const driAccepted: Gate = {
  id: 'dri-accepted',
  evaluate: ({ contract, proposal, owner = null }) => {
    if (contract === undefined) return block('nobody', 'author');
    return given(contract.read, (now) => {
      const dri = personInCharge(now);
      if (dri === null) return block('nobody', 'author');
      const consenting = [proposal.author, proposal.requestedBy, owner];
      return consenting.some((one) => one !== null && isSameLogin(dri, one.login))
        ? pass('accepted', { dri })
        : // rule HR-15
          block('not-accepted', 'anyone', { dri });
    });
  },
};
