/** All detectors, for a live watch or a replay of a run. */

import { DETECTOR_IDS, type DetectorId } from '../domain/failure-class.ts';
import type { Detector } from './detector.ts';
import {
  detectFlapping,
  detectFullMonitorDisk,
  detectGreenNoOp,
  detectLongPending,
  detectLowUtilisation,
  detectStalledStart,
  detectWrongTopology,
  partialAllocation,
} from './engine.ts';
import { detectConfigDrift, detectFrozenTracker, detectTrackerDrift } from './identity.ts';
import {
  detectGradientNorm,
  detectLossDivergence,
  detectLossSpike,
  detectNan,
  detectRegression,
  detectResumeMismatch,
  detectRouterCollapse,
  detectZLoss,
} from './measures.ts';
import { checkpointMissing, checkpointStalled, evalsStalled, stalledSteps, throughputCollapse } from './progress.ts';

const DETECTOR_FUNCTIONS: Readonly<Record<DetectorId, Detector>> = {
  'stalled-start': detectStalledStart,
  'pending-long': detectLongPending,
  'partial-allocation': partialAllocation,
  'wrong-topology': detectWrongTopology,
  flapping: detectFlapping,
  'green-no-op': detectGreenNoOp,
  'stalled-steps': stalledSteps,
  'throughput-collapse': throughputCollapse,
  nan: detectNan,
  'loss-divergence': detectLossDivergence,
  regression: detectRegression,
  'resume-mismatch': detectResumeMismatch,
  'loss-spike': detectLossSpike,
  'gradient-norm': detectGradientNorm,
  'z-loss': detectZLoss,
  'router-collapse': detectRouterCollapse,
  'checkpoint-stalled': checkpointStalled,
  'evals-stalled': evalsStalled,
  'checkpoint-missing': checkpointMissing,
  'tracker-drift': detectTrackerDrift,
  'tracker-frozen': detectFrozenTracker,
  'config-drift': detectConfigDrift,
  'low-utilisation': detectLowUtilisation,
  'monitor-disk': detectFullMonitorDisk,
};

export const DETECTORS = DETECTOR_IDS.map((id) => ({ id, judge: DETECTOR_FUNCTIONS[id] }));
