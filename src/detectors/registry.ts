/** All detectors, for a live watch or a replay of a run. */

import { DETECTOR_IDS, type DetectorId } from '../domain/failure-class.ts';
import type { Judge } from './detector.ts';
import {
  flapping,
  greenNoOp,
  lowUtilisation,
  monitorDisk,
  partialAllocation,
  pendingLong,
  stalledStart,
  wrongTopology,
} from './engine.ts';
import { configDrift, trackerDrift, trackerFrozen } from './identity.ts';
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
import { checkpointMissing, checkpointStalled, evalsStalled, stalledSteps, throughputCollapse } from './progress.ts';

const JUDGES: Readonly<Record<DetectorId, Judge>> = {
  'stalled-start': stalledStart,
  'pending-long': pendingLong,
  'partial-allocation': partialAllocation,
  'wrong-topology': wrongTopology,
  flapping,
  'green-no-op': greenNoOp,
  'stalled-steps': stalledSteps,
  'throughput-collapse': throughputCollapse,
  nan,
  'loss-divergence': lossDivergence,
  regression,
  'resume-mismatch': resumeMismatch,
  'loss-spike': lossSpike,
  'gradient-norm': gradientNorm,
  'z-loss': zLoss,
  'router-collapse': routerCollapse,
  'checkpoint-stalled': checkpointStalled,
  'evals-stalled': evalsStalled,
  'checkpoint-missing': checkpointMissing,
  'tracker-drift': trackerDrift,
  'tracker-frozen': trackerFrozen,
  'config-drift': configDrift,
  'low-utilisation': lowUtilisation,
  'monitor-disk': monitorDisk,
};

export const DETECTORS = DETECTOR_IDS.map((id) => ({ id, judge: JUDGES[id] }));
