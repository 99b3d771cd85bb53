/** An untrusted user's comments must not keep a sweep from reading other comments. */

import { expect, it } from 'vitest';
import { limits } from '../../src/domain/limits.ts';
import { HOUR, listAnswersTo, postComment } from '../support/talk.ts';
import { openVirtualLab } from '../support/virtual-lab.ts';

// threat T196
it('a /hold is answered although an untrusted user commented in more issues than one pass reads', async () => {
  const lab = await openVirtualLab({ webhooks: false });
  const open = async (labels: readonly string[]): Promise<number> => {
    const made = await lab.as('ada', 'POST', '/issues', { title: 'Try cosine', body: 'Why not?', labels });
    return (made as { number: number }).number;
  };
  const issues = [];
  for (let count = 0; count <= limits.journalThreadsPerTriggerMax; count += 1) issues.push(await open([]));
  const ours = await open(['experiment']);
  await lab.clock.advance(HOUR);
  for (const issue of issues) await postComment(lab, 'sol', issue, '/status');
  await lab.clock.advance(HOUR);
  const freeze = await postComment(lab, 'mira', ours, '/hold reason="bad node"');
  await lab.clock.advance(2 * HOUR);
  expect(listAnswersTo(lab, freeze)).toEqual([expect.stringContaining('is on hold: bad node')]);
  await lab.close();
});
