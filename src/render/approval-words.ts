/** What the gates over the approvals say. */

import { isOrderRefusal, type OrderRefusal } from '../domain/launch/verdict.ts';
import type { ApprovalFaultCode } from '../domain/logbook/events/launch-events.ts';
import type { AllGateSentences } from './input.ts';
import { code, listed } from './words.ts';

/** Why an approval does not count, on the card and in the comment about it. */
export const APPROVAL_FAULT_WORDS: Readonly<Record<ApprovalFaultCode, string>> = {
  'approval-invalid': 'its comment was edited, hidden or deleted, or it is a review of another commit',
  'approval-outdated': 'it is older than this lab allows',
  'approver-not-permitted': 'its author may no longer approve',
};

/** Every code of both. */
export const APPROVAL_SENTENCES = {
  'approver-allowed': {
    enough: (f) => `approved by ${listed(f.who)}: ${f.count} of ${f.needed} people that its cost requires`,
    beforehand: (f) =>
      `approved by ${listed(f.who)} with the manifest that failed: ${f.count} of ${f.needed} people that its cost requires`,
    'too-few': (f) => [
      `${f.count} of ${f.needed} people have approved${f.who.length > 0 ? `: ${listed(f.who)}` : ''}`,
      `the card's \`/approve-launch\` line, commented by ${f.missing} more`,
    ],
    'not-counting': (f) => [
      `the approval of ${f.by} no longer counts: ${APPROVAL_FAULT_WORDS[f.why as ApprovalFaultCode] ?? f.why} (${f.count} of ${f.needed} people count)`,
      "an approver comments the card's `/approve-launch` line",
    ],
  },
  'manifest-unchanged': {
    'not-approved-yet': (f) => `nothing is approved yet; the manifest to approve is ${code(f.digest)}`,
    'as-approved': (f) => `the approved manifest ${code(f.digest)} is what would be launched`,
    'fix-beforehand': (f) =>
      `the approved manifest ${f.approved} permits a fix of this file, and the fix ${code(f.digest)} changes nothing else`,
    changed: (f) => [
      f.approved === f.digest
        ? `the text around manifest ${code(f.digest)} was edited after the approval`
        : `manifest ${f.approved} was approved, and the manifest is now ${code(f.digest)}`,
      'review the change, then approve again',
    ],
  },
} satisfies Partial<AllGateSentences>;

/** The sentence for a refusal. For a gate its name is enough: the card shows why the gate does not pass. */
export function refusalWords(reason: string): string {
  return isOrderRefusal(reason) ? WORDS[reason] : `${code(reason)} does not pass on the runner.`;
}

const WORDS: Readonly<Record<OrderRefusal, string>> = {
  'order-unknown': 'The logbook has no such order.',
  'order-void': 'The approvals of the order no longer counted.',
  'order-used': 'The order was carried out before.',
  'order-expired': 'The order had expired.',
  'other-repository': 'The order is for another repository.',
  'stop-requested': 'A stop was requested.',
  'approval-invalid':
    'The comment that the order cites is no approval of what would run: it is gone, hidden, edited, or by another person, it is in another thread, or it names another digest or commit. Approve what the card shows.',
  'approver-not-permitted':
    'The approver may not approve this: the permission is gone, or the change is their own. Another person who may approve is needed.',
  'too-few-approvals': 'There are fewer approvals than the lab requires.',
  'approval-outdated':
    'The approval is older than this lab allows, or older than what was shown: approve what is shown now.',
  'second-card':
    'A comment that ferrybot did not write showed the launch line like a card when the approval was given. Delete or hide that comment, then approve what the card shows.',
  'order-forged': 'The order contradicts itself or the record of its run.',
  'attempt-live':
    'The job of an earlier attempt or of an earlier run of this lane is still on the cluster, although the record has its end: stop the job, and find out who recorded the end.',
  'attempt-otherwise':
    "The cluster's result of an earlier attempt differs from the record: find out who recorded the end.",
  'fix-not-approved':
    'No approval covers this fix: the approved manifest does not allow it, or the commit is not the one that ferrybot would make. Read the difference, and approve what the card shows.',
  'relaunch-not-due': 'The record does not permit another attempt with the same manifest.',
  'pull-closed': "The run's pull request or issue is not open any more.",
  'wrong-origin':
    'The launch was not started by a dispatch of the configured launch workflow on the default branch.',
  fork: 'The branch is in a fork.',
  'manifest-changed':
    'What would run is not what was approved: the branch, its base, the description or the manifest has changed.',
  'tree-differs': 'The files on the runner are not the approved files.',
  'secret-missing': 'The launcher lacks a secret that this lane passes to its jobs.',
  'no-state-directory': 'The launcher has no folder for the records of jobs.',
  'files-left-out': 'Some approved files would not reach the job.',
  'build-files-changed':
    'The change contains files that run during the submission, next to the credentials of the cluster.',
  held: 'There is a hold, or a person has commented a brake or rejected the checkpoint since the newest approval. Lift the hold if there is one, then approve again.',
  unreadable: 'A required check could not be read.',
};
