/** Guesses from the files of a lab what its first lane needs. A person confirms or replaces each guess. */

import type { Knob } from '../../../delta/config-delta.ts';

/** Texts of the checkout's tracked files by path. Files that were not read have the text ''. */
export type LabFiles = ReadonlyMap<string, string>;

/** `why` names the file, so that a person can check the guess. */
type Guess<Value> = { readonly value: Value; readonly why: string };

export type Detected = {
  readonly engine: Guess<string>;
  /** Null if no known trainer was found. */
  readonly trainer: Guess<string> | null;
  readonly experiment: Guess<string> | null;
  readonly secrets: readonly string[];
  readonly ships: readonly string[];
};

type Sign = { readonly name: string; readonly sign: RegExp };

/** An import of a Python module, its package among the dependencies, or another sign. */
function signOf(name: string, module: string, other = '(?!)'): Sign {
  const imported = `^\\s*(?:from|import) (?:${module})\\b`;
  const needed = `(?:^|["'])(?:${module})(?:\\[[\\w,-]+\\])?(?:["',;@]| ?[<>=~!]=|$)`;
  return { name, sign: new RegExp(`${imported}|${needed}|${other}`, 'm') };
}

/** The first engine with a sign is chosen; without any sign, jobs are processes of the runner. */
const ENGINES: readonly Sign[] = [
  signOf('iris', 'iris|marin-iris', '\\biris job run\\b'),
  signOf('ray', 'ray', '\\bray job submit\\b'),
  signOf('slurm', 'submitit', '^#SBATCH\\b|^\\s*(?:sbatch|srun) '),
  signOf('vast', 'vastai', '\\bconsole\\.vast\\.ai\\b'),
];

const TRAINERS: readonly Sign[] = [
  signOf('levanter', 'levanter'),
  signOf('torchtitan', 'torchtitan', '\\btorchtitan\\.train\\b'),
  signOf('axolotl', 'axolotl', '\\baxolotl (?:train|preprocess)\\b'),
  signOf('nanogpt', 'configurator', '\\bconfigurator\\.py\\b'),
  signOf('transformers', 'transformers|trl'),
  signOf('lightning', 'lightning|pytorch_lightning|pytorch-lightning'),
];

const SECRETS: readonly Sign[] = [
  signOf('WANDB_API_KEY', 'wandb', '\\bWANDB_API_KEY\\b'),
  signOf('HF_TOKEN', 'huggingface_hub', '\\bHF_TOKEN\\b|\\bpush_to_hub\\b'),
];

/** Reads every guess from the files alone. */
export function detectLab(files: LabFiles): Detected {
  return {
    engine: findSign(ENGINES, files) ?? { value: 'local', why: 'no sign of a cluster' },
    trainer: findSign(TRAINERS, files),
    experiment: findExperiment(files),
    secrets: SECRETS.filter(({ sign }) => findSign([{ name: '', sign }], files) !== null).map(({ name }) => name),
    ships: listShipped([...files.keys()]),
  };
}

function findSign(signs: readonly Sign[], files: LabFiles): Guess<string> | null {
  for (const { name, sign } of signs) {
    const found = [...files].find(([, text]) => sign.test(text));
    if (found !== undefined) return { value: name, why: found[0] };
  }
  return null;
}

const LEARNING_RATE = /(?:^|[^a-z])(?:learning_rate|lr)["']?\s*[:=]/m;
/** A lab's launchers, tests and tools also have settings. */
const NO_EXPERIMENT =
  /(?:^|\/)(?:\.|tests?\/|docs\/|node_modules\/|setup\.|pyproject\.toml|package(?:-lock)?\.json|infra\/|model\.py|tokenizer)/;
const WEIGHTS: readonly (readonly [sign: RegExp, weight: number])[] = [
  [/(?:^|\/)(?:config|configs|conf|experiments?|recipes?|train_configs)\//, 2],
  [/\b(?:daily|ferry|debug|small|tiny|nano)|_(?:daily|ferry|debug|small|tiny|nano)/, 1],
  [/\.(?:ya?ml|toml|json)$/, 1],
];

/** The file with a learning rate whose path looks most like a configuration of a small run. */
function findExperiment(files: LabFiles): Guess<string> | null {
  const rated = [...files]
    .filter(
      ([path, text]) => /\.(?:py|ya?ml|toml|json)$/.test(path) && !NO_EXPERIMENT.test(path) && LEARNING_RATE.test(text),
    )
    .map(([path]) => ({ path, weight: WEIGHTS.reduce((sum, [sign, more]) => sum + (sign.test(path) ? more : 0), 0) }))
    .toSorted((one, other) => other.weight - one.weight || (one.path < other.path ? -1 : 1));
  return rated[0] === undefined ? null : { value: rated[0].path, why: 'it sets a learning rate' };
}

const ENTRY = /(?:^|\/)(?:train|pretrain|main|run|run_train|train_gpt|run_clm|finetune|sft)\.py$/;

/** The command that starts training with this experiment, or null if no program was found. */
export function guessCommand(files: LabFiles, trainer: string | null, experiment: string): readonly string[] | null {
  switch (trainer) {
    case 'axolotl':
      return ['axolotl', 'train', experiment];
    case 'torchtitan':
      return ['torchrun', '-m', 'torchtitan.train', '--job.config_file', experiment];
    case 'levanter':
      return experiment.endsWith('.py')
        ? ['python3', experiment]
        : ['python3', '-m', 'levanter.main.train_lm', '--config_path', experiment];
    default: {
      const entries = [...files.keys()].filter((path) => ENTRY.test(path) && path !== experiment);
      const entry = entries.toSorted((one, other) => one.split('/').length - other.split('/').length)[0];
      if (entry === undefined) return experiment.endsWith('.py') ? ['python3', experiment] : null;
      const takesFlag = /['"]--config['"]/.test(files.get(entry) ?? '');
      return ['python3', entry, ...(takesFlag ? ['--config'] : []), experiment];
    }
  }
}

/** Most entries that `ships` of a lane may have. */
const SHIPS_MAX = 20;
const UNSHIPPED = /^(?:\.|docs$|tests?$|node_modules$|LICEN[CS]E|.*\.(?:md|ipynb|png)$)/i;

/** Folders and files of the top level. Documents stay out, because each change of a shipped file drops approvals. */
function listShipped(paths: readonly string[]): readonly string[] {
  const tops = [...new Set(paths.map((path) => path.split('/')[0] ?? ''))].filter((name) => !UNSHIPPED.test(name));
  return tops.toSorted().slice(0, SHIPS_MAX);
}

/** One candidate: half and twice the learning rate. Null if the experiment has none that is a plain number. */
export function guessCandidate(
  knobs: readonly Knob[],
): { readonly path: string; readonly values: readonly string[] } | null {
  const found = knobs.find(({ knob, value }) => /^(?:learning_rate|lr)$/.test(knob) && Number(value) > 0);
  if (found === undefined) return null;
  const rate = Number(found.value);
  return { path: found.path, values: [2, 0.5].map((factor) => String(Number((rate * factor).toPrecision(6)))) };
}
