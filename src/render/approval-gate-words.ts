/** What the gates over the approvals say. */

import type { ApprovalFault } from '../domain/logbook/events/launch-events.ts';
import type { AllGateSentences } from './input.ts';
import { code, listed, text } from './words.ts';

/** Why an approval does not count, on the card and in the comment about it. */
export const APPROVAL_FAULTS: Readonly<Record<ApprovalFault, string>> = {
  'approval-invalid': 'its comment was edited, hidden or deleted, or it is a review of another commit',
  'approval-outdated': 'it is older than this lab allows',
  'approver-not-permitted': 'its author may not approve any more',
};

/** Every code of both. */
export const APPROVAL_SENTENCES = {
  'approver-allowed': {
    enough: (f) => [`approved by ${people(f.who)}: ${f.count} of ${f.needed} people that its cost demands`],
    beforehand: (f) => [
      `approved beforehand by ${people(f.who)}, with the manifest that failed: ${f.count} of ${f.needed} people that its cost demands`,
    ],
    'too-few': (f) => [
      `${f.count} of ${f.needed} people have approved${f.who.length > 0 ? `: ${people(f.who)}` : ''}`,
      `the card's \`/approve-launch\` line, said by ${f.missing} more`,
    ],
    'not-counting': (f) => [
      `the approval of ${text(f.by)} does not count any more: ${faultWords(f.why)} (${f.count} of ${f.needed} people count)`,
      "the card's `/approve-launch` line, said by somebody who may",
    ],
  },
  'manifest-unchanged': {
    'not-approved-yet': (f) => [`nothing is approved yet; the manifest to approve is ${code(f.digest)}`],
    'as-approved': (f) => [`the approved manifest ${code(f.digest)} is what would be launched`],
    'fix-beforehand': (f) => [
      `the manifest ${code(f.approved)} that was approved names the file that the fix ${code(f.digest)} changes, and nothing else is another`,
    ],
    changed: (f) => [
      f.approved === f.digest
        ? `the text around manifest ${code(f.digest)} was edited after the approval`
        : `approved was ${code(f.approved)}, and the manifest is ${code(f.digest)} by now`,
      'look at what changed, and approve again',
    ],
  },
} satisfies Partial<AllGateSentences>;

function faultWords(why: string): string {
  return Object.hasOwn(APPROVAL_FAULTS, why) ? APPROVAL_FAULTS[why as ApprovalFault] : text(why);
}

function people(logins: readonly string[]): string {
  return listed(logins.map(text));
}
