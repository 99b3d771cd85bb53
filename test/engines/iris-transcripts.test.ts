/**
 * Checks the recorded controller, request by request, against what was recorded on the real one:
 * fixtures/iris/transcripts.json.
 */

import { describe, expect, it } from 'vitest';
import { expectRecorded, type Step, scenes, textOf } from '../support/iris-scenes.ts';
import { createRecordedIris, type RecordedIris } from '../support/recorded-iris.ts';

const STEPS = Array.from({ length: 10 }, (_, index) => `step=${index}`);
const PLANS = {
  ok: { pendingMs: 10, endAfterMs: 1_000, exitCode: 0, lines: [] },
  'fail-3': { pendingMs: 10, endAfterMs: 500, exitCode: 3, lines: [] },
  steps: { pendingMs: 0, endAfterMs: null, exitCode: 0, lines: STEPS },
  train: { pendingMs: 10, endAfterMs: null, exitCode: 0, lines: [] },
} as const;
const PLANS_BY_WORD = new Map(Object.entries({ ...PLANS, 'exit 3': PLANS['fail-3'] }));

function run(iris: RecordedIris, one: Step, now: () => number, pass: (ms: number) => void): void {
  if ('pass' in one) pass(one.pass);
  else if ('touch' in one) iris.world.tick();
  else if ('starts' in one) expect(iris.world.starts()).toHaveLength(one.starts);
  else if ('running' in one) expect(iris.world.runs()).toHaveLength(one.running);
  else if ('event' in one)
    ({
      restart: iris.restart,
      restore: iris.restore,
      checkpoint: iris.world.checkpoint,
      linger: iris.linger,
      'lose-worker': iris.world.loseWorker,
    })[one.event]();
  else {
    const key = one.key === undefined ? undefined : `Bearer ${one.key}`;
    expectRecorded(one, iris.answer(one.ask, textOf(one, now()), key));
  }
}

describe('the recorded controller', () => {
  it.each(scenes.map((scene) => [`${scene.title} (${scene.source}, ${scene.release})`, scene] as const))(
    '%s',
    (_, scene) => {
      let nowMs = Date.UTC(2026, 10, 22, 11);
      const now = (): number => nowMs;
      const iris = createRecordedIris({
        now,
        release: scene.release,
        runtime: 'process',
        keys: scene.keys,
        plan: (command) => PLANS_BY_WORD.get(command.at(-1) ?? '') ?? PLANS.train,
      });
      for (const one of scene.steps)
        run(iris, one, now, (ms) => {
          nowMs += ms;
        });
    },
  );

  it('accepts one of sixteen concurrent launches of one name', () => {
    const iris = createRecordedIris({ now: () => Date.UTC(2026, 10, 22) });
    const body = JSON.stringify({
      name: '/alice/race',
      entrypoint: { runCommand: { argv: ['x'] } },
      clientRevisionDate: '2026-11-22',
      existingJobPolicy: 'EXISTING_JOB_POLICY_ERROR',
    });
    const all = Array.from({ length: 16 }, () => iris.answer('iris.cluster.ControllerService/LaunchJob', body));
    expect(all.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(all.filter(({ status }) => status === 409)).toHaveLength(15);
  });
});
