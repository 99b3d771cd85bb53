import { fillLane } from '../config/fill.ts';
import type { PullFacts } from '../domain/facts.ts';
import type { EventDataByType } from '../domain/logbook/event.ts';
import { commandKey, type SeenCommand } from '../domain/logbook/run-state.ts';
import type { LaneScopedConfig } from './lane-scope.ts';
import type { PartialProposal, Planned } from './proposing.ts';

export function proposalBranchOf(run: string): string {
  return `ferrybot/proposal/${run}`;
}

/** Whether a partial proposal belongs to this command; null: to the schedule. */
export function isPartialFor(begun: PartialProposal, command: SeenCommand | null): boolean {
  return begun.command === (command === null ? null : commandKey(command));
}

/** The recorded data of a proposal, apart from its threads. */
export function proposedData(
  { config, repository }: { readonly config: LaneScopedConfig; readonly repository: string },
  planned: Pick<Planned, 'run' | 'date' | 'recorded' | 'knobs'>,
  request: SeenCommand | null,
  pull: Pick<PullFacts, 'headBranch' | 'author'>,
): Omit<EventDataByType['proposed'], 'issue' | 'pull'> {
  const { lane, kind, laneName } = config;
  const { run, date, recorded } = planned;
  return {
    lane: laneName,
    ...(config.kinds[0] === kind ? {} : { kind: kind.name }),
    date,
    runName: fillLane(lane, { run, date }).runName,
    repository,
    baseBranch: lane.targetBranch,
    headBranch: pull.headBranch,
    ...recorded,
    author: pull.author,
    requestedBy: request?.actor ?? null,
    ...(request === null ? {} : { request: requestOf(request, planned) }),
    keys: config.keys,
  };
}

/** Only requested knobs change. */
function requestOf(
  { surface, comment, index, thread, args }: SeenCommand,
  { knobs }: Pick<Planned, 'knobs'>,
): NonNullable<EventDataByType['proposed']['request']> {
  const isNamed = Object.keys(args).some((name) => name !== 'objective');
  return { surface, comment, index, thread, knobs: isNamed ? knobs : [] };
}
