/** All detectors: whoever watches or replays a run asks each of them. */

import { checkpointMissing, checkpointStalled } from './checkpoints.ts';
import type { Detector } from './detector.ts';
import {
  flapping,
  greenNoOp,
  partialAllocation,
  pendingLong,
  stalledStart,
  wrongTopology,
} from './engine.ts';
import { configDrift, trackerDrift, trackerFrozen } from './identity.ts';
import { lowUtilisation, monitorDisk } from './machine.ts';
import {
  gradientNorm,
  lossDivergence,
  lossSpike,
  nan,
  regression,
  resumeMismatch,
  routerCollapse,
  zLoss,
} from './measures.ts';
import { stalledSteps, throughputCollapse } from './progress.ts';

export const DETECTORS: readonly Detector[] = [
  stalledSteps,
  stalledStart,
  throughputCollapse,
  nan,
  lossSpike,
  lossDivergence,
  gradientNorm,
  routerCollapse,
  zLoss,
  resumeMismatch,
  checkpointStalled,
  checkpointMissing,
  pendingLong,
  partialAllocation,
  wrongTopology,
  trackerDrift,
  trackerFrozen,
  configDrift,
  flapping,
  lowUtilisation,
  regression,
  monitorDisk,
  greenNoOp,
];
