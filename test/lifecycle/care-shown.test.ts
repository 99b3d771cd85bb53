/** A consent to a cluster change counts only if the proposal was shown exactly as ferrybot posted it. */

import { describe, expect, it } from 'vitest';
import { requireActionLine } from '../support/approve.ts';
import { openBadNodeLab, playUntilBad } from '../support/bad-node-lab.ts';
import { type DiskLab, diskIssue, openDiskLab } from '../support/disk-lab.ts';
import { readState, until } from '../support/play.ts';
import { listAnswerCodes } from '../support/recorded.ts';
import { listDeletions, type SimulatedCloud } from '../support/simulated-cloud.ts';
import { type BotComment, holdJobs, listBotComments, listBotTexts, MINUTE, postComment } from '../support/talk.ts';
import type { VirtualLab, VirtualLabOptions } from '../support/virtual-lab.ts';
import { deleteAsWorkflow, editAs } from '../support/workflow-voice.ts';

const ASKED = 'ray-worker-7c21';

type Bad = { readonly lab: VirtualLab; readonly cloud: SimulatedCloud; readonly run: string; readonly issue: number };

async function bad(options: Partial<VirtualLabOptions> = {}): Promise<Bad> {
  const { lab, cloud } = await openBadNodeLab(options);
  const { run, issue } = await playUntilBad(lab);
  await until(lab, 'the proposal', () => listBotTexts(lab, 'action').length > 0);
  await lab.clock.advance(10_000);
  return { lab, cloud, run, issue };
}

function proposalOf(lab: VirtualLab): BotComment {
  const found = listBotComments(lab).filter(({ kind }) => kind === 'action');
  const [first] = found;
  if (first === undefined || found.length > 1) throw new Error(`${found.length} proposals`);
  return first;
}

/** The proposal with misleading steps and the correct line to copy. */
function withFalseSteps({ source }: BotComment): string {
  const falsified = source.replace('**Wanted:', 'This only lists the machine.\n\n**Wanted:');
  if (falsified === source) throw new Error('the proposal has changed its shape');
  return falsified;
}

/** The consent is refused and the text restored; a consent to the restored text is executed. */
async function isRestored({ lab, cloud, run, issue }: Bad, refused: number): Promise<void> {
  // A sweep restores it at the latest.
  await lab.clock.advance(31 * MINUTE);
  expect(await listAnswerCodes(lab, refused)).toEqual(['action-not-shown']);
  expect((await readState(lab, run))?.actions[0]?.approvals).toEqual([]);
  expect(listDeletions(cloud)).toEqual([]);
  expect(proposalOf(lab).text).not.toContain('only lists');
  await postComment(lab, 'mira', issue, requireActionLine(lab, ASKED));
  await until(lab, 'the deletion', () => listDeletions(cloud).length > 0);
  await lab.close();
}

describe('consent to delete a machine', () => {
  // threat T77
  it('is refused while the proposal is edited, and the proposal is restored', async () => {
    const ferry = await bad();
    const { lab, issue } = ferry;
    await editAs(lab, 'ada', proposalOf(lab).id, withFalseSteps(proposalOf(lab)));
    await lab.clock.advance(1_000);
    await isRestored(ferry, await postComment(lab, 'mira', issue, requireActionLine(lab, ASKED)));
  });

  // threat T78
  it('is refused if the proposal was edited and restored before ferrybot saw the edit', async () => {
    const ferry = await bad({ webhooks: false });
    const { lab, issue } = ferry;
    const { id, source } = proposalOf(lab);
    const line = requireActionLine(lab, ASKED);
    const acts = [
      editAs(lab, 'ada', id, withFalseSteps(proposalOf(lab))),
      lab.as('mira', 'POST', `/issues/${issue}/comments`, { body: line }),
      editAs(lab, 'ada', id, source),
    ];
    await Promise.all(acts);
    const consent = Math.max(
      ...Object.values(lab.world.state.comments)
        .filter(({ body }) => body === line)
        .map(({ id }) => id),
    );
    await isRestored(ferry, consent);
  });

  it('is refused if the marker line was broken, and the proposal is rewritten in place', async () => {
    const ferry = await bad();
    const { lab, issue } = ferry;
    const { id } = proposalOf(lab);
    const line = requireActionLine(lab, ASKED);
    await editAs(lab, 'ada', id, withFalseSteps(proposalOf(lab)).replace('kind=action', 'kind=motion'));
    await lab.clock.advance(1_000);
    const refused = await postComment(lab, 'mira', issue, line);
    await lab.clock.advance(5 * MINUTE);
    expect(proposalOf(lab).id).toBe(id);
    await isRestored(ferry, refused);
  });

  it('is refused while the proposal is deleted, and the proposal is posted again each time', async () => {
    const { lab, cloud, issue } = await bad();
    const line = requireActionLine(lab, ASKED);
    for (let time = 0; time < 3; time += 1) {
      await deleteAsWorkflow(lab, proposalOf(lab).id);
      const refused = await postComment(lab, 'mira', issue, line);
      await lab.clock.advance(1_000);
      expect(await listAnswerCodes(lab, refused)).toEqual(['action-not-shown']);
      await until(lab, 'the proposal', () => listBotComments(lab).some(({ kind }) => kind === 'action'));
    }
    expect(listDeletions(cloud)).toEqual([]);
    await lab.clock.advance(2_000);
    await postComment(lab, 'mira', issue, line);
    await until(lab, 'the deletion', () => listDeletions(cloud).length > 0);
    await lab.close();
  });
});

describe('consent to a clean-up that is proposed in an issue description', () => {
  const ASK = '`start-cleanup-cron`';

  function withFalseCalls(body: string): string {
    const falsified = body.replace('start-cleanup\n', 'status\n');
    if (falsified === body) throw new Error('the description has changed its shape');
    return falsified;
  }

  /** The consent is refused and the text restored; a consent to the restored text is executed once. */
  async function isPutRight({ lab, called, scan }: DiskLab, refused: number): Promise<void> {
    const { number } = diskIssue(lab);
    // Without webhooks a sweep runs every half hour.
    await lab.clock.advance(40 * MINUTE);
    expect(await listAnswerCodes(lab, refused)).toEqual(['action-not-shown']);
    await scan();
    expect(called()).toBe(0);
    expect(diskIssue(lab).number).toBe(number);
    expect(diskIssue(lab).body).toContain('start-cleanup\n');
    await lab.clock.advance(2_000);
    await postComment(lab, 'mira', number, requireActionLine(lab, ASK));
    await until(lab, 'the call', () => called() > 0);
    await lab.clock.advance(40 * MINUTE);
    expect(called()).toBe(1);
    await lab.close();
  }

  // threat T79
  it('is refused while the description is edited, and the description is restored', async () => {
    const disks = await openDiskLab();
    const { lab } = disks;
    const { number, body } = diskIssue(lab);
    await lab.as('ada', 'PATCH', `/issues/${number}`, { body: withFalseCalls(body) });
    await lab.clock.advance(1_000);
    await isPutRight(disks, await postComment(lab, 'mira', number, requireActionLine(lab, ASK)));
  });

  it('is refused if the description was edited and restored before ferrybot saw the edit', async () => {
    const disks = await openDiskLab({ webhooks: false });
    const { lab } = disks;
    const { number, body } = diskIssue(lab);
    const line = requireActionLine(lab, ASK);
    await lab.as('ada', 'PATCH', `/issues/${number}`, { body: withFalseCalls(body) });
    const consent = await postComment(lab, 'mira', number, line);
    await lab.as('ada', 'PATCH', `/issues/${number}`, { body });
    await isPutRight(disks, consent);
  });

  // threat T82
  it('is not executed if the description is edited after the consent, because the runner reads the text again', async () => {
    const runner = holdJobs('care');
    const { lab, called } = await openDiskLab({ beforeJob: runner.beforeJob });
    const { number, body } = diskIssue(lab);
    await postComment(lab, 'mira', number, requireActionLine(lab, ASK));
    expect(listBotTexts(lab, 'answer')).toEqual([expect.stringContaining('you approved')]);
    await lab.as('ada', 'PATCH', `/issues/${number}`, { body: withFalseCalls(body) });
    await until(lab, 'the runner', () => runner.waiting() > 0);
    runner.letGo();
    await lab.clock.advance(40 * MINUTE);
    expect(called()).toBe(0);
    await lab.close();
  });
});
