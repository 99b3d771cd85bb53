/** Random runs in the trainers' forms: healthy ones raise no alarm, and each planted fault is found in time. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { replay } from '../../src/app/replay/replay.ts';
import { defaultHeader, readTrace } from '../../src/app/replay/trace.ts';
import { brandAs, type Instant, isInstant, toRfc3339 } from '../../src/domain/values.ts';
import { FAULTS, type Fault, FORMS, logOf, type Plan, WRAPS } from '../support/trainer-logs.ts';

const START = Date.UTC(2026, 10, 20, 9);
const instant = (seconds: number): Instant => brandAs(Math.trunc(START + seconds * 1_000), isInstant);
const stamp = (minutes: number): string => toRfc3339(instant(60 * minutes));
const running = { status: 'RUNNING', message: '', errorType: null, exitCode: null, details: {} } as const;

async function alarmsOf(plan: Plan): Promise<readonly { readonly detector: string; readonly minutes: number }[]> {
  const lines = logOf(plan);
  const { alarms } = await replay({
    header: defaultHeader(toRfc3339(instant(0)), plan.form.name),
    records: [
      { at: instant(0), engine: running },
      ...lines.map(({ at, line }) => ({ at: instant(at), log: line })),
      { at: instant(plan.hours * 3_600), until: true },
    ],
  });
  return alarms.map(({ detector, at }) => ({ detector, minutes: (Date.parse(at) - START) / 60_000 }));
}

const planFor = (form: Plan['form'], fault: Fault | null): fc.Arbitrary<Plan> =>
  fc.record({
    form: fc.constant(form),
    fault: fc.constant(fault),
    seed: fc.nat(),
    stepSeconds: fc.double({ min: 1, max: 40, noNaN: true }),
    jitter: fc.double({ min: 0, max: 0.3, noNaN: true }),
    everySeconds: fc.double({ min: 40, max: 180, noNaN: true }),
    wrap: fc.constantFrom(...WRAPS),
    bump: fc.constantFrom(1, 1.15, 1.2),
    hours: fc.constant(5),
    faultSeconds: fc.integer({ min: 2 * 3_600, max: 2.7 * 3_600 }),
    evalMinutes: fault === 'no evaluations' ? fc.constant(15) : fc.integer({ min: 15, max: 60 }),
  });

/** Detectors that may find a fault, and how many minutes after it. */
const FOUND: Readonly<Record<Fault, { readonly by: readonly string[]; readonly within: number }>> = {
  stall: { by: ['stalled-steps'], within: 45 },
  nan: { by: ['nan'], within: 20 },
  spike: { by: ['loss-spike'], within: 45 },
  slowdown: { by: ['throughput-collapse'], within: 50 },
  'no evaluations': { by: ['evals-stalled'], within: 130 },
};
const RUNS = Number(process.env['TRACE_RUNS'] ?? 2);

function faultsOf({ lacks, evaluated }: Plan['form']): readonly Fault[] {
  return FAULTS.filter((fault) => !lacks.includes(fault) && (fault !== 'no evaluations' || evaluated !== undefined));
}

describe.each(FORMS)('a run of $name', (form) => {
  it('that is healthy raises no alarm', async () => {
    await fc.assert(
      fc.asyncProperty(planFor(form, null), async (plan) => {
        expect(await alarmsOf(plan)).toEqual([]);
      }),
      { numRuns: 2 * RUNS },
    );
  });

  it.each(faultsOf(form))('with a %s is reported in time', async (fault) => {
    const { by, within } = FOUND[fault];
    await fc.assert(
      fc.asyncProperty(planFor(form, fault), async (plan) => {
        const alarms = await alarmsOf(plan);
        const since = plan.faultSeconds / 60;
        expect(alarms.filter(({ minutes }) => minutes < since)).toEqual([]);
        expect(
          alarms.filter(({ detector, minutes }) => by.includes(detector) && minutes <= since + within),
        ).not.toEqual([]);
      }),
      { numRuns: RUNS },
    );
  });
});

/** A run whose lines the test writes itself. */
async function replayed(lines: readonly { readonly at: number; readonly line: string }[], hours: number) {
  return replay({
    header: defaultHeader(toRfc3339(instant(0)), 'lines'),
    records: [
      { at: instant(0), engine: running },
      ...lines.map(({ at, line }) => ({ at: instant(at), log: line })),
      { at: instant(hours * 3_600), until: true },
    ],
  });
}

describe('a run', () => {
  it.each([
    ['gradient-norm', 'grad/norm/total'],
    ['gradient-norm', 'train/grad_norm'],
    ['gradient-norm', 'grad-norm'],
    ['z-loss', 'train/router/router_z_loss'],
    ['router-collapse', 'load_balancing_loss'],
  ])('reports %s from the tracker, where no line has %s', async (detector, key) => {
    const rows = Array.from({ length: 45 }, (_, index) => {
      const [minute, step] = [10 * index, 100 * (index + 1)];
      const value = index < 30 ? 1 + 0.01 * (index % 3) : 30;
      return [
        {
          at: minute,
          log: `Progress on:train ${step}it/9000it rate:6.0s/it remaining:1:00 elapsed:1:00 postfix:loss=2.5`,
        },
        { at: minute, tracker: { run: 'a', globalStep: step, loss: '2.5', metrics: { [key]: String(value) } } },
      ];
    }).flat();
    const text = [{ trace: 1, submittedAt: stamp(0) }, ...rows.map((row) => ({ ...row, at: stamp(row.at) }))];
    const trace = readTrace(
      [text[0], { at: stamp(0), engine: { status: 'RUNNING' } }, ...text.slice(1)]
        .map((row) => JSON.stringify(row))
        .join('\n'),
    );
    if (!trace.ok) throw new Error(trace.error);
    const { alarms } = await replay(trace.value);
    expect(alarms.map((one) => one.detector)).toEqual([detector]);
    expect(alarms[0]?.at.localeCompare(stamp(300))).toBe(1);
  });

  it('of an unknown trainer is never called stalled while its log grows', async () => {
    const lines = Array.from({ length: 300 }, (_, index) => ({ at: 60 * index, line: `tick ${index} ce 3.1` }));
    const { alarms, undecided } = await replayed(lines, 5);
    expect(alarms).toEqual([]);
    expect(undecided).toContainEqual({ detector: 'stalled-start', missing: 'progress' });
  });

  it('that is silent from its start is stalled after three hours', async () => {
    const { alarms } = await replayed([{ at: 5, line: 'compiling' }], 5);
    expect(alarms).toMatchObject([{ detector: 'stalled-start' }]);
  });

  it('whose batch grows is not slow', async () => {
    let at = 300;
    const lines = Array.from({ length: 400 }, (_, index) => {
      const batch = Math.min(512, 64 * 2 ** Math.floor(index / 60));
      const seconds = batch / 16;
      at += seconds;
      return {
        at,
        line: ` iteration ${index + 1}/ 5000 | consumed samples: 1 | elapsed time per iteration (ms): ${1_000 * seconds} | global batch size: ${batch} | lm loss: 2.5 | grad norm: 1.0 |`,
      };
    });
    expect((await replayed(lines, at / 3_600)).alarms).toEqual([]);
  });

  it.each([1, 2, 3, 4, 5, 6])('with wild step times is not slow (%i)', async (seed) => {
    let [at, state] = [300, seed * 7_919];
    const random = (): number => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return (state + 1) / (2 ** 32 + 1);
    };
    const lines = Array.from({ length: 250 }, (_, index) => {
      const normal = Math.sqrt(-2 * Math.log(random())) * Math.cos(2 * Math.PI * random());
      const seconds = 80 * Math.exp(0.5 * normal);
      at += seconds;
      return { at, line: `{"step": ${index + 1}, "loss": 0.02, "step_time": ${seconds.toFixed(2)}}` };
    });
    expect((await replayed(lines, at / 3_600)).alarms).toEqual([]);
  });
});
