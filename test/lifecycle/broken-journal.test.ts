/**
 * The journal is damaged but a run's own record is not: other threads get a notice that names the damaged
 * file.
 */

import { describe, expect, it } from 'vitest';
import { requireApprovalLine } from '../support/approve.ts';
import { type Ferry, logbookText, propose, readState, until, untilState } from '../support/play.ts';
import { listAnswersTo, listBotComments, MINUTE, postComment, pushFile } from '../support/talk.ts';
import { openVirtualLab, type VirtualLab } from '../support/virtual-lab.ts';

/** Runs after a lifted hold, because an invalid file that was never a journal is simply replaced. */
async function spoilJournal(lab: VirtualLab): Promise<void> {
  const path = 'journal/events.jsonl';
  await pushFile(lab, 'ada', 'ferrybot/logbook', path, `${await logbookText(lab, 'journal')}junk\n`);
}

/** A lab with a journal that has entries. */
async function proposed(config = (text: string) => text): Promise<Omit<Ferry, 'issue'>> {
  const lab = await openVirtualLab({ config });
  const { run, pull } = await propose(lab);
  await postComment(lab, 'mira', pull, '/hold lane=daily reason="a look"');
  await postComment(lab, 'mira', pull, '/unhold lane=daily');
  return { lab, run, pull };
}

async function elsewhere(lab: VirtualLab): Promise<number> {
  const { number } = (await lab.as('mira', 'POST', '/issues', { title: 'A question', body: 'Who knows?' })) as {
    readonly number: number;
  };
  return number;
}

const noticesIn = (lab: VirtualLab, thread: number): readonly string[] =>
  listBotComments(lab).flatMap((one) =>
    one.thread === thread && one.text.includes('The journal does not verify') ? [one.text] : [],
  );

describe('a journal that does not verify', () => {
  it('is reported once in each thread that depends on it', async () => {
    const { lab, run } = await proposed();
    const good = await logbookText(lab, 'journal');
    await spoilJournal(lab);
    const [asked, strange] = [await elsewhere(lab), await elsewhere(lab)];
    await postComment(lab, 'mira', asked, `/unhold run=${run}`);
    await postComment(lab, 'sol', strange, `/unhold run=${run}`);
    await until(lab, 'a notice', async () => noticesIn(lab, asked).length > 0, { stepMs: MINUTE });
    const again = await postComment(lab, 'mira', asked, `/unhold run=${run}`);
    await lab.clock.advance(40 * MINUTE);
    expect([noticesIn(lab, asked).length, noticesIn(lab, strange).length]).toEqual([1, 1]);
    expect(noticesIn(lab, asked)[0]).toMatchSnapshot();
    await pushFile(lab, 'ada', 'ferrybot/logbook', 'journal/events.jsonl', good);
    await lab.clock.advance(90 * MINUTE);
    expect(listAnswersTo(lab, again)).toHaveLength(1);
    await lab.close();
  });

  it('blocks the launch of an approved run', async () => {
    const { lab, pull } = await proposed();
    await spoilJournal(lab);
    const approved = await postComment(lab, 'mira', pull, requireApprovalLine(lab));
    await lab.clock.advance(90 * MINUTE);
    expect([lab.engine.startCount(), listAnswersTo(lab, approved).length]).toEqual([0, 1]);
    await lab.close();
  });

  it.each([
    ["in the run's own thread", true],
    ['in another thread', false],
  ])('still stops a running job if /stop is posted %s', async (_, isOwn) => {
    const { lab, run, pull } = await proposed();
    await postComment(lab, 'mira', pull, requireApprovalLine(lab));
    await untilState(lab, run, (state) => state.observation != null, { stepMs: MINUTE });
    await spoilJournal(lab);
    const stop = await postComment(
      lab,
      'mira',
      isOwn ? pull : await elsewhere(lab),
      isOwn ? '/stop' : `/stop run=${run}`,
    );
    await untilState(lab, run, (state) => state.end?.status === 'STOPPED', { stepMs: MINUTE });
    if (isOwn) expect(listAnswersTo(lab, stop)).toEqual([expect.stringContaining('stop')]);
    await lab.close();
  });

  it('is reported if a command names a finished run, and the record of that run stays unchanged', async () => {
    const { lab, run, pull } = await proposed();
    await postComment(lab, 'mira', pull, '/ack reject reason="not this one"');
    await lab.as('mira', 'PATCH', `/pulls/${pull}`, { state: 'closed' });
    await until(lab, 'the end', async () => (await readState(lab, run))?.closed != null, { stepMs: MINUTE });
    const before = await logbookText(lab, run);
    await spoilJournal(lab);
    const asked = await elsewhere(lab);
    await postComment(lab, 'mira', asked, `/stop run=${run}`);
    await until(lab, 'a notice', async () => noticesIn(lab, asked).length > 0, { stepMs: MINUTE });
    expect(await logbookText(lab, run)).toBe(before);
    await lab.close();
  });

  it('still accepts /stop from a user with the configured role for it', async () => {
    const { lab, run, pull } = await proposed((text) => text.replace('  stop: write', '  stop: triage'));
    await postComment(lab, 'mira', pull, requireApprovalLine(lab));
    await untilState(lab, run, (state) => state.observation != null, { stepMs: MINUTE });
    await spoilJournal(lab);
    const repo = Object.values(lab.world.state.repos).find(({ name }) => name === 'ferries');
    const sol = Object.values(lab.world.state.users).find(({ login }) => login === 'sol');
    if (repo === undefined || sol === undefined) throw new Error('the lab has no such repository or person');
    const collaborators = { ...repo.collaborators, [sol.id]: 'triage' as const };
    lab.world.state.repos[repo.id] = { ...repo, collaborators };
    await postComment(lab, 'sol', await elsewhere(lab), `/stop run=${run}`);
    await untilState(lab, run, (state) => state.end?.status === 'STOPPED', { stepMs: MINUTE });
    await lab.close();
  });
});
