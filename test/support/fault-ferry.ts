/** One ferry under one fault on virtual time, with a report for tests and tables. */

import type { Fault, FaultKind } from '../../packages/playground/faults/fault.ts';
import type { World } from '../../packages/playground/world/world.ts';
import { approveAndFinish, propose, readState, seal, type WithStore } from './play.ts';
import { listBotComments, listRepeatedComments, SHORT_FERRY } from './talk.ts';
import { MORNING, openVirtualLab, type VirtualLab } from './virtual-lab.ts';

export type FaultReport = {
  readonly kind: FaultKind;
  readonly seed: number;
  /** Whether every request used HTTP, and git was the git program with a repository on disk. */
  readonly overHttp: boolean;
  /** How often the fault struck. */
  readonly struck: number;
  readonly launches: number;
  readonly isSealed: boolean;
  /** Commands without an answer, and answers that were posted twice. */
  readonly unanswered: number;
  readonly twice: readonly string[];
  /** Content that the bot wrote in its busiest minute and hour. */
  readonly busiestMinute: number;
  readonly busiestHour: number;
  /** Null if everything is correct. */
  readonly problem: string | null;
};

const MINUTE_MS = 60_000;
const FIVE_MINUTES_MS = 5 * MINUTE_MS;
/**
 * Over HTTP each read of the logbook takes eight processes, so the job is shorter: ten minutes with all of
 * its events.
 */
const HTTP_FERRY = {
  steps: 1_200,
  durationMs: 10 * MINUTE_MS,
  compileMs: MINUTE_MS,
  evalEverySteps: 400,
  checkpointEverySteps: 400,
};
/**
 * After the example lab's scheduled hour: otherwise this short ferry would be sealed before it, and another
 * would start.
 */
const HTTP_START_MS = MORNING + 20 * MINUTE_MS;
/** GitHub's documented secondary limits on content (docs: rate limits for the REST API). */
const MINUTE_MAX = 80;
const HOUR_MAX = 500;

/** A fault from start to end that strikes one request in five. */
export function usualFault(kind: FaultKind, seed: number): Fault {
  const plain = { kind, rate: 0.2, seed, route: '*', people: false };
  switch (kind) {
    case 'clock-skew':
      return { ...plain, durationMs: seed % 2 === 0 ? FIVE_MINUTES_MS : -FIVE_MINUTES_MS };
    case 'webhook-delayed':
      return { ...plain, durationMs: 10 * MINUTE_MS };
    case 'slow':
      return { ...plain, durationMs: 8_000 };
    default:
      return { ...plain, durationMs: MINUTE_MS };
  }
}

/** From proposal to seal under the fault, and two more sweeps for pending posts. */
export async function playUnderFault(kind: FaultKind, seed: number, overHttp = false): Promise<FaultReport> {
  return playUnderFaults([usualFault(kind, seed)], kind, seed, overHttp);
}

/** The same under several faults; the report is labelled with `kind` and `seed`. */
export async function playUnderFaults(
  faults: readonly Fault[],
  kind: FaultKind,
  seed: number,
  overHttp = false,
): Promise<FaultReport> {
  const lab = await openVirtualLab({
    ...(overHttp ? { ferry: HTTP_FERRY, startMs: HTTP_START_MS } : { ferry: SHORT_FERRY }),
    faults,
    overHttp,
  });
  const writes = countContent(lab.world);
  let run: string | null = null;
  let problem: string | null = null;
  try {
    const proposed = await propose(lab);
    run = proposed.run;
    await approveAndFinish(lab, run, proposed.pull);
    await seal(lab, run, proposed.issue);
    await lab.clock.advance(65 * MINUTE_MS);
  } catch (error) {
    problem = error instanceof Error ? error.message : String(error);
  }
  const report = await judgeFerry(lab, {
    kind,
    seed,
    overHttp,
    run,
    writes,
    problem,
    struck: lab.world.state.faultsStruck[kind] ?? 0,
    launches: lab.engine.startCount(),
  });
  await lab.close();
  return report;
}

/** Facts about a ferry outside its threads and logbook. `run` is null if it was never proposed. */
export type PlayedFerry = Pick<FaultReport, 'kind' | 'seed' | 'overHttp' | 'struck' | 'launches' | 'problem'> & {
  readonly run: string | null;
  /** When the bot wrote content (`countContent`). */
  readonly writes: readonly number[];
};

/** Evaluates a ferry by its threads and its logbook, on virtual and on real time. */
export async function judgeFerry(
  lab: Pick<VirtualLab, 'world'> & WithStore,
  { run, writes, problem, ...played }: PlayedFerry,
): Promise<FaultReport> {
  const state = run === null ? null : await readState(lab, run);
  const unanswered = [...(state?.commands.values() ?? [])].filter(({ answer }) => answer === null).length;
  const answers = listBotComments(lab).filter((comment) => comment.kind === 'answer').length;
  const report = {
    ...played,
    isSealed: state?.seal?.verdict === 'pass',
    unanswered: unanswered + Math.max(0, 2 - answers),
    twice: listRepeatedComments(lab),
    busiestMinute: countBusiest(writes, MINUTE_MS),
    busiestHour: countBusiest(writes, 60 * MINUTE_MS),
  };
  return { ...report, problem: problem ?? findComplaint(report) };
}

/** What is wrong with a ferry, in words; null if nothing is. */
export function findComplaint(report: Omit<FaultReport, 'problem'>): string | null {
  const complaints = [
    report.launches === 1 ? [] : [`${report.launches} launches`],
    report.isSealed ? [] : ['no seal'],
    report.unanswered === 0 ? [] : [`${report.unanswered} commands without an answer`],
    report.twice.length === 0 ? [] : [`said twice: ${report.twice.join(', ')}`],
    report.busiestMinute <= MINUTE_MAX ? [] : [`${report.busiestMinute} writes in a minute`],
    report.busiestHour <= HOUR_MAX ? [] : [`${report.busiestHour} writes in an hour`],
  ].flat();
  return complaints.length === 0 ? null : complaints.join('; ');
}

/**
 * When the bot wrote something that notifies people, in the world's time; the list grows during the ferry.
 */
export function countContent(world: World): readonly number[] {
  const moments: number[] = [];
  const isContent = new Set(['issue_comment', 'issues', 'pull_request', 'pull_request_review']);
  world.bus.subscribe((event) => {
    if (event.byTokenKind !== 'user' && isContent.has(event.type)) moments.push(event.atMs);
  });
  return moments;
}

function countBusiest(moments: readonly number[], spanMs: number): number {
  let most = 0;
  for (const [index, from] of moments.entries()) {
    const within = moments.slice(index).filter((atMs) => atMs < from + spanMs).length;
    most = Math.max(most, within);
  }
  return most;
}
