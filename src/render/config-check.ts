/** The check on a commit that changes `.github/ferrybot.yml`: what is wrong with it, or what it would have decided otherwise. */

import type { LeftBehind } from '../config/left-behind.ts';
import type { Annotation, Effect } from '../domain/effect.ts';
import { limits } from '../domain/limits.ts';
import type { Backtest } from '../domain/replayed.ts';
import type { ConfigProblem } from '../settings/problem.ts';
import { backtestTitle, renderBacktest } from './backtest.ts';
import { cleanLine } from './clean-text.ts';
import { leftBehindLines, leftBehindTitle } from './left-behind-words.ts';
import { code, count, paragraphs, text } from './words.ts';

type CheckRun = Extract<Effect, { readonly kind: 'put-check-run' }>;

/** What the check says about one text of the config. `inForce`: the commit whose config counts meanwhile. */
export type ConfigVerdict =
  | { readonly kind: 'invalid'; readonly problems: readonly ConfigProblem[]; readonly inForce: string }
  | {
      readonly kind: 'valid';
      readonly warnings: readonly ConfigProblem[];
      readonly left: readonly LeftBehind[];
      readonly backtest: Backtest;
    };

/** `failure` = it would not be taken; `neutral` = it would decide otherwise or leave something behind, or nobody can tell; else `success`. */
export function renderConfigCheck(
  verdict: ConfigVerdict,
  path: string,
): Pick<CheckRun, 'title' | 'summary' | 'conclusion' | 'annotations'> {
  if (verdict.kind === 'invalid') {
    const errors = verdict.problems.filter(({ severity }) => severity === 'error');
    return {
      title: `The config is not valid: ${count(errors.length, 'problem')}`,
      summary: paragraphs(
        verdict.problems.map(problemLine).join('\n'),
        `Until it is mended, the config of ${code(verdict.inForce.slice(0, 12))} stays in force; merged as it is, it would keep new runs from launching.`,
      ),
      conclusion: 'failure',
      annotations: verdict.problems.map((problem) => annotationOf(problem, path)),
    };
  }
  const { backtest, left, warnings } = verdict;
  return {
    title: `The config is valid. ${leftBehindTitle(left)}${backtestTitle(backtest)}`,
    summary: paragraphs(
      leftBehindLines(left),
      warnings.length === 0 ? null : warnings.map(problemLine).join('\n'),
      renderBacktest(backtest),
    ),
    conclusion: backtest.changed + backtest.unknown + left.length === 0 ? 'success' : 'neutral',
    annotations: warnings.map((problem) => annotationOf(problem, path)),
  };
}

function problemLine({ line, column, path, message }: ConfigProblem): string {
  return `- line ${line}, column ${column}: ${path === '' ? '' : `${code(path)}: `}${text(message)}`;
}

/** Annotations are plain text: GitHub shows them as they are. */
function annotationOf({ severity, line, path, message }: ConfigProblem, file: string): Annotation {
  return {
    path: file,
    line,
    level: severity === 'error' ? 'failure' : 'warning',
    title: path === '' ? 'ferrybot config' : cleanLine(path, limits.titleCharsMax),
    message: cleanLine(message, limits.shownBlockCharsMax),
  };
}
