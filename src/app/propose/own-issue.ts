/** Takes somebody's own issue up as a run of a lane whose runs begin from one: its text is the contract, and nothing is opened. */

import type { RunId } from '../../domain/ids.ts';
import type { Contract } from '../../domain/launch/contract.ts';
import type { EventDataByType } from '../../domain/logbook/event.ts';
import type { ProposalRequest } from '../../domain/logbook/events/launch-events.ts';
import type { Proposing } from '../../domain/logbook/events/proposal-events.ts';
import type { SeenCommand } from '../../domain/logbook/run-state.ts';
import { hasLabel, type OwnIssue } from '../../domain/own-pull.ts';
import { dateOf } from '../../domain/time.ts';
import { recordAsDecided } from '../../logbook/transact.ts';
import type { Contracts } from '../../run/kind.ts';
import { askedLabels, ownRunId } from '../../run/own-pull.ts';
import { proposedData } from '../../run/proposal-record.ts';
import { type Answered, answerTo } from '../../run/propose-answers.ts';
import { configWith } from '../../run/run-config.ts';
import type { OpenLane } from '../open-lab.ts';
import { type AskedBy, roomFor } from './own-pull.ts';
import { outcomeUnrecorded, type RequestOutcome } from './request.ts';

/** What the command itself says of the contract. */
function askedOf(
  { command: name }: Contracts,
  { name: given, args }: SeenCommand,
): readonly { readonly path: string; readonly after: string }[] {
  if (given !== name) return [];
  return Object.entries(args).flatMap(([path, after]) => (path === 'lane' ? [] : [{ path, after }]));
}

/** What is recorded of a run that an issue is the contract of, except its threads and their author. */
export function issueData(
  { lab, config }: OpenLane,
  {
    contracts,
    run,
    contract,
  }: { readonly contracts: Contracts; readonly run: RunId; readonly contract: Contract },
  request: SeenCommand | null,
  knobs: ProposalRequest['knobs'] = [],
): Proposing['proposed'] {
  const date = dateOf(lab.now());
  const recorded = {
    experiment: '',
    objective: contracts.objective(contract),
    interval: { sinceCommit: null, sinceDate: date, fallback: true, lastRun: null },
    candidate: null,
  };
  const place = { config: configWith(config, contract), repository: lab.repository };
  const branch = { headBranch: config.lane.targetBranch };
  return {
    ...proposedData(place, { run, date, recorded, knobs }, request, branch),
    own: { label: null },
  };
}

/** What is recorded at once with the proposal is what the issue says at this moment; the gates look at what it says later. */
export async function takeUpIssue(
  open: OpenLane,
  issue: OwnIssue,
  asked: AskedBy,
): Promise<RequestOutcome | Answered> {
  const { lab, config, store } = open;
  const { contracts } = config.kind;
  if (contracts === undefined) throw new Error(`a ${config.kind.name} begins from nobody's issue`);
  const busy = roomFor(open);
  if (busy !== null) return busy;
  const knobs = asked.kind === 'command' ? (asked.knobs ?? askedOf(contracts, asked.command)) : [];
  const contract = contracts.read({ ...issue, asked: knobs }, config.lane);
  const { runs } = store.current();
  const name = contracts.name(contract);
  const run = ownRunId({ ...config, name }, dateOf(lab.now()), `issue${issue.number}`, runs);
  const request = asked.kind === 'command' ? asked.command : null;
  const label =
    asked.kind === 'label' ? askedLabels(config).find((one) => hasLabel(issue.labels, one)) : null;
  const data: EventDataByType['proposed'] = {
    ...issueData(open, { contracts, run, contract }, request, knobs),
    author: issue.author,
    requestedBy: asked.kind === 'command' ? asked.command.actor : asked.by,
    ...(asked.kind === 'command' && asked.continues !== undefined ? { continues: asked.continues } : {}),
    issue: issue.number,
    pull: issue.number,
    own: { label: label ?? null },
  };
  const drafts = [
    { type: 'proposed', role: 'control', data },
    { type: 'contracted', role: 'control', data: { contract } },
  ] as const;
  const recorded = await recordAsDecided(open, [{ run, drafts }]);
  return recorded.kind === 'recorded'
    ? answerTo('proposed', { run, pull: issue.number, issue: issue.number })
    : outcomeUnrecorded(recorded);
}
