/** Answers to a `/propose`, and refusals of a person's own pull request or issue. */

import type { NotTakenUp } from '../commands/propose.ts';
import { type AnswerCode, type Answers, answerOf } from '../commands/registry.ts';
import { isIssueFirst } from '../domain/issue-first.ts';
import { limits } from '../domain/limits.ts';
import { phaseOf } from '../domain/logbook/phase.ts';
import type { RunState } from '../domain/logbook/run-state.ts';
import type { OwnPull } from '../domain/own-pull.ts';
import type { Detail, FactsArgument } from '../domain/payload.ts';
import { cutText } from '../domain/text.ts';
import type { LaneScopedConfig } from './lane-scope.ts';

export type Answered = { readonly kind: 'answer'; readonly code: string; readonly detail: Detail };

/** Texts are cut to the limit of an event. */
export function answerTo<Code extends AnswerCode>(
  code: Code,
  ...facts: FactsArgument<Answers[Code]>
): Answered {
  return cutAnswer(code, answerOf(code, ...facts).detail);
}

/** Cuts the texts of an answer. */
export function cutAnswer(code: string, detail: Detail): Answered {
  const short = Object.entries(detail).map(([name, value]) => [
    name,
    typeof value === 'string' ? cutText(value, limits.answerTextChars) : value,
  ]);
  return { kind: 'answer', code, detail: Object.fromEntries(short) };
}

/** Refusals that do not depend on the lane. */
export function refusalOf(pull: OwnPull, repository: string): Answered | null {
  if (pull.headRepository !== repository)
    return refused('fork', pull.headRepository ?? 'a deleted fork', repository);
  return pull.isDraft ? refused('draft') : null;
}

/** The change touches no experiment of these lanes. */
export function noExperiment(lanes: readonly LaneScopedConfig[]): Answered {
  const files = lanes.flatMap(({ kind, lane }) => kind.proposes?.change?.file(lane) ?? []);
  return refused('no-experiment', files.join(' '));
}

/** More than one lane fits. */
export function severalLanes(lanes: readonly LaneScopedConfig[]): Answered {
  return refused('several-lanes', lanes.map(({ laneName }) => laneName).join(' '));
}

/** Refuses a pull request or an issue. */
export function refused(why: NotTakenUp, about = '', wanted = ''): Answered {
  return answerTo('propose-refused', { why, about, wanted });
}

/** The run that occupies the lane. `own`: 1 if requested by label, 2 by command, which no label removal withdraws. */
export function inTheWay(standing: RunState, isBusy: boolean): Answered {
  const { run, proposal } = standing;
  const alone = isIssueFirst(proposal) ? { issue: proposal.issue } : {};
  const own = proposal.own === undefined ? {} : { own: proposal.own.label === null ? 2 : 1 };
  const facts = { run, pull: proposal.pull, phase: phaseOf(standing), ...alone, ...own };
  return answerTo(isBusy ? 'propose-busy' : 'propose-standing', facts);
}
