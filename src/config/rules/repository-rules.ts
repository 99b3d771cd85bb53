/** Rules for what the config names in the repository and outside: clusters, branches, workflows, words of other bots. */

import { error } from '../../settings/problem.ts';
import { doubled, inLane, type Rule } from './rule.ts';

const clusterExists: Rule = ({ clusters, lane }) =>
  Object.hasOwn(clusters, lane.cluster)
    ? []
    : [
        error(
          'cluster-unknown',
          inLane('cluster'),
          `names no cluster: ${Object.keys(clusters).join(', ') || 'none is configured'}`,
        ),
      ];

const branchesAreBranches: Rule = ({ logbookBranch, lane }) => [
  ...(isBranch(logbookBranch)
    ? []
    : [error('bad-branch', ['logbookBranch'], 'git takes no branch of this name')]),
  ...(isBranch(lane.targetBranch)
    ? []
    : [error('bad-branch', inLane('targetBranch'), 'git takes no branch of this name')]),
];

/** Git keeps branches like folders: `a` and `a/b` cannot both be there. */
const branchesAreApart: Rule = ({ logbookBranch, lane }) =>
  [lane.targetBranch, PROPOSALS]
    .filter((other) => isWithin(logbookBranch, other) || isWithin(other, logbookBranch))
    .map((other) =>
      error(
        'branch-conflict',
        ['logbookBranch'],
        `cannot be there beside ${other}, which ferrybot needs too`,
      ),
    );

const workflowsAreApart: Rule = ({ workflows }) => {
  const entries = Object.entries(workflows);
  return entries.flatMap(([name, file], index) => {
    const first = entries.findIndex(([, other]) => other === file);
    return first === index
      ? []
      : [
          error(
            'one-workflow',
            ['workflows', name],
            `${file} is the workflow of ${entries[first]?.[0] ?? ''} already`,
          ),
        ];
  });
};

const otherBotsLeaveOurWords: Rule = ({ otherBots }, { ownCommands }) => [
  ...otherBots.flatMap((word, index) =>
    ownCommands.some((name) => `/${name}` === word)
      ? [
          error(
            'own-command',
            ['otherBots', index],
            `${word} is ferrybot's own command: nobody could give it`,
          ),
        ]
      : [],
  ),
  ...doubled(otherBots, (index) => ['otherBots', index], 'the word'),
];

export const REPOSITORY_RULES: readonly Rule[] = [
  clusterExists,
  branchesAreBranches,
  branchesAreApart,
  workflowsAreApart,
  otherBotsLeaveOurWords,
];

/** Proposal branches stand below it (app/propose/propose.ts). */
const PROPOSALS = 'ferrybot/proposal';

function isWithin(branch: string, folder: string): boolean {
  return branch === folder || branch.startsWith(`${folder}/`);
}

/** git-check-ref-format(1), for a name without `refs/heads/`. */
function isBranch(name: string): boolean {
  const isClean = !/[\p{Cc} ~^:?*[\\]|\.\.|@\{|\/\/|^[-/]|[/.]$|^@$/u.test(name);
  return (
    isClean &&
    !name.startsWith('refs/') &&
    name.split('/').every((part) => !part.startsWith('.') && !part.endsWith('.lock'))
  );
}
