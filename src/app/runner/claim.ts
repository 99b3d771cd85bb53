/** The claim of an order: pushed before anything is submitted, and never twice. */

import type { Engine } from '../../domain/engine.ts';
import { GitError } from '../../domain/git.ts';
import type { IssuedOrder } from '../../domain/logbook/run-state.ts';
import type { EngineOf } from '../lab.ts';
import type { OpenLane } from '../open-lab.ts';

export type ClaimInput = {
  readonly engineOf: EngineOf;
  readonly workflowRun: number;
  readonly redact: (text: string) => string;
};

export type ClaimFailure = { readonly kind: 'failed'; readonly code: 'submit-unknown'; readonly why: string };

/** Claims the order by a push: whoever loses the race reads again. */
export async function claim(
  open: OpenLane,
  input: ClaimInput,
  order: IssuedOrder,
): Promise<'claimed' | 'conflict' | ClaimFailure> {
  const engine = engineFor(open, input);
  const session = engine === null ? null : await engine.session();
  // Without the session nobody could tell later whether the engine has forgotten what was started under the claim.
  if (engine?.forgetsWithSession === true && session?.kind === 'unknown') {
    const why = `the cluster does not answer, so nothing was claimed: ${session.message}`;
    return { kind: 'failed', code: 'submit-unknown', why: input.redact(why) };
  }
  const data = {
    orderDigest: order.digest,
    attempt: order.order.attempt,
    workflowRun: input.workflowRun,
    engineSession: session?.kind === 'session' ? session.id : '',
  };
  const result = await open.keeper.append(
    order.order.run,
    [{ type: 'claimed', role: 'runner', data }],
    open.lab.now(),
  );
  if (result.kind === 'refused')
    throw new GitError(
      'failed',
      `the claim could not be pushed, so nothing was submitted: ${result.message}`,
    );
  if (result.kind === 'failed') throw new Error(`the claim could not be pushed: ${result.message}`);
  return result.kind === 'appended' ? 'claimed' : 'conflict';
}

/** The engine of the lane's cluster, where this runner has one. */
export function engineFor(open: OpenLane, input: Pick<ClaimInput, 'engineOf'>): Engine | null {
  return input.engineOf(open.config, open.config.lane.cluster);
}
