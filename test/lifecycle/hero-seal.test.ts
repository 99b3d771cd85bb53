/** Milestones and seals of a hero run: only complete output is sealed, and sealed checkpoints are kept. */

import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { HERO, openCheckpointLab } from '../support/checkpoint-lab.ts';
import { ferryScript } from '../support/ferry-script.ts';
import { HERO_LANE } from '../support/hero-run.ts';
import { approve, readState, seal, until } from '../support/play.ts';
import { listAnswerCodes } from '../support/recorded.ts';
import {
  listAnswersTo,
  listBotTexts,
  listRepeatedComments,
  MINUTE,
  postComment,
  SHORT_FERRY,
} from '../support/talk.ts';
import { TRACKER_KEY } from '../support/virtual-lab.ts';
import { createWandbStandIn } from '../support/wandb-stand-in.ts';

describe('the seal of a hero run', () => {
  // rules HR-49, HR-66
  it('is refused with the missing checkpoint named, and an incident reports a success without checkpoint', async () => {
    const { lab, issue, root, save, close } = await openCheckpointLab();
    await save(400);
    const early = await postComment(lab, 'mira', issue, '/seal');
    await lab.clock.advance(2 * MINUTE);
    expect(listAnswersTo(lab, early)).toEqual([
      expect.stringMatching(/the newest complete one is of step 400, and the last step is 1200/),
    ]);
    const again = await postComment(lab, 'mira', issue, '/seal accept="the loss is fine"');
    await lab.clock.advance(2 * MINUTE);
    expect(await listAnswerCodes(lab, again)).toEqual(['seal-incomplete']);
    expect((await readState(lab, HERO))?.seal).toBeNull();
    const incidents = listBotTexts(lab, 'incident').filter((text) => text.includes('but its output is incomplete'));
    expect(incidents).toHaveLength(1);

    await save(1_200);
    await seal(lab, HERO, issue);
    const held = await readState(lab, HERO);
    expect(held?.seal).toMatchObject({
      verdict: 'pass',
      checkpoint: {
        path: join(root, 'step-1200'),
        step: 1_200,
        unseen: ['state in the tracker', 'identity in the tracker'],
      },
    });
    await lab.clock.advance(2 * MINUTE);
    expect(listBotTexts(lab, 'sealed').at(-1)).toMatch(/step-1200.*not checked: state in the tracker/);
    expect(listRepeatedComments(lab)).toEqual([]);
    await close();
  });

  // rule HR-65
  it.each([
    ['running', 700, 'the run is running there, with its newest row at step 700'],
    ['crashed', 1_200, null],
    ['finished', 700, null],
  ])("depends on the tracker's state at the end: %s at step %i", async (state, step, missing) => {
    const { lab, issue, save, close } = await openCheckpointLab({
      config: (text) =>
        `${text.trimEnd()}\n${HERO_LANE.replace(/tracker: .*/, 'tracker: { kind: wandb, entity: example-lab, project: ferries, keyFrom: TRACKER_KEY }')}`,
      trackerFetch: ({ clock, inFlight }) => {
        const { fetch } = createWandbStandIn({
          key: TRACKER_KEY,
          entity: 'example-lab',
          project: 'ferries',
          runOf: () => {
            const row = { global_step: step, _timestamp: clock.now() / 1_000, 'train/loss': 3.25 };
            const heartbeatAt = new Date(clock.now()).toISOString();
            return { displayName: HERO, state, heartbeatAt, summaryMetrics: JSON.stringify(row) };
          },
        });
        return (input, init) => inFlight.track('W&B', () => fetch(input, init));
      },
    });
    onTestFinished(close);
    await save(1_200);
    if (missing !== null) {
      const early = await postComment(lab, 'mira', issue, '/seal');
      await lab.clock.advance(2 * MINUTE);
      expect(listAnswersTo(lab, early).join()).toContain(missing);
      expect((await readState(lab, HERO))?.seal).toBeNull();
      // A person may accept what the tracker reports.
      await postComment(lab, 'mira', issue, '/seal accept="its last rows were never sent"');
    } else await postComment(lab, 'mira', issue, '/seal');
    await until(lab, 'the seal', async () => (await readState(lab, HERO))?.seal !== null);
    const held = await readState(lab, HERO);
    expect(held?.seal).toMatchObject({ verdict: missing === null ? 'pass' : 'accepted', checkpoint: { unseen: [] } });
  });

  it('refuses a milestone for a temporary checkpoint that training will delete', async () => {
    const { lab, issue, save, close } = await openCheckpointLab(
      { script: () => ferryScript({ ...SHORT_FERRY, durationMs: 300 * MINUTE }) },
      {},
      async (running, thread) => {
        await approve(running, 'mira', thread, HERO);
        await until(running, 'the first step', async () => {
          return ((await readState(running, HERO))?.observation?.step ?? 0) > 0;
        });
      },
    );
    onTestFinished(close);
    const rolling = { step: 400, timestamp: '2026-11-21T08:00:00', is_temporary: true };
    await save(400, { text: JSON.stringify(rolling) });
    const none = await postComment(lab, 'mira', issue, '/seal-milestone name="hand-off"');
    await lab.clock.advance(2 * MINUTE);
    expect(await listAnswerCodes(lab, none)).toEqual(['milestone-missing']);
    await save(200);
    await postComment(lab, 'mira', issue, '/seal-milestone name="hand-off"');
    await until(lab, 'the milestone', async () => (await readState(lab, HERO))?.milestones.length === 1);
    expect((await readState(lab, HERO))?.milestones[0]).toMatchObject({ checkpoint: { step: 200 } });
  });

  // rules HR-70, HR-76
  it("protects a milestone's checkpoint from clean-up, and tags each milestone once", async () => {
    const { lab, issue, root, save, close } = await openCheckpointLab();
    const without = await postComment(lab, 'mira', issue, '/seal-milestone name="half-way"');
    await lab.clock.advance(2 * MINUTE);
    expect(await listAnswerCodes(lab, without)).toEqual(['milestone-missing']);
    await save(400);
    await save(500);
    await rm(join(root, 'step-500/metadata.json'));
    // A successful job must have its last checkpoint, also for a milestone.
    const short = await postComment(lab, 'mira', issue, '/seal-milestone name="half-way"');
    await save(1_200);
    const below = await postComment(lab, 'ada', issue, '/seal-milestone name="half-way"');
    await lab.clock.advance(2 * MINUTE);
    expect(await listAnswerCodes(lab, short)).toEqual(['milestone-missing']);
    expect(await listAnswerCodes(lab, below)).toEqual(['not-permitted']);
    const yes = await postComment(lab, 'mira', issue, '/seal-milestone name="half-way"');
    await until(lab, 'the milestone', async () => (await readState(lab, HERO))?.milestones.length === 1);
    await lab.clock.advance(MINUTE);
    const [milestone] = (await readState(lab, HERO))?.milestones ?? [];
    expect(milestone).toMatchObject({ name: 'half-way', checkpoint: { step: 1_200 } });
    const ref = `refs/tags/${milestone?.tag}`;
    expect((await lab.store.refs(ref)).has(ref)).toBe(true);
    expect(await listAnswerCodes(lab, yes)).toEqual(['milestone-sealed']);
    const again = await postComment(lab, 'mira', issue, '/seal-milestone name="half-way"');
    for (const step of [1_300, 1_400, 1_500]) await save(step);
    const list = await postComment(lab, 'ada', issue, '/cleanup-checkpoints');
    await lab.clock.advance(2 * MINUTE);
    expect(await listAnswerCodes(lab, again)).toEqual(['milestone-taken']);
    expect(await listAnswerCodes(lab, list)).toEqual(['cleanup-listed']);
    expect(listBotTexts(lab, 'action')[0]).toMatch(/stays \S+step-1200 {2}final, milestone/);
    await close();
  });
});
