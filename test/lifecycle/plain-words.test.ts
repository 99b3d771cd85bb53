/**
 * Comments without a command: processed within a minute if a gate waits for them, and otherwise free of
 * requests.
 */

import { expect, it } from 'vitest';
import { listOpenGates, openLab, readGates } from '../support/own-pull.ts';
import { propose } from '../support/play.ts';
import { MINUTE, postComment, pushFile, readBranchFile } from '../support/talk.ts';

const NEVER = { sweepMs: 24 * 60 * MINUTE };

it('a comment in the issue passes the waiting gate within a minute, without a sweep', async () => {
  const lab = await openLab(NEVER);
  const { run, issue } = await propose(lab);
  await lab.clock.advance(2 * MINUTE);
  const branch = `ferrybot/proposal/${run}`;
  const file = 'experiments/ferries/daily.py';
  await pushFile(lab, 'ada', branch, file, `${(await readBranchFile(lab, branch, file)) ?? ''}# a remark\n`);
  await lab.clock.advance(2 * MINUTE);
  expect(listOpenGates(await readGates(lab, run))).toContain('issue-updated issue-older');
  await postComment(lab, 'ada', issue, 'I left a remark in the file.');
  await lab.clock.advance(MINUTE);
  expect(listOpenGates(await readGates(lab, run))).not.toContain('issue-updated issue-older');
  await lab.close();
});

it('other comments without a command cause no request to GitHub', async () => {
  const lab = await openLab(NEVER);
  const { run, issue, pull } = await propose(lab);
  await lab.clock.advance(2 * MINUTE);
  const before = { ...lab.usage };
  for (const thread of [pull, issue]) await postComment(lab, 'sol', thread, 'What a fine day for a ferry.');
  await lab.clock.advance(MINUTE);
  // The chat workflow's empty run causes a fetch of the record, which costs no request.
  expect({ ...lab.usage, git: 0 }).toEqual({ ...before, git: 0 });
  expect(listOpenGates(await readGates(lab, run))).toEqual([]);
  await lab.close();
});
