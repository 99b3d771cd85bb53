/** A branch that was pushed to, as its checks see it. */

import type { Sha } from '../../domain/ids.ts';

/** `fork`: where it left the default branch. */
export type Branch = { readonly head: Sha; readonly fork: Sha };
