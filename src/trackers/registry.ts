/** Every tracker, by its name in the config. */

import type { Tracker } from '../domain/tracker.ts';
import { createMlflowTracker } from './mlflow.ts';
import type { TrackerHost, TrackerSettings } from './request.ts';
import { createWandb } from './wandb.ts';

export const TRACKERS = { mlflow: createMlflowTracker, wandb: createWandb } as const satisfies Readonly<
  Record<string, (host: TrackerHost, settings: TrackerSettings) => Tracker>
>;
