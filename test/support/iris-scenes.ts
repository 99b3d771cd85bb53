/**
 * Recorded exchanges with real controllers of Iris (fixtures/iris/transcripts.json), repeated request by
 * request.
 */

import { readFileSync } from 'node:fs';
import { expect } from 'vitest';
import { z } from 'zod';
import type { RpcAnswer } from './recorded-iris.ts';

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
      release: z.enum(['2026-05-11', '2026-06-18']).default('2026-05-11'),
      keys: z.record(z.string(), z.string()).default({}),
      steps: z.array(step),
    }),
  ),
});

export type Step = z.infer<typeof step>;
export type Asking = Extract<Step, { readonly ask: string }>;

export const { scenes } = recording.parse(
  JSON.parse(readFileSync(new URL('../../fixtures/iris/transcripts.json', import.meta.url), 'utf8')),
);

/** The request's text; `today` stands for the day on which it is sent. */
export function textOf(one: Asking, nowMs: number): string {
  const text = one.text ?? JSON.stringify(one.body);
  return text.replace('"today"', JSON.stringify(new Date(nowMs).toISOString().slice(0, 10)));
}

/** Fails if the response differs from the recording. */
export function expectRecorded(one: Asking, said: RpcAnswer): void {
  const asked = JSON.stringify(one.text ?? one.body).slice(0, 200);
  expect([one.ask, asked, said.status, said.body]).toEqual([one.ask, asked, one.status, like(one.answer)]);
  for (const path of one.absent ?? []) expect(at(said.body, path)).toBeUndefined();
}

/** Objects may have more fields than the recording, texts anything where the recording has `…`. */
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
