/** Why a logbook is not trusted. ferrybot stops acting on the affected part until a person resolves it. */

import { assertNever, type Sha } from '../values.ts';

export type LogbookFault =
  /** The first entry that does not verify; `reason` as in `ferrybot logbook verify`. */
  | {
      readonly kind: 'bad-entry';
      readonly line: number;
      readonly seq: number;
      readonly reason: string;
      readonly message: string;
      /** Correctly signed, but of a type that this release does not know. */
      readonly isOfUnknownType?: true;
    }
  /** An entry that was read before, or that ferrybot's card names, is missing; `hash` may be a prefix. */
  | { readonly kind: 'entry-missing'; readonly seq: number; readonly hash: string }
  /** The branch was deleted. */
  | { readonly kind: 'branch-missing' }
  /** The branch does not contain what was read from it before. */
  | { readonly kind: 'branch-rewound'; readonly was: Sha; readonly now: Sha }
  /** The remote rejects pushes (disk, rule, permission); existing entries are valid. `after`: the newest entry. */
  | { readonly kind: 'push-refused'; readonly after: number; readonly message: string }
  /** The tag of a sealed run is gone (`found` null) or points to another commit; the record is valid. */
  | { readonly kind: 'seal-tag'; readonly tag: string; readonly commit: Sha; readonly found: Sha | null }
  /** A seal tag exists, but the record has no seal. */
  | { readonly kind: 'tag-without-seal'; readonly tag: string; readonly found: Sha }
  /** A bug while processing one run, thread or file; the record is valid. `key` identifies the message. */
  | {
      readonly kind: 'look-failed';
      readonly key: string;
      readonly message: string;
      readonly subject: LookSubject | null;
    }
  /** A bug while reading a file; the record's validity is unknown. */
  | { readonly kind: 'read-failed'; readonly key: string; readonly message: string };

/** The part of a run or thread that was processed. */
export type LookSubject = { readonly kind: 'comment' | 'lane' | 'cluster' | 'branch'; readonly name: string };

/** Stable name without spaces, so that every process reports a fault only once. */
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
