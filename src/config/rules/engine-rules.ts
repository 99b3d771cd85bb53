/** Rules of the engines over their own clusters. */

import { engineDefinition } from '../../engines/registry.ts';
import { error } from '../../settings/problem.ts';
import type { Rule } from './rule.ts';

const clustersAreSound: Rule = ({ clusters }) =>
  Object.entries(clusters).flatMap(([name, cluster]) =>
    engineDefinition(cluster).configIssues(['clusters', name], cluster),
  );

/** Two watches that take the same machines for theirs destroy each other's as nobody's, and book all of them twice. */
const rentedNamesAreTheirOwn: Rule = ({ clusters }) => {
  const owners = new Map<string, string>();
  return Object.entries(clusters).flatMap(([name, cluster]) => {
    const { rentedName } = engineDefinition(cluster).traits(cluster);
    const owner = rentedName === undefined ? undefined : owners.get(rentedName);
    if (rentedName !== undefined && owner === undefined) owners.set(rentedName, name);
    if (owner === undefined) return [];
    const why = `what is rented would be called ${rentedName}… as on the cluster ${owner}, and nobody could tell whose it is`;
    return [error('doubled', ['clusters', name], why)];
  });
};

export const ENGINE_RULES: readonly Rule[] = [clustersAreSound, rentedNamesAreTheirOwn];
