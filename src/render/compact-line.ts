/** A job in one line, for those who read many: `ts state step rate gpu mem eval action next_eta`. */

import { jobStateOf } from '../domain/logbook/job-state.ts';
import type { Observation, RunState } from '../domain/logbook/run-state.ts';
import { after, fromRfc3339, toRfc3339 } from '../domain/time.ts';
import { code } from './words.ts';

/** Null before the first look. A dash stands where nobody said. */
export function compactLine(state: RunState): string | null {
  const { observation: seen, end } = state;
  if (seen === null) return null;
  const job = jobStateOf(state);
  const step = seen.step === null ? DASH : `~${seen.step}/${seen.totalSteps ?? 'unknown'}`;
  const action = end !== null ? 'ended' : ALERTS.has(job) ? 'look' : 'watch';
  const columns = [
    shortTime(seen.at),
    job,
    step,
    rateOf(seen),
    useOf(seen),
    `mem=${seen.pace?.memory ?? DASH}`,
    evalOf(seen),
    action,
  ];
  return code([...columns, end === null ? nextOf(seen) : DASH].join(' '));
}

const DASH = '-';
const ALERTS: ReadonlySet<string> = new Set(['degraded', 'state-lost', 'unknown']);

function shortTime(at: string): string {
  return `${at.slice(0, 16)}Z`;
}

function rateOf({ pace }: Observation): string {
  if (pace?.secondsPerStep != null) return `${Number(Number(pace.secondsPerStep).toPrecision(3))}s/step`;
  return pace?.tokensPerSecond == null ? DASH : `${Math.round(Number(pace.tokensPerSecond))}tok/s`;
}

function useOf({ pace }: Observation): string {
  return `gpu=${pace?.usePercent === undefined ? DASH : `${pace.usePercent}%`}`;
}

/** The loss of an eval where there is one, or else the newest of any. */
function evalOf({ evals }: Observation): string {
  const all = Object.entries(evals);
  const shown = all.find(([key]) => key === 'eval/loss') ?? all.at(-1);
  return shown === undefined ? `eval=${DASH}` : `${shown[0]}=${shown[1]}`;
}

function nextOf({ at, cadenceMs }: Observation): string {
  const seenAt = fromRfc3339(at);
  return seenAt === null ? DASH : shortTime(toRfc3339(after(seenAt, cadenceMs)));
}
