/** An approval and its revocation in one comment: GitHub gives both the same id and the same second. */

import { expect, it } from 'vitest';
import { findShownApprovalLine, requireApprovalLine } from '../support/approve.ts';
import { propose, until } from '../support/play.ts';
import { MINUTE, postComment, SHORT_FERRY } from '../support/talk.ts';
import { openVirtualLab } from '../support/virtual-lab.ts';

// threat T108
it.each([
  [true, '/hold reason="not today"'],
  [true, '/revoke'],
  [true, '/stop'],
  [true, '/hold lane=daily reason="the cluster moves"'],
  [false, '/revoke'],
  [false, '/stop'],
])(
  'launches nothing for a comment that approves and then holds, revokes or stops (server: %s, %s)',
  async (server, brake) => {
    const lab = await openVirtualLab({ server, ferry: SHORT_FERRY });
    const { run, pull } = await propose(lab);
    await until(lab, 'the card', () => findShownApprovalLine(lab, run) !== null, { stepMs: 5_000 });
    await postComment(lab, 'mira', pull, `${requireApprovalLine(lab, run)}\n\n${brake}`);
    await lab.clock.advance(45 * MINUTE);
    expect(lab.engine.startCount()).toBe(0);
    await lab.close();
  },
);
