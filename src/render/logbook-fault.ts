/** The comment about a logbook that cannot be trusted. It is in no record, because the record is broken. */

import { faultKey, type LogbookFault } from '../domain/logbook/logbook-fault.ts';
import { markerIdentity } from '../domain/marker.ts';
import { assertNever } from '../domain/values.ts';
import { incidentText } from './incident-words.ts';
import type { IncidentText } from './input.ts';
import { code, comment, shortCommit, text } from './words.ts';

export type FaultNotice = {
  /** The run of the broken logbook, `journal`, or the run in whose thread a fault of the branch is reported. */
  readonly run: string;
  readonly fault: LogbookFault;
  readonly branch: string;
  /** Whether the run rents machines. */
  readonly isRental?: boolean;
};

/** The marker by which a thread is searched before the fault is reported again. */
export function logbookFaultMarker({ run, fault }: FaultNotice): string {
  return markerIdentity({ run, kind: 'incident', key: faultKey(fault) });
}

/** What happened, on what evidence, what ferrybot did, and what a person should do. */
export function renderLogbookFault(notice: FaultNotice): string {
  const { run, fault } = notice;
  const words = faultWords(notice);
  const body = incidentText(`**${words.title}**`, [], { ...words, evidence: evidenceOf(fault) });
  return comment({ run, kind: 'incident', key: faultKey(fault), fields: {} }, body);
}

const REPAIR = 'run `ferrybot logbook repair` in a clone of the repository';
const PROTECT_TAGS = 'protect the tags `ferry/**` by a ruleset.';

function faultWords(notice: FaultNotice): Omit<IncidentText, 'evidence'> {
  const { run, fault, branch } = notice;
  const logbook = run === 'journal' ? 'The journal' : `The logbook of ${code(run)}`;
  switch (fault.kind) {
    case 'bad-entry':
      return fault.isOfUnknownType === true
        ? {
            title: `This release cannot read all of ${logbook.replace('The', 'the')}`,
            did: stoppedWords(notice),
            todo: `bring everything that reads ${code(branch)} to the newest release that the lab uses, including the process that reports this: the entry is valid there. If no newer release is in use, a stranger has the key: replace the key, then run \`ferrybot logbook repair\`, which removes the entry. Do not run it before: a release that does not know the type removes valid entries of a newer one.`,
          }
        : {
            title: `${logbook} does not verify`,
            did: stoppedWords(notice),
            todo: `find out who pushed to ${code(branch)}, and ${REPAIR} (\`--dry-run\` first shows the changes): a new commit removes unsigned entries. If a key was removed from the config, good entries become bad: restore the key instead. ferrybot then continues.`,
          };
    case 'entry-missing':
    case 'branch-missing':
    case 'branch-rewound':
      return {
        title:
          fault.kind === 'entry-missing'
            ? `${logbook} does not verify`
            : `The logbook's branch ${code(branch)} ${fault.kind === 'branch-missing' ? 'is gone' : 'was put back'}`,
        did: stoppedWords(notice),
        todo: `find out who moved ${code(branch)}, and ${REPAIR}, preferably in the clone with the newest fetch: a new commit restores what marks, history and the clone contain. ferrybot then continues. Protect the branch so that only ferrybot may push to it.`,
      };
    case 'push-refused':
      return {
        title: `${logbook} cannot be written`,
        did: 'ferrybot does nothing that it cannot record: no approval, no launch, no seal, and no answers until a push succeeds. Nothing is lost: ferrybot then answers every command in this thread, so do not repeat any. A running job continues.',
        todo: `if the message reports no space, free some on the machine that reported it (the git server's disk, or the machine of ferrybot); otherwise check the rules of ${code(branch)} and whether ferrybot may push to it. ferrybot retries automatically.`,
      };
    case 'seal-tag':
      return {
        title: `The seal of ${code(run)} has lost its tag`,
        did: 'ferrybot trusts the valid record and continues. It never moves or restores a tag: a person removed it.',
        todo: `find out who did it, put it back with ${code(putBack(fault))}, and ${PROTECT_TAGS}`,
      };
    case 'tag-without-seal':
      return {
        title: `A tag seals ${code(run)}, and the record does not`,
        did: 'ferrybot trusts the record: the run counts as not sealed, and no later verdict is compared with it. It never removes a tag: a person may have made it on purpose.',
        todo: `find out who made it: an interrupted seal, or a person. Remove it with ${code(`git push --delete origin refs/tags/${fault.tag}`)}, unless the run is still open and will be sealed: \`/seal\` adopts a tag on the launch commit. Then ${PROTECT_TAGS}`,
      };
    case 'look-failed':
      return {
        title: lookFailedTitle(run, fault.subject),
        did:
          fault.subject?.kind === 'comment'
            ? 'ferrybot skipped that comment and processed all others. Nothing in that comment took effect.'
            : 'ferrybot skipped it, processed everything else, and will retry. Until then, new commands and pushes there may get no answer and nothing new starts there. A running job continues; if the watch met the error, the job is unwatched.',
        todo:
          fault.subject?.kind === 'comment'
            ? 'write the command again in a new comment, with nothing else in it. The log of the process (*a look failed*) has the place of the error in the program.'
            : "read the log of the process (*a look failed*): it has the place of the error in the program. If a recent comment, push or edit caused it, take that back. Stop a running job with the cluster's own tools.",
      };
    case 'read-failed':
      return {
        title: `${logbook} could not be read`,
        did: 'ferrybot skipped this file and processed the others. Everything that depends on it waits: no approval, no seal, no answers, and a job of its run is unwatched. Nothing launches meanwhile, because the file may forbid it.',
        todo: "run `ferrybot logbook verify` in a clone of the repository to check the entries. Then read the log of the process (*could not be read*), which has the place in the program. Stop a running job with the cluster's own tools.",
      };
    default:
      return assertNever(fault);
  }
}

function lookFailedTitle(
  run: string,
  subject: Extract<LogbookFault, { kind: 'look-failed' }>['subject'],
): string {
  if (subject !== null) return `The ${subject.kind} ${code(subject.name)} could not be processed`;
  return run === 'journal'
    ? 'A check of what belongs to no run failed'
    : `${code(run)} could not be processed`;
}

/** On what it is known, in a sentence. */
export function evidenceOf(fault: LogbookFault): string {
  switch (fault.kind) {
    case 'bad-entry':
      return `line ${fault.line} (entry ${fault.seq}) is bad: ${code(fault.reason)}, ${text(fault.message)}. Every entry before it is valid.`;
    case 'entry-missing':
      return `entry ${fault.seq} with the hash ${code(fault.hash)} was there, and is missing now.`;
    case 'branch-missing':
      return 'ferrybot has written to it before, and it does not exist any more. ferrybot starts no new logbook in its place.';
    case 'branch-rewound':
      return `it was read at ${shortCommit(fault.was)}, and ${shortCommit(fault.now)} does not continue from there.`;
    case 'push-refused':
      return `the push after entry ${fault.after} was refused: ${code(fault.message)}. The existing entries are valid.`;
    case 'seal-tag':
      return `the record seals ${shortCommit(fault.commit)} as ${code(fault.tag)}, and ${fault.found === null ? 'there is no such tag' : `that tag points to ${shortCommit(fault.found)}`}.`;
    case 'tag-without-seal':
      return `there is a tag ${code(fault.tag)} on ${shortCommit(fault.found)}, and the run is not sealed in the record, which is valid.`;
    case 'look-failed':
      return `ferrybot had an internal error: ${code(fault.message)}. The record is valid.`;
    case 'read-failed':
      return `ferrybot had an internal error while it read the file: ${code(fault.message)}. Whether the record is valid is unknown.`;
    default:
      return assertNever(fault);
  }
}

/** What ferrybot stops doing while a record does not verify. */
function stoppedWords({ run, fault, isRental }: FaultNotice): string {
  const isBranch = fault.kind === 'branch-missing' || fault.kind === 'branch-rewound';
  if (run === 'journal' && !isBranch)
    return 'It launches nothing. It keeps watching running jobs; `/stop` works in the threads of its run, and in any thread with `run=NAME`. Commands that need the journal wait until it is repaired.';
  const rented = isRental
    ? ' A machine that it rents is destroyed before a limit of the approval is exceeded: cost and idle time count from the last good entry.'
    : '';
  const did = isBranch
    ? 'It does nothing more in this repository: no approval, no launch, no seal, and no answers. A running job continues unwatched; `/stop` stops it by its id.'
    : 'It does nothing more on this run: no approval, no launch, no seal. A running job continues unwatched; `/stop` stops it by the id in the last good entry.';
  return `${did}${rented}`;
}

function putBack({ tag, commit, found }: Extract<LogbookFault, { kind: 'seal-tag' }>): string {
  return `git push ${found === null ? '' : '--force '}origin ${commit}:refs/tags/${tag}`;
}
