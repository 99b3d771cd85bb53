/** Two proposers at the same time: one records the proposal, the other does nothing. */

import { describe, expect, it } from 'vitest';
import { approve, propose, readEventsOf, readState } from '../support/play.ts';
import { MINUTE, SHORT_FERRY } from '../support/talk.ts';
import { openVirtualLab } from '../support/virtual-lab.ts';

describe('two proposers at the same time', () => {
  it("propose one ferry, which ferrybot recognises as its own under the workflows' account", async () => {
    const lab = await openVirtualLab({ ferry: SHORT_FERRY, server: false });
    await Promise.all([lab.dispatchDaily(), lab.dispatchDaily()]);
    const { run, pull } = await propose(lab);
    const begun = (await readEventsOf(lab, 'journal')).filter(({ type }) => type === 'proposing');
    expect(begun.map(({ data }) => data)).toEqual([expect.objectContaining({ run })]);
    await approve(lab, 'mira', pull);
    await lab.clock.advance(10 * MINUTE);
    expect((await readState(lab, run))?.submission).not.toBeNull();
    expect(Object.values(lab.world.state.issues).filter(({ state }) => state === 'open')).toHaveLength(2);
    await lab.close();
  });
});
