/**
 * A failure that ferrybot cannot fix itself: the lab's own fixer, a real program, proposes a patch, which
 * people approve.
 */

import { afterEach, describe, expect, it, vi } from 'vitest';
import { findShownApprovalLine } from '../support/approve.ts';
import {
  ANSWER,
  closeFixerLabs,
  countFixerRuns,
  MENDED,
  MINUTE,
  playFailure,
  REPORT,
  SCHEDULE,
} from '../support/fixer-lab.ts';
import { approve, seal, until } from '../support/play.ts';
import { listBotComments, listBotTexts, listRepeatedComments } from '../support/talk.ts';
import type { VirtualLab } from '../support/virtual-lab.ts';

afterEach(async () => {
  vi.unstubAllEnvs();
  await closeFixerLabs();
});

describe('a small error that ferrybot cannot fix itself', () => {
  it("is patched by the lane's fixer, shown as a diff, approved, launched and sealed", async () => {
    const { lab, run, pull, issue, now, tries, file } = await playFailure({ program: ANSWER });
    expect(await file()).toBe(MENDED);
    const { made, not } = await tries();
    expect(made).toMatchObject([
      { attempt: 1, place: `${SCHEDULE}:5`, by: 'fixer', commit: (await now())?.gate?.commit },
    ]);
    expect(not).toEqual([]);
    const comment = listBotTexts(lab, 'incident').join('\n');
    expect(comment).toContain('The fixer of the lane proposes this');
    expect(comment).toContain('\n-HALF_TURN = turn_by_half\n+HALF_TURN = 3.14159\n');
    expect(comment).not.toContain('import something');
    expect(comment).not.toContain('The job is not started again');
    const card = listBotComments(lab).findLast(({ kind }) => kind === 'card')?.text ?? '';
    expect(card).toContain('What the fixer of the lane changed');
    expect(card).toContain(`- Files: \`${SCHEDULE}\``);
    expect(lab.engine.startCount()).toBe(1);
    expect(countFixerRuns(lab)).toBe(1);

    await approve(lab, 'mira', pull, run);
    await until(lab, 'the second attempt', async () => (await now())?.submission?.attempt === 2);
    expect((await now())?.submission?.commit).toBe(made[0]?.commit);
    await until(lab, 'its end', async () => (await now())?.end?.attempt === 2, { stepMs: MINUTE });
    await seal(lab, run, issue);
    expect((await now())?.seal).toMatchObject({ verdict: 'pass', commit: made[0]?.commit });
    expect(listRepeatedComments(lab)).toEqual([]);
  });

  it("is passed to the fixer as JSON with the files it may change, and without ferrybot's environment variables", async () => {
    const check = `
failure = asked['failure']
assert asked['version'] == 1 and asked['attempt'] == 1 and len(asked['commit']) == 40, asked
assert failure['class'] == 'code-small' and failure['line'] == 5, failure
assert failure['file'].endswith('${SCHEDULE}') and 'turn_by_half' in failure['error'], failure
assert any('Traceback' in line for line in failure['log']), failure
assert '${SCHEDULE}' in asked['mayChange'] and not any(p.startswith('experiments') for p in asked['mayChange'])
assert os.environ['HOME'] == os.environ['TMPDIR'] and 'FERRYBOT_SENTINEL' not in os.environ, os.environ
${ANSWER}`;
    vi.stubEnv('FERRYBOT_SENTINEL', 'a secret of the job');
    const { tries } = await playFailure({ program: check });
    expect((await tries()).not).toEqual([]);
    expect((await tries()).made).toHaveLength(1);
  });

  it('is patched without a server too, by the job that runs after the fixer', async () => {
    const { lab, run, tries } = await playFailure({ program: ANSWER, server: false });
    await lab.clock.advance(20 * MINUTE);
    expect((await tries()).made).toHaveLength(1);
    expect(findShownApprovalLine(lab, run)).not.toBeNull();
    expect(countFixerRuns(lab)).toBe(1);
  });

  it("is patched within minutes after the fixer's job ends, even if that job waited for a runner", async () => {
    const of: { lab?: VirtualLab } = {};
    const { lab, tries } = await playFailure({
      program: ANSWER,
      meanwhile: async ({ lab }) => void Object.assign(of, { lab }),
      beforeJob: async (mode) => (mode === 'fix' ? of.lab?.clock.sleep(17 * MINUTE) : undefined),
    });
    await lab.clock.advance(10 * MINUTE);
    expect((await tries()).made).toEqual([]);
    await lab.clock.advance(4 * MINUTE);
    expect((await tries()).made).toHaveLength(1);
  });

  it("is patched once if two servers see the end of the fixer's job", async () => {
    const { lab, tries } = await playFailure({ program: ANSWER, servers: 2 });
    await lab.clock.advance(40 * MINUTE);
    expect((await tries()).made).toHaveLength(1);
    expect(countFixerRuns(lab)).toBeLessThanOrEqual(2);
  });

  // threat T218
  it('is launched only after an approval, even if the lane pre-approves fixes of that file', async () => {
    const { lab, tries, now } = await playFailure({
      program: ANSWER.replaceAll(SCHEDULE, REPORT),
      preApproved: REPORT,
    });
    await lab.clock.advance(60 * MINUTE);
    expect((await tries()).made).toMatchObject([{ by: 'fixer' }]);
    expect(listBotTexts(lab, 'incident').join()).not.toContain('Nothing has to be done');
    expect(lab.engine.startCount()).toBe(1);
    expect((await now())?.order?.order.attempt).toBe(1);
  });
});
