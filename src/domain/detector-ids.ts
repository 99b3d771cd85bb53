/** Problems that a detector can find in a watched run. */

export const DETECTOR_IDS = [
  'stalled-steps',
  'stalled-start',
  'throughput-collapse',
  'nan',
  'loss-spike',
  'loss-divergence',
  'gradient-norm',
  'router-collapse',
  'z-loss',
  'resume-mismatch',
  'checkpoint-stalled',
  'checkpoint-missing',
  'pending-long',
  'partial-allocation',
  'wrong-topology',
  'tracker-drift',
  'tracker-frozen',
  'config-drift',
  'flapping',
  'low-utilisation',
  'regression',
  'monitor-disk',
  'green-no-op',
] as const;
export type DetectorId = (typeof DETECTOR_IDS)[number];
