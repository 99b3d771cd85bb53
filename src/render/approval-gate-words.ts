/** What the gates over the approvals say. */

import type { ApprovalFault } from '../domain/logbook/events/launch-events.ts';
import type { AllGateSentences } from './input.ts';
import { code, listed } from './words.ts';

/** Why an approval does not count, on the card and in the comment about it. */
export const APPROVAL_FAULTS: Readonly<Record<ApprovalFault, string>> = {
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
      `the approval of ${f.by} no longer counts: ${APPROVAL_FAULTS[f.why as ApprovalFault] ?? f.why} (${f.count} of ${f.needed} people count)`,
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
