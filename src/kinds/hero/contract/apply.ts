/** The contract in the place of the lane's own settings, so that everything downstream launches what the issue says. */

import type { LaneConfig } from '../../../config/lane-schema.ts';
import { branded, isSha } from '../../../domain/ids.ts';
import type { Contract, PinnedSource } from '../../../domain/launch/contract.ts';
import type { Objective } from '../../../domain/logbook/events/launch-events.ts';
import { readCommandLine } from './command-line.ts';
import type { FieldName } from './fields.ts';
import { contractValue } from './read-contract.ts';

/** What is missing leaves the lane's own value, which no gate lets through. */
export function settingsOf(lane: LaneConfig, contract: Contract): LaneConfig {
  const number = (name: FieldName): number | null => {
    const value = contractValue(contract, name);
    return value === null ? null : Number(value);
  };
  const line = readCommandLine(contractValue(contract, 'command') ?? '');
  const policy = contractValue(contract, 'resume')?.toLowerCase();
  const cadence = number('cadence');
  return {
    ...lane,
    runName: contractValue(contract, 'trackerId') ?? contractValue(contract, 'slug') ?? lane.runName,
    outputRoot: contractValue(contract, 'outputRoot') ?? lane.outputRoot,
    ...(line === null
      ? {}
      : { command: [...line.command], environment: { ...lane.environment, ...line.environment } }),
    finalStep: number('finalStep'),
    resume: { policy: policy === 'allow' || policy === 'must' ? policy : 'never' },
    retention: {
      permanentEverySteps: number('permanent'),
      temporaryEveryMinutes: number('temporary'),
      keepTemporary: number('rollback'),
    },
    cadence:
      cadence === null
        ? lane.cadence
        : { ...lane.cadence, pollMs: Math.min(lane.cadence.pollMs, cadence * 60_000) },
  };
}

/** The commit that the run is of, wherever branches go. */
export function sourceOf(contract: Contract): PinnedSource | null {
  const commit = contractValue(contract, 'commit');
  return commit === null
    ? null
    : { commit: branded(commit, isSha), branch: contractValue(contract, 'branch') };
}

/** What it is for, in the DRI's own words. */
export function objectiveOf(contract: Contract): Objective {
  return { kind: 'production', text: contractValue(contract, 'goal') ?? '' };
}
