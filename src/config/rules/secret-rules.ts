/** Rules for secrets: none is written into the config, and the job gets none that is ferrybot's or the workflow's own. */

import { error } from '../../settings/problem.ts';
import { inArguments, reservedName, writtenSecret } from '../../settings/secret-words.ts';
import { doubled, inLane, type Rule } from './rule.ts';

const secretsAreNotSet: Rule = ({ lane }) =>
  Object.keys(lane.environment)
    .filter((name) => SECRET_NAME.test(name))
    .map((name) =>
      error(
        'secret-name',
        inLane('environment', name),
        'looks like a secret: name it under passSecrets instead',
      ),
    );

const secretsAreNotWritten: Rule = ({ lane }) => [
  ...Object.entries(lane.environment).flatMap(([name, text]) =>
    writtenSecret(inLane('environment', name), text),
  ),
  ...inArguments(inLane('command'), lane.command),
];

const reservedNamesAreLeftAlone: Rule = ({ lane }) => [
  ...lane.passSecrets.flatMap((name, index) => reservedName(inLane('passSecrets', index), name)),
  ...Object.keys(lane.environment).flatMap((name) => reservedName(inLane('environment', name), name)),
];

const secretsAreNamedOnce: Rule = ({ lane }) => [
  ...doubled(lane.passSecrets, (index) => inLane('passSecrets', index), 'the name'),
  ...lane.passSecrets.flatMap((name, index) =>
    Object.hasOwn(lane.environment, name)
      ? [error('passed-and-set', inLane('passSecrets', index), `${name} is set under environment too`)]
      : [],
  ),
];

export const SECRET_RULES: readonly Rule[] = [
  secretsAreNotSet,
  secretsAreNotWritten,
  reservedNamesAreLeftAlone,
  secretsAreNamedOnce,
];

const SECRET_NAME =
  /(^|_)(TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|API_?KEY|ACCESS_KEY|PRIVATE_KEY|SIGNING_KEY|CREDENTIALS?)(_ID)?$/;
