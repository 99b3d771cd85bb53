/** The experiment trackers of a lab's lanes. */

import type { TrackerConfig } from '../config/lane-schema.ts';
import type { Tracker } from '../domain/tracker.ts';
import type { TrackerHost } from '../trackers/ask.ts';
import { TRACKERS } from '../trackers/registry.ts';

/** Null if the lane has no usable tracker. */
export type TrackerOf = (settings: TrackerConfig) => Tracker | null;

/** Keeps one tracker per setting, because it remembers rate limits. */
export function createTrackers(
  environment: Readonly<Record<string, string | undefined>>,
  host: TrackerHost,
): TrackerOf {
  const made = new Map<string, Tracker>();
  return (settings) => {
    const { kind, address, entity, project, keyFrom } = settings;
    // W&B without a key shows only public projects.
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
