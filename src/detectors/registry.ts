/** All detectors: whoever watches or replays a run asks each of them. */

import { DETECTOR_IDS, type DetectorId } from '../domain/failure-class.ts';
import * as checkpoints from './checkpoints.ts';
import type { Judge } from './detector.ts';
import * as engine from './engine.ts';
import * as identity from './identity.ts';
import * as machine from './machine.ts';
import * as measures from './measures.ts';
import * as progress from './progress.ts';

const JUDGES: Readonly<Record<DetectorId, Judge>> = {
  'stalled-start': engine.stalledStart,
  'pending-long': engine.pendingLong,
  'partial-allocation': engine.partialAllocation,
  'wrong-topology': engine.wrongTopology,
  flapping: engine.flapping,
  'green-no-op': engine.greenNoOp,
  'stalled-steps': progress.stalledSteps,
  'throughput-collapse': progress.throughputCollapse,
  nan: measures.nan,
  'loss-divergence': measures.lossDivergence,
  regression: measures.regression,
  'resume-mismatch': measures.resumeMismatch,
  'loss-spike': measures.lossSpike,
  'gradient-norm': measures.gradientNorm,
  'z-loss': measures.zLoss,
  'router-collapse': measures.routerCollapse,
  'checkpoint-stalled': checkpoints.checkpointStalled,
  'checkpoint-missing': checkpoints.checkpointMissing,
  'tracker-drift': identity.trackerDrift,
  'tracker-frozen': identity.trackerFrozen,
  'config-drift': identity.configDrift,
  'low-utilisation': machine.lowUtilisation,
  'monitor-disk': machine.monitorDisk,
};

export const DETECTORS = DETECTOR_IDS.map((id) => ({ id, judge: JUDGES[id] }));
