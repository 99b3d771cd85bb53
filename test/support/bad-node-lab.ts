/** A lab on a Ray cluster with a first attempt that fails on a bad TPU node. */

import type { JobScript } from './ferry-script.ts';
import { ferryScript } from './ferry-script.ts';
import { approve, propose, readState, until } from './play.ts';
import { createSimulatedCloud, type SimulatedCloud } from './simulated-cloud.ts';
import { SHORT_FERRY } from './talk.ts';
import { openVirtualLab, type VirtualLab, type VirtualLabOptions } from './virtual-lab.ts';

export const BAD_LINE = '(Train pid=4242, ip=10.130.1.45) RuntimeError: open(/dev/accel0): Device or resource busy';

export type BadNodeLab = { readonly lab: VirtualLab; readonly cloud: SimulatedCloud };

type Change = Partial<VirtualLabOptions> & {
  readonly badNodes?: string;
  readonly restartsMax?: number;
  /** Last log lines of the first attempts, one each; later attempts succeed. */
  readonly badLines?: readonly string[];
};

/** The lab; by default its first attempt ends with `BAD_LINE`. */
export async function openBadNodeLab(change: Change = {}): Promise<BadNodeLab> {
  const { badNodes = '', restartsMax = 1, badLines = [BAD_LINE], ...options } = change;
  const cloud = createSimulatedCloud();
  let started = 0;
  const script = (): JobScript => {
    const line = badLines[started];
    started += 1;
    return ferryScript({ ...SHORT_FERRY, failAt: line === undefined ? null : { step: 100, line, exitCode: 1 } });
  };
  const lab = await openVirtualLab({
    script,
    cloudOf: cloud.cloudOf,
    ...options,
    config: (text) =>
      (options.config ?? ((same) => same))(text)
        .replace(/ {4}engine: local\n(?: {4}#.*\n)* {4}jobs: jobs\n/, rayCluster(badNodes))
        .replace('restartsMax: 1', `restartsMax: ${restartsMax}`),
  });
  return { lab, cloud };
}

function rayCluster(badNodes: string): string {
  return `    engine: ray
    dashboard: http://10.0.0.2:8265
    gcp: { project: example-lab, zones: [us-central1-a] }
    badNodes: { ${badNodes} }
`;
}

/** Proposes, launches, and waits until the first attempt has failed and the reaction to it is posted. */
export async function playUntilBad(
  lab: VirtualLab,
): Promise<{ readonly run: string; readonly pull: number; readonly issue: number }> {
  const proposed = await propose(lab);
  await approve(lab, 'mira', proposed.pull);
  await until(lab, 'the first attempt', async () => {
    const state = await readState(lab, proposed.run);
    const isAsked = state?.incidents.some(({ code }) => code === 'bad-node-unclear') === true;
    return (state?.actions.length ?? 0) > 0 || isAsked;
  });
  await lab.clock.advance(120_000);
  return proposed;
}
