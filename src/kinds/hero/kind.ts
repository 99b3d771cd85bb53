/** The hero run: an expensive production run of weeks, begun from the contract in its issue. */

import { contractComplete } from '../../contracts/gates/contract-complete.ts';
import { contractCurrent } from '../../contracts/gates/contract-current.ts';
import { outputRootOwn } from '../../contracts/gates/output-root-own.ts';
import { trackerOwn } from '../../contracts/gates/tracker-own.ts';
import { defineKind } from '../../run/kind.ts';
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

export const heroKind = defineKind({
  name: 'hero',
  settings: heroSettings,
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
  policy: (lane) => ({ 'lane.startOptions': startOptionsOf(lane).join(',') }),
  responses: HERO_RESPONSES,
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
  isCritical: true,
});
