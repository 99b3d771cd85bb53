/**
 * Composite actions on real processes, as in the official runner (actions/runner, CompositeActionHandler).
 */

import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';
import { listWorkflowProblems } from '../../../demo/own/workflow-problems.ts';
import { startRealLab } from '../../../packages/playground/test/actions/real-lab.ts';

/** A folder for `--actions`: the text of each `action.yml` and of other files, by path. */
async function folderOf(files: Readonly<Record<string, string>>): Promise<{ readonly root: string } & AsyncDisposable> {
  const root = await mkdtemp(path.join(tmpdir(), 'composite-'));
  for (const [name, text] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(root, name)), { recursive: true });
    await writeFile(path.join(root, name), text);
  }
  return { root, [Symbol.asyncDispose]: () => rm(root, { recursive: true, force: true }) };
}

/** Plays a job with these steps; returns what its steps printed after `> `, and its conclusion. */
async function play(
  files: Readonly<Record<string, string>>,
  steps: string,
  job = '',
): Promise<{
  readonly said: readonly string[];
  readonly conclusion: string | null;
  readonly log: string;
  readonly titles: readonly string[];
}> {
  await using folder = await folderOf(files);
  await using lab = await startRealLab({}, folder.root);
  await lab.push({
    'from/repository/action.yml': files['HERE'] ?? '{name: n, runs: {using: composite, steps: []}}',
    '.github/workflows/w.yml': `on: workflow_dispatch
jobs:
  a:
    runs-on: ubuntu-latest
${job}    steps:
${steps}`,
  });
  await lab.dispatch('w.yml');
  await lab.actions.idle();
  const run = lab.runs().at(-1);
  const log = lab.lastLog();
  const titles = lab.world.state.jobs[run?.jobIds[0] ?? 0]?.steps.map(({ name }) => name) ?? [];
  return {
    said: [...log.matchAll(/^> (.*)$/gm)].map((line) => line[1] ?? ''),
    conclusion: run?.conclusion ?? null,
    log,
    titles,
  };
}

const GREET = `name: Greet
inputs: {whom: {required: true}, how: {default: "hello from \${{ github.repository }}"}, flag: {default: true}}
outputs: {told: {value: "\${{ steps.second.outputs.text }}!"}, ref: {value: "\${{ github.action_ref }}"}}
runs:
  using: composite
  steps:
    - id: first
      shell: bash
      env: {WHOM: "\${{ inputs.whom }}", OF: "\${{ github.action_repository }}@\${{ github.action_ref }}"}
      run: |
        echo "> $AROUND, $WHOM of $OF: \${{ inputs.how }} \${{ inputs.flag == 'true' }} [\${INPUT_WHOM-none}]"
        echo "> script: [\${{ github.action_repository }}] [$GITHUB_ACTION_REPOSITORY] $(cat "\${{ github.action_path }}/word.txt" "$GITHUB_ACTION_PATH/word.txt" | tr -d '\\n')"
        echo LATER=later >> "$GITHUB_ENV"; echo AROUND=changed >> "$GITHUB_ENV"; echo "$PWD/tools" >> "$GITHUB_PATH"
        echo text=kept >> "$GITHUB_OUTPUT"
    - id: second
      shell: bash
      working-directory: sub
      run: |
        echo "> in $(basename "$PWD"), $LATER, $AROUND, \${{ env.AROUND }}, \${{ steps.first.outputs.text }} [\${{ steps.outside.outcome }}]"
        echo "text=\${{ steps.first.outputs.text }} twice" >> "$GITHUB_OUTPUT"
`;

it("a composite action runs its scripts with its own inputs, outputs, env and paths, separate from the job's", async () => {
  const { said, conclusion, log } = await play(
    { 'tools/greet/action.yml': GREET, 'tools/greet/word.txt': 'word' },
    `      - {id: outside, run: mkdir sub}
      - id: greet
        uses: tools/greet@v1
        env: {AROUND: around}
        with: {whom: "\${{ steps.outside.outcome }}", more: 1}
      - run: echo "> \${{ steps.greet.outputs.told }} \${{ steps.greet.outputs.ref }} [\${{ steps.first.outcome }}] $LATER $AROUND \${PATH%%:*}"
`,
  );
  expect(said).toEqual([
    'around, success of tools/greet@v1: hello from lab/model true [none]',
    'script: [] [] wordword',
    // The env of the surrounding step takes precedence over GITHUB_ENV.
    'in sub, later, around, around, kept []',
    expect.stringMatching(/^kept twice! v1 \[\] later changed \/.*\/tools$/),
  ]);
  expect(conclusion).toBe('success');
  expect(log).toContain("##[warning]Unexpected input(s) 'more'");
  expect(log).toMatch(/##\[group\]Run tools\/greet@v1\nwith:\n {2}whom: success\n/);
});

const ENDS = `name: Ends
runs:
  using: composite
  steps:
    - {id: soft, shell: bash, continue-on-error: true, run: exit 3}
    - {shell: bash, run: 'echo "> \${{ steps.soft.outcome }} \${{ steps.soft.conclusion }} \${{ job.status }}"'}
    - {id: hard, shell: bash, run: exit 4}
    - {shell: bash, run: 'echo "> never"'}
    - {shell: bash, if: "failure() && steps.hard.outcome == 'failure'", run: 'echo "> after the failure"'}
    - {shell: bash, if: always(), run: 'echo "> always \${{ github.action_status }}"'}
    - {shell: bash, if: cancelled(), run: 'echo "> never cancelled"'}
outputs: {late: {value: "\${{ steps.hard.outcome }}"}}
`;

it('a composite action evaluates success() and failure() for its own steps, and tolerates allowed failures', async () => {
  const fine = '{name: Fine, runs: {using: composite, steps: [{shell: bash, run: echo "> fine"}]}}';
  const { said, conclusion } = await play(
    { 'tools/ends/action.yml': ENDS, 'tools/fine/action.yml': fine },
    `      - {id: ends, uses: tools/ends@v1}
      - {uses: tools/fine@v1}
      - {if: always(), uses: tools/fine@v1}
      - {if: always(), run: 'echo "> \${{ steps.ends.outcome }} \${{ steps.ends.outputs.late }}"'}
`,
  );
  expect(said).toEqual(['failure success success', 'after the failure', 'always failure', 'fine', 'failure failure']);
  expect(conclusion).toBe('failure');
});

const NODE = `{name: N, inputs: {word: {default: w}}, outputs: {o: {}}, runs: {using: node24, pre: pre.mjs, main: main.mjs, post: post.mjs}}`;
const MAIN = `import fs from 'node:fs';
console.log('> main ' + [process.env.INPUT_WORD, process.env.GITHUB_ACTION_REPOSITORY, typeof process.env.ACTIONS_RUNTIME_TOKEN].join(' '));
fs.appendFileSync(process.env.GITHUB_STATE, 'word=' + process.env.INPUT_WORD + '\\n');
fs.appendFileSync(process.env.GITHUB_OUTPUT, 'o=' + process.env.INPUT_WORD + '\\n');
`;

it('a composite action uses other actions, with one pre and one post step for all of them', async () => {
  const nested = (uses: readonly string[], id = 'in'): string => `name: Nested
inputs: {word: {default: d}}
outputs: {o: {value: "\${{ steps.${id}.outputs.o }}"}}
runs:
  using: composite
  steps:
${uses.map((one, at) => `    - {id: ${at === 0 ? id : `more${at}`}, uses: ${one}, with: {word: "\${{ inputs.word }}${at === 0 ? '' : at}"}}`).join('\n')}
    - {if: "inputs.word == 'nobody'", uses: tools/node@v1}
`;
  const { said, conclusion, titles } = await play(
    {
      'tools/outer/action.yml': nested(['tools/inner@v1', 'tools/node@v1', './from/repository']),
      'tools/inner/action.yml': nested(['tools/node@v2']),
      'tools/node/action.yml': NODE,
      'tools/node/main.mjs': MAIN,
      'tools/node/pre.mjs': "console.log('> pre ' + process.env.INPUT_WORD)",
      'tools/node/post.mjs': "console.log('> post ' + process.env.INPUT_WORD + ' ' + process.env.STATE_word)",
      HERE: `{name: Here, inputs: {word: {}}, runs: {using: composite, steps: [{shell: bash, run: 'echo "> here \${{ inputs.word }}"'}]}}`,
    },
    `      - uses: actions/checkout@v4
      - {id: o, uses: tools/outer@v1, with: {word: a}}
      - run: echo "> \${{ steps.o.outputs.o }}"
`,
  );
  expect(conclusion).toBe('success');
  expect(said).toEqual([
    'pre a',
    // An action with a false condition has its pre part, but no post part.
    'pre w',
    'pre a1',
    'pre w',
    'main a tools/node string',
    'main a1 tools/node string',
    'here a2',
    'a',
    'post a1 a1',
    'post a a',
  ]);
  expect(titles).toEqual([
    'Set up job',
    'Pre Run tools/outer@v1',
    'Run actions/checkout@v4',
    'Run tools/outer@v1',
    'Run echo "> ${{ steps.o.outputs.o }}"',
    'Post Run tools/outer@v1',
    'Post Run actions/checkout@v4',
    'Complete job',
  ]);
});

/** A chain of this many composite actions, each using the next; the last one prints. */
const chain = (length: number): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Array.from({ length }, (_, at) => [
      `tools/c${at + 1}/action.yml`,
      `{name: c, runs: {using: composite, steps: [${at + 1 === length ? '{shell: bash, run: echo "> the last"}' : `{uses: tools/c${at + 2}@v1}`}]}}`,
    ]),
  );

it('composite actions can be nested nine deep; one more is rejected before any step', async () => {
  expect(await play(chain(9), '      - {uses: tools/c1@v1}\n')).toMatchObject({
    said: ['the last'],
    conclusion: 'success',
  });
  const tooDeep = await play(chain(10), '      - {run: echo "> first"}\n      - {uses: tools/c1@v1}\n');
  expect(tooDeep).toMatchObject({ said: [], conclusion: 'failure' });
  expect(tooDeep.log).toContain('##[error]Composite action depth exceeded max depth 9');
  const itself = await play(
    { HERE: '{name: h, runs: {using: composite, steps: [{uses: ./from/repository}]}}' },
    '      - {uses: actions/checkout@v4}\n      - {uses: ./from/repository}\n',
  );
  expect(itself.conclusion).toBe('failure');
  expect(itself.log).toContain('Composite action depth exceeded max depth 9');
});

it("a composite action is stopped by its step's time limit, and ignores the job's defaults", async () => {
  const slow = `{name: s, runs: {using: composite, steps: [{shell: sh, run: 'echo "> $(basename "$PWD")"; sleep 30'}, {if: always(), shell: bash, run: 'echo "> never"'}]}}`;
  const { said, conclusion, log } = await play(
    { 'tools/slow/action.yml': slow },
    '      - {run: "true"}\n      - {uses: tools/slow@v1, timeout-minutes: 0.02}\n',
    '    defaults: {run: {working-directory: /tmp}}\n',
  );
  expect(said).toEqual(['model']);
  expect(conclusion).toBe('failure');
  expect(log.match(/##\[error\].*/g)).toEqual(['##[error]The action has timed out after 0.02 minutes.']);
});

it('a composite action runs after a cancellation if its condition holds: only cancelled() depends on the job', async () => {
  const tidy = `{name: t, runs: {using: composite, steps: [{shell: bash, run: echo "> tidy"}, {if: cancelled(), shell: bash, run: echo "> for it was cancelled"}]}}`;
  const slow = `{name: s, runs: {using: composite, steps: [{shell: bash, run: 'echo > "$PLACE"; sleep 30'}, {if: always(), shell: bash, run: echo "> never"}]}}`;
  await using folder = await folderOf({ 'tools/tidy/action.yml': tidy, 'tools/slow/action.yml': slow });
  await using lab = await startRealLab({}, folder.root);
  const place = path.join(lab.folder, 'begun');
  await lab.push({
    '.github/workflows/w.yml': `on: workflow_dispatch
jobs:
  a: {runs-on: ubuntu-latest, steps: [{uses: tools/slow@v1, env: {PLACE: ${place}}}, {uses: tools/tidy@v1}, {if: always(), uses: tools/tidy@v1}]}
`,
  });
  const id = await lab.dispatch('w.yml');
  await expect.poll(() => existsSync(place)).toBe(true);
  lab.world.state.runs[id] = { ...lab.run(id), cancelRequested: true };
  await lab.actions.tick();
  await lab.actions.idle();
  expect(lab.run(id).conclusion).toBe('cancelled');
  const log = lab.lastLog();
  expect(log.match(/^> .*/gm)).toEqual(['> tidy', '> for it was cancelled']);
  expect(log.match(/The operation was canceled/g)).toHaveLength(1);
});

const refused = [
  ['no shell', '{run: echo}', 'shell'],
  ['a time limit', '{shell: bash, run: echo, timeout-minutes: 1}', 'timeout-minutes'],
  ['a secret', '{shell: bash, run: "echo ${{ secrets.TOKEN }}"}', 'secrets'],
  ['a variable of the repository', '{shell: bash, run: "echo ${{ vars.X }}"}', 'vars'],
  ['a missing action', '{uses: tools/none@v1}', "Unable to resolve action 'tools/none@v1'"],
] as const;

it.each(refused)('a composite action is rejected before any step if a step has %s', async (_, step, why) => {
  const text = `{name: bad, runs: {using: composite, steps: [${step}]}}`;
  const played = await play(
    { 'tools/bad/action.yml': text },
    '      - {run: echo "> first"}\n      - {uses: tools/bad@v1}\n',
  );
  expect(played).toMatchObject({ said: [], conclusion: 'failure' });
  expect(played.log).toContain(why);
});

it('the start lists missing actions inside composite actions, and unsupported kinds of action', async () => {
  await using folder = await folderOf({
    'tools/outer/action.yml': '{name: o, runs: {using: composite, steps: [{uses: tools/none@v1}]}}',
    'tools/box/action.yml': '{name: b, runs: {using: docker, image: x}}',
  });
  const text =
    'on: push\njobs: {a: {runs-on: x, steps: [{uses: tools/outer@v1}, {uses: tools/box@v1}, {uses: tools/none@v2}]}}\n';
  expect(listWorkflowProblems(new Map([['w.yml', text]]), folder.root)).toEqual([
    'w.yml: job a: the action tools/none@v1 is not here',
    'w.yml: job a: tools/box@v1: the playground runs actions with using: node24 or composite, not docker',
    'w.yml: job a: the action tools/none@v2 is not here',
  ]);
});
