/** The trackers that the lanes of a lab name, with the keys of this process. */

import type { TrackerConfig } from '../config/lane-schema.ts';
import type { Tracker } from '../domain/tracker.ts';
import type { TrackerHost } from '../trackers/ask.ts';
import { TRACKERS } from '../trackers/registry.ts';

/** Null where the lane has none, or none that is asked. */
export type TrackerOf = (settings: TrackerConfig) => Tracker | null;

/** One tracker a setting for as long as the process lives: it remembers when it was told to wait. */
export function createTrackers(
  environment: Readonly<Record<string, string | undefined>>,
  host: TrackerHost,
): TrackerOf {
  const made = new Map<string, Tracker>();
  return (settings) => {
    const { kind, address, entity, project, keyFrom } = settings;
    // Without a key W&B shows public projects alone, and there is none that a lane could mean by that.
    if (kind === 'none' || (kind === 'wandb' && keyFrom === null)) return null;
    const known = made.get(JSON.stringify(settings));
    if (known !== undefined) return known;
    const key = keyFrom === null ? null : (environment[keyFrom] ?? '');
    const tracker =
      key === '' ? keyless(keyFrom ?? '') : TRACKERS[kind](host, { address, entity, project, key });
    made.set(JSON.stringify(settings), tracker);
    return tracker;
  };
}

function keyless(name: string): Tracker {
  const denied = { kind: 'denied', message: `this watch was not given ${name}` } as const;
  return { describe: async () => denied, logTail: async () => denied };
}
