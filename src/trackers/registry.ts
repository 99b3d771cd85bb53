/** Every tracker that can be asked, one line each: the name is what a lab's config says. */

import type { Tracker } from '../domain/tracker.ts';
import type { TrackerHost } from './ask.ts';
import { createMlflow } from './mlflow.ts';
import type { TrackerSettings } from './settings.ts';
import { createWandb } from './wandb.ts';

export const TRACKERS = {
  mlflow: createMlflow,
  wandb: createWandb,
} as const satisfies Readonly<Record<string, (host: TrackerHost, settings: TrackerSettings) => Tracker>>;
