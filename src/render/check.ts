/** The check run on the pull request's head: the same state as the card, short. It is no condition of anything. */

import { assertNever } from '../domain/assert.ts';
import type { Effect } from '../domain/effect.ts';
import { limits } from '../domain/limits.ts';
import { phaseOf } from '../domain/logbook/phase.ts';
import type { RunState } from '../domain/logbook/run-state.ts';
import { headText } from './card.ts';
import { cardGates } from './card-gates.ts';
import { cleanLine } from './clean-text.ts';
import type { RenderInput } from './input.ts';
import { stateLine } from './state-line.ts';
import { resultWords, verdictTable } from './verdict-table.ts';
import { wantedLine } from './wanted.ts';
import { code, paragraphs } from './words.ts';

export type CheckConclusion = Extract<Effect, { readonly kind: 'put-check-run' }>['conclusion'];

/** `title` is plain text, `summary` Markdown. */
export function renderCheck(input: RenderInput): { readonly title: string; readonly summary: string } {
  const { state, verdict } = input;
  const { symbol, title, evidence } = stateLine(state, input.config);
  const judged =
    state.end === null || verdict === null
      ? null
      : paragraphs(`Verdict: ${resultWords(verdict.result)}.`, verdictTable(state, state.end, verdict));
  return {
    title: cleanLine(titleOf(state, title), limits.titleCharsMax),
    summary: paragraphs(
      `**Wanted: ${wantedLine(input)}**`,
      `${symbol} **${title}.** ${evidence}`,
      judged,
      cardGates(input),
      `Record: ${code(headText(state, 64))}`,
    ),
  };
}

/**
 * `success` = ended well or sealed; `action_required` = a person's approval is wanted; `failure` = a gate fails or the
 * run FAILED; `neutral` = something is unknown, or it ended without a result; null = in progress.
 */
export function checkConclusion(state: RunState): CheckConclusion {
  const phase = phaseOf(state);
  switch (phase) {
    case 'proposed':
      return gatesConclusion(state);
    case 'gated':
      return state.stop === null ? 'action_required' : 'neutral';
    case 'approved':
    case 'ordered':
    case 'submitted':
    case 'stepping':
    case 'degraded':
      return null;
    case 'ended':
      return endConclusion(state.end?.status ?? 'STOPPED');
    case 'sealed':
      return 'success';
    case 'closed':
      return state.closed?.outcome === 'failed' ? 'failure' : 'neutral';
    default:
      return assertNever(phase);
  }
}

function gatesConclusion({ gate }: RunState): CheckConclusion {
  if (gate === null) return null;
  return gate.verdicts.some((verdict) => verdict.outcome === 'fail') ? 'failure' : 'neutral';
}

function endConclusion(status: 'SUCCEEDED' | 'FAILED' | 'STOPPED'): CheckConclusion {
  switch (status) {
    case 'SUCCEEDED':
      return 'success';
    case 'FAILED':
      return 'failure';
    case 'STOPPED':
      return 'neutral';
    default:
      return assertNever(status);
  }
}

function titleOf(state: RunState, title: string): string {
  const open = state.gate?.verdicts.filter((v) => v.outcome === 'fail' || v.outcome === 'unknown') ?? [];
  const isHeldBack = phaseOf(state) === 'proposed' && open.length > 0;
  return isHeldBack ? `${title}: ${open.map((verdict) => verdict.gate).join(', ')}` : title;
}
