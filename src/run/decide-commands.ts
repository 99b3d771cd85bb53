/** Decides the oldest unanswered command: it is recorded as seen, what it brings about is recorded, and its answer too. */

import type {
  AnswerDetail,
  CommandContext,
  CommandDecision,
  GateView,
  RunVerdict,
} from '../commands/decision.ts';
import { policyOf } from '../commands/policy.ts';
import { definitionOf } from '../commands/registry.ts';
import type { LabConfig } from '../config/schema.ts';
import { type Actor, type Permission, permits } from '../domain/actor.ts';
import type { AnswerCode } from '../domain/command.ts';
import type { EventDraft } from '../domain/event.ts';
import type { PullFacts, RunFacts } from '../domain/facts.ts';
import type { Instant } from '../domain/ids.ts';
import { limits } from '../domain/limits.ts';
import { commandKey, type RunState } from '../domain/run-state.ts';
import { fromRfc3339 } from '../domain/time.ts';
import { commandsSince, type PendingItem, pendingItems } from './pending-commands.ts';
import { append, type Step } from './step.ts';

export type CommandInput = {
  readonly state: RunState;
  readonly facts: RunFacts;
  readonly config: LabConfig;
  readonly now: Instant;
  readonly gates: GateView | null;
  readonly verdict: RunVerdict;
};

/** A command whose work outside is still to be done, after it was recorded as seen. */
export type StagedCommand = {
  readonly item: PendingItem;
  readonly actor: Actor;
  readonly decision: Extract<CommandDecision, { kind: 'seal' | 'close' }>;
};

export type CommandOutcome =
  | { readonly kind: 'step'; readonly step: Step }
  | { readonly kind: 'staged'; readonly command: StagedCommand }
  | { readonly kind: 'wait'; readonly why: string }
  | { readonly kind: 'nothing' };

/** The oldest unanswered item of the run's threads, decided. */
export function decideCommand(input: CommandInput): CommandOutcome {
  const { facts, state, config } = input;
  if (facts.comments.kind === 'unknown') return { kind: 'wait', why: facts.comments.why };
  const since = commandsSince(state);
  const item = pendingItems(state.commands, facts.comments.value, { since, otherBots: config.otherBots })[0];
  return item === undefined ? { kind: 'nothing' } : decideItem(input, item);
}

function decideItem(input: CommandInput, item: PendingItem): CommandOutcome {
  const { comment, said } = item;
  if (said.kind === 'error') {
    return answered(input, item, said.word.slice(1), {}, 'not-understood', {
      code: said.code,
      word: said.word,
      line: said.line,
      column: said.column,
      suggest: said.suggest,
    });
  }
  if (said.kind === 'hint')
    return answered(input, item, 'hint', {}, 'hint', {
      word: said.word,
      reason: said.reason,
      line: said.line,
    });
  if (comment.editedAt !== null)
    return answered(input, item, said.name, said.args, 'comment-edited', { name: said.name });
  const definition = definitionOf(said.name);
  if (definition === null) throw new Error(`the registry read ${said.name} and does not know it`);
  const needs = definition.who(policyOf(input.config));
  const permission = input.facts.permissions.get(comment.author.id);
  if (needs !== null && (permission === undefined || permission.kind === 'unknown'))
    return unreadablePermission(input, item, permission?.why ?? 'not asked');
  const held: Permission = permission?.kind === 'known' ? permission.value : 'none';
  if (needs !== null && !permits(held, needs)) return refused(input, item, held, needs);
  return settled(input, item, definition.decide(contextOf(input, item, held, said.args)));
}

/** GitHub may be unreadable for a moment: a sweep asks again; only after ten minutes is the person told. */
function unreadablePermission(input: CommandInput, item: PendingItem, why: string): CommandOutcome {
  if (input.now - item.comment.createdAt < limits.permissionPatienceMs) return { kind: 'wait', why };
  return said(item) === null
    ? { kind: 'nothing' }
    : answered(input, item, said(item) ?? '', {}, 'permission-unknown', { why });
}

function said(item: PendingItem): string | null {
  return item.said.kind === 'command' ? item.said.name : null;
}

/** A stranger's flood costs at most one answer a thread and hour; the others are recorded and answered by a reaction alone. */
function refused(
  input: CommandInput,
  item: PendingItem,
  held: Permission,
  needs: Permission,
): CommandOutcome {
  const recently = [...input.state.commands.values()].some(
    (seen) =>
      seen.answer?.code === 'not-permitted' &&
      seen.thread === item.comment.thread &&
      input.now - (fromRfc3339(seen.answer.at) ?? 0) < limits.strangerAnswerPeriodMs,
  );
  const quiet = recently && !permits(held, 'triage') ? 1 : 0;
  return answered(input, item, said(item) ?? '', argsOf(item), 'not-permitted', { needs, held, quiet });
}

function argsOf(item: PendingItem): Readonly<Record<string, string>> {
  return item.said.kind === 'command' ? item.said.args : {};
}

function settled(input: CommandInput, item: PendingItem, decision: CommandDecision): CommandOutcome {
  if (decision.kind === 'answer')
    return answered(
      input,
      item,
      said(item) ?? '',
      argsOf(item),
      decision.code,
      decision.detail,
      decision.drafts,
    );
  const key = commandKey({ surface: item.comment.surface, comment: item.comment.id, index: item.index });
  if (!input.state.commands.has(key))
    return { kind: 'step', step: append(seenDraft(item, said(item) ?? '', argsOf(item))) };
  return { kind: 'staged', command: { item, actor: item.comment.author, decision } };
}

function answered(
  input: CommandInput,
  item: PendingItem,
  name: string,
  args: Readonly<Record<string, string>>,
  code: AnswerCode,
  detail: AnswerDetail,
  drafts: readonly EventDraft[] = [],
): CommandOutcome {
  const key = commandKey({ surface: item.comment.surface, comment: item.comment.id, index: item.index });
  const seen = input.state.commands.has(key) ? [] : [seenDraft(item, name, args)];
  return { kind: 'step', step: append(...seen, ...drafts, answerDraft(item, code, detail)) };
}

/** The record that a command was received. */
export function seenDraft(
  item: PendingItem,
  name: string,
  args: Readonly<Record<string, string>>,
): EventDraft {
  const { comment, index } = item;
  const data = {
    comment: comment.id,
    surface: comment.surface,
    index,
    name,
    args,
    thread: comment.thread,
    bodyDigest: comment.bodyDigest,
  };
  return { type: 'command-seen', role: 'control', actor: comment.author, data };
}

/** The record of what a command came to; the answer that people read is rendered from it. */
export function answerDraft(item: PendingItem, code: AnswerCode, detail: AnswerDetail): EventDraft {
  const { comment, index } = item;
  const data = { comment: comment.id, surface: comment.surface, index, thread: comment.thread, code, detail };
  return { type: 'command-answered', role: 'control', data };
}

function contextOf(
  input: CommandInput,
  item: PendingItem,
  permission: Permission,
  args: Readonly<Record<string, string>>,
): CommandContext {
  return {
    state: input.state,
    now: input.now,
    actor: item.comment.author,
    permission,
    comment: item.comment,
    args,
    gates: input.gates,
    verdict: input.verdict,
    policy: policyOf(input.config),
    interested: interestedIn(input.state, input.facts.pull.kind === 'known' ? input.facts.pull.value : null),
  };
}

/** Whose approval would be their own: the author of the PR, who asked for it, and the last person who edited the body. */
export function interestedIn(state: RunState, pull: PullFacts | null): readonly Actor[] {
  const asked = state.proposal.requestedBy === null ? [] : [state.proposal.requestedBy];
  const editor = pull?.bodyEditors[0];
  return [
    state.proposal.author,
    ...(pull === null ? [] : [pull.author]),
    ...asked,
    ...(editor === undefined ? [] : [editor]),
  ];
}
