/**
 * Executes a seal or close step by step: tag, closure branch, closure PR, proposal PR, issue. Each step is safe to repeat. `sealed` or
 * `closed` is recorded last, so the record is never ahead of GitHub.
 */

import { buildAnswer, type CommandDecision } from '../commands/decision.ts';
import { filterIncidents, incidentDraft } from '../domain/incidents.ts';
import { contractValue } from '../domain/launch/contract.ts';
import { stateAtLastLaunch } from '../domain/launch/next-attempt.ts';
import { limits } from '../domain/limits.ts';
import type { EventDraft } from '../domain/logbook/define.ts';
import type { RunState } from '../domain/logbook/run-state.ts';
import type { RunVerdict } from '../domain/past-runs.ts';
import { isNotAsked, request } from '../domain/reconcile-request.ts';
import { cutText } from '../domain/values.ts';
import { renderMilestoneTag, renderSourceTag, renderTagMessage } from '../render/card.ts';
import { answerDraft, sealTagName } from './command-events.ts';
import type { StagedCommand } from './decide-commands.ts';
import type { ClosureDecision } from './kind.ts';
import { type AttemptCache, append, canTry, type DeciderInput, isEffectDone, perform, type Step } from './step.ts';

/** The decision to carry out. `said` is null if a timeout closed the run, not a command. */
export type ClosingCommand = {
  readonly decision: ClosureDecision;
  readonly staged: Pick<StagedCommand, 'item' | 'actor'> | null;
};

type ClosureInput = Omit<DeciderInput, 'now'> & {
  readonly command: ClosingCommand;
  readonly verdict: RunVerdict | null;
};

/** The next step; null while a fact is missing. */
export function decideClosure(given: ClosureInput): Step | null {
  // Ignore a next attempt that was not launched.
  const input = { ...given, state: stateAtLastLaunch(given.state) };
  for (const next of [decideTag, decideBranch, decidePull, decideProposalThread, decideIssue]) {
    const step = next(input);
    if (step === 'wait') return null;
    if (step !== null) return step;
  }
  return decideRecord(input);
}

/** null: the step is done; `wait`: a fact is missing. */
type Next = Step | null | 'wait';

/** The key of one step. A later /seal repeats each step, because a refused step may succeed then. */
function closureAttemptKey(
  step: 'tag' | 'branch' | 'pull',
  { state, command }: Pick<ClosureInput, 'state' | 'command'>,
): string {
  return `closure-${step}:${state.run}:${command.staged?.item.comment.id ?? 'nobody'}`;
}

function closureBranch(state: RunState): string {
  return `ferrybot/closure/${state.run}`;
}

function decideTag({ state, command, memory }: ClosureInput): Next {
  if (command.decision.kind !== 'seal' || state.submission === null) return null;
  const key = closureAttemptKey('tag', { state, command });
  const before = checkEarlierTry(key, command.staged, memory);
  if (before !== 'do') return before;
  const tag = sealTagName(state);
  return perform(key, {
    kind: 'push-tag',
    tag,
    // rule HR-69
    commit: state.submission.commit,
    message: renderTagMessage(state, command.decision),
  });
}

/** `do`: the step has no outcome yet, and tries are left. */
function checkEarlierTry(key: string, said: ClosingCommand['staged'], memory: AttemptCache): Next | 'do' {
  const outcome = memory.outcomes.get(key);
  if (outcome?.kind === 'refused') return answerRefusedSeal(said, outcome.code, outcome.message);
  if (outcome?.kind === 'done') return null;
  return canTry(memory, key, limits.effectTriesMax) ? 'do' : 'wait';
}

function answerRefusedSeal(said: ClosingCommand['staged'], code: string, message: string): Next {
  // No command to answer; the next process retries.
  if (said === null) return 'wait';
  const detail = { code, message: cutText(message, limits.messageCharactersMax) };
  return append(
    incidentDraft('control', 'seal-failed', detail),
    answerDraft(said.item, buildAnswer('seal-refused', detail)),
  );
}

function decideBranch({ state, facts, config, command, memory, verdict }: ClosureInput): Next {
  const log = config.kind.proposals?.closureLog;
  if (log === undefined) return null;
  const key = closureAttemptKey('branch', { state, command });
  const before = checkEarlierTry(key, command.staged, memory);
  if (before !== 'do') return before;
  if (isNotAsked(facts.closureLog)) return request('closureLog');
  if (facts.closureLog.kind === 'unknown') return 'wait';
  const { decision } = command;
  const { base, text } = facts.closureLog.value;
  const after = log.text({ before: text, state, decision, tag: sealTagName(state), verdict });
  return perform(key, {
    kind: 'push-branch',
    branch: closureBranch(state),
    base,
    mayAppend: true,
    files: { [log.path(config.lane)]: after },
    message: `${state.run}: log ${decision.kind === 'seal' ? 'final seal' : 'closure'}\n`,
  });
}

function decidePull({ state, config, command, memory }: ClosureInput): Next {
  const log = config.kind.proposals?.closureLog;
  if (log === undefined) return null;
  const key = closureAttemptKey('pull', { state, command });
  const before = checkEarlierTry(key, command.staged, memory);
  if (before !== 'do') return before;
  const branch = memory.outcomes.get(closureAttemptKey('branch', { state, command }));
  return perform(key, {
    kind: 'open-pull',
    ...(branch?.kind === 'done' && branch.isNew === true ? { isFirst: true } : {}),
    head: closureBranch(state),
    base: config.lane.targetBranch,
    ...log.pull({ state, decision: command.decision, tag: sealTagName(state) }),
  });
}

function proposalKey({ run }: RunState): string {
  return `proposal-pull:${run}`;
}

/** Merges or closes the proposal's pull request as configured, unless a person already did. */
function decideProposalThread({ state, facts, config, memory, command }: ClosureInput): Next {
  const sealed = config.kind.proposals?.afterSeal(config.lane) ?? 'leave';
  if (sealed === 'leave') return null;
  if (facts.pull.kind === 'unknown') return 'wait';
  const pull = facts.pull.value;
  const wish = command.decision.kind === 'close' ? 'close' : sealed;
  const key = proposalKey(state);
  if (pull.state === 'closed' || isEffectDone(memory, key)) return null;
  // The seal does not wait for a merge that GitHub refuses; its answer reports it.
  if (memory.outcomes.get(key)?.kind === 'refused') return null;
  if (!canTry(memory, key, limits.effectTriesMax)) return 'wait';
  return perform(
    key,
    wish === 'merge'
      ? { kind: 'merge-pull', pull: pull.number, head: state.submission?.commit ?? pull.headSha }
      : { kind: 'edit-issue', issue: pull.number, expected: null, body: null, state: 'closed' },
  );
}

function decideIssue({ state, facts, memory }: ClosureInput): Next {
  if (facts.issue.kind === 'unknown') return 'wait';
  const key = `close-issue:${state.run}`;
  if (facts.issue.value.state === 'closed' || isEffectDone(memory, key)) return null;
  if (!canTry(memory, key, limits.effectTriesMax)) return 'wait';
  return perform(key, {
    kind: 'edit-issue',
    issue: facts.issue.value.number,
    expected: null,
    body: null,
    state: 'closed',
  });
}

function decideRecord({ state, config, command, memory }: ClosureInput): Step | null {
  const opened = memory.outcomes.get(closureAttemptKey('pull', { state, command }));
  const closurePull = opened?.kind === 'done' ? opened.number : null;
  if (closurePull === null && config.kind.proposals?.closureLog !== undefined) return null;
  const { decision, staged } = command;
  const told = closurePull === null ? {} : { closurePull };
  const merge = memory.outcomes.get(proposalKey(state));
  const notMerged = merge?.kind === 'refused' ? cutText(merge.message, limits.messageCharactersMax) : null;
  if (decision.kind === 'seal') {
    if (state.end === null || state.submission === null || staged === null) return null;
    const tag = sealTagName(state);
    const { commit } = state.submission;
    const sealed: EventDraft = {
      type: 'sealed',
      role: 'control',
      actor: staged.actor,
      data: {
        tag,
        commit,
        verdict: decision.verdict,
        accept: decision.accept,
        closurePull,
        metrics: state.end.metrics,
        ...(decision.checkpoint === undefined ? {} : { checkpoint: decision.checkpoint }),
      },
    };
    return append(
      answerDraft(staged.item, buildAnswer('sealed', { tag, ...told, ...(notMerged === null ? {} : { notMerged }) })),
      sealed,
    );
  }
  const data = { outcome: decision.outcome, reason: decision.reason, closurePull };
  if (staged === null) return append({ type: 'closed', role: 'control', data });
  const closed: EventDraft = { type: 'closed', role: 'control', actor: staged.actor, data };
  return append(answerDraft(staged.item, buildAnswer('closed', told)), closed);
}

/** Pushes the milestone's tag, then records it with the answer; null while the tag cannot be pushed. */
export function decideMilestone(
  { state, memory }: Pick<DeciderInput, 'state' | 'memory'>,
  { name, checkpoint }: Extract<CommandDecision, { kind: 'milestone' }>,
  { item, actor }: Pick<StagedCommand, 'item' | 'actor'>,
): Step | null {
  const { submission } = state;
  if (submission === null) throw new Error('a milestone without a job was not refused');
  const tag = `${sealTagName(state)}.${name}`;
  const { commit } = submission;
  const { surface, id: comment } = item.comment;
  const key = `tag:${tag}:${comment}`;
  const before = checkEarlierTry(key, { item, actor }, memory);
  if (before === 'wait') return null;
  // rule HR-70
  if (before === 'do') {
    const message = renderMilestoneTag(state, name, checkpoint);
    return perform(key, { kind: 'push-tag', tag, commit, message });
  }
  if (before !== null) return before;
  const { path, step, unseen } = checkpoint;
  const metrics = state.end?.metrics ?? state.observation?.evals ?? {};
  return append(
    { type: 'milestone', role: 'control', actor, data: { name, tag, commit, checkpoint, metrics, comment, surface } },
    answerDraft(item, buildAnswer('milestone-sealed', { name, tag, path, step, unseen: unseen.join(', ') })),
  );
}

/** Pushes the tag, then reports it; null if the source is on the target branch, was reported, or cannot be tagged now. */
export function decideSourceTag(state: RunState, memory: AttemptCache): Step | null {
  const { submission, contract, order } = state;
  const branch = contractValue(contract, 'branch');
  const target = order?.manifest?.policy['lane.targetBranch'];
  if (submission === null || branch === null || target === undefined || branch === target) return null;
  const { attempt, commit } = submission;
  if (isSourceTagReported(state, commit)) return null;
  const tag = `${sealTagName(state)}.source-${attempt}`;
  const key = `tag:${tag}`;
  const outcome = memory.outcomes.get(key);
  if (outcome?.kind === 'refused') {
    const message = cutText(outcome.message, limits.messageCharactersMax);
    return append(incidentDraft('control', 'source-not-kept', { attempt, commit, branch, message }));
  }
  if (isEffectDone(memory, key))
    return append(incidentDraft('control', 'source-kept', { attempt, commit, branch, tag }));
  if (!canTry(memory, key, limits.effectTriesMax)) return null;
  return perform(key, { kind: 'push-tag', tag, commit, message: renderSourceTag(state, branch) });
}

/** Whether the source tag of this commit was reported. A commit is tagged once, even if several attempts use it. */
function isSourceTagReported({ incidents }: RunState, commit: string): boolean {
  const told = [...filterIncidents(incidents, 'source-kept'), ...filterIncidents(incidents, 'source-not-kept')];
  return told.some(({ detail }) => detail.commit === commit);
}
