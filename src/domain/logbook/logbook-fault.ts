/** What is wrong with a logbook that cannot be trusted: action on what it names stops until a person has looked. */

import { assertNever } from '../assert.ts';
import type { Sha } from '../ids.ts';

export type LogbookFault =
  /** The first entry of a file that does not verify; `reason` as `ferrybot logbook verify` names it. */
  | {
      readonly kind: 'bad-entry';
      readonly line: number;
      readonly seq: number;
      readonly reason: string;
      readonly message: string;
      /** It is signed as it should be, and of a type that this release does not know. */
      readonly isOfUnknownType?: true;
    }
  /** An entry that was seen before, or that our own card tells of, is not there; `hash` may be a prefix. */
  | { readonly kind: 'entry-missing'; readonly seq: number; readonly hash: string }
  /** The branch existed and does not any more. */
  | { readonly kind: 'branch-missing' }
  /** The branch does not continue what was read from it before. */
  | { readonly kind: 'branch-rewound'; readonly was: Sha; readonly now: Sha }
  /** Nothing can be added, though what is there is in order: a full disk, a rule, a permission. `after`: the newest entry. */
  | { readonly kind: 'push-refused'; readonly after: number; readonly message: string }
  /** The tag of a sealed run is gone (`found` null) or points elsewhere; the record itself is in order. */
  | { readonly kind: 'seal-tag'; readonly tag: string; readonly commit: Sha; readonly found: Sha | null }
  /** A tag says of a run that it was sealed, and the record does not. */
  | { readonly kind: 'tag-without-seal'; readonly tag: string; readonly found: Sha }
  /** One run, thread or file could not be looked at: a bug. `key` tells the messages apart; the record is in order. */
  | {
      readonly kind: 'look-failed';
      readonly key: string;
      readonly message: string;
      readonly subject: LookSubject | null;
    }
  /** A file could not be read or folded: a bug. Whether the record is in order is not known. */
  | { readonly kind: 'read-failed'; readonly key: string; readonly message: string };

/** What was looked at, where that is less than a run or a thread. */
export type LookSubject = {
  readonly kind: 'comment' | 'lane' | 'cluster' | 'branch';
  readonly name: string;
};

/** A name for the fault without spaces, the same in every process: it is told once. */
export function faultKey(fault: LogbookFault): string {
  switch (fault.kind) {
    case 'bad-entry':
      return `logbook-${fault.reason}-${fault.seq}`;
    case 'entry-missing':
      return `logbook-entry-missing-${fault.seq}`;
    case 'branch-missing':
      return 'logbook-branch-missing';
    case 'branch-rewound':
      return `logbook-branch-rewound-${fault.now.slice(0, 12)}`;
    case 'push-refused':
      return `logbook-push-refused-${fault.after}`;
    case 'seal-tag':
      return `seal-tag-${fault.found?.slice(0, 12) ?? 'gone'}`;
    case 'tag-without-seal':
      return `tag-without-seal-${fault.found.slice(0, 12)}`;
    case 'look-failed':
      return `look-failed-${fault.key}`;
    case 'read-failed':
      return `read-failed-${fault.key}`;
    default:
      return assertNever(fault);
  }
}
