/** Rules for paths: what a ferry edits is in its scope and is shipped, and never what it is judged by. */

import { error, type Misfit, warning } from '../../settings/problem.ts';
import { doubled, inLane, type Rule } from './rule.ts';

const scopeHoldsTheExperiment: Rule = {
  reads: ['lane.scope', 'lane.experiment'],
  misfits: ({ lane }) =>
    lane.scope.includes(lane.experiment)
      ? []
      : [error('not-in-scope', inLane('scope'), `does not hold the experiment ${lane.experiment}`)],
};

const shipsHoldTheExperiment: Rule = {
  reads: ['lane.ships', 'lane.experiment'],
  misfits: ({ lane }) =>
    lane.ships.some((path) => covers(path, lane.experiment))
      ? []
      : [error('not-shipped', inLane('ships'), `the job would not get ${lane.experiment}`)],
};

/** Outside of what is shipped a change would not reach the job, and no approval would fall with it. */
const shipsHoldTheScope: Rule = {
  reads: ['lane.ships', 'lane.scope', 'lane.experiment'],
  misfits: ({ lane }) =>
    lane.scope.flatMap((file, index) =>
      file === lane.experiment || lane.ships.some((path) => covers(path, file))
        ? []
        : [warning('not-shipped', inLane('scope', index), `the job would not get ${file}`)],
    ),
};

const experimentIsPython: Rule = {
  reads: ['lane.experiment'],
  misfits: ({ lane }) =>
    lane.experiment.endsWith('.py')
      ? []
      : [
          error(
            'not-python',
            inLane('experiment'),
            'a ferry edits a Python file: its config delta is read from the syntax',
          ),
        ],
};

/** The gates compare paths letter by letter: a star would stand for itself. */
const pathsAreNoPatterns: Rule = {
  reads: ['lane.ships', 'lane.scope'],
  misfits: ({ lane }) =>
    (['ships', 'scope'] as const).flatMap((key) =>
      lane[key].flatMap((path, index) =>
        /[*?]/.test(path)
          ? [
              error(
                'pattern-in-path',
                inLane(key, index),
                'paths are compared as they stand; patterns are not known',
              ),
            ]
          : [],
      ),
    ),
};

const scopeSparesTheRules: Rule = {
  reads: ['lane.scope'],
  misfits: ({ lane }) =>
    lane.scope.flatMap((path, index) =>
      covers('.github', path)
        ? [
            error(
              'scope-guards',
              inLane('scope', index),
              'a ferry could change the rules and workflows that it is judged by',
            ),
          ]
        : [],
    ),
};

const closureLogStandsApart: Rule = {
  reads: ['lane.ships', 'lane.scope', 'lane.closureLog'],
  misfits: ({ lane }): readonly Misfit[] => {
    const shipped = lane.ships.find((path) => covers(path, lane.closureLog));
    return [
      ...(shipped === undefined
        ? []
        : [
            error(
              'log-shipped',
              inLane('closureLog'),
              `stands inside ${shipped}, which is shipped: each closure would make every approval fall`,
            ),
          ]),
      ...(lane.scope.includes(lane.closureLog)
        ? [
            error(
              'log-in-scope',
              inLane('closureLog'),
              'a ferry may change it: only closure pull requests should',
            ),
          ]
        : []),
    ];
  },
};

const pathsAreThereOnce: Rule = {
  reads: ['lane.ships', 'lane.scope'],
  misfits: ({ lane }) =>
    (['ships', 'scope'] as const).flatMap((key) =>
      doubled(lane[key], (index) => inLane(key, index), 'the path'),
    ),
};

export const PATH_RULES: readonly Rule[] = [
  scopeHoldsTheExperiment,
  shipsHoldTheExperiment,
  shipsHoldTheScope,
  experimentIsPython,
  pathsAreNoPatterns,
  scopeSparesTheRules,
  closureLogStandsApart,
  pathsAreThereOnce,
];

function covers(folder: string, path: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}
