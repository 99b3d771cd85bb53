/** The hero run: an expensive production run of weeks, begun from the contract in its issue. */

import { METRICS_JUDGE } from '../../config/rules/lane-rules.ts';
import { contractComplete } from '../../contracts/gates/contract-complete.ts';
import { contractCurrent } from '../../contracts/gates/contract-current.ts';
import { outputRootOwn } from '../../contracts/gates/output-root-own.ts';
import { trackerOwn } from '../../contracts/gates/tracker-own.ts';
import { configDelta } from '../../delta/config-delta.ts';
import { judgeRun } from '../../run/judge-run.ts';
import type { Kind } from '../../run/kind.ts';
import {
  checkpointPlanOf,
  containerIn,
  continuedAs,
  costOf,
  knownOf,
  objectiveOf,
  settingsOf,
  sourceOf,
} from './contract/apply.ts';
import { FIELDS } from './contract/fields.ts';
import { isHero, readHeroContract, runNameOf } from './contract/read-contract.ts';
import { checkpointProven } from './gates/checkpoint-proven.ts';
import { configDrift } from './gates/config-drift.ts';
import { containerBuilt } from './gates/container-built.ts';
import { driAccepted } from './gates/dri-accepted.ts';
import { HERO_RESPONSES } from './responses.ts';
import { heroSettings, startOptionsOf } from './settings.ts';

const OBJECTIVE = { kind: 'production', text: '' } as const;
const FROM_ISSUES = {
  kind: 'nothing',
  code: 'nothing-due',
  why: 'a hero run begins from its issue',
} as const;

export const heroKind: Kind = {
  name: 'hero',
  settings: heroSettings,
  rules: [METRICS_JUDGE],
  settingsOf: () => ({}),
  change: null,
  comparesCode: configDelta,
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
      outputRootOwn,
      trackerOwn,
      checkpointProven,
      containerBuilt,
      configDrift,
      driAccepted,
    ],
    remedies: () => [],
  },
  policy: (lane) => ({ 'lane.startOptions': startOptionsOf(lane).join(',') }),
  responses: HERO_RESPONSES,
  judge: judgeRun,
  contracts: {
    labels: ['hero-run'],
    claims: isHero,
    fields: FIELDS,
    read: readHeroContract,
    settings: settingsOf,
    cost: costOf,
    source: sourceOf,
    container: containerIn,
    name: runNameOf,
    checkpoints: checkpointPlanOf,
    objective: objectiveOf,
    continued: continuedAs,
    opens: { title: 'Hero run', known: knownOf },
  },
  proposals: {
    usual: OBJECTIVE,
    objective: () => ({ kind: 'clear', objective: OBJECTIVE }),
    question: () => null,
    plan: async () => FROM_ISSUES,
    planOfBegun: async () => FROM_ISSUES,
  },
  tellsBeside: true,
  watchesStore: true,
  closing: { log: null, proposal: () => 'leave', needsCheckpoint: true },
};
