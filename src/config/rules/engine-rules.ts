/** Rules of the engines over their own clusters. */

import { engineDefinition } from '../../engines/registry.ts';
import type { Rule } from './rule.ts';

const clustersAreSound: Rule = {
  reads: ['clusters'],
  configIssues: ({ clusters }) =>
    Object.entries(clusters).flatMap(([name, cluster]) =>
      engineDefinition(cluster).configIssues(['clusters', name], cluster),
    ),
};

export const ENGINE_RULES: readonly Rule[] = [clustersAreSound];
