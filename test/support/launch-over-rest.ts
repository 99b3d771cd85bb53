/** What the runner does with an order, as far as a cluster sees it: submits, and where it is unclear looks before anything else. */

import type { Engine, JobSpec } from '../../src/domain/engine.ts';
import { submitTo } from './capabilities.ts';

export type Launched =
  | { readonly kind: 'started'; readonly adopted: boolean; readonly session: string | null }
  | { readonly kind: 'lost' | 'conflict' }
  | { readonly kind: 'open' | 'rejected'; readonly message: string };

/**
 * Only a positive *absent* of the claim's own session leads to another submit (src/actions/launch.ts, lookBack); `claimSession` is the head's
 * session when the order was claimed. `open` after so many tries: a person is told.
 */
export async function launchOverRest(
  engine: Engine,
  spec: JobSpec,
  claimSession: string,
  triesMax: number,
  /** Whether it claimed the order itself; who finds the claim of another looks before anything else. */
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
