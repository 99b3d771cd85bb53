/** Events of a received and an answered command. */

import { type AnswerDecision, answer, type CommandDefinition, type PlaceContext } from '../commands/decision.ts';
import { findCommand } from '../commands/registry.ts';
import { type Permission, permits } from '../domain/actor.ts';
import type { CommentFacts, RunFacts } from '../domain/facts.ts';
import type { Detail } from '../domain/incidents.ts';
import { limits } from '../domain/limits.ts';
import type { EventDraft } from '../domain/logbook/define.ts';
import type { RunState, SeenCommand } from '../domain/logbook/run-state.ts';
import { isNotAsked } from '../domain/reconcile-request.ts';
import { assertNever, compactDate, fromRfc3339, type Instant, type Observed } from '../domain/values.ts';
import { listShowings } from './decide-shown.ts';
import { type LabConfig, listAdoptingLanes, listProposingLanes } from './lane.ts';
import { buildUntrustedDetail, type CommentCommand, type PendingItem } from './pending-commands.ts';

/** The record that a command was received. */
export function buildSeenDraft({ comment, index, parsed }: PendingItem): EventDraft {
  const isNamed = parsed.kind === 'command' || parsed.kind === 'edited';
  const name = isNamed ? parsed.name : parsed.kind === 'error' ? parsed.word.slice(1) : 'hint';
  const args = isNamed ? parsed.args : {};
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

/** The record of a command's answer; the posted text is rendered from it. */
export function answerDraft({ comment, index }: PendingItem, answer: RecordedAnswer): EventDraft {
  const { id, surface, thread } = comment;
  return buildAnsweredDraft({ comment: id, surface, index, thread }, answer);
}

type RecordedAnswer = { readonly code: string; readonly detail: Detail };

/** `answerDraft` for a deleted comment. */
export function buildAnsweredDraft(
  { comment, surface, index, thread }: Pick<SeenCommand, 'comment' | 'surface' | 'index' | 'thread'>,
  { code, detail }: RecordedAnswer,
): EventDraft {
  const data = { comment, surface, index, thread, code, detail };
  return { type: 'command-answered', role: 'control', data };
}

function answerUnreadable(said: Exclude<CommentCommand, { kind: 'command' | 'unread' }>): AnswerDecision {
  switch (said.kind) {
    case 'error': {
      const { kind: _, ...facts } = said;
      return answer('not-understood', facts);
    }
    case 'hint': {
      const { kind: _, ...facts } = said;
      return answer('hint', facts);
    }
    case 'edited':
      return answer('comment-edited', { name: said.name });
    default:
      return assertNever(said);
  }
}

/** The result of checking an item's author: it waits for a permission, has its answer already, or is a command to decide. */
export type CheckedItem =
  | { readonly kind: 'wait'; readonly why: string }
  | { readonly kind: 'answer'; readonly answer: AnswerDecision; readonly extra: Detail }
  | {
      readonly kind: 'command';
      readonly definition: CommandDefinition;
      readonly name: string;
      readonly args: Readonly<Record<string, string>>;
      readonly permission: Permission;
      readonly extra: Detail;
    };

/**
 * Checks an item's author. `needs`: the permission that its command requires, or null. `isMuted`: another answer informed the person. An
 * unreadable permission is reported only after the patience time: a colleague's may be temporarily unreadable during a flood.
 */
export function checkItem(
  { parsed, comment }: Pick<PendingItem, 'parsed'> & { readonly comment: Pick<CommentFacts, 'createdAt'> },
  permission: Observed<Permission> | undefined,
  { needs, isMuted, now }: { readonly needs: Permission | null; readonly isMuted: boolean; readonly now: Instant },
): CheckedItem {
  if (permission?.kind !== 'known') {
    const why = permission?.why ?? 'not asked';
    const isAsked = needs !== null || parsed.kind === 'unread';
    const isPatient = now - comment.createdAt < limits.permissionPatienceMs;
    if (isPatient && (isAsked || isMuted)) return { kind: 'wait', why };
    if (isAsked) return { kind: 'answer', answer: answer('permission-unknown', { why }), extra: {} };
  }
  const held = permission?.kind === 'known' ? permission.value : 'none';
  const mark = permits(held, 'triage') ? {} : buildUntrustedDetail(isMuted);
  if (needs !== null && !permits(held, needs))
    return { kind: 'answer', answer: answer('not-permitted', { needs, held }), extra: mark };
  if (parsed.kind === 'unread') return { kind: 'wait', why: 'not read' };
  if (parsed.kind !== 'command') return { kind: 'answer', answer: answerUnreadable(parsed), extra: mark };
  const { name, args } = parsed;
  return {
    kind: 'command',
    ...{ definition: requireCommand(name), name, args, permission: held, extra: needs === null ? mark : {} },
  };
}

/** The context that every command gets, on any thread, with or without a run. */
export function buildPlaceContext(
  { permission, args }: Pick<Extract<CheckedItem, { kind: 'command' }>, 'permission' | 'args'>,
  comment: CommentFacts,
  { facts, config, now }: PlaceInput,
): Omit<PlaceContext, 'laneHere' | 'actions' | 'holds'> {
  const { journalHolds, recordedRuns, proposalTexts } = facts;
  return {
    ...{ now, actor: comment.author, permission, comment, args, journalHolds, recordedRuns },
    policy: config,
    lanes: Object.keys(config.lanes),
    proposing: () => listProposingLanes(config),
    adoptable: () => listAdoptingLanes(config).map(({ lane }) => lane.cluster),
    visibleSince: () => listShowings(proposalTexts, comment.createdAt),
  };
}

type PlaceInput = {
  readonly facts: Pick<RunFacts, 'journalHolds' | 'recordedRuns' | 'proposalTexts'>;
  readonly config: LabConfig;
  readonly now: Instant;
};

/** Throws for a command that is not registered. */
function requireCommand(name: string): CommandDefinition {
  const definition = findCommand(name);
  if (definition === null) throw new Error(`the registry read ${name} and does not know it`);
  return definition;
}

/**
 * Whether `item` may be decided while earlier items wait for a fact. Read-only commands always may. Stops and holds may, unless the same
 * author has an earlier command waiting. Everything else waits behind a stop or hold whose author's permission is unknown.
 */
export function canOvertake(item: PendingItem, waiting: readonly PendingItem[], config: LabConfig): boolean {
  if (waiting.length === 0 || requiredPermission(item, config) === null) return true;
  return waiting.every(
    (earlier) => earlier.comment.author.id !== item.comment.author.id && (!isBlocking(earlier) || isBlocking(item)),
  );
}

/** The permission that a command requires; null for none or for other text. Throws for a command that is not registered. */
export function requiredPermission({ parsed }: PendingItem, config: LabConfig): Permission | null {
  return parsed.kind === 'command' ? requireCommand(parsed.name).permission(config) : null;
}

function isBlocking({ parsed }: PendingItem): boolean {
  // An unread comment may contain a stop.
  return parsed.kind === 'unread' || (parsed.kind === 'command' && findCommand(parsed.name)?.isBrake === true);
}

/** The seal's tag: `ferry/daily/YYYYMMDD/<slug>` on the launch commit (marin .agents/skills/ferries/SKILL.md). */
export function sealTagName(state: RunState): string {
  return `ferry/${state.proposal.lane}/${compactDate(state.proposal.date)}/${state.run}`;
}

/** The withdrawn `/seal` as a command; null if its tag was not pushed, `unknown` if the tag cannot be read. */
export function findBegunSeal(
  { submission }: RunState,
  { sealTag }: Pick<RunFacts, 'sealTag'>,
  seen: SeenCommand,
): PendingItem | 'unasked' | 'unknown' | null {
  if (submission === null) return null;
  if (sealTag.kind === 'unknown') return isNotAsked(sealTag) ? 'unasked' : 'unknown';
  if (sealTag.value !== submission.commit) return null;
  const { name, args, index } = seen;
  return { comment: toCommentFacts(seen), index, parsed: { kind: 'command', name, args } };
}

function toCommentFacts({ surface, comment, thread, actor, bodyDigest, at }: SeenCommand): CommentFacts {
  const seenAt = fromRfc3339(at);
  if (seenAt === null) throw new Error('a folded command carries a valid time');
  return {
    surface,
    id: comment,
    nodeId: '',
    thread,
    author: actor,
    authorIsBot: false,
    isByOwnLogin: false,
    byOwnApp: false,
    marker: null,
    body: '',
    bodyDigest,
    createdAt: seenAt,
    updatedAt: seenAt,
    editedAt: null,
    minimized: false,
    commit: null,
  };
}
