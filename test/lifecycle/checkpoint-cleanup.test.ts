/**
 * The clean-up of a hero run's checkpoints: listed, approved by a second person, deleted one by one, and
 * reported.
 */

import { utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { consentLine } from '../support/approve.ts';
import { HERO, openCheckpointLab } from '../support/checkpoint-lab.ts';
import { Crash } from '../support/crash.ts';
import { stateOf, until } from '../support/play.ts';
import { codesOf } from '../support/recorded.ts';
import { MINUTE, saidTwice, say, told } from '../support/talk.ts';

const APPROVE = 'Checkpoints of';

describe('the checkpoints of a hero run', () => {
  // rule HR-63
  it('are listed if nothing protects them, and exactly this list is deleted after another person approves', async () => {
    const { lab, issue, save, there, close } = await openCheckpointLab();
    for (const step of [400, 500, 900, 1_000, 1_200]) await save(step);
    await save(600, { isHalf: true });
    await save(700, { atMs: lab.clock.now() - 40 * 24 * 3_600_000 });
    const early = await say(lab, 'mira', issue, `/approve 0123456789abcdef0123456789abcdef`);
    await lab.clock.advance(MINUTE);
    expect(await codesOf(lab, early)).toEqual(['action-nothing-proposed']);

    const stranger = await say(lab, 'sol', issue, '/cleanup-checkpoints');
    const asked = await say(lab, 'ada', issue, '/cleanup-checkpoints');
    await lab.clock.advance(2 * MINUTE);
    expect(await codesOf(lab, stranger)).toEqual(['not-permitted']);
    expect(await codesOf(lab, asked)).toEqual(['cleanup-listed']);
    const [list = ''] = told(lab, 'action');
    for (const part of ['step-400  permanent', 'objects 2', 'step-600  incomplete', 'step-700  foreign'])
      expect(list).toContain(part);
    expect(list).toMatch(/stays \S+step-1200 {2}newest, final/);
    expect(await there()).toHaveLength(7);

    const again = await say(lab, 'ada', issue, '/cleanup-checkpoints');
    await lab.clock.advance(MINUTE);
    expect(await codesOf(lab, again)).toEqual(['cleanup-listed-already']);

    const yes = await say(lab, 'mira', issue, consentLine(lab, APPROVE));
    await until(lab, 'the end', async () => (await stateOf(lab, HERO))?.actions[0]?.ended != null);
    await lab.clock.advance(MINUTE);
    expect(await codesOf(lab, yes)).toEqual(['action-approved']);
    expect(await there()).toEqual(['step-1000', 'step-1200', 'step-600', 'step-700']);
    expect((await stateOf(lab, HERO))?.actions[0]?.ended).toMatchObject({
      outcome: 'done',
      code: 'deleted',
    });
    expect(told(lab, 'action').at(-1)).toMatch(/step-900: deleted and looked for: 2 objects/);
    expect(saidTwice(lab)).toEqual([]);
    await close();
  });

  it('are kept if the requester approves, the approver lacks permission, or the digest is too short', async () => {
    const { lab, issue, save, there, close } = await openCheckpointLab();
    for (const step of [400, 1_000, 1_200]) await save(step);
    await say(lab, 'mira', issue, '/cleanup-checkpoints');
    await lab.clock.advance(2 * MINUTE);
    const own = await say(lab, 'mira', issue, consentLine(lab, APPROVE));
    await say(lab, 'ada', issue, '/cleanup-checkpoints');
    await lab.clock.advance(2 * MINUTE);
    const line = consentLine(lab, APPROVE);
    const short = await say(lab, 'mira', issue, line.slice(0, -8));
    const below = await say(lab, 'ada', issue, line);
    await lab.clock.advance(2 * MINUTE);
    expect(await codesOf(lab, own)).toEqual(['approval-by-author']);
    expect(await codesOf(lab, short)).toEqual(['approval-line-needed']);
    expect(await codesOf(lab, below)).toEqual(['not-permitted']);
    expect(await there()).toEqual(['step-1000', 'step-1200', 'step-400']);
    await close();
  });

  it('are kept during a hold, and if one of them was rewritten after it was listed', async () => {
    const { lab, issue, root, save, there, close } = await openCheckpointLab();
    for (const step of [400, 500, 1_000, 1_200]) await save(step);
    await say(lab, 'ada', issue, '/cleanup-checkpoints');
    await lab.clock.advance(2 * MINUTE);
    await say(lab, 'ada', issue, '/hold reason="look at the evals first"');
    const held = await say(lab, 'mira', issue, consentLine(lab, APPROVE));
    await lab.clock.advance(2 * MINUTE);
    expect(await codesOf(lab, held)).toEqual(['action-held']);
    await say(lab, 'mira', issue, '/unhold');
    await lab.clock.advance(2 * MINUTE);
    const at = lab.clock.now() / 1_000;
    await utimes(join(root, 'step-500/metadata.json'), at, at);
    await say(lab, 'mira', issue, consentLine(lab, APPROVE));
    await until(lab, 'the end', async () => (await stateOf(lab, HERO))?.actions[0]?.ended != null);
    expect((await stateOf(lab, HERO))?.actions[0]?.ended).toMatchObject({
      outcome: 'refused',
      code: 'list-changed',
    });
    await lab.clock.advance(MINUTE);
    expect(told(lab, 'action').at(-1)).toMatch(/not what was listed any more/);
    expect(await there()).toHaveLength(4);
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
      await say(lab, 'ada', issue, '/cleanup-checkpoints');
      await lab.clock.advance(2 * MINUTE);
      await say(lab, 'mira', issue, consentLine(lab, APPROVE));
      await until(lab, 'the end', async () => (await stateOf(lab, HERO))?.actions[which]?.ended != null);
    };
    left = 1;
    await cleaned(0);
    expect((await stateOf(lab, HERO))?.actions[0]?.ended).toMatchObject({ code: 'deletion-interrupted' });
    expect(await there()).toEqual(['step-1000', 'step-1200', 'step-500']);
    await cleaned(1);
    expect((await stateOf(lab, HERO))?.actions[1]?.ended).toMatchObject({ code: 'deleted' });
    expect(await there()).toEqual(['step-1000', 'step-1200']);
    expect(saidTwice(lab)).toEqual([]);
    await close();
  });
});
