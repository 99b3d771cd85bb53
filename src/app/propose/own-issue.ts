/** Takes somebody's own issue up as a run of a lane whose runs begin from one: its text is the contract, and nothing is opened. */

import { bodyFingerprintText } from '../../commands/grammar/fingerprint-text.ts';
import type { Digest } from '../../domain/ids.ts';
import type { EventDataByType } from '../../domain/logbook/event.ts';
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

/** By it what people write into it later is known from what the bot wrote. */
function printOf({ lab, config }: OpenLane, text: string): Digest {
  return lab.digestOf(bodyFingerprintText(text, config.lane.checklist.preconditions));
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
  const date = dateOf(lab.now());
  const knobs = asked.kind === 'command' ? (asked.knobs ?? askedOf(contracts, asked.command)) : [];
  const contract = contracts.read({ ...issue, asked: knobs }, config.lane);
  const { runs } = store.current();
  const run = ownRunId({ ...config, name: contracts.name(contract) }, date, `issue${issue.number}`, runs);
  const request = asked.kind === 'command' ? asked.command : null;
  const planned = {
    run,
    date,
    recorded: {
      experiment: '',
      objective: contracts.objective(contract),
      interval: { sinceCommit: null, sinceDate: date, fallback: true, lastRun: null },
      candidate: null,
    },
    knobs,
  };
  const scoped = configWith(config, contract);
  const place = { headBranch: config.lane.targetBranch };
  const labels = askedLabels(config);
  const data: EventDataByType['proposed'] = {
    ...proposedData({ config: scoped, repository: open.lab.repository }, planned, request, place),
    author: issue.author,
    requestedBy: asked.kind === 'command' ? asked.command.actor : asked.by,
    ...(asked.kind === 'command' && asked.continues !== undefined ? { continues: asked.continues } : {}),
    ...(asked.kind === 'command' && asked.written !== undefined
      ? { texts: { pull: printOf(open, asked.written) } }
      : {}),
    issue: issue.number,
    pull: issue.number,
    own: {
      label: asked.kind === 'label' ? (labels.find((one) => hasLabel(issue.labels, one)) ?? null) : null,
    },
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
