/** The job that was launched, as the policy asks it to be posted: id, cluster, links, time, command, commit (policy DF-24). */

import { checkpointName } from '../checkpoints/lineage.ts';
import type { StorePath } from '../domain/checkpoint/stored.ts';
import { limits } from '../domain/limits.ts';
import { isAdopted } from '../domain/logbook/adoption.ts';
import type { RunState, Submission } from '../domain/logbook/run-state.ts';
import { withoutTokens } from '../domain/written-secrets.ts';
import { launchedCommit } from './adoption-words.ts';
import { link } from './escape.ts';
import { code, digestHex, table, text, utc } from './words.ts';

/** Rows of what was submitted; the command has a block of its own, see `commandText`. */
export function jobTable(state: RunState, submission: Submission): string {
  const digest = state.order?.order.digest ?? null;
  const rows = [
    ['Job id', code(submission.jobId)],
    ['Cluster', `${code(submission.cluster)} (engine ${code(submission.engine)})`],
    ['Attempt', attemptText(state, submission)],
    ...startRow(state),
    [
      isAdopted({ submission }) ? 'Taken over' : 'Launched',
      `${utc(submission.at)}${submission.adopted && !isAdopted({ submission }) ? '; the job was found running under this id and adopted' : ''}`,
    ],
    ['Commit', launchedCommit(submission.commit)],
    ...(digest === null || isAdopted({ submission }) ? [] : [['Manifest', `\`${digestHex(digest)}\``]]),
    ...Object.entries(submission.urls).map(([name, url]) => [
      text(name),
      link(name, url, limits.shownTextCharsMax),
    ]),
  ];
  return table(['Launch', ''], rows);
}

/** The command as one line, with each secret replaced, quoted where a blank would hide where an argument ends. */
export function commandText(command: readonly string[]): string {
  const line = command
    .map((part) => (/^[\w@%+=:,./{}-]+$/.test(part) ? part : `'${part.replaceAll("'", "'\\''")}'`))
    .join(' ');
  return withoutTokens(line);
}

/** The checkpoint that its command was given. */
function startRow({ order }: RunState): readonly (readonly string[])[] {
  const path = order?.order.checkpoint?.path ?? order?.manifest?.resume.initializeFrom ?? null;
  return path === null ? [] : [['Goes on from', `${text(checkpointName(path as StorePath))}, ${code(path)}`]];
}

/** Which attempt it is, and how those before it ended. */
function attemptText({ attempts }: RunState, { attempt }: Submission): string {
  const before = attempts
    .filter((past) => past.submission.attempt < attempt)
    .map(({ submission, end }) => `attempt ${submission.attempt} ended ${end.status}`);
  return before.length === 0 ? String(attempt) : `${attempt}; ${before.join(', ')}`;
}
