/** What is read from the issue of a rental and from `/rent`, and that the form asks for every value. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { inLane } from '../../../src/config/rules/lane-rules.ts';
import { fieldNames, findOpenParts } from '../../../src/contracts/fields.ts';
import { FIELDS } from '../../../src/kinds/rental/contract/fields.ts';
import {
  laneSettings,
  machineNeeds,
  RENTAL_RULES,
  readRentalContract,
  rentalSettings,
} from '../../../src/kinds/rental/settings.ts';
import { formBody } from '../../support/hero-run.ts';
import { RENTAL_ANSWERS } from '../../support/rental.ts';

const ROOT = join(import.meta.dirname, '../../..');
const laneWith = (more: object = {}) =>
  rentalSettings.parse({
    kind: 'rental',
    cluster: 'market',
    ships: ['.'],
    tracker: { kind: 'none', entity: '', project: '' },
    ...more,
  });
const read = (
  answers: Readonly<Record<string, string | null>>,
  {
    asked = {},
    lane = laneWith(),
  }: { asked?: Readonly<Record<string, string>>; lane?: ReturnType<typeof laneWith> } = {},
) =>
  readRentalContract(
    {
      title: 'a rental',
      body: formBody(answers),
      author: { id: 3, login: 'ada' },
      requestedValues: Object.entries(asked).map(([path, after]) => ({ path, after })),
    },
    lane,
  );
const open = (answers: Readonly<Record<string, string | null>>) => findOpenParts(FIELDS, read(answers));

describe('the form', () => {
  it('asks for every value under the name that the parser reads', () => {
    const form = join(ROOT, 'fixtures/lab/.github/ISSUE_TEMPLATE/rental.yml');
    const { body, labels } = parse(readFileSync(form, 'utf8'));
    const asked = body.map((one: { id: string; attributes: { label: string } }) => [one.id, one.attributes.label]);
    expect(asked).toEqual(fieldNames(FIELDS).map((name) => [name, FIELDS[name].label]));
    expect(labels).toEqual(['experiment', 'rental']);
  });

  // rule VA-09
  it('leaves nothing open when filled in, and names the source of inferred values', () => {
    const contract = read(RENTAL_ANSWERS);
    expect(findOpenParts(FIELDS, contract)).toEqual({ missing: [], unclear: [] });
    expect(contract).toMatchObject({
      owner: { value: 'ada', source: 'inferred', from: 'the author of the issue' },
      mandate: { value: 'keep training alive, fix failures, no idle spend, report milestones', from: 'the policy' },
      objective: { value: 'lower eval/loss', source: 'given' },
      finalStep: { value: '600', source: 'inferred', from: 'the command' },
    });
  });
});

describe('a value that is never guessed', () => {
  it.each(['GPU', 'Hours', 'Command', 'Objective', 'Kill criteria', 'Reason'])(
    '%s is missing if it was not written',
    (label) => {
      expect(open({ ...RENTAL_ANSWERS, [label]: null }).missing).toEqual([label]);
    },
  );

  // rule VA-29
  it.each([
    ['Image', 'pytorch/pytorch:latest'],
    ['Price cap an hour', '0.50'],
    ['Price cap an hour', '0.50 EUR'],
    ['Total cap', '$0'],
    ['Hours', 'a few'],
    ['Hours', '0'],
    ['VRAM (GB)', '0 GB'],
    ['Teardown', 'destroy after 0 minutes'],
    ['Early stop', 'patience=3'],
    ['Allowed reductions', 'a smaller batch'],
    ['Secrets', 'HF_TOKEN=hf_abc'],
    ['Teardown', 'leave it running'],
    ['Optimisation', 'torch.compile everywhere'],
    ['Objective', 'good samples'],
    ['Total cap', '$5/hour'],
    ['GPU', '2x A100'],
  ])('%s is unclear as %s', (label, said) => {
    expect(open({ ...RENTAL_ANSWERS, [label]: said }).unclear).toEqual([expect.stringContaining(label)]);
  });
});

it.each([
  ['Price cap an hour', '$0.40/hr', ['price', '0.40']],
  ['GPUs', '2x', ['gpus', '2']],
  ['RAM (GB)', '64 GiB', ['ram', '64']],
  ['Reliability', '99.5 %', ['reliability', '0.995']],
  [
    'Early stop',
    'min_steps: 1000, patience: 5, min_delta: 1e-3',
    ['earlyStop', 'min_steps=1000 patience=5 min_delta=0.001'],
  ],
])('%s is read in a common spelling: %s', (label, said, [name = '', value]) => {
  expect(read({ ...RENTAL_ANSWERS, [label]: said })[name]).toMatchObject({ value, source: 'given' });
});

it('a secret value instead of its name is not recorded', () => {
  expect(read({ ...RENTAL_ANSWERS, Secrets: 'HF_TOKEN=hf_abc' })['secrets']).toMatchObject({
    value: '',
    source: 'unclear',
  });
});

describe('/rent', () => {
  const lane = laneWith({
    defaults: { command: 'python3 train.py', objective: 'lower eval/loss', kill: 'a loss above 5' },
  });

  it('is a complete contract with gpu, hours and reason if the lane has the other values', () => {
    const contract = read({}, { asked: { gpu: 'RTX_4090', hours: '6', reason: 'does it train' }, lane });
    expect(findOpenParts(FIELDS, contract)).toEqual({ missing: [], unclear: [] });
    expect(contract).toMatchObject({
      gpu: { value: 'RTX 4090', source: 'given' },
      hours: { value: '6', source: 'given' },
      kill: { value: 'a loss above 5', source: 'inferred', from: 'the lane' },
    });
  });

  it('that contradicts its issue is unclear', () => {
    const contract = read(RENTAL_ANSWERS, { asked: { hours: '99' } });
    expect(findOpenParts(FIELDS, contract).unclear).toEqual([expect.stringContaining('Hours')]);
    // The same value in another spelling is no contradiction.
    expect(read(RENTAL_ANSWERS, { asked: { hours: '2 h' } })['hours']).toMatchObject({ value: '2', source: 'given' });
  });
});

// rule VA-03
it('an optimisation names its bottleneck, a number and one run', () => {
  const said = (value: string) => FIELDS.optimisation.read(value);
  expect(said(' Data:  the loader waits 61 % of a step ; baseline  rental-gpu-1 ')).toEqual({
    value: 'data: the loader waits 61 % of a step; baseline rental-gpu-1',
  });
  for (const unclear of [
    'data: it waits; baseline rental-gpu-1',
    'data: 61 %; baseline',
    'data: 61 %; baseline a b',
    'data: 61 %; baseline a; baseline b',
    'luck: 61 %; baseline a',
    `data: ${'9'.repeat(401)}; baseline a`,
  ])
    expect(said(unclear)).toHaveProperty('unclear');
});

it("applies the contract to the settings and to the machine's requirements", () => {
  const contract = read({
    ...RENTAL_ANSWERS,
    'VRAM (GB)': '24 GB',
    'Early stop': 'min_steps=400, patience=6, min_delta=0.001',
    Secrets: 'WANDB_API_KEY OTHER',
    Teardown: 'destroy after 5 minutes',
  });
  expect(laneSettings(laneWith({ passSecrets: ['WANDB_API_KEY', 'HF_TOKEN'] }), contract)).toMatchObject({
    command: ['python3', 'train.py', '--max-steps', '600', '--batch-size', '32'],
    finalStep: 600,
    passSecrets: ['WANDB_API_KEY'],
    metrics: [{ key: 'eval/loss', better: 'lower', tolerancePercent: '10' }],
    earlyStop: { minSteps: 400, patience: 6, minDelta: '0.001' },
    reductions: ['--batch-size 16', '--batch-size 8'],
  });
  expect(machineNeeds(contract)).toEqual({
    gpu: 'RTX 4090',
    vramGb: 24,
    dollarsPerHourMax: '0.50',
    dollarsMax: '2',
    hoursMax: 2,
    endGraceMinutes: 5,
  });
});

it('reports an unreadable lane default in the config', () => {
  const issues = (defaults: object) =>
    RENTAL_RULES.flatMap((rule) => rule(laneWith({ defaults }), null)).map(({ path }) => path);
  expect(issues({ objective: 'lower eval/loss' })).toEqual([]);
  expect(issues({ objective: 'good samples', hours: '3', colour: 'red' })).toEqual([
    inLane('defaults', 'objective'),
    inLane('defaults', 'colour'),
  ]);
});
