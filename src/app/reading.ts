/** How this lab's comments are read: with SHA-256, and knowing under which names ferrybot itself speaks here. */

import type { LabConfig } from '../config/schema.ts';
import type { Reading } from '../github/thread-comments.ts';
import { ownBots } from '../github/threads.ts';
import type { Lab } from './lab.ts';

/** The reading of a lab under a config. */
export function readingOf(lab: Lab, config: LabConfig): Reading {
  return {
    digestOf: lab.digestOf,
    ownBots: ownBots(config.appSlug),
    ownWorkflows: Object.values(config.workflows),
  };
}
