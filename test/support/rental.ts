/** Rentals in tests: the form's answers, a lab with a rental lane, and the issue that becomes a run. */

import type { Person } from '../../packages/playground/world/seed.ts';
import { ferryScript, type JobScript } from './ferry-script.ts';
import type { Answers } from './hero-run.ts';
import { SHORT_FERRY } from './talk.ts';
import { openVirtualLab, type VirtualLab, type VirtualLabOptions } from './virtual-lab.ts';

export const RENTAL_ANSWERS: Answers = {
  Reason: 'Does the small model still train at a long context?',
  Command: 'python3 train.py --max-steps 600 --batch-size 32',
  GPU: 'RTX 4090',
  'Price cap an hour': '$0.50',
  Hours: '2',
  'Total cap': '2 USD',
  Objective: 'lower eval/loss',
  'Kill criteria': 'A loss above 5 after step 300.',
  'Allowed reductions': '--batch-size 16\n--batch-size 8',
};

/** A cluster that rents, and a lane on it with the common values of every contract. */
export const RENTAL_CLUSTER = `  market:
    engine: vast
    fleet: lab
    image: pytorch/pytorch@sha256:${'a'.repeat(64)}
    gpu: RTX 4090
    dollarsPerHourMax: '0.50'
    dollarsMax: '20'
    hoursMax: 24
    acceleratorHoursPerRun: '24'
`;

export const RENTAL_LANE = `  gpu:
    kind: rental
    cluster: market
    ships: [experiments, lib, scripts]
    tracker: { kind: none, entity: '', project: '' }
    finalStep: 1200
    defaults:
      command: python3 experiments/ferries/daily.py --batch-size 32
      objective: lower eval/loss
      kill: a loss above 5 after step 600
      reductions: '--batch-size 16; --batch-size 8'
`;

/** The example config with both. */
export function addRentalLane(config: string): string {
  return `${config.trimEnd()}\n${RENTAL_LANE}`.replace(/^clusters:\n/m, (line) => `${line}${RENTAL_CLUSTER}`);
}

/** A lab on virtual time with jobs that end like these, one after the other; later ones succeed. */
export function openRentalLab(
  deaths: readonly { readonly line: string; readonly step?: number }[] = [],
  options: VirtualLabOptions = {},
): Promise<VirtualLab> {
  let started = 0;
  const script = (): JobScript => {
    const died = deaths[started];
    started += 1;
    return ferryScript({
      ...SHORT_FERRY,
      failAt: died === undefined ? null : { step: died.step ?? 100, line: died.line, exitCode: 1 },
    });
  };
  return openVirtualLab({ script, config: addRentalLane, ...options });
}

/** Opens an issue as this user, without a form or label. */
export async function openIssue(lab: VirtualLab, who: Person, body = 'I need a card for an evening.'): Promise<number> {
  const issue = { title: 'Long context', body };
  return ((await lab.as(who, 'POST', '/issues', issue)) as { readonly number: number }).number;
}

/** The run of an issue; null before there is one. */
export function rentalRunName(lab: VirtualLab, issue: number): string {
  const date = new Date(lab.clock.now()).toISOString().slice(0, 10).replaceAll('-', '');
  return `rental-gpu-${date}-issue${issue}`;
}
