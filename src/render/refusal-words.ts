/** Why the runner would not carry out an order, in words. */

import { REFUSALS, type RefusalCode } from '../domain/launch/refusal.ts';
import type { PlaceWord } from './place-word.ts';
import { code } from './words.ts';

/** The sentence for a refusal; a code of another version is shown as it stands. */
export function refusalWords(reason: string, place: PlaceWord = 'pull request'): string {
  if (!isRefusal(reason)) return code(reason);
  return (place === 'issue' ? IN_ISSUE[reason] : undefined) ?? WORDS[reason];
}

function isRefusal(reason: string): reason is RefusalCode {
  return (REFUSALS as readonly string[]).includes(reason);
}

const WORDS: Readonly<Record<RefusalCode, string>> = {
  'order-unknown': 'The logbook has no such order.',
  'order-void': 'What the order rested on had fallen.',
  'order-used': 'The order was carried out before.',
  'order-expired': 'The order had lapsed.',
  'other-repository': 'The order is for another repository.',
  'stop-requested': 'Somebody had asked for a stop.',
  'approval-gone': 'The approving comment is gone.',
  'approval-edited': 'The approving comment was edited.',
  'approval-hidden': 'The approving comment was hidden.',
  'approval-by-another': 'The approving comment is by another person than recorded.',
  'approver-lost-permission': 'The approver may not approve any more.',
  'too-few-approvals': 'There are fewer approvals than the lab asks for.',
  'approval-not-given':
    'The comment that is named as the approval does not approve what would run: it has to name 32 digits of its digest.',
  'approval-elsewhere': "The comment that is named as the approval stands in another thread than this run's.",
  'approval-before-shown':
    'What would run was not on show, or not for long enough, when the approval was written: approve what the card shows now.',
  'second-card':
    'A comment that ferrybot did not write showed the launch line like a card when the approval was given. Delete or hide that comment, then approve what the card shows.',
  'approval-too-old': 'The approval is older than this lab allows.',
  'approval-other-commit': 'The approving review was written on another commit than the one that would run.',
  'approval-by-author':
    'The approver asked for the change, wrote a part of it, or edited the description or the issue.',
  'order-forged': 'The order contradicts itself or the run that it stands in.',
  'attempt-live':
    'The job of an earlier attempt of this run, or of an earlier run of its lane, is still there, whatever the record says of its end: stop it on the cluster, and ask who wrote that it had ended.',
  'attempt-otherwise':
    'The cluster says of the job of an earlier attempt that it ended otherwise than the record does: ask who wrote how it had ended.',
  'fix-not-approved':
    'No manifest that somebody approved lets this fix be launched without asking: approve what the card shows.',
  'fix-otherwise':
    'The commit is not what ferrybot itself would have put right in the files that were approved: read the difference, and approve what the card shows.',
  'relaunch-not-due': 'Nothing says that the attempt before it may be followed by the same manifest again.',
  'contract-complete': 'The contract in the issue does not say everything that a launch has to know.',
  'machine-fits': 'The machine that is asked for is none that the lab rents.',
  'secrets-named': 'The issue names a secret that the lane does not give to rented machines.',
  'reductions-bounded': 'What may be made smaller without asking is not in the command, or not smaller.',
  'early-stop-sane': 'The job could end itself too early.',
  'bottleneck-measured': 'An optimisation names no bottleneck that a sealed run has measured.',
  'entrypoint-known':
    'What the job ran that was taken over is not known whole, or is of no commit of this repository.',
  'checkpoint-proven':
    'The checkpoint to begin from is not there as it was approved, or not of the run that it was of.',
  'dri-accepted': 'Who is in charge by the contract has not accepted it.',
  'config-drift':
    'What decides how the run trains is other than in the attempt before, in a setting, in a value of a file or in code, and the contract does not say that it is meant.',
  'container-built':
    'The container was built from another commit than the one that is ordered, or nobody can tell from which.',
  'tracker-own': 'Another run of the record reports under the identity that this one would have.',
  'output-root-own':
    'The place that this run would write to is another run’s, holds what is not of its line, or is not named by its command.',
  'contract-current': 'The issue says something else than the contract that is recorded.',
  'pull-closed': 'The pull request is not open any more.',
  'base-changed': 'The pull request goes to another branch than the approved one.',
  'body-edited': 'The description of the pull request is not the one that was approved.',
  'wrong-event': 'The launch workflow was not started by a dispatch.',
  'wrong-workflow': 'Another workflow than the configured one asked for the launch.',
  'head-moved': 'The pull request has moved on since the approval.',
  fork: 'The branch lies in a fork.',
  'manifest-changed': "What the runner would run is not what was approved: the manifest's digest differs.",
  'tree-differs': 'The files on the runner are not those that were approved.',
  'secret-missing': 'The launcher lacks a secret that this lane passes to its jobs.',
  'no-state-directory': 'The launcher has no folder that keeps the records of jobs.',
  'files-left-out': 'Not every approved file would reach the job.',
  'build-files-changed':
    'The change touches files that are run while it is submitted, beside the credentials of the cluster.',
  held: 'There is a hold.',
  'held-in-thread':
    'Somebody who may hold launches has commented a brake since the newest approval, or has rejected the checkpoint that it would go on from. Lift the hold if there is one, then approve again.',
  'wrong-ref': 'The launch workflow ran from another branch than the default one.',
  unreadable: 'Something that had to be checked could not be read.',
  'target-branch': 'The pull request is not open, or does not go to the branch of the lane.',
  'head-repository': 'What would run does not lie in this repository.',
  'authors-known': 'Nobody can be named for a part of what was proposed.',
  freshness:
    'The branch is too far behind its target, or begins at a commit that the target never pointed to. Rebase it.',
  'config-valid':
    'The newest config of the default branch is not valid, or the lane of the run is not in it any more.',
  scope: "A file outside the lane's scope changes.",
  'delta-readable': 'More changes than knobs, so nobody can have reviewed the knobs.',
  'delta-declared': 'The before/after table does not say what the files say.',
  budget: 'More knobs change than the lane lets through.',
  'scale-stable': "The model's scale changes, and nobody asked for that by name.",
  'identical-rerun': 'Nothing changes, and no regression check is declared.',
  'run-name-dated': "The run is not named by the lane's pattern.",
  'risk-present': 'The description names no single risk level.',
  'last-ferry-linked': 'The description does not link the last ferry.',
  preconditions: 'A box that must be ticked before a launch is missing or open.',
  'issue-updated': 'The ferry issue is closed, unlabelled, not linked, or older than the change.',
  'cluster-matches': "The launch would go to another cluster than the lane's.",
  'cost-budget': "The run costs more than the lane's budget.",
  'lane-free': 'Another run of the lane is live.',
  'manifest-complete':
    'The proposed commit lacks something that the job gets, or not all of what would run can be seen on the card.',
};

/** Where there is no pull request. */
const IN_ISSUE: Readonly<Partial<Record<RefusalCode, string>>> = {
  'pull-closed': 'The issue is not open any more.',
  'body-edited': 'The description in the issue is not the one that was approved.',
  'head-moved': 'The branch has moved on since the approval.',
};
