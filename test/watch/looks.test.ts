/** One watch at a time: when it observes, and what an observation records. */

import { describe, expect, it } from 'vitest';
import type { JobStatus } from '../../src/domain/engine.ts';
import { limits } from '../../src/domain/limits.ts';
import { addMs, fromRfc3339, type Instant } from '../../src/domain/values.ts';
import { textForWithheld } from '../../src/domain/written-secrets.ts';
import { heroSettings } from '../../src/kinds/hero/settings.ts';
import { rentalSettings } from '../../src/kinds/rental/settings.ts';
import {
  type Cadence,
  nextCheckAt,
  nextObservationMs,
  releaseLease,
  stopPollPeriodMs,
  takeLease,
  USUAL_CADENCE,
} from '../../src/watch/cadence.ts';
import { restoreLogFacts } from '../../src/watch/course.ts';
import { type LogFacts, NO_LOG_FACTS } from '../../src/watch/log-facts.ts';
import { buildEvents } from '../../src/watch/observation.ts';
import { STOP_UNCONFIRMED_MS } from '../../src/watch/observation-incidents.ts';
import type { Poll } from '../../src/watch/poll.ts';
import { readLogText } from '../support/log-text.ts';
import { buildPoll, foundJob } from '../support/look.ts';
import { aRun } from '../support/run-builder.ts';
import { alice, bob } from '../support/run-drafts.ts';
import { instant, NOON } from '../support/run-facts.ts';

/** A cadence for a machine that is paid by the minute. */
const RENTAL = rentalSettings.shape.cadence.parse(undefined);
const HERO = heroSettings.shape.cadence.parse(undefined);
const submitted = aRun().gated().approved(bob).ordered().submitted();
const watched = submitted.observed();
const until = fromRfc3339(watched.state.observation?.lease.until ?? '') ?? NOON;
const lastMomentBefore = instant(new Date(until - 1).toISOString());
const CADENCE = USUAL_CADENCE;
const MINUTE = 60_000;

const JOBS = {
  well: foundJob('RUNNING'),
  starting: foundJob('RUNNING'),
  dark: { kind: 'unknown', message: 'no answer' },
} as const;
const BAR = 'tqdm Progress on:train STEPit/1.20kit rate:0.7it/s remaining:10:00 elapsed:01:00 postfix:loss=3.5\n';

describe('the lease', () => {
  it('starts at fence 1 and lasts longer than its cadence', () => {
    expect(takeLease(submitted.state, 'w', NOON, 570_000)).toEqual({
      holder: 'w',
      fence: 1,
      until: '2026-11-21T12:11:00.000Z',
    });
  });

  // rule ML-09
  it('is renewed by its holder under the same fence, and by another watch only after it expired', () => {
    expect(takeLease(watched.state, 'watch-1', lastMomentBefore, 1)?.fence).toBe(1);
    expect(takeLease(watched.state, 'watch-2', lastMomentBefore, 1)).toBeNull();
    expect(takeLease(watched.state, 'watch-2', until, 1)).toMatchObject({ holder: 'watch-2', fence: 2 });
  });

  it('is free immediately after its release', () => {
    const lease = watched.state.observation?.lease;
    if (lease === undefined) throw new Error('no lease');
    const run = watched.observed({ lease: releaseLease(lease, NOON) });
    expect(takeLease(run.state, 'watch-2', NOON, 1)?.fence).toBe(2);
  });
});

describe('the cadence', () => {
  const at = (run: typeof watched): number => Date.parse(run.state.head.at);

  // rule ML-08
  it('is 120 s after the submit, 570 s after an observation, and immediate for a stop', () => {
    expect(nextCheckAt(submitted.state, CADENCE, NOON)).toBe(at(submitted) + 120_000);
    expect(nextCheckAt(watched.state, CADENCE, NOON)).toBe(at(watched) + 570_000);
    expect(nextCheckAt(watched.stopRequested(alice).state, CADENCE, NOON)).toBe(NOON);
  });

  /** Minutes after the submission at which a watch observes, with these results. */
  const looksAt = (cadence: Cadence, found: readonly (keyof typeof JOBS)[]): number[] => {
    let run: typeof submitted = submitted;
    return found.map((what, index) => {
      const now = nextCheckAt(run.state, cadence, NOON);
      const { facts } = restoreLogFacts(run.state);
      const log = what === 'well' ? readLogText(facts, BAR.replace('STEP', `${index + 1}00`)) : facts;
      const look: Poll = { ...buildPoll(), at: now, job: JOBS[what], log, cadence };
      run = run.later(now - at(run) - MINUTE).add(...buildEvents(run.state, look));
      return (now - at(submitted)) / MINUTE;
    });
  };
  const times = (count: number, one: keyof typeof JOBS) => Array.from({ length: count }, () => one);

  // rules HR-03, VA-11, VA-12
  it.each([
    ['of a ferry', CADENCE, times(4, 'well'), [2, 11.5, 21, 30.5]],
    ['of a hero', HERO, ['well', 'well', 'dark', 'well', 'well'], [2, 17, 32, 34, 49]],
    [
      'of a ferry that cannot be observed',
      CADENCE,
      ['well', 'dark', 'dark', 'well', 'well'],
      [2, 11.5, 13.5, 15.5, 25],
    ],
    ['of a rental', RENTAL, [...times(5, 'starting'), ...times(4, 'well')], [1, 3, 7, 15, 25, 35, 45, 75, 105]],
    [
      'of a rental that cannot be observed',
      RENTAL,
      [...times(6, 'well'), 'dark', 'dark', ...times(3, 'well')],
      [1, 3, 7, 15, 45, 75, 105, 108, 111, 121, 151],
    ],
  ] as const)('%s has its own intervals', (_, cadence, found, minutes) => {
    expect(looksAt(cadence, found)).toEqual(minutes);
  });

  it('is recorded in the observation, and the lease lasts longer', () => {
    const drafts = (job: Poll['job']) => buildEvents(watched.state, { ...buildPoll(), at: NOON, job });
    expect(drafts(JOBS.well)[0]?.data).toMatchObject({
      cadenceMs: 570_000,
      lease: { until: '2026-11-21T12:11:00.000Z' },
    });
    expect(drafts(JOBS.dark)[0]?.data).toMatchObject({
      cadenceMs: 120_000,
      lease: { until: '2026-11-21T12:03:30.000Z' },
    });
  });

  it('returns to normal once a person has taken the incident', () => {
    const hurt = watched.incident('failure-signature', {
      signature: 'owner-died',
      class: 'infra-cluster',
      response: 'escalate',
      line: 'OwnerDiedError',
    });
    const ill = { signatures: ['owner-died'] };
    const seen = hurt.observed(ill);
    const taken = hurt.commanded({ name: 'ack', by: bob, code: 'incident-taken' }).observed(ill);
    expect(nextObservationMs(seen.state, CADENCE, instant(seen.state.head.at))).toBe(120_000);
    expect(nextObservationMs(taken.state, CADENCE, instant(taken.state.head.at))).toBe(570_000);
  });

  it('checks for a stop at least every 30 s', () => {
    expect(stopPollPeriodMs(CADENCE)).toBe(30_000);
    expect(stopPollPeriodMs({ ...CADENCE, startupMs: [2_000, 9_000], pollMs: 5_000 })).toBe(2_000);
  });
});

describe('an observation', () => {
  const base = buildPoll();
  const found = (status: JobStatus, message = ''): Poll => buildPoll({ job: foundJob(status, { message }) });
  const later = (minutes: number): Poll['at'] => addMs(NOON, minutes * 60_000);
  const types = (poll: Poll, run = submitted): readonly string[] => buildEvents(run.state, poll).map((e) => e.type);

  it('ends the run on a terminal status and on no other', () => {
    expect(types(found('RUNNING'))).toEqual(['observed']);
    const log = { ...NO_LOG_FACTS, step: { value: 12, exact: true } };
    for (const status of ['SUCCEEDED', 'FAILED', 'STOPPED'] as const)
      expect(types({ ...found(status), log })).toEqual(['observed', 'ended']);
  });

  it('raises an alarm for a job that succeeded without a step', () => {
    expect(buildEvents(submitted.state, found('SUCCEEDED'))).toMatchObject([
      { type: 'observed' },
      { type: 'incident', data: { code: 'run-alarm', detail: { detector: 'green-no-op', seen: 'steps' } } },
      { type: 'ended' },
    ]);
  });

  // threat T237
  it.each([-1, 9e15, 1e300])('records no invented time from a job or cluster, such as %d', (ms) => {
    const job = { ...foundJob('SUCCEEDED'), startedAtMs: ms, endedAtMs: ms };
    const ended = buildEvents(submitted.state, { ...base, job }).find(({ type }) => type === 'ended');
    expect(ended?.data).toMatchObject({ startedAt: null, endedAt: null });
  });

  it("truncates a cluster's error text to the size of an entry", () => {
    const job = { ...foundJob('FAILED'), errorType: 'x'.repeat(2_000_000) };
    const ended = buildEvents(submitted.state, { ...base, job }).find(({ type }) => type === 'ended');
    expect(JSON.stringify(ended).length).toBeLessThan(10_000);
  });

  it('reports once that the job is missing, and never that it ended', () => {
    const look: Poll = { ...base, job: { kind: 'absent', session: null } };
    const first = buildEvents(submitted.state, look);
    expect(first).toMatchObject([
      { type: 'observed', data: { status: 'UNKNOWN' } },
      { data: { code: 'engine-state-lost' } },
    ]);
    const told = submitted.add(...first);
    expect(types(look, told)).toEqual(['observed']);
    // A new attempt is a new job, so the earlier report does not count for it.
    const { submission } = told.state;
    if (submission === null) throw new Error('no submission');
    const second = { ...told.state, submission: { ...submission, attempt: 2 }, observation: null };
    expect(buildEvents(second, look)).toMatchObject([
      { type: 'observed' },
      { data: { code: 'engine-state-lost', detail: { attempt: 2 } } },
    ]);
  });

  it('reports a quarter hour without an answer once, and again only after a successful observation', () => {
    const dark: Poll = { ...base, job: { kind: 'unknown', message: 'the dashboard answers 502' } };
    const lookAfter = (minutes: number, poll: Poll): Poll => ({ ...poll, at: later(minutes) });
    const first = submitted.add(...buildEvents(submitted.state, dark));
    expect(first.state.incidents).toEqual([]);
    expect(first.state.observation?.unread).toEqual({
      what: 'job',
      since: '2026-11-21T12:00:00.000Z',
      why: 'the dashboard answers 502',
    });
    expect(types(lookAfter(10, dark), first)).toEqual(['observed']);
    const told = buildEvents(first.state, lookAfter(19, dark));
    expect(told[1]?.data).toEqual({
      code: 'engine-unreadable',
      detail: {
        message: 'the job could not be read for 19 min: the dashboard answers 502',
        since: '2026-11-21T12:00:00.000Z',
      },
    });
    const still = first.add(...told);
    expect(types(lookAfter(60, dark), still)).toEqual(['observed']);
    const seen = still.add(...buildEvents(still.state, lookAfter(70, found('RUNNING'))));
    expect(seen.state.observation?.unread).toBeUndefined();
    const again = seen.add(...buildEvents(seen.state, lookAfter(80, dark)));
    expect(types(lookAfter(100, dark), again)).toEqual(['observed', 'incident']);
  });

  it('records the status when the log cannot be read, and reports the unreadable log', () => {
    const mute: Poll = { ...found('RUNNING'), logUnread: 'no log: 500' };
    const first = submitted.add(...buildEvents(submitted.state, mute));
    expect(first.state.observation).toMatchObject({ status: 'RUNNING', unread: { what: 'log' } });
    expect(buildEvents(first.state, { ...mute, at: later(15) })).toMatchObject([
      { type: 'observed' },
      { data: { detail: { message: "the job's log could not be read for 15 min: no log: 500" } } },
    ]);
  });

  it('reports once that the engine has not confirmed a stop after a long time', () => {
    const stopped = watched.stopRequested(alice);
    const pending = found('RUNNING');
    const early = stopped.observed();
    const late = stopped.later(STOP_UNCONFIRMED_MS).observed();
    expect(types(pending, stopped)).toEqual(['observed']);
    expect(types(pending, early)).toEqual(['observed']);
    const first = buildEvents(late.state, pending);
    expect(first).toMatchObject([
      { type: 'observed' },
      { data: { code: 'stop-unconfirmed', detail: { message: expect.stringContaining('RUNNING') } } },
    ]);
    expect(types(pending, late.add(...first))).toEqual(['observed']);
    expect(types(found('STOPPED'), late)).toEqual(['observed', 'ended']);
  });

  it('does nothing for an ended run or a run without a job', () => {
    expect(types(found('RUNNING'), watched.ended())).toEqual([]);
    expect(types(found('RUNNING'), aRun())).toEqual([]);
  });

  it('shows no part of a secret, wherever a line is cut', () => {
    const secret = 'first-half-second-half';
    const redact = (text: string): string => text.replaceAll(secret, '***');
    const shown = (line: string): string => {
      const log = readLogText(NO_LOG_FACTS, `KeyError: ${line}\n`);
      const [, incident] = buildEvents(submitted.state, { ...found('RUNNING'), redact, log });
      return JSON.stringify(incident);
    };
    for (const length of [limits.messageCharactersMax, limits.logLineCharsMax])
      for (let before = length - 40; before < length; before += 1)
        expect(shown(`${'x'.repeat(before)}${secret} and more`)).not.toContain('half');
    for (let before = 0; before < secret.length; before += 1)
      expect(shown(`${'x'.repeat(before)}${secret.repeat(1_000)}`)).not.toContain('half');
    expect(shown(`it's ${secret} here`)).toContain("KeyError: it's *** here");
  });

  // threat T234
  it('records no secret in the name of a metric or of a tracker run', () => {
    const secret = 'sk-first-half-second-half';
    const redact = (text: string): string => text.replaceAll(secret, '***');
    const link = `https://wandb.ai/lab/ferries/runs/${secret}`;
    const log = readLogText(NO_LOG_FACTS, `eval/${secret}=1.5\n${link}\n`);
    const look = { ...found('FAILED'), redact, log, metrics: { [secret]: '1', [`eval/${secret}`]: '2' } };
    const written = JSON.stringify(buildEvents(submitted.state, look));
    expect(written).toContain('eval/***');
    expect(written).toContain('tracker-drift');
    expect(written).not.toContain('half');
  });

  it('draws no conclusion from a withheld log: no tracker alarm, metric name or start checkpoint', () => {
    const withheld = { secrets: 'HARBOUR', workflows: '.github/workflows/ferrybot-watch.yml' };
    const redact = (text: string): string => (text === '' ? '' : textForWithheld(['HARBOUR']));
    const look = (log: LogFacts, at: Instant): Poll => ({ ...found('RUNNING'), at, redact, withheld, log });
    const link = `https://wandb.ai/lab/ferries/runs/${submitted.state.order?.manifest?.tracker.runId}`;
    const text = `${link}\neval/loss=1.5\nLoading checkpoint from gs://lab/ferry/step-100\n${BAR.replace('STEP', '100')}`;
    const first = submitted.add(...buildEvents(submitted.state, look(readLogText(NO_LOG_FACTS, text), NOON)));
    const { facts } = restoreLogFacts(first.state);
    const later = instant(new Date(NOON + 10 * MINUTE).toISOString());
    const second = first.later(10 * MINUTE);
    const both = second.add(...buildEvents(second.state, look(facts, later)));
    expect(both.state.incidents.map(({ code }) => code)).toEqual(['log-withheld']);
    expect(both.state.observation).toMatchObject({ trackers: [], evals: {} });
    expect(both.state.observation?.resumedFrom).toBeUndefined();
    expect(both.state.firstTracker).toBeNull();
  });

  it('can be recorded when its message is cut inside a character', () => {
    const message = `${'x'.repeat(limits.messageCharactersMax - 1)}🚢`;
    expect(submitted.add(...buildEvents(submitted.state, found('FAILED', message))).state.end?.message).toBe(
      'x'.repeat(limits.messageCharactersMax - 1),
    );
  });

  it('continues at the offset of the previous one', () => {
    expect(restoreLogFacts(submitted.state)).toEqual({ facts: NO_LOG_FACTS, offset: 0 });
    expect(restoreLogFacts(watched.state)).toMatchObject({
      offset: 4096,
      facts: { step: { value: 4600, exact: false } },
    });
  });
});
