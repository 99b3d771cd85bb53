/** What carries out one kind of change of a cluster: look before, act with a consent, look back after a runner that died. */

import type { Capability } from '../../domain/actions/capability.ts';
import type { Instant } from '../../domain/ids.ts';
import type { EventDataByType } from '../../domain/logbook/event.ts';

export type Ending = Pick<EventDataByType['mutation-ended'], 'outcome' | 'code' | 'detail'>;

/** `changed`: what was proposed is not there any more; `unknown`: it could not be read, and is asked again. */
export type TargetLook =
  | { readonly kind: 'same' }
  | { readonly kind: 'changed'; readonly code: 'target-changed' | 'steps-changed'; readonly why: string }
  | { readonly kind: 'unknown'; readonly why: string };

export type Hands = {
  /** Before anything is claimed. Calls nothing that changes. */
  readonly look: () => Promise<TargetLook>;
  /** Carries out the steps with their consent, verifies, and says how it ended. Never throws for an expected outcome. */
  readonly act: (capability: Capability, begunAt: Instant) => Promise<Ending>;
  /** What became of it where an earlier runner began: looks alone. */
  readonly lookBack: (begunAt: Instant) => Promise<Ending>;
};
