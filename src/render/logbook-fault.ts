/** The comment about a logbook that cannot be trusted: it stands in no record, because the record is what is broken. */

import { assertNever } from '../domain/assert.ts';
import { faultKey, type LogbookFault, type LookSubject } from '../domain/logbook/logbook-fault.ts';
import { markerIdentity } from '../domain/marker.ts';
import { comment } from './comment.ts';
import { code, shortCommit, text } from './words.ts';

export type FaultNotice = {
  /** The run whose logbook it is, `journal`, or the run whose thread tells about the whole branch. */
  readonly run: string;
  readonly fault: LogbookFault;
  readonly branch: string;
  /** Whether the run rents machines. */
  readonly isRental?: boolean;
};

/** What a thread is searched for before the fault is told again. */
export function logbookFaultMarker({ run, fault }: FaultNotice): string {
  return markerIdentity({ run, kind: 'incident', key: faultKey(fault) });
}

/** What happened, on what evidence, what ferrybot did, and what a person should do. */
export function renderLogbookFault(notice: FaultNotice): string {
  const { run, fault, branch } = notice;
  return comment(
    { run, kind: 'incident', key: faultKey(fault), fields: {} },
    `**${titleOf(notice)}**

- Evidence: ${evidenceOf(fault)}
- What ferrybot did: ${didOf(notice)}
- What to do: ${todoOf(fault, branch)}`,
  );
}

function titleOf({ run, fault, branch }: FaultNotice): string {
  if (fault.kind === 'bad-entry' && fault.isOfUnknownType === true)
    return `This release cannot read all of ${run === 'journal' ? 'the journal' : `the logbook of ${code(run)}`}`;
  switch (fault.kind) {
    case 'bad-entry':
    case 'entry-missing':
      return run === 'journal'
        ? 'The journal does not verify'
        : `The logbook of ${code(run)} does not verify`;
    case 'branch-missing':
      return `The logbook's branch ${code(branch)} is gone`;
    case 'branch-rewound':
      return `The logbook's branch ${code(branch)} was put back`;
    case 'push-refused':
      return run === 'journal'
        ? 'The journal cannot be written'
        : `The logbook of ${code(run)} cannot be written`;
    case 'seal-tag':
      return `The seal of ${code(run)} has lost its tag`;
    case 'tag-without-seal':
      return `A tag seals ${code(run)}, and the record does not`;
    case 'look-failed':
      if (fault.subject !== null)
        return `${SUBJECT_WORDS[fault.subject.kind](code(fault.subject.name))} could not be looked at`;
      return run === 'journal'
        ? 'A look at what belongs to no run failed'
        : `${code(run)} could not be looked at`;
    case 'read-failed':
      return run === 'journal'
        ? 'The journal could not be read'
        : `The logbook of ${code(run)} could not be read`;
    default:
      return assertNever(fault);
  }
}

const SUBJECT_WORDS: Readonly<Record<LookSubject['kind'], (name: string) => string>> = {
  comment: (name) => `The comment ${name} here`,
  lane: (name) => `The lane ${name}`,
  cluster: (name) => `The cluster ${name}`,
  branch: (name) => `The branch ${name}`,
};

/** On what it is known, in a sentence. */
export function evidenceOf(fault: LogbookFault): string {
  switch (fault.kind) {
    case 'bad-entry':
      return `line ${fault.line} (entry ${fault.seq}) is bad: ${code(fault.reason)}, ${text(fault.message)}. What stands before it is in order.`;
    case 'entry-missing':
      return `entry ${fault.seq} with the hash ${code(fault.hash)} was there, and is not any more.`;
    case 'branch-missing':
      return 'ferrybot has written to it before, and it does not exist any more. Missing is not new: no logbook is begun in its place.';
    case 'branch-rewound':
      return `it was read at ${shortCommit(fault.was)}, and ${shortCommit(fault.now)} does not continue from there.`;
    case 'push-refused':
      return `a push of what comes after entry ${fault.after} was refused: ${code(fault.message)}. What is there is in order.`;
    case 'seal-tag':
      return `the record seals ${shortCommit(fault.commit)} as ${code(fault.tag)}, and ${fault.found === null ? 'there is no such tag' : `that tag points to ${shortCommit(fault.found)}`}.`;
    case 'tag-without-seal':
      return `there is a tag ${code(fault.tag)} on ${shortCommit(fault.found)}, and the run is not sealed in the record, which is in order.`;
    case 'look-failed':
      return `ferrybot met an error of its own: ${code(fault.message)}. The record is in order.`;
    case 'read-failed':
      return `ferrybot met an error of its own while it read the file: ${code(fault.message)}. Whether the record is in order is not known.`;
    default:
      return assertNever(fault);
  }
}

function didOf({ run, fault, isRental }: FaultNotice): string {
  if (fault.kind === 'push-refused')
    return 'What cannot be recorded is not done: no approval, no launch, no seal, and no answers until a push goes through. Nothing is lost: every command that stands here is answered then, so none has to be written again. A job that runs goes on.';
  if (fault.kind === 'seal-tag')
    return 'It believes the record, which is in order, and goes on. A tag is never moved, and not made again by itself: somebody took it away.';
  if (fault.kind === 'tag-without-seal')
    return 'It believes the record: the run counts as not sealed, and no later verdict is compared with it. A tag is never taken away by itself: somebody may have made it on purpose.';
  if (fault.kind === 'read-failed')
    return 'It left this file alone and went on with the others. What hangs on it waits: no approval, no seal, no answers, and a job of its run goes on unwatched. Nothing is launched meanwhile, because what it tells might forbid it.';
  if (fault.kind === 'look-failed' && fault.subject?.kind === 'comment')
    return 'It left that comment out and went on with all others. Nothing in that comment took effect.';
  if (fault.kind === 'look-failed')
    return 'It left that off and went on with everything else. It tries again at later looks; until one goes through, what was said or pushed there may not be answered, and nothing new is begun there. A job that runs goes on; where the watch met the error, it goes on unwatched.';
  const isBranch = fault.kind === 'branch-missing' || fault.kind === 'branch-rewound';
  const isJournal = run === 'journal' && !isBranch;
  if (isJournal)
    return 'It launches nothing. A job that runs is watched on; `/stop` works in the threads of its run, and anywhere with `run=NAME`. What only the journal could answer waits until it is in order again.';
  const rented = isRental
    ? ' A machine that it rents is destroyed before a limit that was approved may be passed: what it costs is counted from the last good entry, and so is idle time, since no step is seen meanwhile.'
    : '';
  const did = isBranch
    ? 'It does nothing more in this repository: no approval, no launch, no seal, and no answers. A job that runs goes on unwatched; `/stop` stops it by its id.'
    : 'It does nothing more on this run: no approval, no launch, no seal. A job that runs goes on unwatched; `/stop` stops it by the id that the last good entry has.';
  return `${did}${rented}`;
}

function todoOf(fault: LogbookFault, branch: string): string {
  switch (fault.kind) {
    case 'bad-entry':
      if (fault.isOfUnknownType === true)
        return `bring everything that reads ${code(branch)} to the newest release that the lab uses, the process that says this among it: the entry is in order there. Where nothing here is newer than this, whoever has that key wrote it: replace the key, then run \`ferrybot logbook repair\`, which takes the entry out. Do not run it before: with a release that does not know the type it takes out what a newer one wrote.`;
      return `find out who pushed to ${code(branch)}, and run \`ferrybot logbook repair\` in a clone of the repository (\`--dry-run\` first tells what it would do): a new commit takes out what nobody signed. A key that was taken out of the config makes good entries bad: then put the key back instead. ferrybot then goes on.`;
    case 'entry-missing':
    case 'branch-missing':
    case 'branch-rewound':
      return `find out who moved ${code(branch)}, and run \`ferrybot logbook repair\` in a clone of the repository, best in the one that was fetched last: a new commit puts back what marks, history and the clone know. ferrybot then goes on. Protect the branch so that only ferrybot may push to it.`;
    case 'push-refused':
      return `where it says that there is no space, free some on the machine that said it (the git server's disk, or the one where ferrybot runs); otherwise look at the rules of ${code(branch)} and whether ferrybot may push to it. ferrybot tries again by itself at its next look.`;
    case 'seal-tag':
      return `find out who did it, put it back with ${code(putBack(fault))}, and protect the tags \`ferry/**\` by a ruleset.`;
    case 'tag-without-seal':
      return `find out who made it: a seal that was begun and refused half-way, or somebody by hand. Take it away with ${code(`git push --delete origin refs/tags/${fault.tag}`)}, unless the run is still open and is to be sealed: then \`/seal\` takes a tag on the launch commit as its own. Protect the tags \`ferry/**\` by a ruleset.`;
    case 'read-failed':
      return `run \`ferrybot logbook verify\` in a clone of the repository: it says whether the entries are in order. Then read the log of the process (*could not be read*): the place in the program stands there. A running job can be stopped by the cluster's own means.`;
    case 'look-failed':
      if (fault.subject?.kind === 'comment')
        return 'write the command again in a new comment, with nothing else in it. The log of the process (*a look failed*) says where in the program the error is.';
      return "read the log of the process that says so (*a look failed*): the place in the program stands there. If something has just been said, pushed or edited there, taking it back lets the next look through. A running job can be stopped by the cluster's own means.";
    default:
      return assertNever(fault);
  }
}

function putBack({ tag, commit, found }: Extract<LogbookFault, { kind: 'seal-tag' }>): string {
  return `git push ${found === null ? '' : '--force '}origin ${commit}:refs/tags/${tag}`;
}
