import { readPinnedSource, readValue } from '../../contracts/fields.ts';
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
  buildCheckpointPlan,
  continuationKnobs,
  contractContainer,
  isHeroContract,
  knownValues,
  laneSettings,
  readHeroContract,
  runNameFromContract,
} from './contract/read-contract.ts';
import { checkpointProvenGate, containerBuiltGate, driAcceptedGate } from './gates.ts';
import { heroSettings, startOptions } from './settings.ts';

const HERO_RESPONSES: Responses = { ...USUAL_RESPONSES, stopped: 'ask' };

export const heroKind = defineKind({
  name: 'hero',
  settings: heroSettings,
  gates: [
    contractComplete(FIELDS),
    contractCurrent(FIELDS),
    outputRootOwn,
    trackerOwn,
    checkpointProvenGate,
    containerBuiltGate,
    configDrift,
    driAcceptedGate,
  ],
  policy: (lane) => ({
    'lane.startOptions': startOptions(lane).join(','),
    'lane.outputRootFrom': outputTemplateOf(lane) ?? '',
    'lane.temporaryRoots': temporaryRootsOf(lane).join(','),
  }),
  responses: HERO_RESPONSES,
  contracts: {
    labels: ['hero-run'],
    claims: isHeroContract,
    fields: FIELDS,
    read: readHeroContract,
    settings: laneSettings,
    cost: (contract) => readValue(contract, 'acceleratorHours'),
    source: readPinnedSource,
    container: contractContainer,
    name: runNameFromContract,
    checkpoints: buildCheckpointPlan,
    objective: (contract) => ({ kind: 'production', text: readValue(contract, 'goal') ?? '' }),
    continuationValues: continuationKnobs,
    opensIssue: { title: 'Hero run', known: knownValues },
  },
  isCritical: true,
});
