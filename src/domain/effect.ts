/**
 * Effects: the external changes that a decision requests, as data. Adapters execute each effect and report its outcome as a fact.
 * Record entries and job operations are not effects.
 */

import type { Permission, Surface } from './actor.ts';
import type { Role } from './logbook/parts.ts';
import type { VerifiedMarker } from './marker.ts';
import type { Digest, Instant, Sha } from './values.ts';

/** A message on a changed line; GitHub shows it in the diff. */
export type Annotation = {
  readonly path: string;
  readonly line: number;
  readonly level: 'notice' | 'warning' | 'failure';
  readonly title: string;
  readonly message: string;
};

/** `people`: user ids; `permission`: everyone with at least this role. */
export type Mentions = {
  readonly people: readonly number[];
  readonly permission: Permission | null;
  readonly isAssigned?: true;
};

export type Effect =
  | {
      readonly kind: 'react';
      readonly surface: Surface;
      readonly comment: number;
      readonly content: 'eyes' | 'confused';
    }
  /** `marker` identifies the comment: before a retry, the adapter searches the thread for a comment with a verified marker. */
  | {
      readonly kind: 'post-comment';
      readonly thread: number;
      readonly marker: string;
      readonly body: string;
      /** The record entry that the comment reports, and the entry's author role. A comment older than the entry cannot report it. */
      readonly entry?: { readonly seq: number; readonly role: Role };
      /** People to mention; logins are resolved when it is posted. */
      readonly mentions?: Mentions;
      /** Another process may post the same comment concurrently: delete the later duplicate. */
      readonly isShared?: boolean;
    }
  | {
      readonly kind: 'edit-comment';
      readonly thread: number;
      readonly comment: number;
      readonly body: string;
      /** Node id of a minimized comment; unminimize it first. */
      readonly hidden?: string;
    }
  | {
      readonly kind: 'put-check-run';
      /** Default: the launch gate. */
      readonly check?: 'launch-gate' | 'config' | 'infra';
      readonly head: Sha;
      readonly title: string;
      readonly summary: string;
      readonly conclusion: 'success' | 'failure' | 'neutral' | 'action_required' | null;
      readonly annotations: readonly Annotation[];
      readonly externalId: string;
      /** Id of the check run that this process created earlier, which saves a lookup. */
      readonly existing: number | null;
      /** Update a check run only if this App created it, and never create one. */
      readonly ownAppOnly?: true;
    }
  | {
      readonly kind: 'dispatch-workflow';
      readonly workflow: string;
      readonly ref: string;
      readonly inputs: Readonly<Record<string, string>>;
    }
  | {
      readonly kind: 'push-branch';
      readonly branch: string;
      readonly base: Sha;
      /** The branch must point to `base`, or is created at `base`. The fixed commit time gives every process the same commit id. */
      readonly onto?: { readonly atMs: number; readonly isNewBranch?: true };
      /** If the branch exists and changes only these files, append the commit to the branch. */
      readonly mayAppend?: true;
      readonly files: Readonly<Record<string, string>>;
      readonly message: string;
    }
  | {
      readonly kind: 'open-issue';
      /** The subject is new, so there is no existing issue to adopt. */
      readonly isFirst?: true;
      readonly marker: string;
      readonly title: string;
      readonly body: string;
      readonly labels: readonly string[];
    }
  | {
      readonly kind: 'edit-issue';
      /** Or a pull request. */
      readonly issue: number;
      /** Digest of the body that was read, so that a concurrent edit is not overwritten; null overwrites any body. */
      readonly expected: Digest | null;
      readonly body: string | null;
      readonly state: 'open' | 'closed' | null;
    }
  | {
      readonly kind: 'open-pull';
      /** The head branch is new: adopt an existing pull request only if GitHub reports one. */
      readonly isFirst?: true;
      readonly head: string;
      readonly base: string;
      readonly title: string;
      readonly body: string;
      readonly labels: readonly string[];
    }
  | { readonly kind: 'merge-pull'; readonly pull: number; readonly head: Sha }
  | { readonly kind: 'push-tag'; readonly tag: string; readonly commit: Sha; readonly message: string };

/** `marker` is null unless it verified. */
type WrittenComment = { readonly body: string; readonly updatedAt: Instant; readonly marker: VerifiedMarker | null };

/** `unknown`: sent, answer lost; resolve it by reading, never by a blind retry. */
export type EffectOutcome =
  /** `isNew`: this call created it. `written`: the comment in GitHub's answer. `sha`: the pushed commit. */
  | {
      readonly kind: 'done';
      readonly number: number | null;
      readonly isNew?: true;
      readonly sha?: Sha;
      readonly written?: WrittenComment;
    }
  | { readonly kind: 'refused'; readonly code: string; readonly message: string }
  | { readonly kind: 'unknown'; readonly message: string };

/** Workflows that control dispatches and records; each is a key of `workflows` in the config. */
export const DISPATCHED_WORKFLOWS = ['launch', 'watch', 'stop', 'care', 'diskScan', 'fix'] as const;
type DispatchedWorkflow = (typeof DISPATCHED_WORKFLOWS)[number];

/**
 * `subject`: digest of the order (launch), the action (care) or the failure (fix); the cluster (watch, diskScan); or the sequence number
 * of the stop. `workflowRun`: the returned id. `at`: time of the record entry, RFC 3339.
 */
export type Dispatch = {
  readonly workflow: DispatchedWorkflow;
  readonly subject: string;
  readonly workflowRun: number;
  readonly at: string;
  readonly seq: number;
};

/** Oldest first. */
export function dispatchesFor(
  dispatches: readonly Dispatch[],
  workflow: DispatchedWorkflow,
  subject: string,
): readonly Dispatch[] {
  return dispatches.filter((one) => one.workflow === workflow && one.subject === subject);
}

/** Sorts dispatches of several records by time. */
export function oldestFirst(dispatches: readonly Dispatch[]): readonly Dispatch[] {
  return dispatches.toSorted((a, b) => (a.at < b.at ? -1 : 1));
}

/** Only fixed text, a run id and a GitHub URL: no log lines, metrics or text written by people. */
export type ChannelMessage = { readonly title: string; readonly text: string; readonly url: string };

/** `failed`: the channel rejected it. `unknown`: sent, delivery not confirmed; never sent again. */
export const DELIVERY_OUTCOMES = ['sent', 'failed', 'unknown'] as const;
export type Delivery = { readonly outcome: (typeof DELIVERY_OUTCOMES)[number]; readonly why: string };
