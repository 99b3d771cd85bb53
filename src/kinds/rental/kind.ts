/** The rental: a run on a machine that is rented for it, begun from its issue or with `/rent` in one. */

import { METRICS_JUDGE } from '../../config/rules/lane-rules.ts';
import { contractComplete } from '../../contracts/gates/contract-complete.ts';
import { contractCurrent } from '../../contracts/gates/contract-current.ts';
import type { Kind } from '../../run/kind.ts';
import { needsOf, objectiveOf, settingsOf, sourceOf } from './contract/apply.ts';
import { FIELDS } from './contract/fields.ts';
import { readRentalContract } from './contract/read-contract.ts';
import { bottleneckMeasured } from './gates/bottleneck-measured.ts';
import { earlyStopSane } from './gates/early-stop-sane.ts';
import { machineFits } from './gates/machine-fits.ts';
import { reductionsBounded } from './gates/reductions-bounded.ts';
import { secretsNamed } from './gates/secrets-named.ts';
import { judgeRental } from './judge.ts';
import { RENTAL_RESPONSES } from './responses.ts';
import { RENTAL_RULES, rentalLane, rentalSettings } from './settings.ts';
import { statusFileOf } from './status-file.ts';

const OBJECTIVE = { kind: 'production', text: '' } as const;
const FROM_ISSUES = {
  kind: 'nothing',
  code: 'nothing-due',
  why: 'a rental begins from its issue',
} as const;

export const rentalKind: Kind = {
  name: 'rental',
  settings: rentalSettings,
  rules: [METRICS_JUDGE, ...RENTAL_RULES],
  settingsOf: () => ({}),
  change: null,
  fixable: () => [],
  readText: () => ({
    risk: null,
    objectiveKind: null,
    linksLastFerry: false,
    hasDeltaTable: false,
    mismatches: [],
    boxes: [],
  }),
  gates: {
    gates: [
      contractComplete(FIELDS),
      contractCurrent(FIELDS),
      machineFits,
      secretsNamed,
      reductionsBounded,
      earlyStopSane,
      bottleneckMeasured,
    ],
    remedies: () => [],
  },
  policy: () => ({}),
  responses: RENTAL_RESPONSES,
  reductions: (lane) => rentalLane(lane).reductions ?? [],
  repairs: (lane) => rentalLane(lane).repairs ?? [],
  judge: judgeRental,
  statusFile: statusFileOf,
  contracts: {
    labels: ['rental'],
    command: 'rent',
    fields: FIELDS,
    read: readRentalContract,
    settings: settingsOf,
    machine: needsOf,
    source: sourceOf,
    name: () => null,
    objective: objectiveOf,
  },
  proposals: {
    usual: OBJECTIVE,
    objective: () => ({ kind: 'clear', objective: OBJECTIVE }),
    question: () => null,
    plan: async () => FROM_ISSUES,
    planOfBegun: async () => FROM_ISSUES,
  },
  closing: { log: null, proposal: () => 'leave' },
};
