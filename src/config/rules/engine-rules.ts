/** Rules of the engines over their own clusters, and what follows from an engine for the lanes that run on it. */

import { engineDefinition } from '../../engines/registry.ts';
import { isBuildFile } from '../../run/build-files.ts';
import { error } from '../../settings/problem.ts';
import { traitsOf } from '../engine-traits.ts';
import { inLane, type Rule } from './rule.ts';

const clustersAreSound: Rule = {
  reads: ['clusters'],
  misfits: ({ clusters }) =>
    Object.entries(clusters).flatMap(([name, cluster]) =>
      engineDefinition(cluster).misfits(['clusters', name], cluster),
    ),
};

/** A file that is run while the job is submitted, beside the credentials of the cluster. */
const scopeSparesTheBuild: Rule = {
  reads: ['clusters', 'lane.scope', 'lane.cluster'],
  misfits: (config) =>
    traitsOf(config, config.lane.cluster)?.buildsChange === true
      ? config.lane.scope.flatMap((path, index) =>
          isBuildFile(path)
            ? [
                error(
                  'scope-builds',
                  inLane('scope', index),
                  'a script that submits may build what it ships beside the credentials of the cluster: no ferry that changes it is launched',
                ),
              ]
            : [],
        )
      : [],
};

export const ENGINE_RULES: readonly Rule[] = [clustersAreSound, scopeSparesTheBuild];
