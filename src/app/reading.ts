/** How comments of a lab are read. */

import type { EventDataByType } from '../domain/logbook/event.ts';
import type { ProposalPlace } from '../github/proposal-threads.ts';
import type { Reading } from '../github/thread-comments.ts';
import { ownBots } from '../github/threads.ts';
import type { LabConfig, LaneScopedConfig } from '../run/lane-scope.ts';
import type { Lab } from './lab.ts';
import { issueMarkerReader, markerReader } from './markers.ts';

/** How threads of this lab are read: digests, own bots and own workflows. */
export function readingOf(lab: Lab, config: LabConfig): Reading {
  return {
    digestOf: lab.digestOf,
    ownBots: ownBots(config.appSlug),
    ownWorkflows: Object.values(config.workflows),
    markerOf: markerReader(lab, config),
    issueMarkerOf: issueMarkerReader(lab, config),
  };
}

/** The threads of a recorded proposal. */
export function placeOf(
  { issue, pull, headBranch }: EventDataByType['proposed'],
  config: LaneScopedConfig,
): ProposalPlace {
  const { pinned, lane } = config;
  return { issue, pull, headBranch, baseBranch: lane.targetBranch, pinned };
}
