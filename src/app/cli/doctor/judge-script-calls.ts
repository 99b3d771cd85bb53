/** Judges what a call of a lab's script costs: seconds of a launch, and of every look where no dashboard is there to look through. */

import { traitsOf } from '../../../config/engine-traits.ts';
import type { Observed } from '../../../domain/observed.ts';
import type { ScriptCalls } from '../../../engines/definition.ts';
import type { LabConfig } from '../../../run/lane-scope.ts';
import { type Finding, fine, missing, unseen } from './finding.ts';

/** What two calls of a program that does nothing took, one after the other, as a job of the runner makes them. */
export type CallTimes = {
  /** With the making of the environment, where none is kept. */
  readonly firstMs: number;
  readonly nextMs: number;
};

/** Measures a cluster's calls on this machine. */
export type MeasureCalls = (cluster: string, calls: ScriptCalls) => Promise<Observed<CallTimes>>;

/** A look asks for list and log, and is made every two minutes at first: dearer calls leave a watch little else to do. */
const SLOW_MS = 5_000;

/** One finding for all clusters that scripts are called for; the worst of them decides. */
export async function judgeScriptCalls(config: LabConfig, measure: MeasureCalls): Promise<Finding> {
  const findings: Finding[] = [];
  for (const name of Object.keys(config.clusters)) {
    const calls = traitsOf(config, name)?.scriptCalls ?? null;
    if (calls !== null) findings.push(judged(name, calls, await measure(name, calls)));
  }
  const worst =
    findings.find(({ state }) => state === 'missing') ?? findings.find(({ state }) => state === 'unknown');
  if (worst !== undefined) return worst;
  return fine(
    CHECK,
    findings.length === 0
      ? 'no cluster is reached through scripts'
      : findings.map(({ found }) => found).join('; '),
  );
}

const CHECK = 'script-calls';
const REMEDY =
  'Set `dashboard`, through which looks take a tenth of a second, or keep an environment on the runner and name it: `python: [/opt/lab/.venv/bin/python]`, with ray and uv beside it.';

function judged(name: string, { looksToo }: ScriptCalls, times: Observed<CallTimes>): Finding {
  if (times.kind === 'unknown')
    return unseen(CHECK, `a call of the scripts of ${name} was not measured: ${times.why}`, MEASURE);
  const { firstMs, nextMs } = times.value;
  const took = `a call of the scripts of ${name} takes ${seconds(nextMs)} on this machine, the first of a job ${seconds(firstMs)}`;
  if (!looksToo) return fine(CHECK, `${took}; looks go through the dashboard`);
  return nextMs > SLOW_MS
    ? missing(CHECK, `${took}, and each look of a watch is one or two of them`, REMEDY)
    : fine(CHECK, took);
}

const MEASURE =
  "Ask again in the lab's checkout at the default branch's commit, on the runner that launches.";

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}
