/** Recorded proposals and their branches. */

import { fillLane } from '../config/fill.ts';
import type { PullFacts } from '../domain/facts.ts';
import type { Instant } from '../domain/ids.ts';
import type { EventDataByType } from '../domain/logbook/event.ts';
import type { Proposing } from '../domain/logbook/events/proposal-events.ts';
import type { BegunProposal, JournalState } from '../domain/logbook/journal-state.ts';
import { commandKey, type RunState, type SeenCommand } from '../domain/logbook/run-state.ts';
import { dateAfter, dateOf } from '../domain/time.ts';
import type { LaneScopedConfig } from './lane-scope.ts';
import { proposalLabels } from './own-pull.ts';
import type { Planned } from './proposing.ts';

/** Each run has its own branch. */
export function proposalBranchOf(run: string): string {
  return `ferrybot/proposal/${run}`;
}

/**
 * The proposal of a lane that was begun and is not recorded as a run yet. One that was begun for a command ends with the
 * answer; any other is given up the day after the next.
 */
export function pendingProposal(
  { runs, journal }: { readonly runs: readonly RunState[]; readonly journal: JournalState },
  laneName: string,
  now: Instant,
): BegunProposal | null {
  const begun = journal.proposals.get(laneName);
  if (begun === undefined || runs.some(({ run }) => run === begun.run)) return null;
  const { request, date } = begun.proposed;
  const isPending =
    request === undefined
      ? date >= dateAfter(dateOf(now), -1)
      : journal.commands.get(commandKey(request))?.answer === null;
  return isPending ? begun : null;
}

/** The intent of a proposal that the bot writes itself. */
export function proposingData(
  place: { readonly config: LaneScopedConfig; readonly repository: string },
  planned: Planned,
  request: SeenCommand | null,
): Proposing {
  const { run, branch, issue, pull } = planned;
  const proposed = proposedData(place, planned, request, { headBranch: proposalBranchOf(run) });
  return { run, proposed, branch, issue, pull, labels: [...proposalLabels(place.config)], missing: null };
}

/** What is recorded of a proposal, whoever wrote its change, except its threads and their author. */
export function proposedData(
  { config, repository }: { readonly config: LaneScopedConfig; readonly repository: string },
  planned: Pick<Planned, 'run' | 'date' | 'recorded' | 'knobs'>,
  request: SeenCommand | null,
  { headBranch }: Pick<PullFacts, 'headBranch'>,
): Proposing['proposed'] {
  const { lane, kind, laneName } = config;
  const { run, date, recorded } = planned;
  return {
    lane: laneName,
    ...(config.kinds[0] === kind ? {} : { kind: kind.name }),
    date,
    runName: fillLane(lane, { run, date }).runName,
    repository,
    baseBranch: lane.targetBranch,
    headBranch,
    ...recorded,
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
