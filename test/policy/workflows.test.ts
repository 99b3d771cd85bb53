// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are GitHub's expressions, not templates
/**
 * Every workflow file that we ship or run follows the rules, and each rule is tested with a file that breaks
 * it.
 */

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isMap, isScalar, parseDocument } from 'yaml';
import { CALLED, OWN_FILES } from './workflow-parts.ts';
import { workflowProblems } from './workflow-rules.ts';
import { type Job, readWorkflow } from './workflow-shape.ts';

const ROOT = join(import.meta.dirname, '../..');
const FOLDERS = ['.github/workflows', 'fixtures/lab/.github/workflows'];
const files = FOLDERS.filter((folder) => existsSync(join(ROOT, folder))).flatMap((folder) =>
  readdirSync(join(ROOT, folder)).map((name) => `${folder}/${name}`),
);
const textOf = (file: string): string => readFileSync(join(ROOT, file), 'utf8');
const lab = (name: string): string => textOf(`fixtures/lab/.github/workflows/ferrybot-${name}.yml`);

const ours = (name: string): string => textOf(`.github/workflows/${name}.yml`);
const isOwn = (file: string): boolean => OWN_FILES.some((name) => file === `.github/workflows/${name}`);
const ferrybots = files.filter((file) => !file.endsWith('/ci.yml'));

describe('the workflow files', () => {
  it('exist: those that a lab calls, and those that it copies', () => {
    const callable = files.filter((file) => file.startsWith('.github/') && !isOwn(file));
    expect(callable.map((file) => file.split('/').at(-1)).sort()).toEqual(Object.keys(CALLED).sort());
    for (const name of ['chat', 'daily', 'launch', 'watch', 'stop', 'care', 'disk-scan', 'fix', 'watchdog'])
      expect(lab(name)).not.toBe('');
  });

  // threat T151
  // threat T223
  it.each(files)('%s breaks no rule', (file) => {
    expect(workflowProblems(textOf(file))).toEqual([]);
  });

  it.each(ferrybots)('%s explains each permission of its jobs', (file) => {
    const jobs = parseDocument(textOf(file)).get('jobs');
    const permissions = isMap(jobs) ? jobs.items.flatMap(({ value }) => permissionsIn(value)) : [];
    expect(permissions.length).toBeGreaterThan(0);
    expect(permissions.filter(({ why }) => why === '').map(({ name }) => name)).toEqual([]);
  });

  it.each(Object.keys(CALLED))('%s is started only by a call', (name) => {
    const { on } = readWorkflow(textOf(`.github/workflows/${name}`));
    expect(Object.keys(Object(on))).toEqual(['workflow_call']);
  });

  it('all name the same real commit of ferrybot', () => {
    const uses = ferrybots
      .filter((file) => file.startsWith('.github/'))
      .flatMap((file) => [...textOf(file).matchAll(/uses: ferrybot\/ferrybot@(\w+)/g)].map((found) => found[1]));
    expect(uses).toHaveLength(Object.keys(CALLED).length);
    expect(new Set(uses).size).toBe(1);
    expect(uses[0]).not.toContain('0123456789abcdef');
  });
});

const jobIn = (text: string, name: string): Job | undefined => readWorkflow(text).jobs[name];
const NOTHING: Job = { steps: [], with: {}, secrets: {} };
const plain = (one: Job | undefined): unknown =>
  JSON.parse(JSON.stringify(one).replaceAll(/@[0-9a-f]{40}/g, '@COMMIT'));

// GitHub gives a called workflow of another owner neither the caller's machines nor an environment's secrets,
// so a lab copies these jobs.
describe.each([
  ['launch', 'launch'],
  ['watch', 'watch'],
  ['stop', 'stop'],
  ['care', 'care'],
  ['disk-scan', 'disk-scan'],
  ['fix', 'fix'],
  ['propose', 'daily'],
] as const)('the job %s', (name, file) => {
  it("is identical in the called workflow and in the lab's copy", () => {
    expect(plain(jobIn(lab(file), name))).toEqual(plain(jobIn(ours(name), name)));
  });
});

it.each(['chat', 'watchdog'])("the job %s is identical in the lab's copy, except for conditions", (name) => {
  const copied = jobIn(lab(name), name);
  expect(plain(copied)).toEqual(plain({ if: copied?.if, ...NOTHING, ...jobIn(ours(name), name) }));
});

it('the scheduled sweep is the job chat without a run', () => {
  const copied = jobIn(lab('watchdog'), 'sweep');
  const called = JSON.stringify(jobIn(ours('chat'), 'chat')).replace(',"run":"${{ inputs.run }}"', '');
  const expected: Job = JSON.parse(called);
  expect(plain(copied)).toEqual(plain({ ...expected, name: 'sweep', if: copied?.if }));
});

it.each([
  ['launch', true],
  ['watch', false],
  ['stop', true],
  ['care', true],
  ['disk-scan', false],
  ['daily', false],
  ['fix', true],
])("the job record after %s is identical in the lab's copy, except for its trigger", (name, ofOneRun) => {
  const copied = jobIn(lab(name), 'record') ?? NOTHING;
  const called = JSON.stringify(jobIn(ours('record'), 'record'));
  const expected: Job = JSON.parse(ofOneRun ? called : called.replace(',"run":"${{ inputs.run }}"', ''));
  expect(plain(copied)).toEqual(plain({ ...expected, if: copied.if, needs: copied['needs'] }));
});

function permissionsIn(job: unknown): readonly { readonly name: string; readonly why: string }[] {
  const permissions = isMap(job) ? job.get('permissions') : undefined;
  if (!isMap(permissions)) return [];
  return permissions.items.map(({ key, value }) => ({
    name: String(key),
    why: isScalar(value) ? (value.comment ?? '') : '',
  }));
}
