/** All detectors: whoever watches or replays a run asks each of them. */

import { checkpointMissing } from './checkpoint-missing.ts';
import { checkpointStalled } from './checkpoint-stalled.ts';
import { configDrift } from './config-drift.ts';
import type { Detector } from './detector.ts';
import { flapping } from './flapping.ts';
import { gradientNorm } from './gradient-norm.ts';
import { greenNoOp } from './green-no-op.ts';
import { lossDivergence } from './loss-divergence.ts';
import { lossSpike } from './loss-spike.ts';
import { lowUtilisation } from './low-utilisation.ts';
import { monitorDisk } from './monitor-disk.ts';
import { nan } from './nan.ts';
import { partialAllocation } from './partial-allocation.ts';
import { pendingLong } from './pending-long.ts';
import { regression } from './regression.ts';
import { resumeMismatch } from './resume-mismatch.ts';
import { routerCollapse } from './router-collapse.ts';
import { stalledStart } from './stalled-start.ts';
import { stalledSteps } from './stalled-steps.ts';
import { throughputCollapse } from './throughput-collapse.ts';
import { trackerDrift } from './tracker-drift.ts';
import { trackerFrozen } from './tracker-frozen.ts';
import { wrongTopology } from './wrong-topology.ts';
import { zLoss } from './z-loss.ts';

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
