/**
 * The clean-up of a hero run's checkpoints: listed, approved by a second person, deleted one by one, and
 * reported.
 */

import { utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { requireActionLine } from '../support/approve.ts';
import { HERO, openCheckpointLab } from '../support/checkpoint-lab.ts';
import { Crash } from '../support/crash.ts';
import { readState, until } from '../support/play.ts';
import { listAnswerCodes } from '../support/recorded.ts';
import { listBotTexts, listRepeatedComments, MINUTE, postComment } from '../support/talk.ts';

const APPROVE = 'Checkpoints of';

describe('the checkpoints of a hero run', () => {
  // rule HR-63
  it('are listed if nothing protects them, and exactly this list is deleted after another person approves', async () => {
    const { lab, issue, save, there, close } = await openCheckpointLab();
    for (const step of [400, 500, 900, 1_000, 1_200]) await save(step);
    await save(600, { isHalf: true });
    await save(700, { atMs: lab.clock.now() - 40 * 24 * 3_600_000 });
    const early = await postComment(lab, 'mira', issue, `/approve 0123456789abcdef0123456789abcdef`);
    await lab.clock.advance(MINUTE);
    expect(await listAnswerCodes(lab, early)).toEqual(['action-nothing-proposed']);

    const stranger = await postComment(lab, 'sol', issue, '/cleanup-checkpoints');
    const asked = await postComment(lab, 'ada', issue, '/cleanup-checkpoints');
    await lab.clock.advance(2 * MINUTE);
    expect(await listAnswerCodes(lab, stranger)).toEqual(['not-permitted']);
    expect(await listAnswerCodes(lab, asked)).toEqual(['cleanup-listed']);
    const [list = ''] = listBotTexts(lab, 'action');
    for (const part of ['step-400  permanent', 'objects 2', 'step-600  incomplete', 'step-700  foreign'])
      expect(list).toContain(part);
    expect(list).toMatch(/stays \S+step-1200 {2}newest, final/);
    expect(await there()).toHaveLength(7);

    const again = await postComment(lab, 'ada', issue, '/cleanup-checkpoints');
    await lab.clock.advance(MINUTE);
    expect(await listAnswerCodes(lab, again)).toEqual(['cleanup-listed-already']);

    const yes = await postComment(lab, 'mira', issue, requireActionLine(lab, APPROVE));
    await until(lab, 'the end', async () => (await readState(lab, HERO))?.actions[0]?.ended != null);
    await lab.clock.advance(MINUTE);
    expect(await listAnswerCodes(lab, yes)).toEqual(['action-approved']);
    expect(await there()).toEqual(['step-1000', 'step-1200', 'step-600', 'step-700']);
    expect((await readState(lab, HERO))?.actions[0]?.ended).toMatchObject({ outcome: 'done', code: 'deleted' });
    expect(listBotTexts(lab, 'action').at(-1)).toMatch(/step-900: deleted and looked for: 2 objects/);
    expect(listRepeatedComments(lab)).toEqual([]);
    await close();
  });

  it('are kept if the requester approves, the approver lacks permission, or the digest is too short', async () => {
    const { lab, issue, save, there, close } = await openCheckpointLab();
    for (const step of [400, 1_000, 1_200]) await save(step);
    await postComment(lab, 'mira', issue, '/cleanup-checkpoints');
    await lab.clock.advance(2 * MINUTE);
    const own = await postComment(lab, 'mira', issue, requireActionLine(lab, APPROVE));
    await postComment(lab, 'ada', issue, '/cleanup-checkpoints');
    await lab.clock.advance(2 * MINUTE);
    const line = requireActionLine(lab, APPROVE);
    const short = await postComment(lab, 'mira', issue, line.slice(0, -8));
    const below = await postComment(lab, 'ada', issue, line);
    await lab.clock.advance(2 * MINUTE);
    expect(await listAnswerCodes(lab, own)).toEqual(['approval-by-author']);
    expect(await listAnswerCodes(lab, short)).toEqual(['approval-line-needed']);
    expect(await listAnswerCodes(lab, below)).toEqual(['not-permitted']);
    expect(await there()).toEqual(['step-1000', 'step-1200', 'step-400']);
    await close();
  });

  it('are kept during a hold, or if one was rewritten; the commands in the answers lead to the deletion', async () => {
    const commandIn = (text = '', begin = ''): string => new RegExp(`\`(${begin}[^\`]*)\``).exec(text)?.[1] ?? '';
    const { lab, issue, root, save, there, close } = await openCheckpointLab();
    for (const step of [400, 500, 1_000, 1_200]) await save(step);
    await postComment(lab, 'ada', issue, '/cleanup-checkpoints');
    await lab.clock.advance(2 * MINUTE);
    await postComment(lab, 'ada', issue, '/hold reason="look at the evals first"');
    const held = await postComment(lab, 'mira', issue, requireActionLine(lab, APPROVE));
    await lab.clock.advance(2 * MINUTE);
    expect(await listAnswerCodes(lab, held)).toEqual(['action-held']);
    await postComment(lab, 'mira', issue, commandIn(listBotTexts(lab, 'answer').at(-1), '/unhold'));
    await lab.clock.advance(2 * MINUTE);
    const at = lab.clock.now() / 1_000;
    await utimes(join(root, 'step-500/metadata.json'), at, at);
    await postComment(lab, 'mira', issue, requireActionLine(lab, APPROVE));
    await until(lab, 'the end', async () => (await readState(lab, HERO))?.actions[0]?.ended != null);
    expect((await readState(lab, HERO))?.actions[0]?.ended).toMatchObject({ outcome: 'refused', code: 'list-changed' });
    await lab.clock.advance(MINUTE);
    const refusal = listBotTexts(lab, 'action').at(-1);
    expect(refusal).toMatch(/not what was listed any more/);
    expect(await there()).toHaveLength(4);
    await postComment(lab, 'ada', issue, commandIn(refusal, '/cleanup-checkpoints'));
    await lab.clock.advance(2 * MINUTE);
    await postComment(lab, 'mira', issue, requireActionLine(lab, APPROVE));
    await until(lab, 'the deletion', async () => (await readState(lab, HERO))?.actions[1]?.ended != null);
    expect((await readState(lab, HERO))?.actions[1]?.ended).toMatchObject({ code: 'deleted' });
    await close();
  });

  it('are deleted only from the approved list if the runner crashes halfway, and the rest is listed again', async () => {
    let left = 0;
    const { lab, issue, save, there, close } = await openCheckpointLab({
      atBoundary: (process, kind, moment) => {
        if (process !== 'care' || kind !== 'delete-checkpoint' || moment !== 'after') return;
        left -= 1;
        if (left === 0) throw new Crash('killed');
      },
    });
    for (const step of [400, 500, 1_000, 1_200]) await save(step);
    const cleaned = async (which: number): Promise<void> => {
      await postComment(lab, 'ada', issue, '/cleanup-checkpoints');
      await lab.clock.advance(2 * MINUTE);
      await postComment(lab, 'mira', issue, requireActionLine(lab, APPROVE));
      await until(lab, 'the end', async () => (await readState(lab, HERO))?.actions[which]?.ended != null);
    };
    left = 1;
    await cleaned(0);
    expect((await readState(lab, HERO))?.actions[0]?.ended).toMatchObject({ code: 'deletion-interrupted' });
    expect(await there()).toEqual(['step-1000', 'step-1200', 'step-500']);
    await cleaned(1);
    expect((await readState(lab, HERO))?.actions[1]?.ended).toMatchObject({ code: 'deleted' });
    expect(await there()).toEqual(['step-1000', 'step-1200']);
    expect(listRepeatedComments(lab)).toEqual([]);
    await close();
  });
});
