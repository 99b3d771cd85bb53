/** Rules for secrets: none is written into the config, and the job gets none that is ferrybot's or the workflow's own. */

import type { KeyPath, Misfit } from '../config-problem.ts';
import { doubled, error, inLane, type Rule } from './rule.ts';

const secretsAreNotSet: Rule = {
  reads: ['lanes.daily.environment'],
  misfits: ({ lanes: { daily } }) =>
    Object.keys(daily.environment)
      .filter((name) => SECRET_NAME.test(name))
      .map((name) =>
        error(
          'secret-name',
          inLane('environment', name),
          'looks like a secret: name it under passSecrets instead',
        ),
      ),
};

/** The message never repeats the value: it is shown in a check that everybody can read. */
const secretsAreNotWritten: Rule = {
  reads: [
    'lanes.daily.environment',
    'lanes.daily.command',
    'lanes.daily.proposer',
    'lanes.daily.checksBeforePush',
  ],
  misfits: ({ lanes: { daily } }) => [
    ...Object.entries(daily.environment).flatMap(([name, text]) =>
      written(inLane('environment', name), text),
    ),
    ...inArguments(inLane('command'), daily.command),
    ...inArguments(inLane('proposer', 'command'), daily.proposer?.command ?? []),
    ...daily.checksBeforePush.flatMap((command, index) =>
      inArguments(inLane('checksBeforePush', index), command),
    ),
  ],
};

const reservedNamesAreLeftAlone: Rule = {
  reads: ['lanes.daily.passSecrets', 'lanes.daily.environment'],
  misfits: ({ lanes: { daily } }) => [
    ...daily.passSecrets.flatMap((name, index) => reserved(inLane('passSecrets', index), name)),
    ...Object.keys(daily.environment).flatMap((name) => reserved(inLane('environment', name), name)),
  ],
};

const secretsAreNamedOnce: Rule = {
  reads: ['lanes.daily.passSecrets', 'lanes.daily.environment'],
  misfits: ({ lanes: { daily } }) => [
    ...doubled(daily.passSecrets, (index) => inLane('passSecrets', index), 'the name'),
    ...daily.passSecrets.flatMap((name, index) =>
      Object.hasOwn(daily.environment, name)
        ? [error('passed-and-set', inLane('passSecrets', index), `${name} is set under environment too`)]
        : [],
    ),
  ],
};

export const SECRET_RULES: readonly Rule[] = [
  secretsAreNotSet,
  secretsAreNotWritten,
  reservedNamesAreLeftAlone,
  secretsAreNamedOnce,
];

const SECRET_NAME =
  /(^|_)(TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|API_?KEY|ACCESS_KEY|PRIVATE_KEY|SIGNING_KEY|CREDENTIALS?)(_ID)?$/;

/** Shapes of keys that their makers document: GitHub, OpenAI, Anthropic, Hugging Face, AWS, Google, Slack, W&B, PEM. */
const SECRET_VALUE =
  /\b(gh[pousr]_\w{20,}|github_pat_\w{20,}|sk-[\w-]{20,}|hf_\w{20,}|AKIA[0-9A-Z]{16}|AIza[\w-]{30,}|xox[abprs]-[\w-]{10,}|(?<=(?:KEY|key|token)=)[0-9a-f]{40})\b|-----BEGIN [A-Z ]*PRIVATE KEY|:\/\/[^\s/:@{}]+:[^\s/@{}]+@/;

// Whoever has these speaks for ferrybot or for the workflow: a child never gets them (architecture, decision D5).
const RESERVED_NAME = /^(GITHUB|ACTIONS|RUNNER|FERRYBOT|INPUT)_/;

function reserved(path: KeyPath, name: string): readonly Misfit[] {
  return RESERVED_NAME.test(name)
    ? [error('reserved-name', path, `${name} belongs to the workflow or to ferrybot: a job never gets it`)]
    : [];
}

function inArguments(path: KeyPath, args: readonly string[]): readonly Misfit[] {
  return args.flatMap((text, index) => written([...path, index], text));
}

function written(path: KeyPath, text: string): readonly Misfit[] {
  return SECRET_VALUE.test(text)
    ? [error('secret-value', path, 'this looks like a secret: take it out, and replace it where it is valid')]
    : [];
}
