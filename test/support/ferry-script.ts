/** The log of a whole ferry, line by line with its time, in Levanter's format. */

/** What a simulated job prints and how it ends; times in ms since the start of its command. */
export type JobScript = {
  /** Time in the engine's queue before it starts. */
  readonly pendingMs: number;
  /** A pending job that ignores a stop until it runs. */
  readonly ignoresStop?: true;
  readonly lines: readonly { readonly atMs: number; readonly text: string }[];
  readonly endAtMs: number;
  readonly exitCode: number;
  /** The content of tracker_metrics.jsonl from that time on. */
  readonly metrics: readonly { readonly atMs: number; readonly text: string }[];
};

export type FerryShape = {
  readonly runName: string;
  readonly steps: number;
  /** From the start of the command to its end. */
  readonly durationMs: number;
  /** Until the first step is done: restore and compile. */
  readonly compileMs: number;
  readonly evalEverySteps: number;
  readonly checkpointEverySteps: number;
  /** Added to the final losses: a regression. */
  readonly lossOffset: number;
  /** Fails with this line and exit code 1 when the step is reached; null = succeeds. */
  readonly failAt: { readonly step: number; readonly line: string; readonly exitCode: number } | null;
  /** Stops making steps and printing after this one, but runs until its end; null = it does not hang. */
  readonly hangAt: number | null;
};

/** A real daily ferry: 5155 steps in five hours (daily ferry of 2026-02-22). */
export const DAILY_FERRY: FerryShape = {
  runName: 'ferry_daily_125m_2026-11-21',
  steps: 5155,
  durationMs: 5 * 3_600_000,
  compileMs: 300_000,
  evalEverySteps: 1_000,
  checkpointEverySteps: 1_000,
  lossOffset: 0,
  failAt: null,
  hangAt: null,
};

const BAR_PERIOD_MS = 60_000;

/** The script of one ferry; equal shapes give equal scripts. */
export function ferryScript(changes: Partial<FerryShape> = {}): JobScript {
  const shape = { ...DAILY_FERRY, ...changes };
  const last = shape.failAt?.step ?? shape.steps;
  const stepMs = (shape.durationMs - shape.compileMs) / shape.steps;
  const timeOf = (step: number): number => Math.round(shape.compileMs + step * stepMs);
  const link = `wandb: 🚀 View run ${shape.runName} at: https://wandb.ai/example-lab/ferries/runs/${shape.runName}`;
  const evalSteps = every(shape.evalEverySteps, last, shape.failAt === null);
  const lines = [
    { atMs: 0, text: link },
    { atMs: 1_000, text: `tqdm Progress on:train -/${shape.steps} rate:- remaining:? elapsed:00:00 postfix:-` },
    {
      atMs: 2_000,
      text: 'trainer First batch loaded in 1.0s, starting first train step (includes JIT compilation)...',
    },
    { atMs: shape.compileMs, text: `trainer First train step completed in ${shape.compileMs / 1000}s.` },
    ...bars(shape, last, stepMs),
    ...evalSteps.flatMap((step) => evalLines(shape, step, timeOf(step))),
    ...every(shape.checkpointEverySteps, last, shape.failAt === null).map((step) => ({
      atMs: timeOf(step),
      text: `levanter.checkpoint Saved checkpoint to checkpoints/step-${step} for step ${step}`,
    })),
    ...(shape.failAt === null
      ? [{ atMs: timeOf(last), text: link }]
      : [{ atMs: timeOf(last), text: shape.failAt.line }]),
  ];
  return {
    pendingMs: 0,
    lines: lines
      .filter(({ atMs }) => shape.hangAt === null || atMs <= timeOf(shape.hangAt))
      .toSorted((a, b) => a.atMs - b.atMs),
    endAtMs: timeOf(last),
    exitCode: shape.failAt?.exitCode ?? 0,
    metrics: evalSteps.map((step) => ({ atMs: timeOf(step), text: metricsRecord(shape, step) })),
  };
}

function every(period: number, last: number, withLast: boolean): readonly number[] {
  const steps = Array.from({ length: Math.floor(last / period) }, (_, index) => (index + 1) * period);
  return withLast && steps.at(-1) !== last ? [...steps, last] : steps;
}

function bars(shape: FerryShape, last: number, stepMs: number): readonly { atMs: number; text: string }[] {
  const count = Math.floor((last * stepMs) / BAR_PERIOD_MS);
  const rate = (1000 / stepMs).toFixed(1);
  return Array.from({ length: count }, (_, index) => {
    const atMs = shape.compileMs + (index + 1) * BAR_PERIOD_MS;
    const step = Math.floor(((index + 1) * BAR_PERIOD_MS) / stepMs);
    const shown = `${threeDigits(step)}it/${threeDigits(shape.steps)}it`;
    const elapsed = `elapsed:${clock(atMs)} postfix:loss=${lossAt(shape, step).toPrecision(3)}`;
    const remaining = clock((shape.steps - step) * stepMs);
    return { atMs, text: `tqdm Progress on:train ${shown} rate:${rate}it/s remaining:${remaining} ${elapsed}` };
  });
}

function evalLines(shape: FerryShape, step: number, atMs: number): readonly { atMs: number; text: string }[] {
  const loss = lossAt(shape, step);
  const values = `eval/loss=${loss.toFixed(5)} eval/bpb=${(loss / 3).toFixed(5)}`;
  return [
    { atMs: atMs - 2, text: 'tqdm Progress on:eval -/8 rate:- remaining:? elapsed:00:00 postfix:-' },
    {
      atMs: atMs - 1,
      text: `tqdm Progress on:eval 8.00it/8.00it rate:2.0it/s remaining:00:00 elapsed:00:04 postfix:-`,
    },
    { atMs, text: `trainer Evaluated step ${step}: ${values} eval/paloma/c4_en/bpb=${(loss / 3.1).toFixed(5)}` },
  ];
}

function metricsRecord(shape: FerryShape, step: number): string {
  const loss = lossAt(shape, step);
  const summary = {
    'eval/loss': Number(loss.toFixed(5)),
    'eval/bpb': Number((loss / 3).toFixed(5)),
    'eval/paloma/c4_en/bpb': Number((loss / 3.1).toFixed(5)),
    'eval/paloma/macro_loss': Number((loss * 1.07).toFixed(5)),
    'train/loss': Number(loss.toFixed(5)),
    'throughput/tokens_per_second': 700_000,
    global_step: step - 1,
  };
  return `${JSON.stringify({ name: shape.runName, summary })}\n`;
}

/** Falls from about 11 to about 3.4; a small ripple makes consecutive steps differ. */
function lossAt(shape: FerryShape, step: number): number {
  return 3.4 + shape.lossOffset + 7.5 / (1 + step / 60) + 0.01 * Math.sin(step * 12.9898);
}

/** A count as tqdm shows it with unit_scale. */
function threeDigits(count: number): string {
  const thousands = count >= 999.5;
  const shown = thousands ? count / 1000 : count;
  const places = shown < 9.995 ? 2 : shown < 99.95 ? 1 : 0;
  return `${shown.toFixed(places)}${thousands ? 'k' : ''}`;
}

function clock(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const two = (part: number): string => String(part).padStart(2, '0');
  const hours = Math.floor(seconds / 3600);
  const rest = `${two(Math.floor((seconds % 3600) / 60))}:${two(seconds % 60)}`;
  return hours > 0 ? `${hours}:${rest}` : rest;
}
