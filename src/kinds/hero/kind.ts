/** The hero run: an expensive production run of weeks, begun from the contract in its issue. */

import { judgeRun } from '../../run/judge-run.ts';
import type { Kind } from '../../run/kind.ts';
import { objectiveOf, settingsOf, sourceOf } from './contract/apply.ts';
import { readContract, runNameOf } from './contract/read-contract.ts';
import { contractComplete } from './gates/contract-complete.ts';
import { contractCurrent } from './gates/contract-current.ts';
import { HERO_RESPONSES } from './responses.ts';
import { heroSettings } from './settings.ts';

const OBJECTIVE = { kind: 'production', text: '' } as const;
const FROM_ISSUES = {
  kind: 'nothing',
  code: 'nothing-due',
  why: 'a hero run begins from its issue',
} as const;

export const heroKind: Kind = {
  name: 'hero',
  settings: heroSettings,
  rules: [],
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
  gates: { gates: [contractComplete, contractCurrent], remedies: () => [] },
  replays: {},
  policy: () => ({}),
  responses: HERO_RESPONSES,
  judge: judgeRun,
  contracts: {
    labels: ['hero-run'],
    read: readContract,
    settings: settingsOf,
    source: sourceOf,
    name: runNameOf,
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
