/** The file that says how a rented run stands (policy VA, Launch Protocol): a copy of what the record says, for people beside GitHub's threads. */

import { ownerOf } from '../domain/logbook/ownership.ts';
import { phaseOf } from '../domain/logbook/phase.ts';
import { rentalTerms } from '../domain/logbook/renting.ts';
import type { RunState } from '../domain/logbook/run-state.ts';
import { rentalPart } from './rental-words.ts';
import { code, count, paragraphs, person, table, text, utc } from './words.ts';

/** `says`: what the run's contract names, under the words of its form. Without a clock: the same record has the same text. */
export function renderStatusFile(
  state: RunState,
  says: readonly (readonly [label: string, value: string])[],
): string {
  const { run, proposal, head } = state;
  const owner = ownerOf(state);
  const rows = [
    ['Status', statusText(state)],
    ['Issue', `${text(proposal.repository)}#${proposal.issue}`],
    ['Owner', owner === null ? 'nobody' : person(owner)],
    ...says.map(([label, value]) => [text(label), text(value)]),
    ...jobRows(state),
    ['Machines', rentalPart(state) ?? 'none was seen'],
    ['Torn down', teardownText(state)],
    ['Last entry', `${head.seq}, ${utc(head.at)}`],
  ];
  return `${paragraphs(
    `# ${code(run)}`,
    'Written by ferrybot after each step of the run, from its record. Nothing reads this file: whatever is changed here changes nothing, and is written over.',
    table(['', ''], rows, rows.length),
  ).trimEnd()}\n`;
}

function statusText(state: RunState): string {
  const { observation, submission, end } = state;
  const attempt = submission === null ? [] : [`attempt ${submission.attempt}`];
  const step = end?.lastStep ?? observation?.step ?? null;
  const total = end?.totalSteps ?? observation?.totalSteps ?? null;
  const steps = step === null ? [] : [`step ${step}${total === null ? '' : ` of ${total}`}`];
  const ended = end === null ? [] : [`the job ended ${end.status}`];
  return [phaseOf(state), ...attempt, ...steps, ...ended].join(', ');
}

function jobRows({ submission, gate }: RunState): readonly (readonly string[])[] {
  if (submission === null)
    return gate?.manifest == null ? [] : [['Command', code(gate.manifest.command.join(' '))]];
  const { command, commit, cluster, jobId, urls, details } = submission;
  const { dashboard } = urls;
  return [
    ['Command', code(command.join(' '))],
    ['Commit', code(commit)],
    ['Job', `${code(jobId)} on ${code(cluster)}`],
    ['Log', dashboard === undefined ? 'that of its machine' : `that of its machine: ${text(dashboard)}`],
    ['Outputs', code(String(details['outputRoot'] ?? ''))],
  ];
}

function teardownText(state: RunState): string {
  const terms = rentalTerms(state);
  if (terms === null) return 'when its job has ended';
  const { hoursMax, dollarsMax, startMinutesMax, idleMinutesMax } = terms;
  return `when its job has ended, after ${count(hoursMax, 'hour')}, at $${text(dollarsMax)}, after ${count(startMinutesMax, 'minute')} without a first step and ${count(idleMinutesMax, 'minute')} without another`;
}
