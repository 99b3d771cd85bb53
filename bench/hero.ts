/** What a month of a hero run costs: 2,880 looks, ten crashes, two rollbacks, a clean-up and a seal, and whether a look of the last week costs what one of the first did. */

import type { JobSpec } from '../src/domain/engine.ts';
import type { RunState } from '../src/domain/logbook/run-state.ts';
import { requireActionLine } from '../test/support/approve.ts';
import { HERO, openCheckpointLab, saveCheckpoint } from '../test/support/checkpoint-lab.ts';
import { ferryScript, type JobScript } from '../test/support/ferry-script.ts';
import { HERO_LANE } from '../test/support/hero-run.ts';
import { approve, readEventsOf, readState, seal, until } from '../test/support/play.ts';
import { listAnswersTo, postComment } from '../test/support/talk.ts';
import type { VirtualLab } from '../test/support/virtual-lab.ts';
import { type Result, resultWithBar, resultWithoutBar } from './measure.ts';

const DAY_MS = 24 * 3_600_000;
const COMPILE_MS = 300_000;
const DAYS = 30;
const STEPS = 300_000;
const SAVED_EVERY = STEPS / 60;
/** What takes their machines away: the same twice would be a person's. */
const TAKEN_BY = ['alba', 'bora', 'cers', 'etesia', 'foehn', 'gregale', 'harmattan', 'levante', 'mistral', 'zonda'];
/** How far each of the ten attempts that crash gets, of eleven parts; one that gets no further than the one before is a person's. */
const REACHED = [1, 2, 1.99, 4, 5, 6, 5.99, 8, 9, 10] as const;
/** All steps once, and what each crash and each way back costs: the month. */
const WHOLE_DAYS = 29;
/** How often somebody looks whether a crash waits for people. */
const TURN_MS = DAY_MS / 8;
const TURNS_OF_DAY = DAY_MS / TURN_MS;
/** A bit more than the time between two checkpoints. */
const SAVED_MINUTES = '720';

type Mark = {
  readonly looks: number;
  readonly events: number;
  readonly requests: number;
  readonly contentWrites: number;
  readonly transports: number;
};

/** Plays the month on virtual time, and counts what the bot asks of GitHub and writes to its record. */
export async function measureHero(): Promise<readonly Result[]> {
  const days: Mark[] = [];
  const place: Place = { lab: null, root: '', saved: 0 };
  const { lab, issue, save, close } = await openCheckpointLab(
    {
      script: planAttempts(place),
      // Webhooks tell of everything; the sweep is for those that are lost.
      sweepMs: 30 * 60_000,
      config: (text) =>
        `${text.trimEnd()}\n${HERO_LANE.replace('pollMs: 60000', 'pollMs: 900000')}    restartsMax: ${REACHED.length}\n`,
    },
    { 'Final step': String(STEPS), 'Temporary checkpoints every (minutes)': SAVED_MINUTES },
    async (running, thread, root) => {
      Object.assign(place, { lab: running, root });
      await approve(running, 'mira', thread, HERO);
      for (let turn = 1; ; turn += 1) {
        await running.clock.advance(TURN_MS);
        const state = await readState(running, HERO);
        if (turn % TURNS_OF_DAY === 0 && days.length <= DAYS) days.push(await takeMark(running));
        if (state?.end?.status === 'SUCCEEDED' && days.length > DAYS) return;
        if (turn > 2 * DAYS * TURNS_OF_DAY) throw new Error(describeStuck(running, state));
        if (isRefused(state)) await goBack(running, thread, place);
      }
    },
    ' --resume={checkpoint}',
  );
  await save(STEPS);
  await postComment(lab, 'ada', issue, '/cleanup-checkpoints');
  await lab.clock.advance(120_000);
  await postComment(lab, 'mira', issue, requireActionLine(lab, 'Checkpoints of'));
  await until(lab, 'the clean-up', async () => (await readState(lab, HERO))?.actions[0]?.ended?.outcome === 'done');
  await seal(lab, HERO, issue);
  const all = await takeMark(lab);
  const state = await readState(lab, HERO);
  await close();
  return [
    resultWithoutBar('hero-month-crashes', state?.attempts.length ?? 0, 'crashes'),
    resultWithoutBar('hero-month-rollbacks', state?.rejections.length ?? 0, 'rollbacks'),
    ...buildResults(all, subtractMarks(days[0], days[7]), subtractMarks(days[DAYS - 8], days[DAYS - 1])),
  ];
}

function buildResults(all: Mark, first: Mark, last: Mark): readonly Result[] {
  return [
    resultWithoutBar('hero-month-looks', all.looks, 'looks'),
    resultWithoutBar('hero-month-requests-a-look', ratio(all.requests, all.looks), 'requests'),
    resultWithoutBar('hero-month-content-writes-a-look', ratio(all.contentWrites, all.looks), 'requests'),
    resultWithoutBar('hero-month-events-a-look', ratio(all.events, all.looks), 'events'),
    ...(['requests', 'contentWrites', 'events', 'transports'] as const).map((what) =>
      resultWithBar(
        `hero-last-week-against-first-${what}`,
        ratio(last[what] * first.looks, first[what] * last.looks),
        'times',
        '<=',
        1.1,
      ),
    ),
  ];
}

/** An attempt that got no further than the one before: somebody goes back behind its newest checkpoint, and has that approved. */
async function goBack(lab: VirtualLab, issue: number, { saved }: Place): Promise<void> {
  const step = saved - SAVED_EVERY;
  const asked = await postComment(lab, 'mira', issue, `/rollback step=${step} reason="it got no further"`);
  await lab.clock.advance(120_000);
  const [answer = ''] = listAnswersTo(lab, asked);
  if (!answer.includes('out of its lineage')) throw new Error(`no way back: ${answer}`);
  await approve(lab, 'mira', issue, HERO);
}

/** A crash that is not started again by itself. */
function isRefused(state: RunState | null): state is RunState {
  if (state?.end?.status !== 'FAILED') return false;
  return state.incidents.some(
    (one) => one.code === 'relaunch-refused' && one.detail.attempt === state.submission?.attempt,
  );
}

function describeStuck(lab: VirtualLab, state: RunState | null): string {
  const { attempts = [], end = null } = state ?? {};
  return `attempt ${attempts.length + 1} ended ${end?.status}, and nothing followed:\n${lab.log.slice(-12).join('\n')}`;
}

/** Where the attempts run, once that is known, and the newest step that they have saved. */
type Place = { lab: VirtualLab | null; root: string; saved: number };

/** Ten attempts that are preempted, and one that comes to the end. Each goes on from where it is told to, and what it says it saved lies there. */
function planAttempts(place: Place): (spec: JobSpec) => JobScript {
  let attempt = 0;
  return ({ command }) => {
    const part = REACHED[attempt] ?? null;
    attempt += 1;
    const from = Number(/--resume=\S*step-(\d+)/.exec(command.join(' '))?.[1] ?? 0);
    const whole = ferryScript({
      ...{ runName: HERO, steps: STEPS, durationMs: WHOLE_DAYS * DAY_MS, compileMs: COMPILE_MS },
      ...{ evalEverySteps: STEPS / 6, checkpointEverySteps: SAVED_EVERY },
      failAt:
        part === null ? null : { step: Math.round((STEPS * part) / 11), line: approvalLineOf(attempt), exitCode: 1 },
    });
    const script = resumeScript(whole, Math.round((from * (WHOLE_DAYS * DAY_MS - COMPILE_MS)) / STEPS));
    for (const { atMs, text } of script.lines) {
      const step = Number(/Saved checkpoint to .{1,200} for step (\d+)/.exec(text)?.[1] ?? 0);
      if (step > 0) saveCheckpointAt(place, step, atMs);
    }
    return script;
  };
}

/** The same, without the steps that are done already. */
function resumeScript(script: JobScript, doneMs: number): JobScript {
  const later = <Timed extends { readonly atMs: number }>(all: readonly Timed[]): readonly Timed[] =>
    all.flatMap((one) =>
      one.atMs <= COMPILE_MS ? [one] : one.atMs - doneMs > COMPILE_MS ? [{ ...one, atMs: one.atMs - doneMs }] : [],
    );
  return { ...script, lines: later(script.lines), metrics: later(script.metrics), endAtMs: script.endAtMs - doneMs };
}

/** Just before the log says so. */
function saveCheckpointAt(place: Place, step: number, inMs: number): void {
  const { lab, root } = place;
  if (lab === null) throw new Error('a job began before its lab');
  const { clock } = lab;
  void clock.sleep(inMs - 1_000).then(() => {
    place.saved = step;
    return saveCheckpoint(root, step, { atMs: clock.now() });
  });
}

function approvalLineOf(attempt: number): string {
  return `trainer PREEMPTION: the slice goes to the reservation ${TAKEN_BY[attempt - 1]}`;
}

async function takeMark(lab: VirtualLab): Promise<Mark> {
  const events = await readEventsOf(lab, HERO);
  const { rest, graphql, contentWrites, git } = lab.usage;
  const looks = events.filter(({ type }) => type === 'observed').length;
  return { looks, events: events.length, requests: rest + graphql, contentWrites, transports: git };
}

function subtractMarks(from: Mark | undefined, to: Mark | undefined): Mark {
  if (from === undefined || to === undefined) throw new Error('the month was not played to its end');
  return {
    looks: to.looks - from.looks,
    events: to.events - from.events,
    requests: to.requests - from.requests,
    contentWrites: to.contentWrites - from.contentWrites,
    transports: to.transports - from.transports,
  };
}

function ratio(one: number, other: number): number {
  return Math.round((one / other) * 1_000) / 1_000;
}
