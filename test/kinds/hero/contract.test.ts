/** What is read from the issue of a hero run, and that the form asks for every value. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { fieldNames, findOpenParts } from '../../../src/contracts/fields.ts';
import type { Contract } from '../../../src/domain/launch/contract.ts';
import { FIELDS } from '../../../src/kinds/hero/contract/fields.ts';
import { buildCheckpointPlan, laneSettings, readHeroContract } from '../../../src/kinds/hero/contract/read-contract.ts';
import { heroSettings } from '../../../src/kinds/hero/settings.ts';
import { ANSWERS, formBody } from '../../support/hero-run.ts';

const LANE = heroSettings.parse({
  kind: 'hero',
  cluster: 'c',
  ships: ['.'],
  tracker: { kind: 'none', entity: '', project: '' },
});
const SHA = '0123456789abcdef0123456789abcdef01234567';
const read = (body: string, title = '[Hero run] Grug MoE') =>
  readHeroContract({ title, body, author: { id: 3, login: 'ada' } }, LANE);
const openOf = (contract: Contract) => findOpenParts(FIELDS, contract);
const form = (answers: Readonly<Record<string, string | null>> = {}) =>
  read(formBody({ ...ANSWERS, 'Source SHA': SHA, ...answers }));

describe('the form', () => {
  it('asks for every value under the name that the parser reads', () => {
    const file = join(import.meta.dirname, '../../../fixtures/lab/.github/ISSUE_TEMPLATE/hero-run.yml');
    const { body, labels } = parse(readFileSync(file, 'utf8'));
    const asked = body.map((one: { id: string; attributes: { label: string } }) => [one.id, one.attributes.label]);
    expect(asked).toEqual(fieldNames(FIELDS).map((name) => [name, FIELDS[name].label]));
    expect(labels).toEqual(['experiment', 'hero-run']);
  });

  // rule HR-16
  it('leaves nothing open when filled in, and names the source of inferred values', () => {
    const contract = form();
    expect(openOf(contract)).toEqual({ missing: [], unclear: [] });
    expect(contract['flops']).toEqual({
      value: '1.88e18',
      source: 'inferred',
      from: 'six operations a parameter and token',
    });
    expect(contract['outputRoot']).toMatchObject({ source: 'given' });
  });
});

describe('a value that is never guessed', () => {
  // rule HR-10
  it.each([
    'Output root',
    'initialize_from',
    'Permanent checkpoints every (steps)',
    'Temporary checkpoints every (minutes)',
    'Checkpoints kept for rollback',
    'W&B run id',
    'Resume policy',
    'Source SHA',
  ])('%s is missing if it was not written', (label) => {
    expect(openOf(form({ [label]: null })).missing).toEqual([label]);
  });

  it.each([
    ['Source SHA', 'main'],
    ['Command', 'python3 train.py && rm -rf /'],
    ['Command', 'python3 train.py --key=$(cat /etc/passwd)'],
    ['Command', 'A=1 --cluster=infra/mine.yaml'],
    ['Command', "'--help' train.py"],
    ['Output root', 'gs://bucket/{run}'],
    ['Final step', 'about 500k'],
    ['Run slug', 'journal'],
    ['initialize_from', 'outputs/other/step-900'],
    ['initialize_from', 'gs://bucket/../other/step-900'],
    ['initialize_from', 'the newest one'],
    ['Source run', 'Somebody else'],
  ])('%s is unclear as %s', (label, said) => {
    expect(openOf(form({ [label]: said })).unclear).toEqual([expect.stringContaining(label)]);
  });

  // rule HR-17
  it('is unclear if one question has two answers', () => {
    const body = `${formBody({ ...ANSWERS, 'Source SHA': SHA })}\n\n### Output root\n\noutputs/other`;
    expect(openOf(read(body)).unclear).toEqual([expect.stringContaining('Output root')]);
  });
});

it('a free-form issue is read from its list and its table too', () => {
  const contract = read(`- DRI: @mira\n- Final step: 500_000\n\n| | |\n|---|---|\n| FLOP budget | 1e23 |\n`);
  expect(contract).toMatchObject({
    dri: { value: 'mira', source: 'given' },
    finalStep: { value: '500000' },
    flops: { value: '1e23' },
    slug: { value: 'grug-moe', source: 'inferred' },
  });
});

describe('the checkpoint roots', () => {
  const rootsOf = (answers: Readonly<Record<string, string>>, checkpointRoots = LANE.checkpointRoots) => {
    const contract = form(answers);
    return buildCheckpointPlan(contract, laneSettings({ ...LANE, checkpointRoots }, contract)).roots;
  };
  const output = { 'Output root': 'gs://lab/grug/' };

  it("are the output root and the lane's roots below it", () => {
    expect(rootsOf(output)).toEqual(['gs://lab/grug', 'gs://lab/grug/checkpoints']);
    expect(rootsOf(output, ['{outputRoot}/saved', 's3://kept/{run}/{runName}', '/kept/{date}'])).toEqual([
      'gs://lab/grug',
      'gs://lab/grug/saved',
      's3://kept/grug-moe-1e23-ep8/grug-moe-1e23-ep8',
    ]);
  });

  it('are only the roots that the contract names, if it names any', () => {
    const own = { ...output, 'Checkpoint root': 'gs://lab/own', 'Temporary checkpoint root': 'gs://tmp/own/' };
    expect(rootsOf(own, ['gs://elsewhere/{run}'])).toEqual(['gs://lab/own', 'gs://tmp/own']);
  });

  it("exclude folders that only the job's own machine can read", () => {
    expect(rootsOf({})).toEqual([]);
  });
});
