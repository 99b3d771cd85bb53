/** The recorded controller is judged by what was recorded on the real one, request by request: fixtures/iris/transcripts.json. */

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createRecordedIris, type RecordedIris } from '../support/recorded-iris.ts';

const step = z.union([
  z.strictObject({
    ask: z.string(),
    body: z.unknown().optional(),
    text: z.string().optional(),
    status: z.int(),
    answer: z.unknown(),
    key: z.string().optional(),
    absent: z.array(z.string()).optional(),
  }),
  z.strictObject({ pass: z.int() }),
  z.strictObject({ event: z.enum(['restart', 'restore', 'checkpoint', 'linger', 'lose-worker']) }),
  z.strictObject({ starts: z.int() }),
  z.strictObject({ running: z.int() }),
  z.strictObject({ touch: z.literal(true) }),
]);
const recording = z.object({
  scenes: z.array(
    z.object({
      title: z.string(),
      source: z.string(),
      keys: z.record(z.string(), z.string()).default({}),
      steps: z.array(step),
    }),
  ),
});
const { scenes } = recording.parse(
  JSON.parse(readFileSync(new URL('../../fixtures/iris/transcripts.json', import.meta.url), 'utf8')),
);

const STEPS = Array.from({ length: 10 }, (_, index) => `step=${index}`);
const PLANS = {
  ok: { pendingMs: 10, endAfterMs: 1_000, exitCode: 0, lines: [] },
  'fail-3': { pendingMs: 10, endAfterMs: 500, exitCode: 3, lines: [] },
  steps: { pendingMs: 0, endAfterMs: null, exitCode: 0, lines: STEPS },
  train: { pendingMs: 10, endAfterMs: null, exitCode: 0, lines: [] },
} as const;

function run(iris: RecordedIris, one: z.infer<typeof step>, pass: (ms: number) => void): void {
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
    const text = one.text ?? JSON.stringify(one.body);
    const said = iris.answer(one.ask, text, one.key === undefined ? undefined : `Bearer ${one.key}`);
    expect([one.ask, text.slice(0, 200), said.status, said.body]).toEqual([
      one.ask,
      text.slice(0, 200),
      one.status,
      like(one.answer),
    ]);
    for (const path of one.absent ?? []) expect(at(said.body, path)).toBeUndefined();
  }
}

/** Objects may have more than was recorded, texts anything where the recording has `…`. */
function like(recorded: unknown): unknown {
  if (typeof recorded === 'string') {
    const parts = recorded.split('…').map((part) => part.replaceAll(/[$()*+.?[\\\]^{|}]/g, '\\$&'));
    return parts.length === 1 ? recorded : expect.stringMatching(new RegExp(`^${parts.join('[^]*')}$`));
  }
  if (Array.isArray(recorded)) return recorded.map(like);
  if (typeof recorded !== 'object' || recorded === null) return recorded;
  return expect.objectContaining(
    Object.fromEntries(Object.entries(recorded).map(([name, value]) => [name, like(value)])),
  );
}

function at(value: unknown, path: string): unknown {
  let found = value;
  for (const name of path.split('.')) {
    if (typeof found !== 'object' || found === null) return undefined;
    found = new Map(Object.entries(found)).get(name);
  }
  return found;
}

describe('the recorded controller', () => {
  it.each(scenes.map((scene) => [`${scene.title} (${scene.source})`, scene] as const))('%s', (_, scene) => {
    let nowMs = Date.UTC(2026, 10, 22, 11);
    const iris = createRecordedIris({
      now: () => nowMs,
      runtime: 'process',
      keys: scene.keys,
      plan: ([kind = '']) => new Map(Object.entries(PLANS)).get(kind) ?? PLANS.train,
    });
    for (const one of scene.steps)
      run(iris, one, (ms) => {
        nowMs += ms;
      });
  });

  it('lets one of sixteen launches of a name in', () => {
    const iris = createRecordedIris({ now: () => Date.UTC(2026, 10, 22) });
    const body = JSON.stringify({
      name: '/alice/race',
      entrypoint: { runCommand: { argv: ['x'] } },
      clientRevisionDate: '2026-11-22',
      existingJobPolicy: 'EXISTING_JOB_POLICY_ERROR',
    });
    const all = Array.from({ length: 16 }, () =>
      iris.answer('iris.cluster.ControllerService/LaunchJob', body),
    );
    expect(all.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(all.filter(({ status }) => status === 409)).toHaveLength(15);
  });
});
