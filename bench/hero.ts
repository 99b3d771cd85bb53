/** What a month of a hero run costs: 2,880 looks, ten crashes, a clean-up and a seal, and whether a look of the last week costs what one of the first did. */

import { consentLine } from '../test/support/approve.ts';
import { HERO, openCheckpointLab } from '../test/support/checkpoint-lab.ts';
import { ferryScript, type JobScript } from '../test/support/ferry-script.ts';
import { HERO_LANE } from '../test/support/hero-run.ts';
import { approve, eventsOf, seal, stateOf, until } from '../test/support/play.ts';
import { say } from '../test/support/talk.ts';
import type { VirtualLab } from '../test/support/virtual-lab.ts';
import { against, type Result, reported } from './measure.ts';

const DAY_MS = 24 * 3_600_000;
const DAYS = 30;
const CRASHES = 10;
const STEPS = 300_000;
const LINE = 'trainer Received a preemption notice: this TPU slice was preempted by the cloud';

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
  const { lab, issue, save, close } = await openCheckpointLab(
    {
      script: attempts(),
      config: (text) =>
        `${text.trimEnd()}\n${HERO_LANE.replace('pollMs: 60000', 'pollMs: 900000')}    restartsMax: ${CRASHES}\n`,
    },
    { 'Final step': String(STEPS) },
    async (running, thread) => {
      await approve(running, 'mira', thread, HERO);
      while (days.length < DAYS + 1) {
        await running.clock.advance(DAY_MS);
        days.push(await markOf(running));
      }
      await until(
        running,
        'the end',
        async () => (await stateOf(running, HERO))?.end?.status === 'SUCCEEDED',
        {
          stepMs: 3_600_000,
          limitMs: 7 * DAY_MS,
        },
      );
    },
  );
  for (const step of [STEPS / 4, STEPS / 3, STEPS / 2, STEPS]) await save(step);
  await say(lab, 'ada', issue, '/cleanup-checkpoints');
  await lab.clock.advance(120_000);
  await say(lab, 'mira', issue, consentLine(lab, 'approve-checkpoint-cleanup'));
  await until(
    lab,
    'the clean-up',
    async () => (await stateOf(lab, HERO))?.mutations[0]?.ended?.outcome === 'done',
  );
  await seal(lab, HERO, issue);
  const all = await markOf(lab);
  const crashes = (await stateOf(lab, HERO))?.attempts.length ?? 0;
  await close();
  const first = between(days[0], days[7]);
  const last = between(days[DAYS - 8], days[DAYS - 1]);
  return [
    reported('hero-month-looks', all.looks, 'looks'),
    reported('hero-month-crashes', crashes, 'crashes'),
    reported('hero-month-requests-a-look', ratio(all.requests, all.looks), 'requests'),
    reported('hero-month-content-writes-a-look', ratio(all.contentWrites, all.looks), 'requests'),
    reported('hero-month-events-a-look', ratio(all.events, all.looks), 'events'),
    ...(['requests', 'contentWrites', 'events', 'transports'] as const).map((what) =>
      against(
        `hero-last-week-against-first-${what}`,
        ratio(last[what] * first.looks, first[what] * last.looks),
        'times',
        '<=',
        1.1,
      ),
    ),
  ];
}

/** Ten attempts that are preempted, each at a step of its own, and one that comes to the end. */
function attempts(): () => JobScript {
  let attempt = 0;
  return () => {
    attempt += 1;
    const failAt = attempt > CRASHES ? null : { step: STEPS - 1_000 * attempt, line: LINE, exitCode: 1 };
    const durationMs = (DAYS / (CRASHES + 1)) * DAY_MS;
    return ferryScript({
      runName: HERO,
      steps: STEPS,
      durationMs,
      evalEverySteps: STEPS / 6,
      checkpointEverySteps: STEPS / 12,
      failAt,
    });
  };
}

async function markOf(lab: VirtualLab): Promise<Mark> {
  const events = await eventsOf(lab, HERO);
  const { rest, graphql, contentWrites, git } = lab.usage;
  const looks = events.filter(({ type }) => type === 'observed').length;
  return { looks, events: events.length, requests: rest + graphql, contentWrites, transports: git };
}

function between(from: Mark | undefined, to: Mark | undefined): Mark {
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
