/** A wake: the reason to look again. It carries hints about where to look first, and never a fact to decide on (decision D2). */

import type { Surface } from './command.ts';

export type Wake =
  /** Somebody wrote in a thread. `hasSlash`: a first look saw a slash word, so a receipt is due at once. */
  | {
      readonly kind: 'comment';
      readonly surface: Surface;
      readonly comment: number;
      readonly thread: number;
      readonly hasSlash: boolean;
    }
  /** A thread changed: edited, labelled, pushed to, closed. `isExperiment`: an open issue that carries the label. */
  | { readonly kind: 'thread'; readonly thread: number; readonly isExperiment?: true }
  /** A branch moved: the logbook, the default branch (and the config with it), or a proposal's. Full ref name. */
  | { readonly kind: 'push'; readonly ref: string }
  /** A workflow run ended: whatever it left undone is owed now. */
  | { readonly kind: 'workflow-ended' }
  /** Time has passed: look for everything that was missed. */
  | { readonly kind: 'sweep' };
