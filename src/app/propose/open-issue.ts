/** Opens the issue of a run that nobody has an issue for, with what the command says of it, and takes it up: what is missing people write there. */

import { namesOf } from '../../contracts/fields.ts';
import type { RunId } from '../../domain/ids.ts';
import { commandKey, type SeenCommand } from '../../domain/logbook/run-state.ts';
import { markerIdentity, markerText } from '../../domain/marker.ts';
import { dateOf, toRfc3339 } from '../../domain/time.ts';
import { readOwnThread } from '../../github/own-pull.ts';
import { folderOf, markdownPath } from '../../logbook/segments.ts';
import { renderRunIssue } from '../../render/run-issue.ts';
import type { Contracts } from '../../run/kind.ts';
import { ownRunId, proposalLabels } from '../../run/own-pull.ts';
import { refusedIssue } from '../../run/propose-answers.ts';
import { askOf } from '../../run/propose-request.ts';
import { perform } from '../control/perform.ts';
import type { OpenLane } from '../open-lab.ts';
import { takeUpIssue } from './own-issue.ts';
import { roomFor } from './own-pull.ts';
import type { RequestOutcome } from './request.ts';

/** Every step is found again by the command: after a crash it is called again. */
export async function openIssueFor(open: OpenLane, command: SeenCommand): Promise<RequestOutcome> {
  const { config } = open;
  const { contracts } = config.kind;
  if (contracts?.opens === undefined) throw new Error(`a ${config.kind.name} is opened no issue`);
  const busy = roomFor(open);
  if (busy !== null) return busy;
  const { knobs, objective } = askOf(command);
  const names = namesOf(contracts.fields);
  const unknownKnob = knobs.find(([name]) => !names.includes(name));
  if (unknownKnob !== undefined) return refusedIssue('no-value', unknownKnob[0], names.join(' '));
  const known = contracts.opens.known({ login: command.actor.login, objective });
  const said = { ...known, ...Object.fromEntries(knobs) };
  const run = nameFor(open, contracts, command, said, objective);
  if (run === null) return refusedIssue('no-name', '', 'slug=…');
  const written = bodyOf(open, command, contracts, { run, said });
  return takenUp(open, command, written, await opened(open, command, contracts, { run, written }));
}

/** What its contract calls it, or what it is for where that says nothing. */
function nameFor(
  { config, lab, store }: OpenLane,
  contracts: Contracts,
  { actor: author }: SeenCommand,
  said: Readonly<Record<string, string>>,
  objective: string | null,
): RunId | null {
  const asked = Object.entries(said).map(([path, after]) => ({ path, after }));
  const contract = contracts.read({ title: objective ?? '', body: '', author, asked }, config.lane);
  const name = contracts.name(contract);
  if (name === null) return null;
  return ownRunId({ ...config, name }, dateOf(lab.now()), '', store.current().runs);
}

function bodyOf(
  { config, lab }: OpenLane,
  { actor: by, thread }: SeenCommand,
  { fields }: Contracts,
  { run, said }: { readonly run: RunId; readonly said: Readonly<Record<string, string>> },
): string {
  const answers = namesOf(fields).map(
    (name) => [fields[name]?.label ?? name, name === 'slug' ? run : (said[name] ?? null)] as const,
  );
  const logbook = markdownPath(folderOf(run, toRfc3339(lab.now())));
  return renderRunIssue({ by, thread, logbookBranch: config.logbookBranch, logbook, answers });
}

function opened(
  open: OpenLane,
  command: SeenCommand,
  { opens, labels }: Contracts,
  { run, written }: { readonly run: RunId; readonly written: string },
): ReturnType<typeof perform> {
  const key = `asked-${commandKey(command).replaceAll(':', '-')}`;
  const marker = { run: 'journal', kind: 'issue', key } as const;
  return perform(open, {
    kind: 'open-issue',
    marker: markerIdentity(marker),
    title: `${opens?.title}: ${run}`,
    body: `${markerText({ ...marker, fields: {} })}\n${written}`,
    labels: ['experiment', ...labels, ...proposalLabels(open.config)],
  });
}

async function takenUp(
  open: OpenLane,
  command: SeenCommand,
  written: string,
  outcome: Awaited<ReturnType<typeof perform>>,
): Promise<RequestOutcome> {
  if (outcome.kind !== 'done' || outcome.number === null)
    return { kind: 'wait', why: `the issue: ${outcome.kind === 'done' ? 'no number' : outcome.message}` };
  const read = await readOwnThread(open.lab.client, outcome.number);
  if (read.kind === 'unknown') return { kind: 'wait', why: read.why };
  const issue = read.value;
  if (issue === null || issue.kind !== 'issue')
    return { kind: 'wait', why: `#${outcome.number} cannot be read yet` };
  return takeUpIssue(open, issue, { kind: 'command', command, knobs: [], written });
}
