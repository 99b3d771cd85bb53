/** Events of a received and an answered command. */

import { type AnswerDecision, answerCommon } from '../commands/decision.ts';
import { assertNever } from '../domain/assert.ts';
import type { EventDraft } from '../domain/logbook/event.ts';
import type { SeenCommand } from '../domain/logbook/run-state.ts';
import type { Detail } from '../domain/payload.ts';
import type { PendingItem, Said } from './pending-commands.ts';

/** The record that a command was received. */
export function seenDraft({ comment, index, said }: PendingItem): EventDraft {
  const isNamed = said.kind === 'command' || said.kind === 'edited';
  const name = isNamed ? said.name : said.kind === 'error' ? said.word.slice(1) : 'hint';
  const args = isNamed ? said.args : {};
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
  return answeredDraft({ comment: id, surface, index, thread }, answer);
}

type RecordedAnswer = { readonly code: string; readonly detail: Detail };

/** `answerDraft` for a deleted comment. */
export function answeredDraft(
  { comment, surface, index, thread }: Pick<SeenCommand, 'comment' | 'surface' | 'index' | 'thread'>,
  { code, detail }: RecordedAnswer,
): EventDraft {
  const data = { comment, surface, index, thread, code, detail };
  return { type: 'command-answered', role: 'control', data };
}

/** The answer to a comment that is not a valid command. */
export function unreadAnswer(said: Exclude<Said, { kind: 'command' | 'unread' }>): AnswerDecision {
  switch (said.kind) {
    case 'error': {
      const { kind: _, ...facts } = said;
      return answerCommon('not-understood', facts);
    }
    case 'hint': {
      const { kind: _, ...facts } = said;
      return answerCommon('hint', facts);
    }
    case 'edited':
      return answerCommon('comment-edited', { name: said.name });
    default:
      return assertNever(said);
  }
}
