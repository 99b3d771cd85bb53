/** Opens the issue of a run that has none, with what the command says of it: people write there what is missing. */

import { namesOf } from '../../contracts/fields.ts';
import type { RunId } from '../../domain/ids.ts';
import type { SeenCommand } from '../../domain/logbook/run-state.ts';
import { dateOf, toRfc3339 } from '../../domain/time.ts';
import { folderOf, markdownPath } from '../../logbook/segments.ts';
import { renderRunIssue } from '../../render/run-issue.ts';
import type { Contracts } from '../../run/kind.ts';
import { ownRunId, proposalLabels } from '../../run/own-pull.ts';
import { refused } from '../../run/propose-answers.ts';
import { askOf } from '../../run/propose-request.ts';
import type { OpenLane } from '../open-lab.ts';
import { begin } from './begin.ts';
import { answerObstacle, obstacleIn, type RequestOutcome, requestOutcome } from './outcome.ts';
import { issueData } from './own-thread.ts';

/** Throws `GitError`. */
export async function openIssueFor(open: OpenLane, command: SeenCommand): Promise<RequestOutcome> {
  const { config } = open;
  const { contracts } = config.kind;
  if (contracts?.opens === undefined) throw new Error(`a ${config.kind.name} is opened no issue`);
  const obstacle = obstacleIn(open);
  if (obstacle !== null) return answerObstacle(obstacle);
  const { knobs, objective } = askOf(command);
  const names = namesOf(contracts.fields);
  const unknownKnob = knobs.find(([name]) => !names.includes(name));
  if (unknownKnob !== undefined) return refused('no-value', unknownKnob[0], names.join(' '));
  const known = contracts.opens.known({ login: command.actor.login, objective });
  const said = { ...known, ...Object.fromEntries(knobs) };
  const run = nameFor(open, contracts, command, said, objective);
  if (run === null) return refused('no-name', '', 'slug=…');
  const title = `${contracts.opens.title}: ${run}`;
  const body = bodyOf(open, command, contracts, { run, said });
  const contract = contracts.read({ title, body, author: command.actor, asked: [] }, config.lane);
  const proposed = issueData(open, { contracts, run, contract }, command);
  const labels = [...contracts.labels, ...proposalLabels(config)];
  const intent = { run, proposed, issue: { title, body }, pull: null, contract, labels, missing: null };
  return requestOutcome(await begin(open, { intent, command }));
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
