/** A trigger: a reason to reconcile. It carries hints about where to start, never facts for a decision (architecture, D2). */

import type { Surface } from './actor.ts';
import type { Instant } from './values.ts';

export type ReconcileRequest =
  /** `hasSlash`: the comment contains a slash word, so post a receipt immediately. */
  | {
      readonly kind: 'comment';
      readonly surface: Surface;
      readonly comment: number;
      readonly thread: number;
      readonly hasSlash: boolean;
      /** The author. Outsiders get no 👀 without a permission. */
      readonly from?: { readonly id: number; readonly login: string; readonly isOutsider: boolean };
      /** When it was written or changed, where that may be long ago. */
      readonly at?: Instant;
    }
  /** A comment without a command; a gate may wait for it. */
  | { readonly kind: 'remark'; readonly thread: number }
  /**
   * A thread was edited, labelled, pushed to or closed. `isExperiment`: an open issue with the label. `isFork`: a pull request from a fork.
   * `labels`: labels of an open thread.
   */
  | {
      readonly kind: 'thread';
      readonly thread: number;
      readonly isExperiment?: true;
      readonly labels?: readonly string[];
    }
  /** The logbook, the default branch (which holds the config) or a proposal's branch was pushed. Full ref name. */
  | { readonly kind: 'push'; readonly ref: string }
  /** Without `workflowRun`, any of them may have ended. */
  | { readonly kind: 'workflow-ended'; readonly workflowRun?: number }
  /** Periodic: find everything that was missed. */
  | {
      readonly kind: 'sweep';
      /** Other triggers were dropped in its favour, so it must run. */
      readonly isOwed?: true;
    };

/** Author associations of known people (docs.github.com/graphql, CommentAuthorAssociation). */
const INSIDERS: ReadonlySet<string> = new Set(['OWNER', 'MEMBER', 'COLLABORATOR']);

/** Only a hint for receipts: private members look like outsiders. */
export function isOutsider(association: string | null | undefined): boolean {
  return typeof association === 'string' && !INSIDERS.has(association);
}
