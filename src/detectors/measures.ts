/** The measures of a training run that are followed step by step, and when each is away from its trend. */

import type { SeriesLaw } from './series.ts';

export const FOLLOWED = ['loss', 'grad-norm', 'z-loss', 'router-entropy', 'expert-load'] as const;
export type Followed = (typeof FOLLOWED)[number];

/** The hero policy's *about ten steps*; three lines, since a bar shows one step of many. */
const SUSTAINED = { steps: 10, values: 3, noise: 0, warmUpValues: 10, warmUpSteps: 50 } as const;

export const SERIES_LAWS: { readonly [Name in Followed]: SeriesLaw } = {
  // Half above the trend; near to nothing a loss moves by as much from step to step, and one of a policy is of either sign.
  // rule HR-47
  loss: { ...SUSTAINED, factor: 1.5, distance: 0.05, noise: 3 },
  // Single spikes of a gradient are clipped and mean nothing; one that stays an order of magnitude larger has exploded.
  'grad-norm': { ...SUSTAINED, factor: 10, values: 5, distance: 1 },
  'z-loss': { ...SUSTAINED, factor: 3, distance: 0 },
  // All tokens go to few experts: entropy falls, or the load of the fullest grows.
  'router-entropy': { ...SUSTAINED, factor: 0.5, distance: 0 },
  'expert-load': { ...SUSTAINED, factor: 2, distance: 0 },
};
