/** How many git processes the action starts for one comment: each takes milliseconds on a laptop, a second on a busy runner. */

import { expect, it } from 'vitest';
import { measureApproval } from './measured-approval.ts';

it('an approval through the chat workflow takes at most 20 git processes', async () => {
  const { calls } = await measureApproval();
  expect(calls.length).toBeGreaterThan(0);
  for (const ofOne of calls) expect(ofOne.length, ofOne.join('\n')).toBeLessThanOrEqual(20);
});
