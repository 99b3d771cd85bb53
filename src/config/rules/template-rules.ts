/** Rules for templates: two runs never write to one place, and every placeholder is filled. */

import { type ConfigIssue, error, type KeyPath } from '../../settings/problem.ts';
import { inLane, type Rule } from './rule.ts';

const outputsAreApart: Rule = ({ lane }) => [
  ...(/\{(run|runName|date)\}/.test(lane.outputRoot)
    ? []
    : [
        error('output-shared', inLane('outputRoot'), 'every run would write to one place: put {run} into it'),
      ]),
  ...(/\{(outputRoot|run|runName|date)\}/.test(lane.metricsFile)
    ? []
    : [
        error(
          'metrics-shared',
          inLane('metricsFile'),
          "another run's metrics would be judged: put {outputRoot} into it",
        ),
      ]),
  ...lane.checkpointRoots.flatMap((root, index) =>
    /\{(outputRoot|run|runName|date)\}/.test(root)
      ? []
      : [
          error(
            'checkpoints-shared',
            inLane('checkpointRoots', index),
            "another run's checkpoints would be taken for its own: put {outputRoot} into it",
          ),
        ],
  ),
];

/** Each template is filled from those before it alone, so each has placeholders of its own. */
const placeholdersAreKnown: Rule = ({ lane }) => [
  ...oddPlaceholders(inLane('runName'), lane.runName, ['date']),
  ...oddPlaceholders(inLane('outputRoot'), lane.outputRoot, ['date', 'runName', 'run']),
  ...oddPlaceholders(inLane('metricsFile'), lane.metricsFile, PLACEHOLDERS),
  ...lane.checkpointRoots.flatMap((text, index) =>
    oddPlaceholders(inLane('checkpointRoots', index), text, PLACEHOLDERS),
  ),
  ...lane.command.flatMap((text, index) => oddPlaceholders(inLane('command', index), text, PLACEHOLDERS)),
  ...Object.entries(lane.environment).flatMap(([name, text]) =>
    oddPlaceholders(inLane('environment', name), text, PLACEHOLDERS),
  ),
];

const linksAreLinks: Rule = ({ clusters }) =>
  Object.entries(clusters).flatMap(([cluster, { links }]) =>
    Object.entries(links).flatMap(([name, link]) => {
      const path = ['clusters', cluster, 'links', name];
      return [
        ...(/^https?:\/\/[^\s/]+/.test(link) ? [] : [error('bad-link', path, 'a link begins with https://')]),
        ...oddPlaceholders(path, link, ['jobId', 'run']),
      ];
    }),
  );

export const TEMPLATE_RULES: readonly Rule[] = [outputsAreApart, placeholdersAreKnown, linksAreLinks];

/** What may stand in braces in a command, an environment value or the metrics file. */
const PLACEHOLDERS: readonly string[] = ['date', 'runName', 'run', 'outputRoot'];

function oddPlaceholders(path: KeyPath, text: string, known: readonly string[]): readonly ConfigIssue[] {
  return [...text.matchAll(/\{(\w*)\}/g)]
    .map((match) => match[1] ?? '')
    .filter((name) => !known.includes(name))
    .map((name) =>
      error('placeholder-unknown', path, `{${name}} is not filled in; known: ${known.join(', ')}`),
    );
}
