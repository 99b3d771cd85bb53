/** A runner with an order, as a cluster sees it: it submits, and checks first if the result is unclear. */

import type { Engine, JobSpec } from '../../src/domain/engine.ts';
import { submitTo } from './capabilities.ts';

export type Launched =
  | { readonly kind: 'started'; readonly adopted: boolean; readonly session: string | null }
  | { readonly kind: 'lost' | 'conflict' }
  | { readonly kind: 'open' | 'rejected'; readonly message: string };

/**
 * Only a definite *absent* in the claim's session leads to another submit (src/actions/launch.ts, checkEarlierClaim);
 * `claimSession` is the head's session at the claim. `open` after this many attempts: a person is notified.
 */
export async function launchOverRest(
  engine: Engine,
  spec: JobSpec,
  claimSession: string,
  triesMax: number,
  /** Whether it claimed the order itself; otherwise it checks before anything else. */
  hasClaimed = true,
): Promise<Launched> {
  let why = '';
  for (let attempt = 0, mayStart = hasClaimed; attempt < triesMax; attempt += 1) {
    if (!mayStart) {
      const seen = await engine.observe(spec.submissionId, null);
      if (seen.kind === 'absent' && seen.session !== claimSession) return { kind: 'lost' };
      mayStart = seen.kind === 'absent' || seen.kind === 'found';
      if (seen.kind === 'unknown') why = seen.message;
      if (!mayStart) continue;
    }
    const outcome = await submitTo(engine, spec);
    switch (outcome.kind) {
      case 'submitted':
      case 'adopted':
        return { kind: 'started', adopted: outcome.kind === 'adopted', session: outcome.job.session };
      case 'conflict':
        return { kind: 'conflict' };
      case 'rejected':
        return { kind: 'rejected', message: outcome.message };
      case 'unknown':
        why = outcome.message;
        mayStart = false;
    }
  }
  return { kind: 'open', message: why };
}
