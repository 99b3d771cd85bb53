/** What `/approve-launch` costs by the action alone, with the real bundle and real git: git processes, and CPU time of node and git. */

import { measureApproval } from '../test/trust/measured-approval.ts';
import { type Result, resultWithBar } from './measure.ts';

/** One approval, from its comment to the recorded order. */
export async function measureApprove(): Promise<readonly Result[]> {
  const { calls, cpuMs } = await measureApproval();
  const most = Math.max(...calls.map(({ length }) => length));
  return [
    resultWithBar('approve-launch-git-processes', most, 'processes', '<=', 20),
    resultWithBar('approve-launch-cpu', cpuMs, 'ms', '<=', 2_000),
  ];
}
