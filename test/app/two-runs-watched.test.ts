/** Two runs live on one Ray head, from their submissions to their ends on virtual time: one list a turn, and each record has its own job's life. */

import { expect, it } from 'vitest';
import type { OpenLab } from '../../src/app/open-lab.ts';
import { tick } from '../../src/app/watch/tick.ts';
import type { WatchInput } from '../../src/app/watch/watch-input.ts';
import { branded, type Instant, isInstant } from '../../src/domain/ids.ts';
import type { EventDraft } from '../../src/domain/logbook/event.ts';
import { after } from '../../src/domain/time.ts';
import { createRestEngine } from '../../src/engines/ray/rest/engine.ts';
import { ferryKind } from '../../src/kinds/ferry/kind.ts';
import { USUAL_CADENCE } from '../../src/watch/cadence.ts';
import { submitTo } from '../support/capabilities.ts';
import { createRecordedRay, type RecordedRay } from '../support/recorded-ray.ts';
import { aRun, type RunBuilder } from '../support/run-builder.ts';
import { alice, bob } from '../support/run-drafts.ts';

const MINUTE = 60_000;
const CADENCE = { ...USUAL_CADENCE, startupMs: 2 * MINUTE, pollMs: 10 * MINUTE };
const DAYS = ['ferry-daily-20261121', 'ferry-daily-20261122'] as const;

/** Jobs by the name of their script: one that ends well after an hour, one that fails after half of it. */
function rayAt(now: () => number): {
  readonly ray: RecordedRay;
  readonly lists: () => number;
  readonly looks: () => number;
} {
  let lists = 0;
  let looks = 0;
  const ray = createRecordedRay({
    now,
    plan: (entrypoint) =>
      entrypoint.includes('good')
        ? {
            pendingMs: 3 * MINUTE,
            endAfterMs: 60 * MINUTE,
            exitCode: 0,
            log: 'Saved checkpoint to gs://b/1 for step 100\n',
          }
        : {
            pendingMs: 0,
            endAfterMs: 30 * MINUTE,
            exitCode: 3,
            log: "NameError: name 'foo' is not defined\n",
          },
    fault: ({ method, path }) => {
      if (method === 'GET' && path === 'api/jobs/') lists += 1;
      if (method === 'GET' && /^api\/jobs\/[^/]+$/.test(path)) looks += 1;
      return null;
    },
  });
  return { ray, lists: () => lists, looks: () => looks };
}

type Watched = {
  readonly runs: Map<string, RunBuilder>;
  readonly turn: (minutes: number) => Promise<string>;
  /** The record of this run cannot be added to any more, by a bug. */
  readonly breakRun: (run: string) => void;
  readonly log: readonly string[];
  /** Of each push how many runs it was about, where it was about more than one. */
  readonly together: readonly number[];
};

/** The watch over records in memory: what it appends is folded under the rules of every record. */
async function watched(ray: RecordedRay, clock: { now: Instant }): Promise<Watched> {
  const engine = createRestEngine({
    address: 'http://ray.example',
    token: ray.token,
    http: ray.http,
    openTail: (_request, { onClosed }) => {
      setImmediate(() => onClosed(null));
      return {
        pause: () => undefined,
        resume: () => undefined,
        hold: () => undefined,
        close: () => undefined,
      };
    },
    sleep: async () => undefined,
  });
  const runs = new Map<string, RunBuilder>();
  for (const [index, run] of DAYS.entries()) {
    const ordered = aRun({ run }).gated().approved(bob).ordered();
    const jobId = `ferrybot-${run}-a1`;
    const outcome = await submitTo(engine, {
      submissionId: jobId,
      command: ['python', index === 0 ? 'good.py' : 'bad.py'],
      env: {},
      workingDirectory: import.meta.dirname,
      metadata: { run, attempt: 1, manifest: 'sha256:aa' },
    });
    if (outcome.kind !== 'submitted') throw new Error(outcome.kind);
    const details = { session: outcome.job.session ?? '' };
    runs.set(run, ordered.submitted({ engine: 'ray', cluster: 'us-central1', jobId, details }));
  }
  let broken = '';
  const append = async (run: string, drafts: readonly EventDraft[], at: Instant): Promise<object> => {
    if (run === 'journal') return { kind: 'failed', message: 'there is no journal here' };
    if (run === broken) throw new TypeError('half a character has no canonical JSON');
    const before = runs.get(run);
    if (before === undefined) throw new Error(`no record of ${run}`);
    const last = Date.parse(before.state.head.at);
    runs.set(run, before.later(at - last - MINUTE).add(...drafts));
    return { kind: 'appended', seqs: new Map() };
  };
  const log: string[] = [];
  const together: number[] = [];
  // Of a lab only what a turn of the watch touches.
  const open = {
    lab: {
      now: () => clock.now,
      log: (line: string) => log.push(line),
      boundary: () => undefined,
      hash: (text: string) => text,
      signingKeys: {},
    },
    config: {
      lanes: { daily: { cadence: CADENCE, inCharge: [], metrics: [] } },
      clusters: { 'us-central1': { engine: 'local' } },
      onCall: { shifts: [], quietHours: null, againAfterMinutes: 60, channels: {} },
      kinds: [ferryKind],
    },
    store: {
      current: () => ({
        runs: [...runs.values()].map(({ state }) => state),
        broken: [],
        good: new Map(),
        journal: { incidents: [] },
      }),
      refusal: () => null,
      append,
      appendTogether: async (
        entries: readonly { readonly run: string; readonly drafts: readonly EventDraft[] }[],
        at: Instant,
      ) => {
        together.push(entries.length);
        if (entries.some(({ run }) => run === broken)) throw new TypeError('half a character');
        for (const { run, drafts } of entries) await append(run, drafts, at);
        return { kind: 'appended', seqs: new Map() };
      },
    },
  } as unknown as OpenLab; // an edge of trust: a part stands for the whole
  const input = {
    cluster: 'us-central1',
    holder: 'watch-1',
    engineOf: () => engine,
    cloudOf: () => null,
    readMetrics: async () => ({}),
    trackerOf: () => null,
    diskOf: async () => null,
    redact: (text: string) => text,
    publisher: { publish: async () => undefined, owe: () => undefined, sayOwed: async () => undefined },
    toldFaults: new Map(),
    saveMemory: () => undefined,
  } as unknown as WatchInput;
  return {
    runs,
    turn: async (minutes) => {
      clock.now = after(clock.now, minutes * MINUTE);
      return (await tick(open, input)).kind;
    },
    breakRun: (run) => {
      broken = run;
    },
    log,
    together,
  };
}

it('tells them apart in every turn, and asks for each alone when the other has ended', async () => {
  const clock = { now: branded(Date.UTC(2026, 10, 21, 9, 10), isInstant) };
  const { ray, lists, looks } = rayAt(() => clock.now);
  const { runs, turn } = await watched(ray, clock);
  const [good = '', bad = ''] = DAYS;
  const looksBefore = looks();
  expect(await turn(2)).toBe('again');
  expect([...runs.values()].map(({ state }) => state.observation?.status)).toEqual(['PENDING', 'RUNNING']);
  expect([lists(), looks() - looksBefore]).toEqual([1, 0]);
  for (let turns = 0; runs.get(bad)?.state.end === null; turns += 1) {
    if (turns > 5) throw new Error('it never ended');
    await turn(10);
  }
  expect(runs.get(bad)?.state).toMatchObject({
    end: { status: 'FAILED', exitCode: 3, signatures: ['name-error'] },
    observation: { checkpointStep: null },
  });
  expect(runs.get(good)?.state).toMatchObject({
    end: null,
    incidents: [],
    observation: { status: 'RUNNING', signatures: [], checkpointStep: 100 },
  });
  const listsOfBoth = lists();
  expect(looks() - looksBefore).toBe(0);
  // One alone is asked for by its id.
  while (runs.get(good)?.state.end === null) await turn(10);
  expect(runs.get(good)?.state.end).toMatchObject({ status: 'SUCCEEDED', exitCode: 0, signatures: [] });
  expect(lists()).toBe(listsOfBoth);
  expect(looks()).toBeGreaterThan(looksBefore);
  expect(await turn(1)).toBe('idle');
  expect(ray.started()).toHaveLength(2);
});

it('records what a turn saw of both in one push', async () => {
  const clock = { now: branded(Date.UTC(2026, 10, 21, 9, 10), isInstant) };
  const { ray } = rayAt(() => clock.now);
  const { turn, together, runs } = await watched(ray, clock);
  await turn(2);
  await turn(10);
  expect(together).toEqual([2, 2]);
  expect([...runs.values()].map(({ state }) => state.observation?.status)).toEqual(['RUNNING', 'RUNNING']);
});

it('loses both to a restart of the head, says so in each record once, and ends neither', async () => {
  const clock = { now: branded(Date.UTC(2026, 10, 21, 9, 10), isInstant) };
  const { ray } = rayAt(() => clock.now);
  const { runs, turn } = await watched(ray, clock);
  await turn(2);
  ray.restart();
  for (let turns = 0; turns < 6; turns += 1) expect(await turn(10)).toBe('again');
  for (const { state } of runs.values()) {
    expect(state.end).toBeNull();
    expect(state.observation?.status).toBe('UNKNOWN');
    expect(state.incidents.filter(({ code }) => code === 'engine-state-lost')).toHaveLength(1);
  }
  expect(ray.started()).toHaveLength(2);
});

it('stops the one that was asked for and leaves the other alone', async () => {
  const clock = { now: branded(Date.UTC(2026, 10, 21, 9, 10), isInstant) };
  const { ray } = rayAt(() => clock.now);
  const { runs, turn } = await watched(ray, clock);
  await turn(5);
  const [good = '', bad = ''] = DAYS;
  const asked = runs.get(good)?.stopRequested(alice);
  if (asked === undefined) throw new Error('no record');
  runs.set(good, asked);
  await turn(3);
  expect(runs.get(good)?.state.end).toMatchObject({ status: 'STOPPED' });
  expect(runs.get(bad)?.state.end).toBeNull();
});

it('goes on with the one when a bug is met at the other, and takes that up again when it is mended', async () => {
  const clock = { now: branded(Date.UTC(2026, 10, 21, 9, 10), isInstant) };
  const { ray } = rayAt(() => clock.now);
  const { runs, turn, breakRun, log } = await watched(ray, clock);
  await turn(2);
  const [first = '', second = ''] = DAYS;
  const before = runs.get(first)?.state.head.seq ?? 0;
  breakRun(first);
  for (let turns = 0; runs.get(second)?.state.end === null; turns += 1) {
    if (turns > 5) throw new Error('it never ended');
    expect(await turn(10)).toBe('again');
  }
  expect(runs.get(second)?.state.end).toMatchObject({ status: 'FAILED', exitCode: 3 });
  expect(runs.get(first)?.state.head.seq).toBe(before);
  expect(log.join('\n')).toMatch(/a look failed and the others go on: TypeError: half a character/);
  breakRun('');
  while (runs.get(first)?.state.end === null) await turn(10);
  expect(runs.get(first)?.state.end).toMatchObject({ status: 'SUCCEEDED' });
});
