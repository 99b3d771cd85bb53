/** Rules over the whole lab: the repository, its engines, the keys that sign events, approvals and costs. */

import type { Role } from '../../domain/logbook/parts.ts';
import { fromRfc3339, type Instant } from '../../domain/values.ts';
import { engineDefinition } from '../../engines/registry.ts';
import { type ConfigIssue, error, errorIf, warning, warningIf } from '../../settings/problem.ts';
import type { LabConfig } from '../schema.ts';
import { inLane, listDuplicates, type Rule } from './lane-rules.ts';

const clusterExists: Rule = ({ clusters, lane }) =>
  errorIf(
    !Object.hasOwn(clusters, lane.cluster),
    'cluster-unknown',
    inLane('cluster'),
    `${lane.cluster} is not among the clusters: ${Object.keys(clusters).join(', ') || 'there is none'}`,
  );

/** Git stores branches like files: `a` and `a/b` cannot both exist. */
const branchesAreDistinct: Rule = ({ logbookBranch, lane }) =>
  [lane.targetBranch, PROPOSALS]
    .filter((other) => isWithin(logbookBranch, other) || isWithin(other, logbookBranch))
    .map((other) =>
      error('branch-conflict', ['logbookBranch'], `cannot be there beside ${other}, which ferrybot needs too`),
    );

const workflowsAreDistinct: Rule = ({ workflows }) => {
  const entries = Object.entries(workflows);
  return entries.flatMap(([name, file], index) => {
    const first = entries.findIndex(([, other]) => other === file);
    const why = `${file} is the workflow of ${entries[first]?.[0] ?? ''} already`;
    return errorIf(first !== index, 'one-workflow', ['workflows', name], why);
  });
};

const otherBotsDoNotTakeOurCommands: Rule = ({ otherBots }, { ownCommands }) => [
  ...otherBots.flatMap((word, index) => {
    const isOwn = ownCommands.some((name) => `/${name}` === word);
    const why = `${word} is ferrybot's own command: nobody could give it`;
    return errorIf(isOwn, 'own-command', ['otherBots', index], why);
  }),
  ...listDuplicates(otherBots, (index) => ['otherBots', index], 'the word'),
];

/** Prefix of proposal branches (run/proposals.ts). */
const PROPOSALS = 'ferrybot/proposal';

function isWithin(branch: string, folder: string): boolean {
  return branch === folder || branch.startsWith(`${folder}/`);
}

const clustersAreValid: Rule = ({ clusters }) =>
  Object.entries(clusters).flatMap(([name, cluster]) =>
    engineDefinition(cluster).configIssues(['clusters', name], cluster),
  );

/** Two clusters with the same name prefix would destroy each other's machines as orphans, and count every cost twice. */
const rentedNamesAreDistinct: Rule = ({ clusters }) => {
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

/** Warn two weeks ahead, so that a lab can create, review and deploy the next signing key. */
const KEY_ENDS_SOON_MS = 14 * 24 * 60 * 60 * 1_000;

type Key = LabConfig['keys'][number];
type PlacedKey = { readonly key: Key; readonly index: number };

const everyRoleHasAKey: Rule = (config) =>
  ROLES.filter((role) => listRoleKeys(config, role).length === 0).map((role) =>
    error('role-without-key', ['keys'], `no key of role ${role}: what ${role} writes could not be verified`),
  );

const everyRoleHasAKeyNow: Rule = (config, { now }) =>
  now === null ? [] : ROLES.flatMap((role) => requireCurrentKey(listRoleKeys(config, role), role, now));

/** Between two keys of a role, no time may be left in which the role cannot sign. */
const keysHaveNoGap: Rule = (config) =>
  ROLES.flatMap((role) => {
    const keys = listRoleKeys(config, role).toSorted((a, b) => keyStartMs(a.key) - keyStartMs(b.key));
    return keys.flatMap(({ key, index }, at) => {
      const latest = Math.max(...keys.slice(0, at).map((earlier) => keyEndMs(earlier.key)));
      return at === 0 || keyStartMs(key) <= latest
        ? []
        : [warning('key-gap', ['keys', index, 'from'], `no key of role ${role} is valid just before`)];
    });
  });

const keysAreDistinct: Rule = ({ keys }) => [
  ...listDuplicates(
    keys.map((key) => key.id),
    (index) => ['keys', index, 'id'],
    'the id',
  ),
  ...keys.flatMap((key, index) => {
    const isFirst = keys.findIndex((other) => other.public === key.public) === index;
    const why = 'the same key under two roles or ids: a role is only worth its own key';
    return errorIf(!isFirst, 'doubled', ['keys', index, 'public'], why);
  }),
];

const keysDoNotExpireSoon: Rule = ({ keys }) =>
  keys.flatMap((key, index) =>
    errorIf(keyStartMs(key) >= keyEndMs(key), 'key-window', ['keys', index, 'until'], '`until` is not after `from`'),
  );

const ROLES = ['control', 'runner', 'watch'] as const satisfies readonly Role[];

function requireCurrentKey(keys: readonly PlacedKey[], role: Role, now: Instant): readonly ConfigIssue[] {
  const valid = keys.filter(({ key }) => keyStartMs(key) <= now && now < keyEndMs(key));
  const first = keys[0];
  // `keysDoNotExpireSoon` reports a window that ends before its start.
  if (keys.some(({ key }) => keyStartMs(key) >= keyEndMs(key))) return [];
  const [last] = keys.toSorted((a, b) => keyEndMs(b.key) - keyEndMs(a.key));
  if (first === undefined || last === undefined) return [];
  if (valid.length === 0) {
    const end = now < keyStartMs(first.key) ? 'from' : 'until';
    return [error('role-without-key-now', ['keys', first.index, end], `no key of role ${role} is valid now`)];
  }
  const why = `the last key of role ${role} ends soon: add the next`;
  return keyEndMs(last.key) - now >= KEY_ENDS_SOON_MS
    ? []
    : [warning('key-ends-soon', ['keys', last.index, 'until'], why)];
}

function listRoleKeys({ keys }: LabConfig, role: Role): readonly PlacedKey[] {
  return keys.map((key, index) => ({ key, index })).filter(({ key }) => key.role === role);
}

/** The schema accepts only RFC 3339. An unreadable time makes the key never valid. */
function keyStartMs(key: Key): number {
  return fromRfc3339(key.from) ?? Number.POSITIVE_INFINITY;
}

function keyEndMs(key: Key): number {
  return fromRfc3339(key.until) ?? Number.NEGATIVE_INFINITY;
}

const quorumGrowsWithCost: Rule = ({ approvals: { quorum, quorumByCost } }) =>
  quorumByCost.flatMap((row, index) => {
    const before = quorumByCost[index - 1];
    const place = ['approvals', 'quorumByCost', index];
    const order = 'not more than the row before: rows go from cheap to dear';
    if (before !== undefined && Number(row.fromAcceleratorHours) <= Number(before.fromAcceleratorHours))
      return [error('quorum-order', [...place, 'fromAcceleratorHours'], order)];
    const least = before?.people ?? quorum;
    const why = `a dearer run would need fewer people than ${least}`;
    return errorIf(row.people < least, 'quorum-order', [...place, 'people'], why);
  });

const budgetAllowsOneRun: Rule = ({ clusters, lane }) => {
  const { cluster, costBudget } = lane;
  const cost = Object.hasOwn(clusters, cluster) ? clusters[cluster]?.acceleratorHoursPerRun : undefined;
  return warningIf(
    costBudget !== null && cost !== undefined && Number(cost) > Number(costBudget.maxAcceleratorHours),
    'cost-over-budget',
    inLane('costBudget', 'maxAcceleratorHours'),
    `every run costs ${cost} accelerator-hours by the table of ${cluster}`,
  );
};

export const LAB_RULES: readonly Rule[] = [
  clusterExists,
  branchesAreDistinct,
  workflowsAreDistinct,
  otherBotsDoNotTakeOurCommands,
  clustersAreValid,
  rentedNamesAreDistinct,
  everyRoleHasAKey,
  everyRoleHasAKeyNow,
  keysHaveNoGap,
  keysAreDistinct,
  keysDoNotExpireSoon,
  quorumGrowsWithCost,
  budgetAllowsOneRun,
];
