/** Every bound in one table: what stops each loop, wait, retry and size; the reason for each stands in its part. */

import { approvalLimits } from './limits/approval-limits.ts';
import { careLimits } from './limits/care-limits.ts';
import { channelLimits } from './limits/channel-limits.ts';
import { checkpointLimits } from './limits/checkpoint-limits.ts';
import { controlLimits } from './limits/control-limits.ts';
import { ferryLimits } from './limits/ferry-limits.ts';
import { githubLimits } from './limits/github-limits.ts';
import { logbookLimits } from './limits/logbook-limits.ts';
import { programLimits } from './limits/program-limits.ts';
import { rayLimits } from './limits/ray-limits.ts';
import { readingLimits } from './limits/reading-limits.ts';
import { renderLimits } from './limits/render-limits.ts';
import { serverLimits } from './limits/server-limits.ts';
import { watchLimits } from './limits/watch-limits.ts';

export const limits = {
  ...approvalLimits,
  ...careLimits,
  ...channelLimits,
  ...checkpointLimits,
  ...controlLimits,
  ...ferryLimits,
  ...githubLimits,
  ...logbookLimits,
  ...programLimits,
  ...rayLimits,
  ...readingLimits,
  ...renderLimits,
  ...serverLimits,
  ...watchLimits,
} as const;
