/** Checkpoints in words: which ones a run may start from, and the lineage of its attempts as a table. */

import type { AskCode, CheckpointChoice, JudgedCheckpoint, RefusalCode, SkipReason } from '../checkpoints/choose.ts';
import { buildRecordedLineage, checkpointName, type RecordedLineage } from '../checkpoints/lineage.ts';
import { CHECKPOINT, OUTSIDE_SOURCE } from '../domain/launch/contract.ts';
import type { RunState } from '../domain/logbook/run-state.ts';
import type { AllGateSentences } from './input.ts';
import { code, folded, joinAnd, paragraphs, person, table, text, utc } from './words.ts';

const PASSED_OVER_WORDS: Readonly<Record<SkipReason, string>> = {
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
export function explainRefusedCheckpoint(code: RefusalCode): string {
  return REFUSED[code];
}

const NOT_BEGUN: Readonly<Record<string, readonly [found: string, remedy: string]>> = {
  'no-run': [
    'no recorded run wrote there',
    `its run as *Source run*, or *${OUTSIDE_SOURCE}* if ferrybot did not launch it`,
  ],
  'other-run': ['it was written by another run than the *Source run* of the contract', 'its run as *Source run*'],
  'several-runs': ['several runs wrote there', 'one of them as *Source run*'],
};

/** Why a run does not start from the checkpoint of its contract. */
export function explainStart(code: string): string {
  const words: Readonly<Record<string, string>> = { ...REFUSED, ...ASKED };
  return NOT_BEGUN[code]?.[0] ?? words[code] ?? code;
}

/** What the DRI should write into the contract. */
function suggestStartRemedy(code: string): string {
  return NOT_BEGUN[code]?.[1] ?? 'another checkpoint, complete and of a lineage that was not rejected, or *none*';
}

/** One line per checkpoint, oldest first, then the choice; paths as in the store. */
export function formatCheckpoints(all: readonly JudgedCheckpoint[], choice: CheckpointChoice): string {
  const lines = all.map((one) => {
    const step = one.metadata === null ? 'step ?' : `step ${one.metadata.step}`;
    return `${step}  ${one.stored.path}  ${describeStanding(one)}`;
  });
  const last =
    choice.kind === 'chosen'
      ? `chosen: ${choice.checkpoint.stored.path}`
      : `none is chosen: ${ASKED[choice.code]} (${choice.why}); ask the DRI`;
  return [...lines, last].map((line) => `${stripMarkdown(line)}\n`).join('');
}

function describeStanding({ status, metadata }: JudgedCheckpoint): string {
  if (status === 'eligible') return metadata?.isTemporary === true ? 'complete, temporary' : 'complete';
  return status === 'unreadable' ? 'could not be read' : `skipped: ${PASSED_OVER_WORDS[status]}`;
}

/** A name in a store may contain control characters of a terminal. */
function stripMarkdown(line: string): string {
  return line.replace(/\p{C}/gu, '?');
}

/** Limit of attempts on the card: more do not fit on a phone. */
const LINEAGE_ATTEMPTS_SHOWN = 8;

/** The part of the card; null for a run of one attempt without a rejection. */
export function renderLineage(state: RunState): string | null {
  const lineage = buildRecordedLineage(state);
  if (lineage.attempts.length < 2 && lineage.rejections.length === 0) return null;
  const newest = { ...lineage, attempts: lineage.attempts.slice(-LINEAGE_ATTEMPTS_SHOWN) };
  return folded(
    'Lineage: the first checkpoint of each attempt',
    paragraphs(renderAttempts(newest), renderRejections(lineage)),
  );
}

/** The first checkpoint of each attempt. */
export function renderAttempts({ attempts }: Pick<RecordedLineage, 'attempts'>): string {
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

function renderRejections({ rejections }: RecordedLineage): string | null {
  const rows = rejections.map(({ step, actor, at, reason }) => [
    `from step ${step} on`,
    person(actor),
    utc(at),
    text(reason),
  ]);
  return rows.length === 0 ? null : table(['Rejected', 'By', 'When', 'Why'], rows);
}

/** Whether the output root was checked; null if an earlier attempt used it. */
function describeSearched(looked: number | null): string {
  if (looked === null) return '';
  return looked === 0 ? '; only its own machine can check whether it is empty' : '; it contains only files of this run';
}

function openParts({ missing, unclear }: Readonly<Record<'missing' | 'unclear', readonly string[]>>): string {
  return [
    ...(missing.length === 0 ? [] : [`missing: ${joinAnd(missing)}`]),
    ...(unclear.length === 0 ? [] : [`unclear: ${joinAnd(unclear)}`]),
  ].join('; ');
}

export const CONTRACT_SENTENCES = {
  'contract-complete': {
    complete: (f) =>
      f.inferred.length === 0
        ? `every value is given (${f.values} values)`
        : `every value is known; inferred: ${joinAnd(f.inferred)}`,
    incomplete: (f) => [openParts(f), 'add these values to the issue'],
    'retention-open': (f) => [
      openParts(f),
      'the DRI decides in the issue; usual are permanent checkpoints every 100000 steps, temporary ones every 15 minutes, and ten kept. ferrybot assumes no default',
    ],
  },
  'checkpoint-proven': {
    anew: () => 'starts from nothing',
    proven: (f) =>
      `starts from step ${f.step}: ${f.path}, complete, ${
        f.run === undefined
          ? 'made outside the record, according to the contract'
          : `made by ${f.run}${f.attempt === undefined ? '' : `, attempt ${f.attempt}`}`
      }`,
    refused: (f) => [
      `${f.path}: ${explainStart(f.why)}`,
      `${f.dri || 'the DRI'} names the checkpoint in the issue: ${suggestStartRemedy(f.why)}`,
    ],
    'command-differs': (f) => [
      `the command names ${f.said || 'no checkpoint'}, and the contract starts from ${f.path || 'nothing'}`,
      `write ${code(CHECKPOINT)} in the command where the path belongs, such as ${code(`--trainer.initialize_from=${CHECKPOINT}`)}; list a model, a tokenizer or data under *Other inputs* of the contract`,
    ],
    undecided: (f) => [
      `the command does not show which checkpoint it starts from: ${f.why}`,
      `write one program with its arguments, and ${code(CHECKPOINT)} where the path of the checkpoint belongs`,
    ],
    unseen: () => "only the job's own machine can see its checkpoints; the job continues from what it finds",
    'goes-on': (f) => `continues from step ${f.step}: ${f.path}, the newest usable checkpoint`,
    'none-to-go-on': (f) => [
      `there is no checkpoint to continue from: ${explainStart(f.why)}`,
      `${f.dri || 'the DRI'} comments \`/rollback step=…\`; step 0 starts from nothing`,
    ],
    'takes-other': (f) => [
      `the job would load ${f.wouldTake}, and the newest usable checkpoint is ${f.path}`,
      `write ${code(CHECKPOINT)} in the command so that \`/rollback\` works, use another output root, or remove the other checkpoint`,
    ],
  },
  'container-built': {
    none: () => 'the command names no container image; the job gets the files of the commit',
    built: (f) => `${f.image} was built from ${f.commit}, according to its label`,
    'other-commit': (f) => [
      `the label of ${f.image} names commit ${f.built}, and the contract names ${f.wanted}`,
      'name the container of that commit, or correct *Container built from* in the issue',
    ],
    'not-known': (f) => [
      `the commit of ${f.image} is unknown: ${f.why}`,
      'repair the cause; ferrybot checks again automatically',
    ],
  },
  'dri-accepted': {
    accepted: (f) => `${f.dri} is the DRI and has accepted`,
    nobody: () => ['the run has no DRI', 'name a DRI in the issue'],
    'not-accepted': (f) => [
      `${f.dri} is the DRI and has not accepted; another person wrote the issue`,
      `${f.dri} comments \`/accept\` in the issue, or the issue names another DRI`,
    ],
  },
  'config-drift': {
    'as-before': () => 'the training config equals that of every earlier attempt',
    'beside-training': (f) => `trains like the attempt before; only logging and evaluation differ: ${joinAnd(f.names)}`,
    meant: (f) => `differs from the attempt before, as the contract intends: ${joinAnd(f.names)}`,
    drift: (f) => `differs from the attempt before without being an intended change: ${joinAnd(f.names)}`,
    'old-names': () => [
      'the command still contains the names of the run that it continues',
      'write the names of this run into it, and its output root or `{outputRoot}` where the path belongs',
    ],
    'as-another-run': (f) => `differs from the run that it continues: ${joinAnd(f.names)}`,
    'may-train-otherwise': (f) => `code that may change training differs from the attempt before: ${joinAnd(f.names)}`,
  },
  'output-root-own': {
    own: (f) =>
      `writes to ${f.root}, which no other recorded run uses${describeSearched(f.looked ?? null)}${
        f.region === undefined ? '' : `; its bucket is named after ${f.region}`
      }; ${f.template === undefined ? 'the command names it' : `the command derives it by ${f.template}`}`,
    temporary: (f) => [
      `would write to ${f.root}, which is emptied after a restart or some days`,
      'name a place that keeps the checkpoints of the run',
    ],
    'not-in-command': (f) =>
      f.derived === undefined
        ? `the command does not name the contract's output root ${f.root}`
        : [
            `the command derives the output root ${f.derived}, and the contract says ${f.root}`,
            'correct *Output root* or the options of the command',
          ],
    'other-region': (f) => [
      `would write to ${f.root}; its bucket is named after ${f.there}, and the run's region is ${f.wanted}`,
      'name a bucket of that region, or correct *Region*',
    ],
    used: (f) => `would write to ${f.root}, which contains ${f.path} of another lineage; the job would load it`,
    taken: (f) => `would write to ${f.root}, and the run ${f.run} was launched to write to ${f.theirs}`,
  },
  'tracker-own': {
    own: (f) => `reports as ${f.id}, which no other recorded run uses; its resume mode is ${f.resume}`,
    taken: (f) => `would report as ${f.id}, the identity of the run ${f.run}`,
  },
  'contract-current': {
    'as-recorded': () => 'the issue matches the record',
    differs: (f) => [
      `the issue differs from the record: ${joinAnd(f.names)}`,
      'before a launch ferrybot records it automatically; after a failed attempt, name another source SHA, or revert it',
    ],
  },
  'entrypoint-known': {
    known: (f) => `the command is the one of the job, at the commit ${f.commit}`,
    'not-told': () => ['the cluster was not asked about the job yet', 'comment `/watch` in a separate issue'],
    'not-repeatable': () => [
      'the job cannot be launched again: the cluster reports no command or no GIT_COMMIT, a part of the command resembles a secret, or the command needs a shell or is too long to show',
      'launch it again by hand, with GIT_COMMIT and all secrets in variables, as one program with at most fifty arguments of at most 500 characters',
    ],
    'commit-missing': (f) => [
      `no branch of this repository has the commit ${f.commit}`,
      'push it to a branch, launch the job again by hand, and comment `/watch`',
    ],
  },
} satisfies Partial<AllGateSentences>;
