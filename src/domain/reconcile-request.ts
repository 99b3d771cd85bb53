/** A trigger: the reason to look again. It carries hints about where to look first, and never a fact to decide on (architecture, D2). */

import type { Surface } from './command.ts';
import type { Instant } from './ids.ts';

export type ReconcileRequest =
  /** Somebody wrote in a thread. `hasSlash`: a first look saw a slash word, so a receipt is due at once. */
  | {
      readonly kind: 'comment';
      readonly surface: Surface;
      readonly comment: number;
      readonly thread: number;
      readonly hasSlash: boolean;
      /** Who wrote it, as far as the event tells: strangers' receipts are counted. */
      readonly from?: { readonly id: number; readonly isOutsider: boolean };
      /** When it was written or changed, where that may be long ago. */
      readonly at?: Instant;
    }
  /** Somebody wrote plain words: no command, but a gate may wait for them. */
  | { readonly kind: 'remark'; readonly thread: number }
  /**
   * A thread changed: edited, labelled, pushed to, closed. `isExperiment`: an open issue that carries the label; `isFork`: a
   * pull request whose head lies in another repository; `labels`: those that it has, where it is open and has any.
   */
  | {
      readonly kind: 'thread';
      readonly thread: number;
      readonly isExperiment?: true;
      readonly isFork?: true;
      readonly labels?: readonly string[];
    }
  /** A branch moved: the logbook, the default branch (and the config with it), or a proposal's. Full ref name. */
  | { readonly kind: 'push'; readonly ref: string }
  /** A workflow run ended: whatever it left undone is owed now. */
  | { readonly kind: 'workflow-ended' }
  /** Time has passed: look for everything that was missed. */
  | {
      readonly kind: 'sweep';
      /** Other triggers were dropped for it: it may not be left out. */
      readonly isOwed?: true;
    };

/** Associations of people whom a repository knows (docs.github.com/graphql, CommentAuthorAssociation). */
const INSIDERS: ReadonlySet<string> = new Set(['OWNER', 'MEMBER', 'COLLABORATOR']);

/** Whether GitHub calls somebody no member here. A hint for receipts alone: private members look like strangers. */
export function isOutsider(association: string | null | undefined): boolean {
  return typeof association === 'string' && !INSIDERS.has(association);
}
