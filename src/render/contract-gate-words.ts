/** What the gates on a contract, and on a job that was taken over, answer, in words. */

import { CHECKPOINT } from '../domain/launch/contract.ts';
import { startRemedy, startWords } from './checkpoints.ts';
import type { AllGateSentences } from './input.ts';
import { code, listed, text } from './words.ts';

/** Whether anybody could look at what lies there; null where an attempt has been there before. */
function lookedWords(looked: number | null): string {
  if (looked === null) return '';
  return looked === 0
    ? '; whether it is empty only its own machine can see'
    : '; nothing lies there that is not of its line';
}

/** What a contract does not say, and what it says so that nobody can use it. */
function openParts({
  missing,
  unclear,
}: {
  readonly missing: readonly string[];
  readonly unclear: readonly string[];
}): string {
  return [
    ...(missing.length === 0 ? [] : [`missing: ${listed(missing.map(text))}`]),
    ...(unclear.length === 0 ? [] : [`unclear: ${listed(unclear.map(unclearPart))}`]),
  ].join('; ');
}

/** Recorded as *label: what is wanted*, which may have commas of its own. */
function unclearPart(part: string): string {
  const [label = '', wanted] = part.split(/: (.*)/s, 2);
  return wanted === undefined ? text(part) : `${text(label)} (wanted is ${text(wanted)})`;
}

export const CONTRACT_SENTENCES = {
  'contract-complete': {
    complete: (f) => [
      f.inferred.length === 0
        ? `everything is given (${f.values} values)`
        : `everything is known; inferred: ${listed(f.inferred.map(text))}`,
    ],
    incomplete: (f) => [openParts(f), 'whoever is responsible says so in the issue'],
    'retention-open': (f) => [
      openParts(f),
      'the DRI chooses in the issue; usual are permanent checkpoints every 100000 steps, temporary ones every 15 minutes, and ten kept, and nobody assumes them',
    ],
  },
  'checkpoint-proven': {
    anew: () => ['begins from nothing'],
    proven: (f) => [
      `begins from step ${f.step}: ${code(f.path)}, complete, ${
        f.run === undefined
          ? 'made outside the record, as the contract says'
          : `made by ${code(f.run)}${f.attempt === undefined ? '' : `, attempt ${f.attempt}`}`
      }`,
    ],
    refused: (f) => [
      `${code(f.path)}: ${startWords(f.why)}`,
      `${f.dri === '' ? 'the DRI' : code(f.dri)} names in the issue what it begins from: ${startRemedy(f.why)}`,
    ],
    'command-differs': (f) => [
      `the command names ${f.said === '' ? 'no checkpoint' : code(f.said)}, and the contract begins from ${f.path === '' ? 'nothing' : code(f.path)}`,
      `write ${code(CHECKPOINT)} in the command where the path belongs, such as ${code(`--trainer.initialize_from=${CHECKPOINT}`)}; list a model, a tokenizer or data under *Other inputs* of the contract`,
    ],
    undecided: (f) => [
      `nobody can tell from the command what it begins from: ${text(f.why)}`,
      `write one program with its arguments, and ${code(CHECKPOINT)} where the path of the checkpoint belongs`,
    ],
    unseen: () => ["only the job's own machine can look for its checkpoints: it goes on from what it finds"],
    'goes-on': (f) => [`goes on from step ${f.step}: ${code(f.path)}, the newest that may be used`],
    'none-to-go-on': (f) => [
      `there is no checkpoint to go on from: ${startWords(f.why)}`,
      `${f.dri === '' ? 'the DRI' : code(f.dri)} says \`/rollback step=…\`; step 0 begins from nothing`,
    ],
    'takes-other': (f) => [
      `the job would take ${code(f.takes)} by itself, and ${code(f.path)} is the newest that may be used`,
      `\`/rollback\` needs ${code(CHECKPOINT)} in the command; without it another output root is left, or the other checkpoint is taken away`,
    ],
  },
  'container-built': {
    none: () => ['names no image of a container: the job gets the files of the commit'],
    built: (f) => [`${code(f.image)} was built from ${code(f.commit)}, as its label says`],
    'other-commit': (f) => [
      `${code(f.image)} was built from ${code(f.built)} by its label, and the contract says ${code(f.wanted)}`,
      'name the container of that commit, or write the other commit in the issue under *Container built from*',
    ],
    'not-known': (f) => [
      `nobody can tell which commit ${code(f.image)} was built from: ${text(f.why)}`,
      'repair what is named here; ferrybot looks again by itself',
    ],
  },
  'dri-accepted': {
    accepted: (f) => [`${code(f.dri)} is in charge, and has accepted it`],
    nobody: () => ['nobody is in charge', 'the issue names a DRI'],
    'not-accepted': (f) => [
      `${code(f.dri)} is in charge by the issue, which somebody else wrote, and has not accepted it`,
      `${code(f.dri)} says \`/accept\` in the issue, or it names another DRI`,
    ],
  },
  'config-drift': {
    'as-before': () => ['no attempt before it trained otherwise'],
    'beside-training': (f) => [
      `trains as the attempt before: only logging and evaluation differ: ${listed(f.names.map(text))}`,
    ],
    meant: (f) => [`other than in the attempt before, as the contract says: ${listed(f.names.map(text))}`],
    drift: (f) => [
      `other than in the attempt before, and nobody says that it is meant: ${listed(f.names.map(text))}`,
      'put it back, or name it in the contract under *Intended changes*',
    ],
    'old-names': () => [
      'its command is word for word that of the run that it goes on from, with the names of that one in it',
      'write the names of this run into it, and its output root or `{outputRoot}` where the path belongs',
    ],
    'as-another-run': (f) => [
      `other than in the run that it goes on from, which is what another run is for: ${listed(f.names.map(text))}`,
    ],
    'may-train-otherwise': (f) => [
      `code that may train otherwise differs from the attempt before: ${listed(f.names.map(text))}`,
      'the DRI decides: `/resume-as` goes on as another run, and a file that is named under *Intended changes* goes on in this one',
    ],
  },
  'output-root-own': {
    own: (f) => [
      `writes to ${code(f.root)}, where no other run of the record does${lookedWords(f.looked ?? null)}${
        f.region === undefined ? '' : `; by its bucket's name it lies in ${text(f.region)}`
      }`,
    ],
    'not-in-command': (f) => [
      `would write to ${code(f.root)} by the contract, and its command names no such place`,
      `name it in the command, or write \`{outputRoot}\` where the path belongs`,
    ],
    'other-region': (f) => [
      `would write to ${code(f.root)}, whose bucket is named after ${text(f.there)}, and it runs in ${text(f.wanted)}`,
      'name a bucket of that region, or under *Region* the one that is meant',
    ],
    used: (f) => [
      `would write to ${code(f.root)}, where ${code(f.path)} lies, which is not of its line: the job would take it for its own`,
      `name an empty output root in the issue, or under *Source run* the run that it goes on from`,
    ],
    taken: (f) => [
      `would write to ${code(f.root)}, and the run ${code(f.run)} was launched to write to ${code(f.theirs)}`,
      `name another output root in the issue, or under *Source run* the run that it goes on from`,
    ],
  },
  'tracker-own': {
    own: (f) => [
      `reports as ${code(f.id)}, as no other run of the record does; to resume there is ${code(f.resume)}`,
    ],
    taken: (f) => [
      `would report as ${code(f.id)}, and the run ${code(f.run)} was launched under that identity`,
      'name another run id in the issue, or under *Source run* the run that it goes on from',
    ],
  },
  'contract-current': {
    'as-recorded': () => ['the issue says what is recorded'],
    differs: (f) => [
      `the issue says something else than what is recorded: ${listed(f.names.map(text))}`,
      'before a launch ferrybot records it by itself; after an attempt has failed, name another source SHA, or put it back',
    ],
  },
  'entrypoint-known': {
    known: (f) => [`the command is the one that the job told, at the commit ${code(f.commit)}`],
    'not-told': () => ['nobody has asked the cluster what the job is', 'say `/watch` in an issue of its own'],
    'not-repeatable': () => [
      'the job cannot be launched as it was: the cluster tells no command or no GIT_COMMIT, a part of the command looked like a secret, or the command needs a shell or is too long to be shown',
      'launch it again by hand, with GIT_COMMIT and all secrets in variables, as one program with at most fifty arguments of at most 500 characters',
    ],
    'commit-missing': (f) => [
      `no branch of this repository has the commit ${code(f.commit)}`,
      'push it to a branch, launch the job again by hand, and say `/watch`',
    ],
  },
} satisfies Partial<AllGateSentences>;
