/** Decides whether a run whose bad node was replaced is ordered again: what was approved, on today's facts, and no oftener than approved. */

import { type IncidentFacts, incidentDraft } from '../domain/incidents.ts';
import { restartsLeft, wantsRelaunch } from '../domain/launch/relaunch.ts';
import type { Verdict } from '../domain/launch/verdict.ts';
import type { RunState } from '../domain/logbook/run-state.ts';
import { type OrderInput, orderStep } from './decide-order.ts';
import { append, type Step } from './step.ts';

/** The order of the next attempt, the word why there is none, or null while a fact is missing. */
export function decideRelaunch(input: OrderInput): Step | null {
  const { state, gated } = input;
  if (!wantsRelaunch(state) || state.gate === null) return null;
  if (restartsLeft(state) <= 0) {
    const restarts = state.order?.manifest?.envelope.restarts ?? 0;
    return refused(state, { reason: 'no-restarts-left', restarts });
  }
  const { change } = gated.facts;
  if (gated.bound.kind === 'unknown' || change.kind === 'unknown') return null;
  const { digest, body } = gated.bound.value;
  const { order } = state;
  const isMoved = change.value.headSha !== order?.order.commit;
  if (isMoved || digest !== order.order.digest || body !== state.gate.body)
    return refused(state, { reason: 'manifest-changed' });
  const open = [...gated.verdicts, ...gated.approvals].filter(isClosed);
  const failing = open.find(({ outcome }) => outcome === 'fail');
  if (failing !== undefined)
    return refused(state, { reason: 'gate', gate: failing.gate, gateCode: failing.code });
  return open.length > 0 ? null : orderStep(input, digest);
}

function isClosed({ outcome }: Verdict): boolean {
  return outcome === 'fail' || outcome === 'unknown';
}

function refused(state: RunState, facts: IncidentFacts<'relaunch-refused'>): Step {
  const attempt = state.submission?.attempt ?? 1;
  return append(incidentDraft('control', 'relaunch-refused', { attempt, ...facts }));
}
