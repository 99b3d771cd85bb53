/** What a lab pays GitHub for a ferry of five hours, for its day and for a day without a run, with the server and by workflows alone; and the hosted minutes of a month. */

import { minutesOf, totalOf } from '../scripts/minutes/minutes-table.ts';
import { playFerry } from '../test/support/play.ts';
import { openVirtualLab, type VirtualLab } from '../test/support/virtual-lab.ts';
import { type Result, resultWithBar, resultWithoutBar } from './measure.ts';

const RECORD = 'refs/heads/ferrybot/logbook';
const DAY_MS = 24 * 3_600_000;
/** No schedule of the example lab proposes a ferry between this time and the next morning. */
const AFTER_PROPOSAL_MS = 60 * 60_000;

type Spent = {
  readonly requests: number;
  readonly writes: number;
  readonly notModified: number;
  readonly transports: number;
  /** Of the record. A ferry also pushes the branches of its proposal and its closure. */
  readonly pushes: number;
  readonly mostPushesAMinute: number;
  readonly jobs: number;
};

/** Plays the days on virtual time. */
export async function measureDay(): Promise<readonly Result[]> {
  const results: Result[] = [];
  for (const [name, server, requestsMax] of [
    ['server', true, 80],
    ['workflows', false, 110],
  ] as const) {
    const { ferry, day } = await dayWithFerry(server);
    results.push(
      resultWithBar(`ferry-${name}-requests`, ferry.requests, 'requests', '<=', requestsMax),
      resultWithBar(`ferry-${name}-writes`, ferry.writes, 'requests', '<=', 50),
      resultWithoutBar(`ferry-${name}-transports`, ferry.transports, 'transports'),
      resultWithBar(`ferry-${name}-pushes`, ferry.pushes, 'pushes', '<=', 25),
      // Approved in the minute of its proposal, which no person manages.
      resultWithoutBar(`ferry-${name}-pushes-a-minute`, ferry.mostPushesAMinute, 'pushes'),
      resultWithoutBar(`day-${name}-requests`, day.requests, 'requests'),
      resultWithoutBar(`day-${name}-writes`, day.writes, 'requests'),
      resultWithoutBar(`day-${name}-not-modified`, day.notModified, 'requests'),
      resultWithoutBar(`day-${name}-pushes`, day.pushes, 'pushes'),
      resultWithoutBar(`day-${name}-transports`, day.transports, 'transports'),
      resultWithoutBar(`day-${name}-hosted-jobs`, day.jobs, 'jobs'),
      resultWithBar(`idle-day-${name}-requests`, (await idleDay(server)).requests, 'requests', '<=', 300),
    );
  }
  return [
    ...results,
    resultWithBar('month-workflows-minutes', totalOf(minutesOf(false)), 'minutes', '<=', 2_500),
    resultWithBar('month-server-minutes', totalOf(minutesOf(true)), 'minutes', '<=', 300),
  ];
}

async function dayWithFerry(server: boolean): Promise<{ readonly ferry: Spent; readonly day: Spent }> {
  const { lab, spent } = await openCountedLab(server);
  const openedMs = lab.clock.now();
  await playFerry(lab);
  const ferry = spent();
  await lab.clock.advance(openedMs + DAY_MS - lab.clock.now());
  const day = spent();
  await lab.close();
  return { ferry, day };
}

/** The day after an unanswered proposal, without its first hour. */
async function idleDay(server: boolean): Promise<Pick<Spent, 'requests'>> {
  const { lab, spent } = await openCountedLab(server);
  await lab.clock.advance(AFTER_PROPOSAL_MS);
  const before = spent();
  await lab.clock.advance(DAY_MS);
  const requests = spent().requests - before.requests;
  await lab.close();
  return { requests };
}

async function openCountedLab(server: boolean): Promise<{ readonly lab: VirtualLab; readonly spent: () => Spent }> {
  const lab = await openVirtualLab({ server });
  const pushedAt: number[] = [];
  lab.world.bus.subscribe(({ type, payload }) => {
    const ref = typeof payload === 'object' && payload !== null && 'ref' in payload ? payload['ref'] : null;
    if (type === 'push' && ref === RECORD) pushedAt.push(lab.clock.now());
  });
  const spent = (): Spent => {
    const { rest, graphql, contentWrites, notModified, git } = lab.usage;
    const hosted = Object.values(lab.world.state.jobs).filter(
      ({ labels, conclusion }) => conclusion !== 'skipped' && !labels.includes('self-hosted'),
    );
    const within = (fromMs: number): number =>
      pushedAt.filter((atMs) => atMs >= fromMs && atMs < fromMs + 60_000).length;
    return {
      ...{ requests: rest + graphql, writes: contentWrites, notModified, transports: git },
      pushes: pushedAt.length,
      mostPushesAMinute: Math.max(0, ...pushedAt.map(within)),
      jobs: hosted.length,
    };
  };
  return { lab, spent };
}
