/** Gate: what is rented stays within what the lab rents, card by card and dollar by dollar. */

import { type Gate, given, judging } from '../../../gates/gate.ts';

const { block, pass } = judging('machine-fits');

/** Who needs more asks for it in the config, where it is reviewed. */
export const machineFits: Gate = {
  id: 'machine-fits',
  evaluate: ({ machine, contract, lane: { cluster } }) => {
    if (contract === undefined || machine === undefined)
      return block('not-rented', 'maintainer', { cluster });
    return given(contract.read, () => {
      const { terms, beyond } = machine;
      if (terms === null) return block('not-rented', 'maintainer', { cluster });
      const more = beyond.map(({ what, asked, most }) => `${what} ${asked}, at most ${most}`);
      if (more.length > 0) return block('beyond-lab', 'author', { beyond: more });
      const { dollarsPerHourMax: price, hoursMax: hours, dollarsMax: total } = terms;
      return pass('fits', { price, hours, total });
    });
  },
};
