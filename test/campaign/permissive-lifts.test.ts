/** The same of who lifted a freeze or a hold: a record that says it is lifted is no lift. */

import { describe, expect, it, vi } from 'vitest';
import { forge } from './forging.ts';
import { approve, brake, comment } from './honest.ts';
import { firstBroken, SEEDS } from './permissive.ts';
import type { Scene } from './scene.ts';
import { playAlone } from './sequence.ts';
import type { Between, Scenario } from './steps.ts';

const { gone } = vi.hoisted(() => ({ gone: new Set<string>() }));

vi.mock('../../src/run/lifted-holds.ts', async (original) => {
  const real = await original<typeof import('../../src/run/lifted-holds.ts')>();
  const liftedFor: typeof real.liftedFor = (...asked) =>
    gone.has('who lifted it') ? [] : real.liftedFor(...asked);
  return { ...real, liftedFor };
});

const MINUTE = 60_000;

/** mira freezes the lane in another thread, the thief has it lifted, and mira approves without thinking of it. */
async function forgedThaw(scene: Scene, between: Between): Promise<void> {
  const { json } = await scene.ask('ada', 'POST', '/issues', {
    title: 'The nodes',
    body: 'They are broken.',
  });
  const thread = typeof json === 'object' && json !== null && 'number' in json ? Number(json.number) : 0;
  const text = '/freeze reason="bad nodes"';
  const id = await comment(scene, 'mira', thread, text);
  if (id === null) return;
  const atMs = scene.lab.world.state.comments[id]?.createdAtMs ?? 0;
  scene.deeds.push({ kind: 'braked', atMs, by: 'mira', comment: id, text, brake: 'freeze', thread });
  await between(5 * MINUTE);
  const actor = { id: scene.ids.mira, login: 'mira' };
  const data = { kind: 'freeze', scope: 'lane', lane: 'daily', date: null } as const;
  await forge(scene, 'journal', [{ type: 'released', role: 'control', actor, data }]);
  await between(5 * MINUTE);
  await approve(scene, 'mira');
  await between(20 * MINUTE);
}

/** mira holds the run, a writer deletes her comment, the thief releases it, and mira approves without thinking of it. */
async function forgedUnhold(scene: Scene, between: Between): Promise<void> {
  await brake(scene, 'hold');
  const said = scene.deeds.at(-1);
  if (said?.kind !== 'braked') return;
  await between(25 * MINUTE);
  await scene.ask('ada', 'DELETE', `/issues/comments/${said.comment}`);
  const actor = { id: scene.ids.mira, login: 'mira' };
  const data = { kind: 'hold', scope: 'run', date: null } as const;
  await forge(scene, scene.run, [{ type: 'released', role: 'control', actor, data }]);
  await between(5 * MINUTE);
  await approve(scene, 'mira');
  await between(20 * MINUTE);
}

const FREEZE: Scenario = {
  what: 'control key: a freeze is lifted in the journal',
  act: forgedThaw,
  wants: { server: true, quorum: 1 },
};

const HOLD: Scenario = {
  what: 'control key: a hold is lifted whose comment is gone',
  act: forgedUnhold,
  wants: { server: true, quorum: 1 },
};

describe('without a look at who lifted it', () => {
  it.each([
    ['freeze', FREEZE],
    ['hold', HOLD],
  ] as const)('a forged release of a %s breaks a promise, and with it none', async (_, scenario) => {
    const play = (seed: number) => playAlone(seed, scenario);
    gone.add('who lifted it');
    const found = await firstBroken(play, SEEDS);
    gone.clear();
    expect(found, 'the campaign does not see that the defence is gone').not.toBeNull();
    expect(await firstBroken(play, found?.seed ?? 0)).toBeNull();
  });
});
