/** The experiment file on the tip of the lane's branch, read and parsed: what every proposal starts from. */

import type { Sha } from '../../../domain/ids.ts';
import type { PySyntax, PythonParser } from '../../../domain/python-syntax.ts';
import type { PlanWork } from '../../../run/proposing.ts';
import { type Nothing, nothing } from '../../../run/proposing.ts';
import { configDelta } from '../delta/config-delta.ts';
import { ferryLane } from '../settings.ts';

export type Experiment = {
  readonly kind: 'read';
  readonly base: Sha;
  readonly text: string;
  readonly syntax: PySyntax;
  readonly parser: PythonParser;
};

/** Throws `GitError` where git cannot tell. */
export async function readExperiment({ lab, config, git }: PlanWork): Promise<Experiment | Nothing> {
  const lane = ferryLane(config.lane);
  const base = await git.resolve(`refs/heads/${lane.targetBranch}`);
  const text = base === null ? null : await git.readText(base, lane.experiment);
  if (base === null || text === null)
    return nothing('experiment-missing', `${lane.experiment} is not on ${lane.targetBranch}`);
  const parser = await lab.parser();
  const syntax = parser.parse(text);
  const own = configDelta(syntax, syntax);
  if (own.kind === 'unparsable') return nothing('experiment-unparsable', `line ${own.line}: ${own.message}`);
  return { kind: 'read', base, text, syntax, parser };
}
