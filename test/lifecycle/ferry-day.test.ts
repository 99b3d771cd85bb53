/** One daily ferry on virtual time, from proposal to seal, through the server and through the action alone. */

import { describe, expect, it } from 'vitest';
import { eventsOf, playFerry, stateOf } from '../support/play.ts';
import { openVirtualLab } from '../support/virtual-lab.ts';

describe('a daily ferry of five hours', () => {
  it.each([
    { name: 'with the server', server: true, webhooks: true },
    { name: 'by the sweep alone', server: true, webhooks: false },
    { name: 'by the action alone', server: false, webhooks: true },
  ])('reaches its seal $name', async ({ server, webhooks }) => {
    const lab = await openVirtualLab({ server, webhooks });
    const { run } = await playFerry(lab);
    const state = await stateOf(lab, run);
    expect(state?.seal?.verdict).toBe('pass');
    expect(lab.engine.startCount()).toBe(1);
    console.log(lab.usage, (await eventsOf(lab, run)).map((e) => e.type).join(' '), lab.log.slice(-5));
    await lab.close();
  });
});
