/** Check runs: for a run (a short card), for a config, and for cluster files. No launch depends on them. */

import type { InfraFinding } from '../care/infra/lint.ts';
import type { LeftBehind } from '../config/lane-of-file.ts';
import type { Annotation, Effect } from '../domain/effect.ts';
import type { Mismatch } from '../domain/facts.ts';
import type { Delta } from '../domain/launch/change-facts.ts';
import { listOpenVerdicts } from '../domain/launch/verdict.ts';
import { limits } from '../domain/limits.ts';
import { runPhase } from '../domain/logbook/job-state.ts';
import type { RunState } from '../domain/logbook/run-state.ts';
import { type Backtest, isChanged, listDifferences, type ReplayedDecision } from '../domain/past-runs.ts';
import { assertNever } from '../domain/values.ts';
import type { ConfigProblem } from '../settings/problem.ts';
import type { RenderInput } from './input.ts';
import { renderLeftBehind } from './issues.ts';
import { renderNextStep } from './next-step.ts';
import { chooseStateLine, renderStateLine } from './state-line.ts';
import {
  cleanLine,
  code,
  count,
  formatHead,
  joinAnd,
  nonEmpty,
  paragraphs,
  plainLine,
  type ThreadKind,
  table,
  text,
} from './words.ts';

type CheckConclusion = Extract<Effect, { readonly kind: 'put-check-run' }>['conclusion'];

/** `title` is plain text, `summary` Markdown. */
export function renderCheck(input: RenderInput): { readonly title: string; readonly summary: string } {
  const { state, config } = input;
  return {
    title: cleanLine(checkTitle(state, chooseStateLine(state, config).title), limits.titleCharsMax),
    summary: paragraphs(
      `**Wanted: ${renderNextStep(input)}**`,
      renderStateLine(state, config),
      'The card in the thread of the run has the gates and the evidence.',
      `Record: ${code(formatHead(state, 64))}`,
    ),
  };
}

/**
 * `success` = SUCCEEDED or sealed; `action_required` = an approval is missing; `failure` = a gate fails or the run FAILED;
 * `neutral` = a fact is unknown, or the run ended without a result; null = in progress.
 */
export function chooseConclusion(state: RunState): CheckConclusion {
  const phase = runPhase(state);
  if (phase === 'gated') return state.stop === null ? 'action_required' : 'neutral';
  if (phase === 'proposed' ? state.gate === null : isUnderWay(phase)) return null;
  return CONCLUSIONS[chooseStateLine(state).symbol];
}

const CONCLUSIONS = { '✅': 'success', '⚠️': 'neutral', '❌': 'failure', '❔': 'neutral' } as const;

function isUnderWay(phase: ReturnType<typeof runPhase>): boolean {
  return phase !== 'proposed' && phase !== 'ended' && phase !== 'sealed' && phase !== 'closed';
}

function checkTitle(state: RunState, title: string): string {
  const open = listOpenVerdicts(state.gate?.verdicts ?? []);
  const isHeldBack = runPhase(state) === 'proposed' && open.length > 0;
  return isHeldBack ? `${title}: ${open.map((verdict) => verdict.gate).join(', ')}` : title;
}

/** Rows of a backtest in a check's summary; the command line lists them all. */
const SHOWN_BACKTEST_ROWS_MAX = 50;

/** Markdown. */
export function renderBacktest(backtest: Backtest): string {
  const rows = backtest.runs.flatMap((run) => listDifferences(run).map((decision) => backtestRow(run.run, decision)));
  const more = rows.length - SHOWN_BACKTEST_ROWS_MAX;
  const shown = rows.slice(0, SHOWN_BACKTEST_ROWS_MAX);
  return paragraphs(
    `**${backtestTitle(backtest)}**`,
    rows.length === 0 ? null : table(['run', 'decision', 'was', 'would be', 'why'], shown, shown.length),
    more > 0 ? `${more} more: ${code('npx ferrybot backtest')} lists them all.` : null,
    backtest.unknown > 0 ? '*unknown*: the record lacks the facts that the answer needs.' : null,
  );
}

/** One line of plain text. */
export function backtestTitle({ runs, decisions, changed, unknown }: Backtest): string {
  if (runs.length === 0) return 'No run is recorded to replay.';
  const seen = `${decisions} decisions of ${runs.length} recorded ${runs.length === 1 ? 'run' : 'runs'}`;
  if (changed === 0 && unknown === 0) return `${seen}: no change under this config.`;
  return `${seen}: ${changed} would change, ${unknown} unknown.`;
}

function backtestRow(run: string, decision: ReplayedDecision): readonly string[] {
  const { subject, from, to, why } = decision;
  const what = decision.decision === 'gate' ? `gate ${code(subject)}` : decision.decision;
  return [code(run), what, from, isChanged(decision) ? `**${to}**` : '*unknown*', code(why)];
}

type CheckRun = Extract<Effect, { readonly kind: 'put-check-run' }>;

/** The verdict on one text of the config. `inForce`: the commit of the config in force. */
export type ConfigVerdict =
  | { readonly kind: 'invalid'; readonly problems: readonly ConfigProblem[]; readonly inForce: string }
  | {
      readonly kind: 'valid';
      readonly warnings: readonly ConfigProblem[];
      readonly left: readonly LeftBehind[];
      readonly backtest: Backtest;
    };

/** `failure` = invalid; `neutral` = it changes a decision, leaves something behind, or the effect is unknown; else `success`. */
export function renderConfigCheck(
  verdict: ConfigVerdict,
  path: string,
): Pick<CheckRun, 'title' | 'summary' | 'conclusion' | 'annotations'> {
  if (verdict.kind === 'invalid') {
    const errors = verdict.problems.filter(({ severity }) => severity === 'error');
    return {
      title: `The config is not valid: ${count(errors.length, 'problem')}`,
      summary: paragraphs(
        verdict.problems.map(formatProblem).join('\n'),
        `Until it is repaired, the config of ${code(verdict.inForce.slice(0, 12))} stays in force; merged unchanged, it would block new launches.`,
      ),
      conclusion: 'failure',
      annotations: verdict.problems.map((problem) => toAnnotation(problem, path)),
    };
  }
  const { backtest, left, warnings } = verdict;
  return {
    title: `The config is valid. ${leftBehindTitle(left)}${backtestTitle(backtest)}`,
    summary: paragraphs(
      renderLeftBehind(left),
      warnings.length === 0 ? null : warnings.map(formatProblem).join('\n'),
      renderBacktest(backtest),
    ),
    conclusion: backtest.changed + backtest.unknown + left.length === 0 ? 'success' : 'neutral',
    annotations: warnings.map((problem) => toAnnotation(problem, path)),
  };
}

function formatProblem({ line, column, path, message }: ConfigProblem): string {
  return `- line ${line}, column ${column}: ${path === '' ? '' : `${code(path)}: `}${text(message)}`;
}

/** Annotations are plain text. */
function toAnnotation({ severity, line, path, message }: ConfigProblem, file: string): Annotation {
  return {
    path: file,
    line,
    level: severity === 'error' ? 'failure' : 'warning',
    title: path === '' ? 'ferrybot config' : cleanLine(path, limits.titleCharsMax),
    message: cleanLine(message, limits.shownBlockCharsMax),
  };
}

/** Limit of findings that a check shows for the cluster files: GitHub's limit of annotations. */
const SHOWN_FINDINGS_MAX = 50;
type Code = InfraFinding['code'];

/** One cluster file and what was found in it. */
export type LintedFile = { readonly path: string; readonly findings: readonly InfraFinding[] };

/** What each finding means for its mount point. */
export const INFRA_WORDS: Readonly<Record<Code, string>> = {
  'write-unguarded': 'writes there although nothing may be mounted',
  'not-understood': 'may write there, or let a job write there: this check cannot decide it',
};
const LEVELS: Readonly<Record<Code, Annotation['level']>> = {
  'write-unguarded': 'failure',
  'not-understood': 'notice',
};

/** `failure` = a command writes unguarded; `neutral` = not understood or not read; else `success`. `unread`: further changed files. */
export function renderInfraCheck(
  files: readonly LintedFile[],
  unread: number,
): Pick<CheckRun, 'title' | 'summary' | 'conclusion' | 'annotations'> {
  const all = files.flatMap(({ path, findings }) => findings.map((finding) => ({ path, finding })));
  const countFindings = (wanted: Code): number => all.filter(({ finding }) => finding.code === wanted).length;
  const isError = ({ finding }: (typeof all)[number]): boolean => finding.code === 'write-unguarded';
  const shown = [...all.filter(isError), ...all.filter((one) => !isError(one))].slice(0, SHOWN_FINDINGS_MAX);
  const more = all.length - shown.length;
  const isFine = all.length + unread === 0;
  return {
    title: isFine ? 'No set-up command writes where a bucket may not be mounted' : infraTitle(countFindings, unread),
    summary: paragraphs(
      `Read: ${files.length === 0 ? 'nothing' : joinAnd(files.map(({ path }) => code(path)))}.`,
      shown.map(({ path, finding }) => formatFinding(path, finding)).join('\n'),
      more > 0 ? `${more} more: ${code('npx ferrybot check-infra')} lists them all.` : null,
      unread > 0 ? `${count(unread, 'more changed file')} not read: the result is unknown.` : null,
      isFine
        ? null
        : `After a failed mount, files below its folder fill the boot disk. Put \`mountpoint -q FOLDER || exit 1\` after the mount and before the first write. No launch requires this check.`,
    ),
    conclusion: isFine ? 'success' : countFindings('write-unguarded') > 0 ? 'failure' : 'neutral',
    annotations: shown.map(({ path, finding }) => toInfraAnnotation(path, finding)),
  };
}

function infraTitle(numberOf: (wanted: Code) => number, unread: number): string {
  const [unguarded, unclear] = [numberOf('write-unguarded'), numberOf('not-understood')];
  const parts = nonEmpty(
    unguarded > 0 && count(unguarded, 'unguarded write'),
    unclear > 0 && count(unclear, 'place not understood', 'places not understood'),
    unread > 0 && count(unread, 'file not read', 'files not read'),
  );
  return `Set-up commands: ${joinAnd(parts)}`;
}

function formatFinding(path: string, { line, code: found, mountPoint, what }: InfraFinding): string {
  return `- ${code(path)} line ${line}: ${code(mountPoint)}: ${INFRA_WORDS[found]}: ${code(what)}`;
}

/** Annotations are plain text. */
function toInfraAnnotation(path: string, { line, code: found, mountPoint, what }: InfraFinding): Annotation {
  return {
    path,
    line,
    level: LEVELS[found],
    title: cleanLine(mountPoint, limits.titleCharsMax),
    message: cleanLine(`${INFRA_WORDS[found]}: ${what}`, limits.shownBlockCharsMax),
  };
}

type AnnotationText = { readonly title: string; readonly message: string };

/** A knob that the before/after table declares wrongly. */
export function renderMismatch({ knob, actual, row }: Mismatch, place: ThreadKind = 'pull request'): AnnotationText {
  return row === null
    ? { title: `${plainLine(knob)} does not change`, message: 'This knob does not change. Remove the row.' }
    : {
        title: `${plainLine(knob)} is not declared`,
        message: `This changes ${plainLine(actual ?? '')}, and the before/after table of the ${place} does not declare it. Add this row:\n${plainLine(row)}`,
      };
}

/** A change that cannot be counted in knobs, or a file that is not Python. */
export function renderUnreadableDelta(
  delta: Extract<Delta, { readonly kind: 'structural' | 'unparsable' }>,
): AnnotationText {
  switch (delta.kind) {
    case 'structural':
      return {
        title: 'More than a knob changes here',
        message: `${plainLine(delta.statement)}\nA ferry changes values only, so that people can see what they approve. Land code in a pull request of its own.`,
      };
    case 'unparsable':
      return {
        title: 'This is no valid Python',
        message: `${plainLine(delta.message)}\nUntil the file parses, the change of the ferry is unknown.`,
      };
    default:
      return assertNever(delta);
  }
}

/** For the title: a few plain words; empty if nothing is left behind. */
function leftBehindTitle(left: readonly LeftBehind[]): string {
  const jobs = left.filter(({ kind }) => kind === 'job').length;
  const holds = left.filter(({ kind }) => kind === 'hold').length;
  const parts = [
    ...(jobs > 0 ? [`${count(jobs, 'running job')} out of reach`] : []),
    ...(holds > 0 ? [`${count(holds, 'hold')} without a lane`] : []),
  ];
  const known = parts.length === 0 ? '' : `It would leave ${joinAnd(parts)}. `;
  return left.some(({ kind }) => kind === 'unknown') ? `${known}What else it would leave behind is unknown. ` : known;
}
