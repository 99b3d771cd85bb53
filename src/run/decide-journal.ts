/** Commands on threads that belong to no active run: each gets its answer, and nothing else comes of it. */

import { type Permission, permits } from '../domain/actor.ts';
import { commentName } from '../domain/answer-key.ts';
import { assertNever } from '../domain/assert.ts';
import type { AnswerCode } from '../domain/command.ts';
import type { EventDraft } from '../domain/event.ts';
import type { Instant } from '../domain/ids.ts';
import { limits } from '../domain/limits.ts';
import type { Observed } from '../domain/observed.ts';
import type { SeenCommand } from '../domain/run-state.ts';
import { answerDraft, seenDraft } from './decide-commands.ts';
import { itemKey, type PendingItem } from './pending-commands.ts';
import { strangerDetail, strangersWereTold } from './strangers.ts';

export type JournalInput = {
  /** Unanswered items of one thread, oldest first. */
  readonly items: readonly PendingItem[];
  /** Commands of this thread that any record knows, and those that the journal has. */
  readonly known: ReadonlyMap<string, SeenCommand>;
  readonly journal: ReadonlyMap<string, SeenCommand>;
  readonly permissions: ReadonlyMap<number, Observed<Permission>>;
  /** What a command comes to that is no `/help`. */
  readonly otherwise: AnswerCode;
  readonly now: Instant;
};

/** What the journal records of them. Who could not be asked about waits while the thread's answer to strangers is fresh. */
export function decideJournal(input: JournalInput): readonly EventDraft[] {
  const drafts: EventDraft[] = [];
  let told: string | null = null;
  for (const item of input.items) {
    const permission = input.permissions.get(item.comment.author.id);
    const isColleague = permission?.kind === 'known' && permits(permission.value, 'triage');
    const name = commentName(item.comment);
    const wereTold =
      (told !== null && told !== name) || strangersWereTold(input.known.values(), item, input.now);
    const isPatient = input.now - item.comment.createdAt < limits.permissionPatienceMs;
    if (!isColleague && wereTold && permission?.kind !== 'known' && isPatient) continue;
    const stranger = isColleague ? {} : strangerDetail(wereTold);
    if (!isColleague && !wereTold) told = name;
    drafts.push(...draftsFor(item, input, stranger));
  }
  return drafts;
}

function draftsFor(
  item: PendingItem,
  { journal, otherwise }: JournalInput,
  more: Readonly<Record<string, number>>,
): readonly EventDraft[] {
  const { said } = item;
  const seen = journal.has(itemKey(item)) ? [] : [seenDraft(item)];
  switch (said.kind) {
    case 'error':
    case 'hint': {
      const { kind, ...detail } = said;
      return [
        ...seen,
        answerDraft(item, kind === 'error' ? 'not-understood' : 'hint', { ...detail, ...more }),
      ];
    }
    case 'edited':
      return [...seen, answerDraft(item, 'comment-edited', { name: said.name, ...more })];
    case 'command':
      return said.name === 'help'
        ? [...seen, answerDraft(item, 'help-shown', { command: said.args['command'] ?? '', ...more })]
        : [...seen, answerDraft(item, otherwise, { name: said.name, ...more })];
    default:
      return assertNever(said);
  }
}
