/**
 * Kills each process at each boundary of each effect and restarts it: one launch, one answer per command, one
 * seal.
 */

import { describe, expect, it } from 'vitest';
import { Crash } from '../support/crash.ts';
import { EFFECT_KINDS } from '../support/effect-kinds.ts';
import { approve, playFerry, propose, readState, until } from '../support/play.ts';
import { listBotComments, listBotTexts, listRepeatedComments } from '../support/talk.ts';
import { openVirtualLab, type VirtualLab } from '../support/virtual-lab.ts';

/**
 * Half an hour with the policy's intervals: every kind of event occurs, and a hundred such ferries take one
 * or two minutes.
 */
const SHORT = {
  steps: 1_200,
  durationMs: 30 * 60_000,
  compileMs: 60_000,
  evalEverySteps: 400,
  checkpointEverySteps: 400,
};

type Boundary = { readonly process: string; readonly kind: string; readonly moment: string };

type Played = { readonly lab: VirtualLab; readonly run: string; readonly met: readonly Boundary[] };

/** A scripted day with its expected record and comments. */
type Day = {
  readonly name: string;
  readonly config: (text: string) => string;
  /** Plays the day; calls `from` at the first boundary that no other day covers. */
  readonly play: (lab: VirtualLab, from: () => void) => Promise<string>;
  readonly verdict: 'pass' | 'accepted';
  readonly told: readonly string[];
  readonly isMerged: boolean;
};

const DAYS: readonly Day[] = [
  {
    name: 'a ferry that is sealed',
    config: (text) => text,
    play: async (lab, from) => {
      from();
      return (await playFerry(lab)).run;
    },
    verdict: 'pass',
    told: ['launch', 'tracker', 'first-eval', 'ended', 'sealed'],
    isMerged: false,
  },
  {
    name: 'a ferry that is stopped, accepted and merged',
    config: (text) => text.replace('afterSeal: close', 'afterSeal: merge'),
    play: playStopped,
    verdict: 'accepted',
    told: ['launch', 'ended', 'sealed'],
    isMerged: true,
  },
];

async function playStopped(lab: VirtualLab, from: () => void): Promise<string> {
  const { run, pull, issue } = await propose(lab);
  await approve(lab, 'mira', pull);
  await until(lab, 'the first look', async () => (await readState(lab, run))?.observation !== null);
  from();
  await lab.as('ada', 'POST', `/issues/${issue}/comments`, { body: '/stop' });
  await until(lab, 'the end', async () => (await readState(lab, run))?.end !== null);
  expect((await readState(lab, run))?.end?.status).toBe('STOPPED');
  const body = '/seal accept="stopped on purpose, the curve is clear"';
  await lab.as('mira', 'POST', `/issues/${issue}/comments`, { body });
  await until(lab, 'the seal', async () => (await readState(lab, run))?.seal !== null);
  return run;
}

/** Plays one day and kills the process at boundary number `at`; returns all boundaries that were reached. */
async function playWithCrash(day: Day, at: number | null, server: boolean): Promise<Played> {
  const met: Boundary[] = [];
  let isCounting = false;
  const lab = await openVirtualLab({
    server,
    config: day.config,
    ferry: SHORT,
    atBoundary: (process, kind, moment) => {
      if (!isCounting) return;
      met.push({ process, kind, moment });
      if (met.length - 1 === at) throw new Crash(`killed ${moment} ${kind} in ${process}`);
    },
  });
  const run = await day.play(lab, () => {
    isCounting = true;
  });
  // Two more sweeps, so that a restarted process can post what is pending.
  await lab.clock.advance(45 * 60_000);
  return { lab, run, met };
}

async function check({ lab, run }: Played, day: Day, where: string): Promise<void> {
  const state = await readState(lab, run);
  expect(state?.seal?.verdict, where).toBe(day.verdict);
  expect(lab.engine.startCount(), `${where}: launches`).toBe(1);
  expect(listRepeatedComments(lab), `${where}: said twice`).toEqual([]);
  for (const { name, surface, comment } of state?.commands.values() ?? []) {
    const answers = listBotComments(lab).filter(
      ({ kind, key }) => kind === 'answer' && key === `${surface}-${comment}`,
    );
    expect(answers, `${where}: /${name} answered`).toHaveLength(1);
  }
  for (const kind of day.told) expect(listBotTexts(lab, kind), `${where}: ${kind}`).toHaveLength(1);
  const pull = Object.values(lab.world.state.issues).find((row) => row.number === state?.proposal.pull)?.pull;
  expect(pull, `${where}: the proposal PR`).toBeDefined();
  expect((pull?.mergedAtMs ?? null) !== null, `${where}: merged`).toBe(day.isMerged);
}

describe.each([
  { name: 'with the server', server: true },
  { name: 'without a server', server: false },
])('processes that crash, $name', ({ server }) => {
  const kinds = new Set<string>();
  let survived = 0;

  it.each(DAYS)(
    '$name is completed after a crash at every boundary of every effect',
    { timeout: 900_000 },
    async (day) => {
      const calm = await playWithCrash(day, null, server);
      await check(calm, day, 'without a crash');
      await calm.lab.close();
      for (const { kind } of calm.met) kinds.add(kind);
      for (const [at, { process, kind, moment }] of calm.met.entries()) {
        const played = await playWithCrash(day, at, server);
        await check(played, day, `killed ${moment} ${kind} in ${process} (boundary ${at})`);
        await played.lab.close();
      }
      survived += calm.met.length;
    },
  );

  it('reaches every kind of effect', () => {
    console.log(`${survived} boundaries survived: ${[...kinds].sort().join(', ')}`);
    expect([...kinds].sort()).toEqual([...EFFECT_KINDS, 'append', 'submit-job', 'stop-job'].sort());
  });
});
