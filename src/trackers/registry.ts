/** Every tracker, by its name in the config. */

import type { Tracker } from '../domain/tracker.ts';
import type { TrackerHost, TrackerSettings } from './ask.ts';
import { createMlflowTracker } from './mlflow.ts';
import { createWandb } from './wandb.ts';

export const TRACKERS = {
  mlflow: createMlflowTracker,
  wandb: createWandb,
} as const satisfies Readonly<Record<string, (host: TrackerHost, settings: TrackerSettings) => Tracker>>;
