/** The hero run: an expensive production run of weeks, launched from the contract in its issue. */

import { pinnedIn, valueIn } from '../../contracts/fields.ts';
import {
  contractComplete,
  contractCurrent,
  outputRootOwn,
  outputTemplateOf,
  temporaryRootsOf,
  trackerOwn,
} from '../../contracts/gates.ts';
import { type Responses, USUAL_RESPONSES } from '../../domain/failure-class.ts';
import { defineKind } from '../../run/kind.ts';
import { configDrift } from './config-drift.ts';
import { FIELDS } from './contract/fields.ts';
import {
  checkpointPlanOf,
  containerIn,
  continuedAs,
  isHero,
  knownOf,
  readHeroContract,
  runNameOf,
  settingsOf,
} from './contract/read-contract.ts';
import { checkpointProven, containerBuilt, driAccepted } from './gates.ts';
import { heroSettings, startOptionsOf } from './settings.ts';

const HERO_RESPONSES: Responses = { ...USUAL_RESPONSES, stopped: 'ask' };

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
  policy: (lane) => ({
    'lane.startOptions': startOptionsOf(lane).join(','),
    'lane.outputRootFrom': outputTemplateOf(lane) ?? '',
    'lane.temporaryRoots': temporaryRootsOf(lane).join(','),
  }),
  responses: HERO_RESPONSES,
  contracts: {
    labels: ['hero-run'],
    claims: isHero,
    fields: FIELDS,
    read: readHeroContract,
    settings: settingsOf,
    cost: (contract) => valueIn(contract, 'acceleratorHours'),
    source: pinnedIn,
    container: containerIn,
    name: runNameOf,
    checkpoints: checkpointPlanOf,
    objective: (contract) => ({ kind: 'production', text: valueIn(contract, 'goal') ?? '' }),
    continued: continuedAs,
    opens: { title: 'Hero run', known: knownOf },
  },
  isCritical: true,
});
