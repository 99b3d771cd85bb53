/** Rules for the keys that sign events: each role has one that is valid, and no key stands for two. */

import type { Instant } from '../../domain/ids.ts';
import type { Role } from '../../domain/logbook/role.ts';
import { fromRfc3339 } from '../../domain/time.ts';
import { type ConfigIssue, error, warning } from '../../settings/problem.ts';
import type { LabConfig } from '../schema.ts';
import { doubled, type Rule } from './rule.ts';

/** A lab that is told two weeks before has time to make, review and roll out the next signing key. */
const KEY_ENDS_SOON_MS = 14 * 24 * 60 * 60 * 1_000;

type Key = LabConfig['keys'][number];
type PlacedKey = { readonly key: Key; readonly index: number };

const everyRoleHasAKey: Rule = (config) =>
  ROLES.filter((role) => keysOf(config, role).length === 0).map((role) =>
    error('role-without-key', ['keys'], `no key of role ${role}: what ${role} writes could not be verified`),
  );

const everyRoleHasAKeyNow: Rule = (config, { now }) =>
  now === null ? [] : ROLES.flatMap((role) => keyNow(keysOf(config, role), role, now));

/** One rotation after another leaves no moment in which nothing can be signed. */
const noGapBetweenKeys: Rule = (config) =>
  ROLES.flatMap((role) => {
    const keys = keysOf(config, role).toSorted((a, b) => startOf(a.key) - startOf(b.key));
    return keys.flatMap(({ key, index }, at) => {
      const latest = Math.max(...keys.slice(0, at).map((earlier) => endOf(earlier.key)));
      return at === 0 || startOf(key) <= latest
        ? []
        : [warning('key-gap', ['keys', index, 'from'], `no key of role ${role} is valid just before`)];
    });
  });

const keysAreTheirOwn: Rule = ({ keys }) => [
  ...doubled(
    keys.map((key) => key.id),
    (index) => ['keys', index, 'id'],
    'the id',
  ),
  ...keys.flatMap((key, index) =>
    keys.findIndex((other) => other.public === key.public) === index
      ? []
      : [
          error(
            'doubled',
            ['keys', index, 'public'],
            'the same key under two roles or ids: a role is only worth its own key',
          ),
        ],
  ),
];

const keysLast: Rule = ({ keys }) =>
  keys.flatMap((key, index) =>
    startOf(key) < endOf(key)
      ? []
      : [error('key-window', ['keys', index, 'until'], '`until` is not after `from`')],
  );

export const KEY_RULES: readonly Rule[] = [
  everyRoleHasAKey,
  everyRoleHasAKeyNow,
  noGapBetweenKeys,
  keysAreTheirOwn,
  keysLast,
];

const ROLES = ['control', 'runner', 'watch'] as const satisfies readonly Role[];

function keyNow(keys: readonly PlacedKey[], role: Role, now: Instant): readonly ConfigIssue[] {
  const valid = keys.filter(({ key }) => startOf(key) <= now && now < endOf(key));
  const first = keys[0];
  // A window that ends before it begins is another rule's to tell.
  if (keys.some(({ key }) => startOf(key) >= endOf(key))) return [];
  if (valid.length === 0)
    return first === undefined
      ? []
      : [
          error(
            'role-without-key-now',
            ['keys', first.index, now < startOf(first.key) ? 'from' : 'until'],
            `no key of role ${role} is valid now`,
          ),
        ];
  const last = keys.toSorted((a, b) => endOf(b.key) - endOf(a.key))[0];
  return last === undefined || endOf(last.key) - now >= KEY_ENDS_SOON_MS
    ? []
    : [
        warning(
          'key-ends-soon',
          ['keys', last.index, 'until'],
          `the last key of role ${role} ends soon: add the next`,
        ),
      ];
}

function keysOf({ keys }: LabConfig, role: Role): readonly PlacedKey[] {
  return keys.map((key, index) => ({ key, index })).filter(({ key }) => key.role === role);
}

/** The schema takes RFC 3339 only; what cannot be told is before everything, so that it is valid never. */
function startOf(key: Key): number {
  return fromRfc3339(key.from) ?? Number.POSITIVE_INFINITY;
}

function endOf(key: Key): number {
  return fromRfc3339(key.until) ?? Number.NEGATIVE_INFINITY;
}
