/** Lanes whose experiment is a YAML, TOML or JSON file or has overrides of the command line, from the proposal to the seal. */

import { describe, expect, it } from 'vitest';
import { commitFiles } from '../../packages/playground/git/store/memory-remote.ts';
import type { RunState } from '../../src/domain/logbook/run-state.ts';
import { approveAndFinish, propose, readState, seal, untilState } from '../support/play.ts';
import { nextMorning, postComment, pushFile, readBody, readBranchFile, SHORT_FERRY } from '../support/talk.ts';
import { openVirtualLab, type VirtualLab, type VirtualLabOptions } from '../support/virtual-lab.ts';

const MAIN = 'refs/heads/main';

type Case = {
  readonly path: string;
  readonly text: string;
  /** What the candidate of the first day, a person's request and the candidate of the second day write. */
  readonly rate: readonly [before: string, after: string];
  readonly asked: readonly [before: string, after: string];
  readonly warmup: readonly [before: string, after: string];
  /** A change of more than settings, and what people see. */
  readonly code: readonly [before: string, after: string];
  readonly seen: { readonly code: 'structural' | 'unparsable'; readonly line: number };
};

const CASES: readonly Case[] = [
  {
    path: 'experiments/ferries/daily.yaml',
    text: `# The daily ferry, in the style of a trainer's arguments.
defaults: [_self_, model]
base: &base { dropout: 0.1 }
model: { <<: *base, layers: 2 }

optimizer:
  name: adamw   # never changed
  learning_rate: 3.0e-3   # tried first
  warmup: 100
data:
  - path: prose
    weight: 0.7
  - path: code
    weight: 0.3
`,
    rate: ['learning_rate: 3.0e-3 ', 'learning_rate: 2.5e-3 '],
    asked: ['name: adamw ', 'name: lion '],
    warmup: ['warmup: 100', 'warmup: 80'],
    code: ['dropout: 0.1', 'dropout: 0.2'],
    seen: { code: 'structural', line: 3 },
  },
  {
    path: 'experiments/ferries/daily.toml',
    text: `# The daily ferry.
[optimizer] # never moved
name = 'adamw'
learning_rate = 3e-3 # tried first
warmup = 100

[[data]]
path = "prose"
weight = 0.7
`,
    rate: ['learning_rate = 3e-3 ', 'learning_rate = 2.5e-3 '],
    asked: ["name = 'adamw'", "name = 'lion'"],
    warmup: ['warmup = 100', 'warmup = 80'],
    code: ['warmup = 100', 'warmup = 100\nwarmup = 80'],
    seen: { code: 'unparsable', line: 6 },
  },
  {
    path: 'experiments/ferries/daily.json',
    text: `{
\t"optimizer": {"name": "adamw", "learning_rate": 3e-3, "warmup": 100},
\t"data": [{"path": "prose", "weight": 0.7}]
}
`,
    rate: ['3e-3', '2.5e-3'],
    asked: ['"adamw"', '"lion"'],
    warmup: ['"warmup": 100', '"warmup": 80'],
    code: ['"warmup": 100', '"warmup": 100, "warmup": 80'],
    seen: { code: 'structural', line: 2 },
  },
  {
    path: 'experiments/ferries/daily.args',
    text: `# Overrides of the daily ferry.
optimizer.learning_rate=3e-3
optimizer.name=adamw

--set optimizer.warmup=100
--data.prose 0.7
`,
    rate: ['learning_rate=3e-3', 'learning_rate=2.5e-3'],
    asked: ['name=adamw', 'name=lion'],
    warmup: ['warmup=100', 'warmup=80'],
    code: ['--data.prose 0.7', '--data.prose 0.7\n--resume'],
    seen: { code: 'structural', line: 7 },
  },
];

function configFor({ path, rate }: Case): (text: string) => string {
  const value = /[\d.]+e-3/.exec(rate[1])?.[0] ?? '';
  const candidates = `    candidates:
      - { id: rate, path: optimizer.learning_rate, values: ['${value}'], bucket: optimizer, risk: low, reason: a lower rate }
      - { id: warmup, path: optimizer.warmup, values: ['80'], bucket: optimizer, risk: medium, reason: a shorter warmup }
`;
  return (text) => {
    const from = text.indexOf('    candidates:');
    const to = text.indexOf('    # A value that was tried within');
    return (text.slice(0, from) + candidates + text.slice(to))
      .replace('checksBeforePush: []', 'checksBeforePush: repository')
      .replaceAll('experiments/ferries/daily.py', path)
      .replace('[python3, experiments/ferries/daily.args]', "[python3, train.py, '{overrides}', --last]")
      .replace(/^ {4}scale:\n(?: {6}.*\n)+/m, '    scale: null\n');
  };
}

/** `checked`: collects the commands that run before a push. */
async function openLab(one: Case, checked: (readonly string[])[] = []): Promise<VirtualLab> {
  const helpers: VirtualLabOptions['helpers'] = {
    ask: () => Promise.reject(new Error('the lane has no proposer')),
    check: async ({ commands }) => {
      checked.push(...commands);
      return null;
    },
  };
  const lab = await openVirtualLab({ ferry: SHORT_FERRY, config: configFor(one), helpers });
  await commitFiles(lab.store, {
    ref: MAIN,
    expected: (await lab.store.refs(MAIN)).get(MAIN) ?? '',
    files: { [one.path]: one.text, 'mypy.ini': '[mypy]\n' },
    message: 'Add the experiment',
    author: { name: 'Ada', email: 'ada@lab.example', atMs: lab.clock.now() - 60_000 },
  });
  return lab;
}

describe.each(CASES)('a lane on $path', (one) => {
  const { path, text } = one;

  it('proposes, launches and seals a change that leaves comments and layout, and starts the next from it', async () => {
    const checked: (readonly string[])[] = [];
    const lab = await openLab(one, checked);
    const { run, pull, issue } = await propose(lab);
    // The repository's own checks of Python do not fit the file.
    expect(checked.flat()).not.toContain('py_compile');
    expect(checked.flat()).not.toContain('mypy');
    const proposed = text.replace(...one.rate);
    expect(await readBranchFile(lab, `ferrybot/proposal/${run}`, path)).toBe(proposed);
    const state = await readState(lab, run);
    expect(state?.gate?.verdicts.filter(({ outcome }) => outcome === 'fail')).toEqual([]);
    expect(state?.gate?.manifest?.delta).toMatchObject([
      { knob: 'learning_rate', path: 'optimizer.learning_rate', bucket: 'optimizer' },
    ]);
    expect(readBody(lab, pull)).toMatch(/\| `learning_rate` \| `3(?:\.0)?e-3` \| `2\.5e-3` \|/);
    await approveAndFinish(lab, run, pull);
    const command = (await readState(lab, run))?.submission?.command ?? [];
    if (path.endsWith('.args'))
      expect(command.slice(command.indexOf('python3'))).toEqual([
        ...['python3', 'train.py', 'optimizer.learning_rate=2.5e-3', 'optimizer.name=adamw'],
        ...['--set', 'optimizer.warmup=100', '--data.prose', '0.7', '--last'],
      ]);
    await seal(lab, run, issue);
    expect((await readState(lab, run))?.seal?.verdict).toBe('pass');
    await nextMorning(lab);
    const second = await propose(lab);
    expect(await readBranchFile(lab, `ferrybot/proposal/${second.run}`, path)).toBe(proposed.replace(...one.warmup));
    await lab.close();
  });

  it('takes a value that a person asks for, and blocks a change of code with its line', async () => {
    const lab = await openLab(one);
    const first = await propose(lab);
    await postComment(lab, 'ada', first.pull, '/propose optimizer.name=lion objective="integration"');
    const run = `${first.run}-2`;
    await untilState(lab, run, ({ gate }) => gate !== null);
    const branch = `ferrybot/proposal/${run}`;
    expect(await readBranchFile(lab, branch, path)).toBe(text.replace(...one.asked));
    await pushFile(lab, 'ada', branch, path, text.replace(...one.code));
    const { code, line } = one.seen;
    const isBlocked = ({ gate }: RunState): boolean =>
      gate?.verdicts.some((one) => one.gate === 'delta-readable' && one.outcome === 'fail') === true;
    await untilState(lab, run, isBlocked);
    expect((await readState(lab, run))?.gate?.verdicts).toContainEqual(
      expect.objectContaining({ gate: 'delta-readable', code, found: expect.objectContaining({ side: 'head', line }) }),
    );
    await lab.close();
  });
});
