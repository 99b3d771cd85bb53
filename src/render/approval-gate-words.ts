/** What the gates over the approvals say. */

import type { AllGateSentences } from './input.ts';
import { code, listed, text } from './words.ts';

const NOT_COUNTING: Readonly<Record<string, string>> = {
  'permission-lost': 'they may not approve any more',
  'comment-edited': 'the approving comment was edited',
  'comment-hidden': 'the approving comment was hidden',
  'comment-gone': 'the approving comment was deleted',
  'approval-expired': 'the approval is older than this lab allows',
  'other-commit': 'the review was written on another commit',
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
      `the approval of ${text(f.by)} does not count any more: ${NOT_COUNTING[f.why] ?? 'its reason is of another version'} (${f.count} of ${f.needed} people count)`,
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
      `approved was ${code(f.approved)}, and the manifest is ${code(f.digest)} by now`,
      'look at what changed, and approve anew',
    ],
    'text-changed': (f) => [
      `the text around manifest ${code(f.digest)} was edited after the approval`,
      'read it again, and approve anew',
    ],
  },
} satisfies Partial<AllGateSentences>;

function people(logins: readonly string[]): string {
  return listed(logins.map(text));
}
