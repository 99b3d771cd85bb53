/** The contract of a rental in the place of the lane's own settings, and what it asks of the machine. */

import type { LaneConfig } from '../../../config/lane-schema.ts';
import { readCommandLine } from '../../../contracts/command-line.ts';
import { valueIn } from '../../../contracts/fields.ts';
import { branded, isSha } from '../../../domain/ids.ts';
import type { Contract, PinnedSource } from '../../../domain/launch/contract.ts';
import type { MachineNeeds } from '../../../domain/launch/machine-needs.ts';
import type { Objective } from '../../../domain/logbook/events/launch-events.ts';
import { type RentalLane, rentalLane } from '../settings.ts';
import { readEarlyStop } from './early-stop.ts';
import type { FieldName } from './fields.ts';

/** How much worse than before a metric may be that the contract names: a first run has nothing to be compared with. */
const TOLERANCE_PERCENT = '10';

function given(contract: Contract, name: FieldName): string | null {
  return valueIn(contract, name);
}

/** What is missing leaves the lane's own value, which no gate lets through. */
export function settingsOf(configured: LaneConfig, contract: Contract): RentalLane {
  const lane = rentalLane(configured);
  const value = (name: FieldName): string | null => given(contract, name);
  const line = readCommandLine(value('command') ?? '');
  const [better, key] = value('objective')?.split(' ') ?? [];
  const finalStep = value('finalStep');
  const secrets = namesIn(value('secrets'));
  return {
    ...lane,
    ...(line === null
      ? {}
      : { command: [...line.command], environment: { ...lane.environment, ...line.environment } }),
    finalStep: finalStep === null ? lane.finalStep : Number(finalStep),
    passSecrets:
      secrets === null ? lane.passSecrets : lane.passSecrets.filter((name) => secrets.includes(name)),
    metrics:
      key === undefined || (better !== 'lower' && better !== 'higher')
        ? lane.metrics
        : [{ key, better, tolerancePercent: TOLERANCE_PERCENT }],
    earlyStop: readEarlyStop(value('earlyStop') ?? ''),
    reductions: listIn(value('reductions'), '; '),
    repairs: listIn(value('repairs'), ' '),
  };
}

/** What the machine has to be and may cost; what it does not say is as the cluster has it. */
export function needsOf(contract: Contract): MachineNeeds {
  const text = <Name extends keyof MachineNeeds>(
    name: FieldName,
    key: Name,
  ): { readonly [K in Name]?: string } => {
    const value = given(contract, name);
    return value === null ? {} : ({ [key]: value } as { readonly [K in Name]?: string });
  };
  const count = <Name extends keyof MachineNeeds>(
    name: FieldName,
    key: Name,
  ): { readonly [K in Name]?: number } => {
    const value = given(contract, name);
    return value === null ? {} : ({ [key]: Number(value) } as { readonly [K in Name]?: number });
  };
  const [minutes] = /\d+/.exec(given(contract, 'teardown') ?? '') ?? [];
  return {
    ...text('gpu', 'gpu'),
    ...count('gpus', 'gpus'),
    ...count('vram', 'vramGb'),
    ...count('ram', 'ramGb'),
    ...count('disk', 'diskGb'),
    ...text('reliability', 'reliability'),
    ...text('image', 'image'),
    ...text('price', 'dollarsPerHourMax'),
    ...text('cap', 'dollarsMax'),
    ...count('hours', 'hoursMax'),
    ...(minutes === undefined ? {} : { endGraceMinutes: Number(minutes) }),
  };
}

/** The commit that the run is of; null: of the lane's branch. */
export function sourceOf(contract: Contract): PinnedSource | null {
  const commit = given(contract, 'commit');
  return commit === null ? null : { commit: branded(commit, isSha), branch: given(contract, 'branch') };
}

/** What it is rented for. */
export function objectiveOf(contract: Contract): Objective {
  return { kind: 'production', text: given(contract, 'reason') ?? '' };
}

/** Names of secrets; null where nothing is said of them. */
export function namesIn(said: string | null): readonly string[] | null {
  return said === null ? null : listIn(said, ' ');
}

function listIn(said: string | null, between: string): readonly string[] {
  return said === null || said === 'none' ? [] : said.split(between);
}
