/** The questions of `ferrybot init`: at most eight. A flag answers each; a guess from the files is the default. */

import { parse } from 'yaml';
import { z } from 'zod';
import { fail, ok, type Result } from '../../../domain/values.ts';
import { clusterSchema, ENGINE_SCHEMAS } from '../../../engines/registry.ts';
import { argumentArray, path, variable } from '../../../settings/words.ts';
import { type Detected, guessCommand, type LabFiles } from './detect.ts';

export type Answers = {
  readonly cluster: Readonly<Record<string, unknown>>;
  readonly experiment: string;
  readonly command: readonly string[];
  readonly metric: { readonly key: string; readonly better: 'lower' | 'higher'; readonly tolerancePercent: string };
  readonly secrets: readonly string[];
  readonly onePersonIsEnough: boolean;
};

/** Text that was typed for a question, by its flag. */
export type Given = Readonly<Partial<Record<Flag, string>>>;
export type Flag = 'engine' | 'cluster' | 'hours' | 'experiment' | 'command' | 'metric' | 'secrets' | 'one-person';

export type Question = {
  readonly flag: Flag;
  readonly text: string;
  /** Null if only a person can know the answer. */
  readonly guess: string | null;
  /** Why an answer is refused, or null. */
  readonly refuse: (answer: string) => string | null;
};

/** The next question without an answer, or null. The answers so far decide what the later questions are. */
export function nextQuestion(detected: Detected, files: LabFiles, given: Given): Question | null {
  return listQuestions(detected, files, given).find(({ flag }) => given[flag] === undefined) ?? null;
}

/** Every question in order; a cluster whose engine needs no setting has no question of its own. */
export function listQuestions(
  { engine, trainer, experiment, secrets }: Detected,
  files: LabFiles,
  given: Given,
): readonly Question[] {
  const needed = listNeededKeys(given.engine ?? engine.value);
  const chosen = given.experiment ?? experiment?.value ?? null;
  const command = chosen === null ? null : guessCommand(files, trainer?.value ?? null, chosen);
  return [
    {
      flag: 'engine',
      text: `What runs the jobs: ${ENGINE_NAMES.join(', ')}? (${engine.why})`,
      guess: engine.value,
      refuse: (answer) => (ENGINE_NAMES.includes(answer) ? null : `it is one of ${ENGINE_NAMES.join(', ')}`),
    },
    ...(needed.length === 0
      ? []
      : [
          {
            flag: 'cluster' as const,
            text: `Settings of the cluster as KEY=VALUE with blanks between them: ${needed.map(([key, about]) => `${key} (${about})`).join(', ')}`,
            guess: null,
            refuse: (answer: string) => checkCluster(given.engine ?? engine.value, answer),
          },
        ]),
    {
      flag: 'hours',
      text: 'How many accelerator-hours does one run take? People see it before they approve.',
      guess: null,
      refuse: (answer) => (/^\d{1,9}(?:\.\d{1,6})?$/.test(answer) ? null : 'it is a number such as 2.5'),
    },
    {
      flag: 'experiment',
      text: `Which file may a run change (.py, .yaml, .toml, .json or .args)?${experiment === null ? '' : ` (${experiment.why})`}`,
      guess: experiment?.value ?? null,
      refuse: (answer) => (files.has(answer) ? null : `${answer} is not a file that git tracks here`),
    },
    {
      flag: 'command',
      text: `Which command trains?${trainer === null ? '' : ` (${trainer.value}, by ${trainer.why})`}`,
      guess: command === null ? null : command.join(' '),
      refuse: (answer) => refuseBy(argumentArray, splitWords(answer)),
    },
    {
      flag: 'metric',
      text: 'Which metric decides? eval/loss is read from the log of every known trainer.',
      guess: 'eval/loss lower 2',
      refuse: (answer) =>
        /^\S+ (?:lower|higher) \d{1,3}$/.test(answer)
          ? null
          : 'it is KEY lower|higher PERCENT, such as eval/loss lower 2',
    },
    {
      flag: 'secrets',
      text: 'Which secrets does a job need, with blanks between them?',
      guess: secrets.join(' '),
      refuse: (answer) => refuseBy(z.array(variable), splitWords(answer)),
    },
    {
      flag: 'one-person',
      text: 'May the author of a change approve its launch (yes in a lab of one person)?',
      guess: 'no',
      refuse: (answer) => (/^(?:yes|no)$/.test(answer) ? null : 'it is yes or no'),
    },
  ];
}

const ENGINE_NAMES: readonly string[] = ENGINE_SCHEMAS.map(({ shape }) => shape.engine.value);

/** The keys without a default, with their description. */
function listNeededKeys(engine: string): readonly (readonly [key: string, about: string])[] {
  const schema = ENGINE_SCHEMAS.find(({ shape }) => shape.engine.value === engine);
  return Object.entries<z.ZodType>(schema?.shape ?? {})
    .filter(([key, type]) => key !== 'engine' && key !== 'acceleratorHoursPerRun' && !type.safeParse(undefined).success)
    .map(([key, type]) => [key, (type.description ?? '').replace(/\.$/, '')]);
}

function checkCluster(engine: string, answer: string): string | null {
  return refuseBy(clusterSchema, buildCluster(engine, answer, '1'));
}

/** A value is text where its key takes text, and a YAML value otherwise. */
function buildCluster(engine: string, settings: string, hours: string): Readonly<Record<string, unknown>> {
  const schema = ENGINE_SCHEMAS.find(({ shape }) => shape.engine.value === engine);
  const shape: Readonly<Record<string, z.ZodType>> = schema?.shape ?? {};
  const pairs = splitWords(settings).map((pair) => {
    const [key = '', ...rest] = pair.split('=');
    const text = rest.join('=');
    return [key, shape[key]?.safeParse(text).success === false ? parse(text) : text] as const;
  });
  return { engine, ...Object.fromEntries(pairs), acceleratorHoursPerRun: hours };
}

/** Words with blanks between them; quotes keep blanks inside of a word. */
function splitWords(text: string): readonly string[] {
  return [...text.matchAll(/(?:[^\s"']|"[^"]*"|'[^']*')+/g)].map(([word]) => word.replaceAll(/["']/g, ''));
}

function refuseBy(schema: z.ZodType, value: unknown): string | null {
  const { error } = schema.safeParse(value);
  const [issue] = error?.issues ?? [];
  return issue === undefined ? null : `${issue.path.join('.')}${issue.path.length > 0 ? ': ' : ''}${issue.message}`;
}

/** The answers as settings; the guess counts where nothing was given. Fails with the flag that is missing or wrong. */
export function readAnswers(detected: Detected, files: LabFiles, given: Given): Result<Answers, string> {
  const texts: Partial<Record<Flag, string>> = {};
  for (const { flag, text, guess, refuse } of listQuestions(detected, files, given)) {
    const answer = given[flag] ?? guess;
    if (answer === null) return fail(`--${flag} is missing: ${text}`);
    const why = refuse(answer);
    if (why !== null) return fail(`--${flag} ${answer}: ${why}`);
    texts[flag] = answer;
  }
  const { engine = '', cluster = '', hours = '', experiment = '', command = '', secrets = '' } = texts;
  const [key = '', better, tolerancePercent = ''] = (texts.metric ?? '').split(' ');
  return ok({
    cluster: buildCluster(engine, cluster, hours),
    experiment: path.parse(experiment),
    command: splitWords(command),
    metric: { key, better: better === 'higher' ? 'higher' : 'lower', tolerancePercent },
    secrets: splitWords(secrets),
    onePersonIsEnough: texts['one-person'] === 'yes',
  });
}
