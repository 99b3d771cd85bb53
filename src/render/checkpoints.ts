/** Checkpoints in words: which ones a run may begin from, and the lineage of its attempts as a table. */

import type { AskCode, Choice, JudgedCheckpoint, PassedOver, RefusalCode } from '../checkpoints/choose.ts';
import { checkpointName, lineageOf, type RecordedLineage } from '../checkpoints/lineage.ts';
import { OUTSIDE } from '../domain/launch/contract.ts';
import type { RunState } from '../domain/logbook/run-state.ts';
import { code, details, paragraphs, person, table, text, utc } from './words.ts';

const PASSED_OVER_WORDS: Readonly<Record<PassedOver, string>> = {
  'no-metadata': 'incomplete: it has no metadata.json',
  'bad-metadata': 'incomplete: its metadata.json has no step and time',
  misnamed: 'its folder and its metadata.json name different steps',
  'above-max': 'its step is above the bound',
  excluded: 'it is excluded',
  foreign: 'no attempt of this run was writing when it was written',
  rejected: 'its lineage was rejected',
  unvalidated: 'its attempt may continue a rejected checkpoint',
};

const REFUSED: Readonly<Record<RefusalCode, string>> = {
  ...PASSED_OVER_WORDS,
  unreadable: 'it, or another one of its step, could not be read',
  'not-there': 'there is no such checkpoint',
};

const ASKED: Readonly<Record<AskCode, string>> = {
  'root-unreadable': 'a root could not be listed',
  'checkpoint-unreadable': 'one that may be newer could not be read',
  'none-complete': 'there is no complete checkpoint',
  'none-of-lineage': 'there are complete ones, but none is usable',
};

/** Why a checkpoint that was asked for is refused. */
export function refusedWords(code: RefusalCode): string {
  return REFUSED[code];
}

const NOT_BEGUN: Readonly<Record<string, readonly [found: string, remedy: string]>> = {
  'no-run': [
    'no recorded run wrote there',
    `its run as *Source run*, or *${OUTSIDE}* if ferrybot did not launch it`,
  ],
  'other-run': [
    'it was written by another run than the *Source run* of the contract',
    'its run as *Source run*',
  ],
  'several-runs': ['several runs wrote there', 'one of them as *Source run*'],
};

/** Why a run does not start from the checkpoint of its contract. */
export function startWords(code: string): string {
  const words: Readonly<Record<string, string>> = { ...REFUSED, ...ASKED };
  return NOT_BEGUN[code]?.[0] ?? words[code] ?? code;
}

/** What the DRI writes into the contract. */
export function startRemedy(code: string): string {
  return (
    NOT_BEGUN[code]?.[1] ?? 'another checkpoint, complete and of a lineage that was not rejected, or *none*'
  );
}

/** One line for each, oldest first, and the answer; paths as in the store. */
export function checkpointLines(all: readonly JudgedCheckpoint[], choice: Choice): string {
  const lines = all.map((one) => {
    const step = one.metadata === null ? 'step ?' : `step ${one.metadata.step}`;
    return `${step}  ${one.stored.path}  ${standingWords(one)}`;
  });
  const last =
    choice.kind === 'chosen'
      ? `chosen: ${choice.checkpoint.stored.path}`
      : `none is chosen: ${ASKED[choice.code]} (${choice.why}); ask the DRI`;
  return [...lines, last].map((line) => `${plain(line)}\n`).join('');
}

function standingWords({ standing, metadata }: JudgedCheckpoint): string {
  if (standing === 'eligible') return metadata?.isTemporary === true ? 'complete, temporary' : 'complete';
  return standing === 'unreadable' ? 'could not be read' : `skipped: ${PASSED_OVER_WORDS[standing]}`;
}

/** A name in a store may contain control characters of a terminal. */
function plain(line: string): string {
  return line.replace(/\p{C}/gu, '?');
}

/** Attempts that the card draws: more do not fit a phone. */
const LINEAGE_ATTEMPTS_SHOWN = 8;

/** The part of the card; null for a run of one attempt without a rejection. */
export function lineagePart(state: RunState): string | null {
  const lineage = lineageOf(state);
  if (lineage.attempts.length < 2 && lineage.rejections.length === 0) return null;
  const newest = { ...lineage, attempts: lineage.attempts.slice(-LINEAGE_ATTEMPTS_SHOWN) };
  return details(
    'Lineage: the first checkpoint of each attempt',
    paragraphs(attemptsTable(newest), rejectionsTable(lineage)),
  );
}

/** The first checkpoint of each attempt. */
export function attemptsTable({ attempts }: Pick<RecordedLineage, 'attempts'>): string {
  return table(
    ['Attempt', 'Started', 'Continued from', 'Newest checkpoint', 'Ended'],
    attempts.map((one) => [
      String(one.attempt),
      utc(new Date(one.from).toISOString()),
      one.startedFrom === null
        ? one.startStep === null
          ? 'not known'
          : `step ${one.startStep}`
        : `${text(checkpointName(one.startedFrom))}, ${code(one.startedFrom)}`,
      one.newestStep === null ? 'none seen' : `step ${one.newestStep}`,
      one.status,
    ]),
  );
}

function rejectionsTable({ rejections }: RecordedLineage): string | null {
  const rows = rejections.map(({ step, actor, at, reason }) => [
    `from step ${step} on`,
    person(actor),
    utc(at),
    text(reason),
  ]);
  return rows.length === 0 ? null : table(['Rejected', 'By', 'When', 'Why'], rows);
}
