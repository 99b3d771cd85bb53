/** What a changed config would have decided otherwise: the summary in the check of the pull request that changes it. */

import { type Backtest, differences, isChanged, type ReplayedDecision } from '../domain/replayed.ts';
import { code, paragraphs } from './words.ts';

/** Rows of a backtest in a check's summary; the command line lists them all. */
const SHOWN_BACKTEST_ROWS_MAX = 50;

/** Markdown. */
export function renderBacktest(backtest: Backtest): string {
  const rows = backtest.runs.flatMap((run) => differences(run).map((decision) => rowOf(run.run, decision)));
  return paragraphs(
    `**${backtestTitle(backtest)}**`,
    rows.length === 0
      ? null
      : [
          '| run | decision | was | would be | why |',
          '| --- | --- | --- | --- | --- |',
          ...rows.slice(0, SHOWN_BACKTEST_ROWS_MAX),
        ].join('\n'),
    rows.length > SHOWN_BACKTEST_ROWS_MAX
      ? `${rows.length - SHOWN_BACKTEST_ROWS_MAX} more: ${code('npx ferrybot backtest')} lists them all.`
      : null,
    backtest.unknown > 0 ? '*unknown*: the record does not hold the facts that the answer needs.' : null,
  );
}

/** One line of plain text. */
export function backtestTitle({ runs, decisions, changed, unknown }: Backtest): string {
  if (runs.length === 0) return 'No ferry is recorded to replay.';
  const seen = `${decisions} decisions of ${runs.length} recorded ${runs.length === 1 ? 'ferry' : 'ferries'}`;
  if (changed === 0 && unknown === 0) return `${seen}: all the same under this config.`;
  return `${seen}: ${changed} would be another, ${unknown} cannot be told.`;
}

function rowOf(run: string, decision: ReplayedDecision): string {
  const { subject, from, to, why } = decision;
  const what =
    decision.decision === 'gate' || decision.decision === 'approval'
      ? `${decision.decision} ${code(subject)}`
      : decision.decision;
  const after = isChanged(decision) ? `**${to}**` : '*unknown*';
  return `| ${code(run)} | ${what} | ${from} | ${after} | ${code(why)} |`;
}
