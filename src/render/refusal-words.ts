/** Why the runner would not carry out an order, in words. */

import { isOrderRefusal, type OrderRefusal } from '../domain/launch/refusal.ts';
import { code } from './words.ts';

/** The sentence for a refusal. The name of a gate is enough: the card says why the gate does not pass. */
export function refusalWords(reason: string): string {
  return isOrderRefusal(reason) ? WORDS[reason] : `${code(reason)} does not pass on the runner.`;
}

const WORDS: Readonly<Record<OrderRefusal, string>> = {
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
  'approval-elsewhere':
    'The comment that is named as the approval stands in another thread than what it approves.',
  'approval-before-shown':
    'What would run was not on show, or not for long enough, when the approval was written: approve what is shown now.',
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
  'pull-closed': "The run's pull request or issue is not open any more.",
  'base-changed': 'The pull request goes to another branch than the approved one.',
  'body-edited': 'The description is not the one that was approved.',
  'wrong-event': 'The launch workflow was not started by a dispatch.',
  'wrong-workflow': 'Another workflow than the configured one asked for the launch.',
  'head-moved': 'The branch has moved on since the approval.',
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
};
