/** The hero run: an expensive production run of weeks, launched from the contract in its issue. */

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
import type { Contract } from '../../domain/launch/contract.ts';
import { brandAs, isRunId, type RunId } from '../../domain/values.ts';
import { defineKind } from '../../run/kind.ts';
import { configDrift } from './config-drift.ts';
import { FIELDS, type FieldName } from './contract/fields.ts';
import { buildCheckpointPlan, isHeroContract, laneSettings, readHeroContract } from './contract/read-contract.ts';
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

/** The run's name from the contract's slug; null if the slug is missing or unclear. */
function runNameFromContract(contract: Contract): RunId | null {
  const slug = readValue(contract, 'slug');
  // rule HR-71
  return slug === null ? null : brandAs(slug, isRunId);
}

/** Only a container that a person wrote: ferrybot ships the commit's tree and knows no container for it. */
function contractContainer(contract: Contract): string | null {
  return contract['bundle']?.source === 'given' ? readValue(contract, 'bundle') : null;
}

/** The new run's own name, tracker identity and output root, and the checkpoint of the old run (policy HR-52). */
function continuationKnobs(
  old: RunId,
  { id = '', from = '', root }: Readonly<Record<string, string>>,
): readonly { readonly path: FieldName; readonly after: string }[] {
  return [
    { path: 'slug', after: id },
    // rule HR-52
    { path: 'trackerId', after: id },
    { path: 'trackerName', after: id },
    { path: 'initializeFrom', after: from },
    { path: 'sourceRun', after: old },
    ...(root === undefined ? [] : [{ path: 'outputRoot' as const, after: root }]),
  ];
}

/** The requester is the DRI until the contract names another person; the requested objective is the goal (policy HR-15). */
function knownValues({ login, objective }: { readonly login: string; readonly objective: string | null }): {
  readonly [Name in FieldName]?: string;
} {
  return { dri: login, ...(objective === null ? {} : { goal: objective }) };
}
