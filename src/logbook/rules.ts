/** What may follow what: a run folds as its lifecycle says, the journal has only what belongs to no run. */

import { illegalAction, isActionEvent } from '../domain/actions/action-state.ts';
import { definitionOf } from '../domain/logbook/definitions.ts';
import type { LogbookEvent } from '../domain/logbook/event.ts';
import { answerRule } from '../domain/logbook/events/command-events.ts';
import { illegalOrphan } from '../domain/logbook/events/rental-events.ts';
import { foldOne } from '../domain/logbook/fold.ts';
import {
  EMPTY_JOURNAL,
  type JournalFold,
  type JournalState,
  journalFold,
} from '../domain/logbook/journal-state.ts';
import { commandKey, type RunState } from '../domain/logbook/run-state.ts';
import { isRunId } from '../domain/values.ts';

/** The journal's name in the field `run`, and its folder. */
export const JOURNAL = 'journal';

/** The state after a file's entries. */
export type FileState =
  | { readonly kind: 'run'; readonly state: RunState | null }
  | { readonly kind: 'journal'; readonly state: JournalState };

export type TransitionCheck = {
  /** Takes events in order; returns the broken rule or null. */
  readonly take: (event: LogbookEvent) => string | null;
  /** Undefined after a broken rule. */
  readonly state: () => FileState;
};

/** `from` null: start of the file. */
export function transitionCheck(run: string, from: FileState | null = null): TransitionCheck {
  if (run === JOURNAL) return journalCheck(from?.kind === 'journal' ? from.state : EMPTY_JOURNAL);
  return runCheck(from?.kind === 'run' ? from.state : null);
}

function runCheck(from: RunState | null): TransitionCheck {
  let state = from;
  return {
    take: (event) => {
      // An invalid run id is a broken rule, not an exception.
      if (!isRunId(event.run)) return 'no run can have this name';
      const step = foldOne(state, event);
      if (!step.ok) return step.error.rule;
      state = step.value;
      return null;
    },
    state: () => ({ kind: 'run', state }),
  };
}

function journalCheck(from: JournalState): TransitionCheck {
  const fold = journalFold(from);
  return {
    take: (event) => {
      const rule = illegalInJournal(fold, event);
      if (rule === null) fold.take(event);
      return rule;
    },
    state: () => ({ kind: 'journal', state: fold.state() }),
  };
}

function illegalInJournal(fold: JournalFold, event: LogbookEvent): string | null {
  const { isInJournal, isByPerson } = definitionOf(event);
  if (isInJournal !== true) return `${event.type} belongs to a run, not to the journal`;
  if (isActionEvent(event)) return illegalAction(fold.actions(), JOURNAL, event);
  const orphanRule = illegalOrphan(fold.orphans(), event);
  if (orphanRule !== null) return orphanRule;
  if (event.type === 'command-seen' && fold.seen(commandKey(event.data)) !== undefined)
    return 'a command is seen once';
  const answer = event.type === 'command-answered' ? answerRule(fold.seen(commandKey(event.data))) : null;
  if (answer !== null) return answer;
  return isByPerson === true && event.actor === undefined ? `${event.type} names no person` : null;
}
