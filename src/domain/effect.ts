/**
 * Effects: what a decision wants done outside, as plain data. Adapters carry them out and the outcome comes back as a
 * fact. The record is appended by its store; jobs are the runner's and the watch's.
 */

import type { Permission } from './actor.ts';
import type { Surface } from './command.ts';
import type { Digest, Instant, Sha } from './ids.ts';
import type { Role } from './logbook/role.ts';
import type { VerifiedMarker } from './marker.ts';

export const EFFECT_KINDS = [
  'react',
  'post-comment',
  'edit-comment',
  'put-check-run',
  'edit-pull-body',
  'dispatch-workflow',
  'push-branch',
  'open-issue',
  'edit-issue',
  'open-pull',
  'close-pull',
  'merge-pull',
  'push-tag',
] as const;

/** A line-bound remark on the changed file, shown by GitHub beside the code. */
export type Annotation = {
  readonly path: string;
  readonly line: number;
  readonly level: 'notice' | 'warning' | 'failure';
  readonly title: string;
  readonly message: string;
};

/** `people`: numeric user ids; `permission`: everybody who has at least this. */
export type Summons = {
  readonly people: readonly number[];
  readonly permission: Permission | null;
  /** Whether the people are assigned to the thread too. */
  readonly isAssigned?: true;
};

export type Effect =
  | {
      readonly kind: 'react';
      readonly surface: Surface;
      readonly comment: number;
      readonly content: 'eyes' | 'confused';
    }
  /** `marker` is the identity in the body's marker; before a second try the thread is searched for one that verifies. */
  | {
      readonly kind: 'post-comment';
      readonly thread: number;
      readonly marker: string;
      readonly body: string;
      /** The entry of the run's record that it tells of, and who wrote that: a text from before it stood cannot have said it. */
      readonly entry?: { readonly seq: number; readonly role: Role };
      /** Whom it mentions, by ids that are looked up when it is posted. */
      readonly summons?: Summons;
      /** Another process may post the same at this moment: of two, the later one is taken back. */
      readonly isShared?: true;
    }
  | {
      readonly kind: 'edit-comment';
      readonly thread: number;
      readonly comment: number;
      readonly body: string;
      /** Node id of a comment that somebody hid: it is made visible first. */
      readonly hidden?: string;
    }
  | {
      readonly kind: 'put-check-run';
      /** Which of our check runs; the launch gate where nothing is said. */
      readonly check?: 'launch-gate' | 'config' | 'infra';
      readonly head: Sha;
      readonly title: string;
      readonly summary: string;
      readonly conclusion: 'success' | 'failure' | 'neutral' | 'action_required' | null;
      readonly annotations: readonly Annotation[];
      readonly externalId: string;
      /** Id of the check run that this process wrote before, so that it need not be looked for. */
      readonly existing: number | null;
      /** Only a check run that this very App made is changed, and none is made: who made it is left to say it. */
      readonly onlyOwn?: true;
    }
  /** `expected` is the digest of the body that was read: a person's edit in between is never overwritten. */
  | {
      readonly kind: 'edit-pull-body';
      readonly pull: number;
      readonly expected: Digest;
      readonly body: string;
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
      /**
       * The branch is there and stands on `base`, or begins there where it is a new one; the commit bears this time, so that
       * it is the same whoever makes it.
       */
      readonly onto?: { readonly atMs: number; readonly isNewBranch?: true };
      /** Where the branch is there already and changes nothing else, these files are put on top of what it has. */
      readonly mayFollow?: true;
      readonly files: Readonly<Record<string, string>>;
      readonly message: string;
    }
  | {
      readonly kind: 'open-issue';
      /** What it belongs to was made just now: there is none of ours to be adopted, and nobody looks for it. */
      readonly isFirst?: true;
      readonly marker: string;
      readonly title: string;
      readonly body: string;
      readonly labels: readonly string[];
    }
  | {
      readonly kind: 'edit-issue';
      readonly issue: number;
      /** As with a pull request's body; null = whatever stands there. */
      readonly expected: Digest | null;
      readonly body: string | null;
      readonly state: 'open' | 'closed' | null;
    }
  | {
      readonly kind: 'open-pull';
      /** The head's branch was made just now: there is nothing to be adopted unless GitHub says so. */
      readonly isFirst?: true;
      readonly head: string;
      readonly base: string;
      readonly title: string;
      readonly body: string;
      readonly labels: readonly string[];
    }
  | { readonly kind: 'close-pull'; readonly pull: number }
  | { readonly kind: 'merge-pull'; readonly pull: number; readonly head: Sha }
  | { readonly kind: 'push-tag'; readonly tag: string; readonly commit: Sha; readonly message: string };

/** A comment's text, when GitHub last changed it, and its marker, where that verified. */
export type WrittenComment = {
  readonly body: string;
  readonly updatedAt: Instant;
  readonly marker: VerifiedMarker | null;
};

/** What came of an effect. `unknown`: sent, answer lost; it is resolved by looking, never by trying again blind. */
export type EffectOutcome =
  /**
   * `isNew`: this very call made it, and nobody can have built on it before. `written`: the comment as GitHub answered
   * that it stands now. `sha`: the commit that was pushed.
   */
  | {
      readonly kind: 'done';
      readonly number: number | null;
      readonly isNew?: true;
      readonly sha?: Sha;
      readonly written?: WrittenComment;
    }
  | { readonly kind: 'refused'; readonly code: string; readonly message: string }
  | { readonly kind: 'unknown'; readonly message: string };
