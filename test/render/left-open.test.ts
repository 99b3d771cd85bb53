/** What maintainers read where a thread could not be locked again. */

import { expect, it } from 'vitest';
import { leftOpenNotice } from '../../src/render/left-open.ts';

it('the comment says what stood open, why, and who can lock it', () => {
  const { body, summons } = leftOpenNotice({ thread: 12, atMs: 1_700_000_000_000, why: '502 *Bad* <b>' });
  expect(summons).toEqual({ people: [], permission: 'maintain' });
  expect(body).toMatchInlineSnapshot(`
    "<!-- ferrybot:v1 run=journal kind=notice key=left-open-12-1700000000000 -->
    🤖 **This thread was locked, and is open now.** It was opened to write here, since GitHub takes no word of an App or a workflow in a locked thread, and GitHub did not take the lock back.

    What it said: 502 \\*Bad\\* &lt;b&gt;. Whoever may write can lock the thread again.
    "
  `);
});
