/** Judges what the config says of keys: one in force for each role, none that the whole world can sign with, and whose jobs run beside them. */

import { traitsOf } from '../../../config/engine-traits.ts';
import type { Instant } from '../../../domain/ids.ts';
import { ROLES } from '../../../domain/logbook/role.ts';
import { toRfc3339 } from '../../../domain/time.ts';
import type { LabConfig } from '../../../run/lane-scope.ts';
import { KEY_VARIABLES, type SigningKeys } from '../../signers.ts';
import { type Finding, fine, missing } from './finding.ts';

/** Public halves of the example lab's keys, whose private halves anybody can derive (fixtures/lab/.github/ferrybot.yml). */
const DEMO_KEYS: readonly string[] = [
  'iojj3XQJ8ZX9UtstPLpdcspnCb8dlBIb83SIAbQPb1w=',
  'gTl3Dqh9F19Wo1Rmw0x+zMuNipG07jeiXfYPW4/Js5Q=',
  '7UkoxijRwsbq6QM4kFmVYSlZJzpcY/k2NsFGFKyHN9E=',
];

/** `held`: private keys in the environment, if any; one that the config does not list would sign nothing valid. */
export function judgeKeys(config: LabConfig, held: SigningKeys, now: Instant): Finding {
  const at = toRfc3339(now);
  const inForce = config.keys.filter((key) => key.from <= at && at < key.until);
  const faults = ROLES.flatMap((role) => {
    const own = held[role];
    const listed = inForce.filter((key) => key.role === role);
    return [
      ...(listed.length === 0 ? [`no ${role} key is in force`] : []),
      ...(listed.some((key) => DEMO_KEYS.includes(key.public)) ? [`the ${role} key is the example's`] : []),
      ...(own !== undefined && !listed.some((key) => key.public === own.public)
        ? [`${KEY_VARIABLES[role]} fits no ${role} key of the config`]
        : []),
    ];
  });
  const todo =
    'Make a key pair for each role, list the public halves under `keys`, store the private ones as secrets.';
  return faults.length === 0
    ? fine('keys', inForce.map((key) => key.id).join(', '))
    : missing('keys', faults.join('; '), todo);
}

/** Whose account jobs run under, and who else may reach them, by their engine. Nothing is missing there; it has to be known. */
export function judgeJobUser(config: LabConfig): Finding {
  const clusters = Object.keys(config.clusters);
  const local = clusters.filter((name) => traitsOf(config, name)?.jobsRunHere === true);
  const shared = clusters.filter((name) => traitsOf(config, name)?.runsAsSubmitter === true);
  const warned = clusters.flatMap((name) =>
    (traitsOf(config, name)?.warnings ?? []).map((warning) => `of ${name}: ${warning}`),
  );
  const said = [
    ...(local.length === 0
      ? []
      : [
          `jobs of ${local.join(', ')} run as the runner’s own user: they may read its files, its registration and, where the kernel lets them, its memory (docs/threat-model.md); for one machine and for trying ferrybot out`,
        ]),
    ...(shared.length === 0
      ? []
      : [
          `jobs of ${shared.join(', ')} run on other machines as the account that submits them: they may read and write what it may on every file system that they share with the runner, so its home, keys and state have to lie off those (docs/threat-model.md)`,
        ]),
    ...warned,
  ];
  return fine('job-user', said.length === 0 ? 'no job runs as the runner’s user' : said.join('; '));
}
