/** Logs of training runs that never happened, in the forms that trainers print, with a planted fault or none. */

/** A moment of training: what the trainer knows when it prints. */
type Now = {
  readonly step: number;
  readonly total: number;
  readonly loss: number;
  readonly gradient: number;
  /** Of one step. */
  readonly seconds: number;
  readonly elapsed: number;
};

type Form = {
  readonly name: string;
  /** The lines of one report. */
  readonly lines: (now: Now) => readonly string[];
  /** The lines of an evaluation; absent: this form prints none. */
  readonly evaluated?: (now: Now, loss: number) => readonly string[];
  /** Figures that the form does not carry, so no detector can find their fault. */
  readonly lacks: readonly Fault[];
};

export const FAULTS = ['stall', 'nan', 'spike', 'slowdown', 'no evaluations'] as const;
export type Fault = (typeof FAULTS)[number];

const TOKENS = 524_288;
const fixed = (value: number, digits: number): string => (Number.isFinite(value) ? value.toFixed(digits) : 'nan');
const exponent = (value: number): string => (Number.isFinite(value) ? value.toExponential(6).toUpperCase() : 'NAN');
const clock = (seconds: number): string =>
  [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60, Math.floor(seconds) % 60]
    .map((part) => String(part).padStart(2, '0'))
    .join(':');
const three = (value: number): string => (value < 1_000 ? value.toPrecision(3) : `${(value / 1_000).toPrecision(3)}k`);
const bar = ({ step, total, seconds }: Now): string =>
  `${String(Math.floor((100 * step) / total)).padStart(3)}%|███       | ${step}/${total} [${clock(step * seconds)}<${clock((total - step) * seconds)}, ${fixed(seconds, 2)}s/it]`;

export const FORMS: readonly Form[] = [
  {
    name: 'Levanter',
    lines: ({ step, total, loss, seconds, elapsed }) => [
      `Progress on:train ${three(step)}it/${three(total)}it rate:${fixed(seconds, 1)}s/it remaining:${clock((total - step) * seconds)} elapsed:${clock(elapsed)} postfix:loss=${fixed(loss, 2)}`,
    ],
    evaluated: (_, loss) => [`I20261120 eval/loss: ${fixed(loss, 3)} eval/bpb: ${fixed(loss / 3, 3)}`],
    lacks: [],
  },
  {
    name: 'Hugging Face with a bar',
    lines: (now) => [
      bar(now),
      `{'loss': ${fixed(now.loss, 4)}, 'grad_norm': ${fixed(now.gradient, 4)}, 'learning_rate': 3e-05, 'epoch': ${fixed(now.step / now.total, 2)}}`,
    ],
    evaluated: ({ step, total }, loss) => [
      `{'eval_loss': ${fixed(loss, 4)}, 'eval_runtime': 61.2, 'eval_samples_per_second': 16.3, 'epoch': ${fixed(step / total, 2)}}`,
    ],
    lacks: [],
  },
  {
    name: 'Hugging Face without a bar',
    lines: ({ loss, gradient, step, total }) => [
      `{'loss': '${fixed(loss, 4)}', 'grad_norm': '${fixed(gradient, 4)}', 'epoch': '${fixed(step / total, 3)}'}`,
    ],
    lacks: ['slowdown'],
  },
  {
    name: 'Lightning',
    lines: (now) => [
      `Epoch 0: ${bar(now).replace(/\]$/, `, v_num=3, train_loss=${fixed(now.loss, 3)}, val_loss=2.9]`)}`,
    ],
    lacks: [],
  },
  {
    name: 'nanoGPT',
    lines: ({ step, loss, seconds }) => [
      `iter ${step}: loss ${fixed(loss, 4)}, time ${fixed(seconds * 1_000, 2)}ms, mfu 31.20%`,
    ],
    evaluated: ({ step, loss: train }, loss) => [
      `step ${step}: train loss ${fixed(train, 4)}, val loss ${fixed(loss, 4)}`,
      'saving checkpoint to out',
    ],
    lacks: [],
  },
  {
    name: 'nanochat',
    lines: ({ step, total, loss, seconds, elapsed }) => [
      `step ${String(step).padStart(5, '0')}/${total} (${fixed((100 * step) / total, 2)}%) | loss: ${fixed(loss, 6)} | lrm: 1.00 | dt: ${fixed(seconds * 1_000, 2)}ms | tok/sec: ${Math.round(TOKENS / seconds).toLocaleString('en')} | mfu: 44.10 | epoch: 1 | total time: ${fixed(elapsed / 60, 2)}m`,
    ],
    evaluated: ({ step }, loss) => [`Step ${String(step).padStart(5, '0')} | Validation bpb: ${fixed(loss / 3, 6)}`],
    lacks: [],
  },
  {
    name: 'modded-nanogpt',
    lines: ({ step, total, loss, elapsed }) => [
      `step:${step}/${total} train_loss:${fixed(loss, 4)} train_time:${fixed(elapsed * 1_000, 0)}ms step_avg:${fixed((elapsed * 1_000) / step, 2)}ms`,
    ],
    evaluated: ({ step, total, elapsed }, loss) => [
      `step:${step}/${total} val_loss:${fixed(loss, 4)} train_time:${fixed(elapsed * 1_000, 0)}ms`,
    ],
    // Its times are since the start.
    lacks: ['slowdown'],
  },
  {
    name: 'torchtitan',
    lines: ({ step, loss, gradient, seconds }) => [
      `[rank0]:[titan] - root - INFO - step: ${step}  loss:  ${fixed(loss, 5)}  grad_norm:  ${fixed(gradient, 4)}  memory: 49.66GiB(52.28%)  tps: ${Math.round(TOKENS / seconds).toLocaleString('en')}  tflops: 339.25  mfu: 34.30%`,
    ],
    evaluated: ({ step }, loss) => [
      `[rank0]:[titan] - root - INFO - validate step: ${step}  loss:  ${fixed(1.6 * loss, 4)}  memory: 49.66GiB(52.28%)  tps: 9,000`,
    ],
    lacks: [],
  },
  {
    name: 'Megatron-LM',
    lines: ({ step, total, loss, gradient, seconds }) => [
      ` iteration ${String(step).padStart(8)}/${String(total).padStart(8)} | consumed samples: ${String(step * 1_024).padStart(12)} | elapsed time per iteration (ms): ${fixed(seconds * 1_000, 1)} | throughput per GPU (TFLOP/s/GPU): 410.2 | learning rate: 1.500E-04 | global batch size:  1024 | lm loss: ${exponent(loss)} | loss scale: 1.0 | grad norm: ${fixed(gradient, 3)} | number of skipped iterations:   0 | number of nan iterations:   0 |`,
    ],
    evaluated: ({ step }, loss) => [
      ` validation loss at iteration ${step} | lm loss value: ${exponent(loss)} | lm loss PPL: 1.858E+01 | `,
    ],
    lacks: [],
  },
  {
    name: 'NeMo',
    lines: ({ step, total, loss, seconds }) => [
      `Training epoch 0, iteration ${step}/${total - 1} | lr: 3e-05 | consumed_samples: ${step * 8} | global_batch_size: 8 | global_step: ${step} | reduced_train_loss: ${fixed(loss, 3)} | train_step_timing in s: ${fixed(seconds, 4)} | val_loss: 4.106`,
    ],
    lacks: [],
  },
  {
    name: 'DeepSpeed',
    lines: ({ step, seconds }) => [
      `[INFO] [logging.py:96:log_dist] [Rank 0] step=${step}, skipped=0, lr=[2.1e-06], mom=[[0.9, 0.95]]`,
      `[INFO] [timer.py:215:stop] epoch=0/micro_step=${step}/global_step=${step}, RunningAvgSamplesPerSec=7.86, CurrSamplesPerSec=${64 / seconds}, MemAllocated=59.65GB, MaxMemAllocated=63.31GB`,
    ],
    lacks: ['nan', 'spike'],
  },
  {
    name: 'Composer',
    lines: ({ step, total, loss, seconds, elapsed }) => [
      `[batch=${step}/${total}]:`,
      `\t Train time/train: ${fixed(elapsed / 3_600, 4)}`,
      `\t Train loss/train/total: ${fixed(loss, 4)}`,
      `\t Train throughput/tokens_per_sec: ${fixed(TOKENS / seconds, 4)}`,
    ],
    lacks: [],
  },
  {
    name: 'OLMo',
    lines: ({ step, total, loss, gradient, seconds }) => [
      `olmo.train:908  INFO    [step=${step}/${total},epoch=0]`,
      `    optim/total_grad_norm=${fixed(gradient, 4)}`,
      `    train/CrossEntropyLoss=${fixed(loss, 3)}`,
      `    throughput/device/tokens_per_second=${Math.round(TOKENS / seconds).toLocaleString('en')}`,
    ],
    lacks: [],
  },
  {
    name: 'litgpt',
    lines: ({ step, loss, seconds, total }) => [
      `Epoch 1 | iter ${step * 4} step ${step} | loss train: ${fixed(loss, 3)}, val: 2.861 | iter time: ${fixed(seconds * 250, 2)} ms (step) remaining time: ${clock((total - step) * seconds)}`,
    ],
    evaluated: ({ step }, loss) => [`iter ${step * 4}: val loss ${fixed(loss, 4)}, val time: 3778.02 ms`],
    lacks: [],
  },
  {
    name: 'MaxText',
    lines: ({ step, loss, seconds }) => [
      `metric_logger.py:226] completed step: ${step}, seconds: ${fixed(seconds, 3)}, TFLOP/s/device: 350.869, Tokens/s/device: ${fixed(TOKENS / seconds, 3)}, total_weights: 1572864, loss: ${fixed(loss, 3)}, lm_loss: ${fixed(loss, 3)}`,
    ],
    evaluated: ({ step }, loss) => [`eval metrics after step: ${step}, loss=${fixed(loss, 3)}, total_weights=75264.0`],
    lacks: [],
  },
  {
    name: 'CLU',
    lines: ({ step, loss, seconds }) => [
      `1399 logging_writer.py:48] [${step}] learning_rate=0.003, train_loss=${fixed(loss, 4)}`,
      `1399 logging_writer.py:48] [${step}] steps_per_sec=${1 / seconds}`,
    ],
    evaluated: ({ step }, loss) => [`1399 logging_writer.py:48] [${step}] eval_loss=${fixed(loss, 4)}`],
    lacks: [],
  },
  {
    name: 'Keras',
    lines: ({ step, total, loss, seconds }) => [
      `${step}/${total} ━━━━━━━━━━━━━━━━━━━━ ${fixed((total - step) * seconds, 0)}s ${fixed(seconds, 0)}s/step - accuracy: 0.3258 - loss: ${fixed(loss, 4)}`,
    ],
    lacks: [],
  },
  {
    name: 'fairseq',
    lines: ({ step, loss, gradient, seconds }) => [
      `| INFO | train_inner | epoch 001:  ${step} / 90000 loss=${fixed(loss, 3)}, ppl=1.9, wps=${fixed(TOKENS / seconds, 1)}, ups=0.2, wpb=2048, bsz=16, num_updates=${step}, lr=1.5e-06, gnorm=${fixed(gradient, 3)}, loss_scale=128, train_wall=1, wall=0`,
    ],
    evaluated: (_, loss) => [
      `| INFO | valid | epoch 001 | valid on 'valid' subset | loss ${fixed(loss, 3)} | ppl 36.1 | wps 90441`,
    ],
    lacks: [],
  },
  {
    name: 'timm',
    lines: ({ step, total, loss, seconds }) => [
      `Train: 0 [${String(step).padStart(4)}/${total} ( 70%)]  Loss: ${fixed(loss, 2)} (${fixed(loss, 2)})  Time: ${fixed(seconds, 3)}s,  ${fixed(128 / seconds, 2)}/s  (0.470s,  272.39/s)  LR: 1.000e-05  Data: 0.011 (0.027)`,
    ],
    lacks: [],
  },
  {
    name: 'YOLO',
    lines: (now) => [
      `    1/100      6.73G      ${fixed(now.loss, 3)}     0.4706      1.084         10        640: ${bar(now)}`,
    ],
    lacks: [],
  },
  {
    name: 'verl',
    lines: ({ step, loss, gradient, seconds }) => [
      `(TaskRunner pid=16292) step:${step} - global_seqlen/mean:547190.500 - actor/kl_loss:0.001 - actor/entropy_loss:0.554 - actor/pg_loss:${fixed(loss, 3)} - actor/grad_norm:${fixed(gradient, 3)} - critic/score/mean:0.011 - timing_s/gen:74.020 - timing_s/step:${fixed(seconds, 3)}`,
    ],
    lacks: [],
  },
  {
    name: 'OpenRLHF',
    lines: (now) => [`Train epoch [1/1]: ${bar(now).replace(/\]$/, `, policy_loss=${fixed(now.loss, 3)}, kl=0.01]`)}`],
    lacks: [],
  },
  {
    name: 'Stable-Baselines3',
    lines: ({ step, loss, elapsed }) => [
      '-----------------------------------------',
      '| time/                   |             |',
      `|    fps                  | ${String(Math.round((step * 2_048) / elapsed)).padEnd(11)} |`,
      `|    total_timesteps      | ${String(step * 2_048).padEnd(11)} |`,
      '| train/                  |             |',
      '|    entropy_loss         | -0.685      |',
      `|    loss                 | ${fixed(loss, 3).padEnd(11)} |`,
    ],
    lacks: [],
  },
  {
    name: 'JSON lines',
    lines: ({ step, loss, seconds }) => [
      JSON.stringify({ step, loss: fixed(loss, 4), grad_norm: '1.0', tokens_per_second: Math.round(TOKENS / seconds) }),
    ],
    evaluated: ({ step }, loss) => [JSON.stringify({ step, eval_loss: fixed(loss, 4) })],
    lacks: [],
  },
];

/** How launchers and containers wrap a line. */
export const WRAPS: readonly ((line: string) => string)[] = [
  (line) => line,
  (line) => `(train pid=4711, ip=10.0.0.4) ${line}`,
  (line) => `[default0]:${line}`,
];

export type Plan = {
  readonly form: Form;
  readonly fault: Fault | null;
  readonly seed: number;
  /** Of one step, at its usual pace. */
  readonly stepSeconds: number;
  /** Relative variation of the step time and of the loss. */
  readonly jitter: number;
  readonly everySeconds: number;
  readonly wrap: (line: string) => string;
  /** A higher loss after a restart of the learning rate, at 3 h. */
  readonly bump: number;
  readonly hours: number;
  readonly faultSeconds: number;
  readonly evalMinutes: number;
};

/** `at`: seconds since the start. */
export type LoggedLine = { readonly at: number; readonly line: string };

/** A small generator of uniform numbers, so that a seed gives the same log everywhere. */
function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** The lines of one run. */
export function logOf({
  form,
  fault,
  seed,
  stepSeconds,
  jitter,
  everySeconds,
  wrap,
  bump,
  hours,
  faultSeconds,
  evalMinutes,
}: Plan): readonly LoggedLine[] {
  const random = randomFrom(seed);
  const vary = (): number => 1 + jitter * (2 * random() - 1);
  const total = Math.round((3_600 * 24) / stepSeconds);
  const lines: LoggedLine[] = [
    { at: 5, line: wrap('starting') },
    { at: 60, line: wrap('compiling the model') },
  ];
  let [at, step, nextEval] = [240, 0, 240 + evalMinutes * 60];
  while (at < hours * 3_600) {
    const isFaulty = fault !== null && at >= faultSeconds;
    if (isFaulty && fault === 'stall') break;
    const slow = isFaulty && fault === 'slowdown' ? 3 : 1;
    const seconds = stepSeconds * slow * vary();
    const steps = Math.max(1, Math.round(everySeconds / seconds));
    step += steps;
    at += steps * seconds;
    const usual = (2 + 9 * Math.exp((-8 * step) / total)) * (at > 3 * 3_600 && at < 3.3 * 3_600 ? bump : 1);
    const spiked = isFaulty && fault === 'spike' && at < faultSeconds + 3_600 ? 2.2 : 1;
    const loss = isFaulty && fault === 'nan' ? Number.NaN : usual * spiked * (1 + (jitter / 10) * (2 * random() - 1));
    const now: Now = { step, total, loss, gradient: 1 + jitter * random(), seconds, elapsed: at };
    for (const line of form.lines(now)) lines.push({ at, line: wrap(line) });
    if (at >= nextEval && form.evaluated !== undefined && !(isFaulty && fault === 'no evaluations')) {
      at += 240;
      for (const line of form.evaluated(now, usual * 1.1)) lines.push({ at, line: wrap(line) });
      nextEval += evalMinutes * 60;
    }
  }
  return lines;
}
