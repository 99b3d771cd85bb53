/** The answer on a thread that belongs to no active run: recorded in the repository journal, said in the same words. */

import type { SeenCommand } from '../domain/logbook/run-state.ts';
import type { PastOf } from '../domain/past-row.ts';
import { answerText } from './answer.ts';
import { comment } from './comment.ts';

/** `key` is `<surface>-<comment id>`, as in a run's own threads. */
export function renderJournalAnswer(key: string, commands: readonly SeenCommand[], past: PastOf): string {
  return comment({ run: 'journal', kind: 'answer', key, fields: {} }, answerText(commands, null, past));
}
