/** What people expect of GitHub's own buttons: *Approve* in a review, and *Update branch*. */

import { afterEach, describe, expect, it } from 'vitest';
import { approve, propose, readState } from '../support/play.ts';
import { HOUR, listAnswersTo, listBotComments, listRepeatedComments, MINUTE, postComment } from '../support/talk.ts';
import { openVirtualLab, type VirtualLab } from '../support/virtual-lab.ts';

let lab: VirtualLab;
afterEach(async () => {
  expect(listRepeatedComments(lab)).toEqual([]);
  await lab.close();
});

const hints = (): readonly string[] =>
  listBotComments(lab).flatMap(({ kind, text }) =>
    kind === 'answer' && text.includes('a review does not approve the launch') ? [text] : [],
  );

describe('a review with Approve', () => {
  it('gets one hint with the line to comment, and approves nothing', async () => {
    lab = await openVirtualLab({});
    const { run, pull } = await propose(lab);
    await lab.as('mira', 'POST', `/pulls/${pull}/reviews`, { body: 'LGTM, launch it', event: 'APPROVE' });
    await lab.clock.advance(HOUR);
    expect(hints()).toHaveLength(1);
    expect(hints()[0]).toContain('`/approve-launch`');
    expect((await readState(lab, run))?.approvals).toEqual([]);
  });

  it('gets no hint if its author approved the launch, or after the launch', async () => {
    lab = await openVirtualLab({});
    const { run, pull } = await propose(lab);
    await approve(lab, 'mira', pull, run);
    await lab.as('ravi', 'POST', `/pulls/${pull}/reviews`, { body: '', event: 'APPROVE' });
    await lab.clock.advance(HOUR);
    expect(hints()).toEqual([]);
  });

  it('gets no hint if it contains the command', async () => {
    lab = await openVirtualLab({});
    const { pull } = await propose(lab);
    await lab.as('mira', 'POST', `/pulls/${pull}/reviews`, { body: '/why', event: 'APPROVE' });
    await lab.clock.advance(HOUR);
    expect(hints()).toEqual([]);
  });
});

describe('/why after Update branch', () => {
  const updated = async (config: (text: string) => string): Promise<string> => {
    lab = await openVirtualLab({ config });
    const { pull } = await propose(lab);
    const { sha } = (await lab.as('ada', 'GET', '/contents/README.md')) as { readonly sha: string };
    const content = Buffer.from('# New').toString('base64');
    await lab.as('ada', 'PUT', '/contents/README.md', { message: 'Words', content, sha });
    await lab.as('mira', 'PUT', `/pulls/${pull}/update-branch`, {});
    await lab.clock.advance(5 * MINUTE);
    const asked = await postComment(lab, 'mira', pull, '/why');
    await lab.clock.advance(MINUTE);
    return listAnswersTo(lab, asked).join('\n');
  };

  it('tells the only maintainer that she cannot approve, and how to go on', async () => {
    const told = await updated((text) => text);
    expect(told).toContain('mira contributed to this change, also by *Update branch*, and cannot approve it.');
    expect(told).toContain('Nobody else may approve.');
  });

  it('names who is left', async () => {
    const told = await updated((text) => text.replace(/^ {2}users: \[\]/m, '  users: ["@ada"]'));
    expect(told).toContain('cannot approve it. ada can.');
  });
});
