/** Records changed gate results. */

import type { RunFacts } from '../domain/facts.ts';
import { incidentDraft, incidentsWith } from '../domain/incidents.ts';
import { holdsOver } from '../domain/launch/hold.ts';
import { failedAttempt, isFixPushed } from '../domain/launch/next-attempt.ts';
import { preApproval } from '../domain/launch/small-fix.ts';
import { allPass, type Verdict } from '../domain/launch/verdict.ts';
import { limits } from '../domain/limits.ts';
import { awaitsAdoption } from '../domain/logbook/adoption.ts';
import type { EventDataByType, EventDraft } from '../domain/logbook/event.ts';
import { type RunState, standingApprovals } from '../domain/logbook/run-state.ts';
import { isNotAsked, need } from '../domain/need.ts';
import type { Digest, Sha } from '../domain/values.ts';
import { judgeHolds } from '../gates/run-gates.ts';
import { canonicalize } from '../logbook/chain.ts';
import { factsToRecord } from './backtest/recorded-facts.ts';
import { type Gated, unreadFacts } from './gate-run.ts';
import { append, type Step } from './step.ts';

/**
 * Records the gates when their answer changed. An answer with an unknown is recorded only as the first one: an unreadable fact delays a
 * launch but drops no approval.
 */
export function decideGates(state: RunState, facts: RunFacts, judge: () => Gated): Step | null {
  if (state.order?.status === 'claimed' || awaitsAdoption(state)) return null;
  if (isNotAsked(facts.pull)) return need('comments');
  if (facts.pull.kind === 'unknown' || facts.body.kind === 'unknown') return null;
  if (state.submission !== null && !isFixPushed(state, facts.pull.value.headSha)) return null;
  const unread = unreadFacts(facts);
  if (unread.length > 0) return need(...unread);
  const gated = judge();
  const hasUnknown = gated.verdicts.some((v) => v.outcome === 'unknown' && v.code === 'unreadable');
  // A manifest that cannot be built is news; one whose change or checkpoint was not read is not.
  const isTold =
    gated.manifest.kind === 'unknown' &&
    facts.change.kind === 'known' &&
    gated.facts.start?.kind !== 'unknown';
  if (hasUnknown && state.gate !== null && !isTold) return null;
  const digest = gated.bound.kind === 'known' ? gated.bound.value.digest : null;
  const body = facts.body.value.fingerprint;
  const commit = facts.pull.value.headSha;
  const same =
    state.gate !== null &&
    state.gate.digest === digest &&
    state.gate.body === body &&
    state.gate.commit === commit;
  if (same && sameVerdicts(state.gate?.verdicts ?? [], gated.verdicts)) return null;
  if (failedAttempt(state) !== null && isNotAsked(facts.changedSince)) return need('changedSince');
  const manifest = gated.manifest.kind === 'known' ? gated.manifest.value : null;
  const recorded: EventDraft = {
    type: 'gated',
    role: 'control',
    data: {
      digest,
      manifest,
      commit,
      body,
      verdicts: gated.verdicts,
      ...factsToRecord(gated.facts),
      ...fixOf(state, facts),
    },
  };
  const drop = fallen(state, { digest, body, commit, pass: allPass(gated.verdicts) });
  return drop === null ? append(recorded) : append(drop, recorded);
}

/**
 * Records what a hold of this run, or its lifting, changes: one verdict. The other facts are those of the recorded gates, which an order and
 * the next sweep judge again.
 */
export function decideHeld(state: RunState, { journalHolds }: RunFacts): Step | null {
  if (state.gate === null || state.order?.status === 'claimed' || awaitsAdoption(state)) return null;
  const { at: _, seq: __, ...recorded } = state.gate;
  if (state.submission !== null && !isFixPushed(state, recorded.commit)) return null;
  const judgement = judgeHolds(holdsOver(state, journalHolds));
  if (judgement.outcome === 'unknown') return null;
  const verdicts = recorded.verdicts.map((one) =>
    one.gate === 'not-held' ? { gate: one.gate, ...judgement } : one,
  );
  if (sameVerdicts(recorded.verdicts, verdicts)) return null;
  return append({ type: 'gated', role: 'control', data: { ...recorded, verdicts } });
}

/** For display: what a fix changed against the failed attempt. */
function fixOf(state: RunState, { changedSince }: RunFacts): Pick<EventDataByType['gated'], 'fix'> {
  const last = failedAttempt(state);
  if (last === null) return {};
  const { attempt, commit } = last.submission;
  if (changedSince.kind === 'unknown') return { fix: { attempt, commit, files: null, more: 0 } };
  const files = changedSince.value.slice(0, limits.shownRowsMax);
  return { fix: { attempt, commit, files, more: changedSince.value.length - files.length } };
}

function fallen(
  state: RunState,
  now: {
    readonly digest: Digest | null;
    readonly body: Digest;
    readonly commit: Sha;
    readonly pass: boolean;
  },
): EventDraft | null {
  // The fix's pre-approval stays valid.
  if (preApproval(state)?.commit === now.commit) return null;
  const standing = standingApprovals(state);
  const [first] = standing;
  if (first === undefined) return null;
  const isSame = now.digest === first.digest && now.body === first.body;
  if (isSame && now.pass) return null;
  const reason = isSame ? 'gate-fails' : 'manifest-changed';
  const users = standing.map((a) => a.actor.id);
  return { type: 'approval-dropped', role: 'control', data: { reason, digest: first.digest, users } };
}

function sameVerdicts(a: readonly Verdict[], b: readonly Verdict[]): boolean {
  return canonicalize([...a]) === canonicalize([...b]);
}

/** Reports once that the contract's checkpoint is not valid, because the gate is visible only on the card (policy HR-55, HR-56). */
export function decideStart({ gate, incidents, proposal }: RunState): Step | null {
  const refused = gate?.verdicts.find((one) => one.gate === 'checkpoint-proven' && one.code === 'refused');
  if (refused === undefined) return null;
  const { why, path, dri } = refused.found;
  // Values from the creating command cannot be changed in the issue.
  const asked = proposal.continues === undefined ? {} : { asked: 'resume-as' };
  const facts = { why: String(why), path: String(path), dri: String(dri), ...asked };
  const told = incidentsWith(incidents, 'start-refused');
  return told.some(({ detail }) => detail.why === facts.why && detail.path === facts.path)
    ? null
    : append(incidentDraft('control', 'start-refused', facts));
}
