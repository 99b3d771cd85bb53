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
  'approval-invalid':
    'The comment that the order cites is no approval of what would run: it is gone, hidden, edited, or by another person, it stands in another thread, or it names another digest or commit. Approve what the card shows.',
  'approver-not-permitted':
    'The approver may not approve this: the permission is gone, or the change is their own. Another person who may approve is needed.',
  'too-few-approvals': 'There are fewer approvals than the lab asks for.',
  'approval-outdated':
    'The approval is older than this lab allows, or older than what was shown: approve what is shown now.',
  'second-card':
    'A comment that ferrybot did not write showed the launch line like a card when the approval was given. Delete or hide that comment, then approve what the card shows.',
  'order-forged': 'The order contradicts itself or the run that it stands in.',
  'attempt-live':
    'The job of an earlier attempt of this run, or of an earlier run of its lane, is still there, whatever the record says of its end: stop it on the cluster, and ask who wrote that it had ended.',
  'attempt-otherwise':
    'The cluster says of the job of an earlier attempt that it ended otherwise than the record does: ask who wrote how it had ended.',
  'fix-not-approved':
    'No approval covers this fix: the approved manifest does not allow it, or the commit is not the one that ferrybot would make. Read the difference, and approve what the card shows.',
  'relaunch-not-due': 'Nothing says that the attempt before it may be followed by the same manifest again.',
  'pull-closed': "The run's pull request or issue is not open any more.",
  'wrong-origin':
    'The launch was not started by a dispatch of the configured launch workflow on the default branch.',
  fork: 'The branch lies in a fork.',
  'manifest-changed':
    'What would run is not what was approved: the branch, its base, the description or the manifest has changed.',
  'tree-differs': 'The files on the runner are not those that were approved.',
  'secret-missing': 'The launcher lacks a secret that this lane passes to its jobs.',
  'no-state-directory': 'The launcher has no folder that keeps the records of jobs.',
  'files-left-out': 'Not every approved file would reach the job.',
  'build-files-changed':
    'The change touches files that are run while it is submitted, beside the credentials of the cluster.',
  held: 'There is a hold, or a person has commented a brake or rejected the checkpoint since the newest approval. Lift the hold if there is one, then approve again.',
  unreadable: 'Something that had to be checked could not be read.',
};
