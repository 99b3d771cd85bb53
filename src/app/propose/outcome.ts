/** How a proposal can end. */

import type { RunId } from '../../domain/ids.ts';

/** Why there is no new proposal; each is an answer and no failure, but for `unreadable` and `not-written`. */
export type ProposeOutcome =
  | { readonly kind: 'proposed'; readonly run: RunId; readonly pull: number; readonly issue: number }
  | { readonly kind: 'already'; readonly run: RunId }
  | {
      readonly kind: 'nothing';
      readonly code:
        | 'no-candidates'
        | 'nothing-due'
        | 'experiment-missing'
        | 'experiment-unparsable'
        | 'edit-refused';
      readonly why: string;
    }
  | { readonly kind: 'failed'; readonly code: 'unreadable' | 'not-written'; readonly why: string };
