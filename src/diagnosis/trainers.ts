/** What trainers print: one row per trainer. `fixtures/trainers.yml` has a printed sample of each row. */

import { wordsOfPattern } from './pattern-words.ts';

/** The watch finds a line by words that its pattern contains, so a pattern needs a word of four characters. */
export type TrainerFormat = {
  readonly name: string;
  /** Where the sample, or the code that prints it, is public. */
  readonly source: string;
  /** A training line, if the names of its values do not identify it. Its groups (`NamedValue`) come before values found by name. */
  readonly trainingLine?: RegExp;
  /** A line about an evaluation, if no word such as `eval` precedes its values. */
  readonly evalLine?: RegExp;
  /** The exact total number of steps. */
  readonly totalSteps?: RegExp;
  readonly firstStep?: RegExp;
  /** A complete checkpoint: its path, and its step or the last step printed before. */
  readonly saveEnd?: RegExp;
  readonly saveStart?: RegExp;
  /** The path of the loaded checkpoint. */
  readonly resumedFrom?: RegExp;
  /** Used memory in group `mb`, `gb` or `percent`, or `used` out of `whole`. */
  readonly memory?: RegExp;
};

/** The first row with a match counts. Progress bars of tqdm and values found by their names need no row. */
export const TRAINERS: readonly TrainerFormat[] = [
  {
    name: 'Levanter',
    source: 'https://github.com/marin-community/marin/blob/main/lib/levanter/src/levanter/callbacks/__init__.py',
    firstStep: /First train step completed/,
    saveEnd: /Saved checkpoint to (?<path>\S+) for step (?<step>\d+)\b/,
    saveStart: /Saving (?:temporary )?checkpoint at step \d/,
    resumedFrom: /Loading checkpoint from (\S+)/,
  },
  {
    name: 'Hugging Face Trainer, TRL, accelerate, axolotl',
    source: 'https://github.com/axolotl-ai-cloud/axolotl/issues/592',
    totalSteps: /Total optimization steps ?= ?(\d[\d,]{0,14})(?![\d,])/,
    saveEnd: /Saving model checkpoint to (?<path>\S{0,400}checkpoint-(?<step>\d{1,12}))\b/,
  },
  {
    name: 'Lightning',
    source: 'https://github.com/mittagessen/kraken/issues/486',
    // The bar of rich; the one of tqdm needs no row.
    trainingLine:
      /━ ?(?<step>\d{1,12})\/\d{1,12} \d{1,4}:\d\d:\d\d • [\d:-]{1,12} (?<rate>\d{1,9}(?:\.\d{1,6})?)it\/s /,
  },
  {
    name: 'nanoGPT',
    source: 'https://github.com/karpathy/nanoGPT/issues/178',
    saveEnd: /^saving checkpoint to (?<path>\S+)$/,
    resumedFrom: /^Resuming training from (\S+)$/,
  },
  {
    name: 'nanochat',
    source: 'https://github.com/karpathy/nanochat/blob/master/scripts/base_train.py',
    trainingLine:
      /\bstep (?<step>\d{1,12})(?:\/(?<total>\d{1,12}))? \([\d.]{1,8}%\) \| loss: (?<loss>[-\d.a-z]{1,20}) \|.{0,60}\| dt: /,
    evalLine: /\bStep (?<step>\d{1,12}) \| Validation bpb: (?<loss>[\d.a-z]{1,20})/,
    saveEnd: /Saved model parameters to: (?<path>\S{0,400}model_(?<step>\d{1,12})\.pt)\b/,
  },
  {
    name: 'modded-nanogpt',
    source: 'https://github.com/openai/parameter-golf/issues/839',
    trainingLine: /\bstep:(?<step>\d{1,12})\/(?<total>\d{1,12}) (?:train_loss:(?<loss>[\d.a-z]{1,20}) )?train_time:/,
  },
  {
    name: 'torchtitan',
    source: 'https://github.com/pytorch/torchtitan/pull/3393',
    saveEnd: /Finished saving the checkpoint\b/,
    resumedFrom: /Loading the checkpoint from (\S+?)\.?$/,
  },
  {
    name: 'Megatron-LM, NeMo',
    source: 'https://github.com/epfLLM/Megatron-LLM/issues/11',
    saveEnd: /successfully saved checkpoint from iteration {1,8}(?<step>\d{1,12})(?: to (?<path>\S+))?/,
    saveStart: /^\s{0,8}saving checkpoint at iteration {1,8}\d/,
    resumedFrom: /successfully loaded checkpoint from (\S+)/,
    memory: /memory \(MB\) \| allocated: \d{1,9}(?:\.\d{1,16})? \| max allocated: (?<mb>\d{1,9})(?:\.\d{1,16})? /,
  },
  {
    name: 'DeepSpeed',
    source: 'https://github.com/deepspeedai/DeepSpeed/issues/3742',
    trainingLine: /\bstep=(?<step>\d{1,12}), skipped=/,
    saveEnd: /\[Torch\] Saved (?<path>\S{0,400}global_step(?<step>\d{1,12}))\//,
    memory: /\bMA \d{1,9}(?:\.\d{1,16})? GB {1,16}Max_MA (?<gb>\d{1,9}(?:\.\d{1,16})?) GB/,
  },
  {
    name: 'Composer, LLM Foundry',
    source: 'https://github.com/mosaicml/examples/issues/414',
    trainingLine: /^.{0,40}\[batch=(?<step>\d{1,12})\/(?<total>\d{1,12})\]|\bTrain throughput\/tokens_per_sec: \d/,
    memory: /memory\/(?:peak|current)_(?:allocated|active|reserved)_mem: (?<gb>\d{1,9}(?:\.\d{1,16})?)(?![\w.])/,
  },
  {
    name: 'OLMo',
    source: 'https://github.com/allenai/OLMo/issues/692',
    trainingLine:
      /\[step=(?<step>\d{1,12})\/(?<total>\d{1,12}),epoch=\d{1,6}\]|(?<![\w/])(?:throughput\/device\/tokens_per_second|optim\/total_grad_norm)=/,
  },
  {
    name: 'litgpt',
    source: 'https://github.com/Lightning-AI/litgpt/issues/1607',
    trainingLine:
      /\biter \d{1,12} (?:\| )?step (?<step>\d{1,12})\b.{0,4} loss train(?: \(curr\))?: (?<loss>[\d.a-z]{1,20})/i,
  },
  {
    name: 'MaxText',
    source: 'https://github.com/AI-Hypercomputer/maxtext/pull/4847',
    memory: /Using \(GB\) \d{1,9}(?:\.\d{1,16})? \/ \d{1,9}(?:\.\d{1,16})? \((?<percent>\d{1,9}(?:\.\d{1,16})?)%\)/,
  },
  {
    name: 'Flax, CLU',
    source: 'https://github.com/google/CommonLoopUtils/blob/main/clu/metric_writers/logging_writer.py',
    trainingLine: /logging_writer\.py:\d{1,5}\] \[(?<step>\d{1,12})\] /,
  },
  {
    name: 'Keras',
    source: 'https://github.com/tensorflow/tensorflow/issues/30908',
    trainingLine: /(?<![\d/])(?<step>\d{1,9})\/(?:\d{1,9}|Unknown)\b.{0,120}s\/step - /,
  },
  {
    name: 'fairseq',
    source: 'https://github.com/facebookresearch/fairseq/issues/2681',
    trainingLine: /\| train(?:_inner)? \|.{0,300}\bnum_updates[= ](?<step>\d{1,12})/,
    saveEnd: /Saved checkpoint (?<path>\S+) \(epoch \d{1,6} @ (?<step>\d{1,12}) updates/,
  },
  {
    name: 'timm',
    source: 'https://github.com/huggingface/pytorch-image-models/blob/main/train.py',
    trainingLine: /\bTrain: {1,6}\d{1,6}(?:\/\d{1,6} \( {0,3}\d{1,3}%\))? \[ {0,6}(?<step>\d{1,12})\/\d{1,12} \(/,
  },
  {
    name: 'Ultralytics YOLO',
    source: 'https://github.com/ultralytics/ultralytics/issues/7653',
    trainingLine:
      /(?<![\w/.])\d{1,6}\/\d{1,6} {2,12}[\d.]{1,8}G {1,12}(?<loss>[\d.a-z]{1,12}) .{0,200}\| {0,8}(?<step>\d{1,9})\/\d{1,9} \[/,
  },
  {
    name: 'verl',
    source: 'https://github.com/verl-project/verl/issues/1208',
    // The anchor lets the search for the loss run once per line.
    trainingLine: /^(?=.{0,4000}?\bactor\/pg_loss:(?<loss>[-\d.a-z]{1,20})).{0,80}?\bstep:(?<step>\d{1,12}) - /,
  },
  { name: 'OpenRLHF', source: 'https://github.com/OpenRLHF/OpenRLHF/blob/main/openrlhf/trainer/ray/ppo_actor.py' },
  {
    name: 'Stable-Baselines3',
    source: 'https://github.com/DLR-RM/stable-baselines3/issues/156',
    trainingLine:
      /^.{0,60}\| {1,6}(?:total_timesteps {1,30}\| {0,3}(?<step>\d{1,12})|loss {1,30}\| {0,3}(?<loss>[-+\d.a-z]{1,16})) {0,30}\|$/,
  },
  {
    name: 'JSON lines',
    source: 'https://github.com/liujunwen23/MIRE/issues/1',
    trainingLine: /"current_steps": (?<step>\d{1,12}), "total_steps": (?<total>\d{1,12}), "loss"/,
  },
  {
    name: 'nvidia-smi',
    source: 'https://github.com/nwyin/modded-llama2/issues/10',
    memory: /\| {1,8}(?<used>\d{1,7})MiB \/ {1,4}(?<whole>\d{1,7})MiB \|/,
  },
  {
    name: 'JAX, memory_stats() of a device',
    source: 'https://docs.jax.dev/en/latest/_autosummary/jax.Device.html',
    memory: /(?<![a-z_])bytes_in_use['"]?: ?(?<used>\d{1,15})\b/,
  },
];

/** A lane's own row comes first. */
export function rowsWith(own: TrainerFormat | null): readonly TrainerFormat[] {
  return own === null ? TRAINERS : [own, ...TRAINERS];
}

/** The match of the first row that has this pattern and matches. */
export function matchTrainerFormat(
  what: Exclude<keyof TrainerFormat, 'name' | 'source'>,
  line: string,
  own: TrainerFormat | null = null,
): RegExpExecArray | null {
  for (const trainer of rowsWith(own)) {
    const found = trainer[what]?.exec(line) ?? null;
    if (found !== null) return found;
  }
  return null;
}

const PLACEHOLDER = /\{(step|total|loss|seconds|tokens)\}/;
const NUMBER = /[-+]?(?:\d[\d,]{0,14}(?:\.\d{1,15})?(?:[eE][-+]?\d{1,3})?|[Nn][Aa][Nn]|[Ii]nf)/.source;
/** How far a `*` reaches. */
const ANY = '.{0,200}?';

/**
 * The row of a lane that gives a line of its trainer, such as `it {step}/{total} * ce {loss}`. `*` is any text, a space any number of them.
 * Null without {step} or {loss}, if a value occurs twice, or without a word of four letters that such a line can be found by.
 */
export function formatOfLine(line: string): TrainerFormat | null {
  const names = [...line.matchAll(new RegExp(PLACEHOLDER, 'g'))].map(([, name]) => name);
  const isNamed = names.includes('step') || names.includes('loss');
  if (!isNamed || new Set(names).size !== names.length) return null;
  const [first = '', ...more] = line
    .split('*')
    .map(patternOfPart)
    .filter((part) => part !== '');
  // A group that was matched in a lookahead is not matched again, so a hostile line costs one pass.
  const rest = more.map((part, index) => `(?=(?<any${index}>${ANY}${part}))\\k<any${index}>`);
  const trainingLine = new RegExp([first, ...rest].join(''));
  return wordsOfPattern(trainingLine).length === 0 ? null : { name: 'the lane', source: 'config', trainingLine };
}

function patternOfPart(part: string): string {
  const pieces = part.trim().split(PLACEHOLDER);
  return pieces
    .map((piece, index) =>
      index % 2 === 1 ? `(?<${piece}>${NUMBER})` : RegExp.escape(piece).replaceAll(/(?:\\x20)+/g, ' {1,20}'),
    )
    .join('');
}
