/** Control's duties for proposed cluster changes: the config's consent, the runner's dispatch, and expired consents. */

import { preApprovalOf, preApprovalsUsed } from '../care/action-approval.ts';
import { maxAgeMsOf } from '../config/approvers.ts';
import { targetName } from '../domain/actions/action.ts';
import { type ActionApproval, type ActionRecord, approvalEndsAt } from '../domain/actions/action-state.ts';
import type { Dispatch } from '../domain/effect.ts';
import type { RunFacts } from '../domain/facts.ts';
import { type Incident, incidentDraft, incidentsWith } from '../domain/incidents.ts';
import { limits } from '../domain/limits.ts';
import { fromRfc3339, type Instant } from '../domain/values.ts';
import type { LabConfig } from './lane-scope.ts';
import {
  type AttemptCache,
  append,
  type DeciderInput,
  decideDispatch,
  isHeldBack,
  type Step,
} from './step.ts';

export type CareInput = {
  /** The run, or `journal`. */
  readonly record: string;
  readonly actions: readonly ActionRecord[];
  readonly incidents: readonly Incident[];
  readonly dispatches: readonly Dispatch[];
  readonly workflowRuns: RunFacts['workflowRuns'];
  readonly isHeld: boolean;
  readonly config: LabConfig;
  /** The branch whose workflow is dispatched. */
  readonly ref: string;
  readonly now: Instant;
  readonly memory: AttemptCache;
};

/** The next step for a run's cluster changes; null if none is pending. */
export function decideCare({ state, facts, config, now, memory }: DeciderInput): Step | null {
  const { run: record, actions, incidents, dispatches } = state;
  const isHeld = isHeldBack(state, facts.journalHolds);
  const { workflowRuns } = facts;
  const ref = config.lane.targetBranch;
  return (
    (isHeld ? null : configConsent({ state, facts, config, now })) ??
    decideActions({
      ...{ record, actions, incidents, dispatches, workflowRuns, isHeld, config, ref, now, memory },
    })
  );
}

/** The config consents to the deletion of a bad node only after the job failed: a log line of a running job proves nothing. */
function configConsent({ state, facts, config, now }: Omit<DeciderInput, 'memory'>): Step | null {
  if (state.end?.status !== 'FAILED') return null;
  if (facts.configHealth.kind === 'unknown' || facts.recordedRuns.kind === 'unknown') return null;
  const { isValid, inForce } = facts.configHealth.value;
  const all = [...facts.recordedRuns.value.filter(({ run }) => run !== state.run), state];
  const one = state.actions.find(({ proposal, digest, approvals: consents, ended }) => {
    const said = preApprovalOf(config, proposal);
    if (!isValid || said === null || !said.stands || consents.length > 0 || ended !== null) return false;
    const others = all.flatMap(({ actions }) => actions);
    return preApprovalsUsed(others, { cluster: proposal.cluster, digest }, now) < said.max;
  });
  if (one === undefined) return null;
  const source = { kind: 'config', commit: inForce } as const;
  return append({ type: 'action-approved', role: 'control', data: { proposal: one.digest, source } });
}

/** Dispatches the runner for consented changes. */
export function decideActions(input: CareInput): Step | null {
  for (const one of input.actions) {
    const consent = one.approvals.at(-1);
    if (consent === undefined || one.ended !== null) continue;
    const isOver = one.claim === null && input.now >= approvalEndsAt(consent, maxAgeMsOf(input.config));
    const step = isOver ? unused(input, one, consent) : dispatch(input, one, consent);
    if (step !== null) return step;
  }
  return null;
}

function unused({ incidents }: CareInput, { proposal }: ActionRecord, consent: ActionApproval): Step | null {
  const isTold = incidentsWith(incidents, 'approval-unused').some(
    ({ detail }) => detail.consent === consent.seq,
  );
  if (isTold) return null;
  const detail = {
    consent: consent.seq,
    at: consent.at,
    kind: proposal.change.kind,
    target: targetName(proposal.change),
  };
  return append(incidentDraft('control', 'approval-unused', detail));
}

/** Also dispatched after the start, to record the end. */
function dispatch(
  input: CareInput,
  { claim: begun, digest }: ActionRecord,
  { at }: ActionApproval,
): Step | null {
  if (input.isHeld && begun === null) return null;
  const { config, record, ref } = input;
  return decideDispatch(
    {
      ...{ workflow: 'care', subject: digest, file: config.workflows.care, ref },
      ...{ inputs: { run: record, action: digest }, since: fromRfc3339(at) ?? 0 },
      triesMax: limits.dispatchesPerOrderMax,
    },
    input,
  );
}
