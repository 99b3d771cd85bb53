// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are GitHub's expressions, not templates
/**
 * The same small workflows on our runner and on act: outputs, environment, summary, results, stop-commands, masks,
 * calls.
 */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type RealLab, startRealLab } from '../actions/real-lab.ts';
import { describeWith } from '../support/outside-tools.ts';
import { type ActReport, detailsOfOurRunner, runAct } from './run-act.ts';

const COMMIT = '0123456789abcdef0123456789abcdef01234567';
const SECRETS = { WEBHOOK: 'hush-hush-42' };
const VARS = { CLUSTER: 'local' };

/** Replaces our action: prints its inputs and sets an output. */
const ACTION = {
  'action.yml': `name: probe
inputs:
  mode: {required: true}
  shift-minutes: {default: "1200"}
outputs:
  result: {description: what}
runs: {using: node24, main: dist/index.js}
`,
  'package.json': '{"type":"module"}',
  'dist/index.js': `import { appendFileSync } from 'node:fs';
console.log('> ' + process.env.INPUT_MODE + ' ' + process.env['INPUT_SHIFT-MINUTES'] + ' ' + process.env.KEY);
appendFileSync(process.env.GITHUB_OUTPUT, 'result=did ' + process.env.INPUT_MODE + '\\n');
process.exitCode = process.env.INPUT_MODE === 'break' ? 3 : 0;
`,
  '.github/workflows/inner.yml': `on:
  workflow_call:
    inputs: {lane: {type: string, required: true}, dry: {type: boolean, default: true}}
    secrets: {KEY: {required: true}}
    outputs: {made: {value: "\${{ jobs.work.outputs.made }}"}}
jobs:
  work:
    runs-on: ubuntu-latest
    outputs: {made: "\${{ steps.bot.outputs.result }}"}
    steps:
      - id: bot
        uses: ferrybot/ferrybot@${COMMIT}
        with: {mode: "\${{ inputs.lane }}"}
        env: {KEY: "\${{ secrets.KEY }}"}
      - run: echo "> dry \${{ inputs.dry }} hook \${{ secrets.WEBHOOK }}"
`,
};

const steps = (text: string): string =>
  `on: workflow_dispatch\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n${text}`;

const PROBES: Readonly<Record<string, string>> = {
  'outputs with one and with several lines': `on: workflow_dispatch
jobs:
  a:
    runs-on: ubuntu-latest
    outputs: {one: "\${{ steps.s.outputs.one }}", two: "\${{ steps.s.outputs.two }}"}
    steps:
      - id: s
        run: |
          echo "one=1" >> "$GITHUB_OUTPUT"
          printf 'two<<END\\nfirst\\nsecond=x\\nEND\\n' >> "$GITHUB_OUTPUT"
  b:
    needs: a
    runs-on: [self-hosted, ferrybot-launch]
    steps:
      - env: {TWO: "\${{ needs.a.outputs.two }}"}
        run: echo "> \${{ needs.a.outputs.one }} \${{ needs.a.result }}"; echo "> $TWO" | tr '\\n' '|'; echo
`,
  'the environment of later steps':
    steps(`      - run: echo "SHIP=ferry" >> "$GITHUB_ENV"; mkdir -p "$RUNNER_TEMP/x"; printf '#!/bin/sh\\necho "> found"\\n' > "$RUNNER_TEMP/x/finding"; chmod +x "$RUNNER_TEMP/x/finding"; echo "$RUNNER_TEMP/x" >> "$GITHUB_PATH"
      - run: echo "> $SHIP \${{ env.SHIP }} \${{ vars.CLUSTER }}"; finding
      - env: {SHIP: other}
        run: echo "> $SHIP"
`),
  'a summary from several steps': steps(`      - run: echo '# First' >> "$GITHUB_STEP_SUMMARY"
      - run: echo 'Second' >> "$GITHUB_STEP_SUMMARY"
`),
  'a failure, the steps after it, and skipped jobs': `on: workflow_dispatch
jobs:
  a:
    runs-on: ubuntu-latest
    steps:
      - id: bad
        continue-on-error: true
        run: exit 4
      - run: echo "> outcome \${{ steps.bad.outcome }} conclusion \${{ steps.bad.conclusion }}"
      - run: exit 5
      - run: echo "> never"
      - if: failure()
        run: echo "> told"
      - if: always()
        run: echo "> always \${{ job.status }}"
  b: {needs: a, runs-on: ubuntu-latest, steps: [{run: echo "> not reached"}]}
  c: {needs: a, if: always(), runs-on: ubuntu-latest, steps: [{run: "echo '> a was \${{ needs.a.result }}'"}]}
`,
  'stopped and resumed workflow commands': steps(`      - run: |
          echo "::stop-commands::a-random-token"
          echo "::add-mask::ferry"
          echo "> a ferry with ::set-output name=x::y"
          echo "::a-random-token::"
          echo "::add-mask::barnacle"
          echo "> a ferry without a barnacle"
      - run: echo "> and no barnacle later"
`),
  'secrets in a log': steps(`      - env: {HOOK: "\${{ secrets.WEBHOOK }}"}
        run: echo "> hook $HOOK, twice $HOOK and $HOOK"
`),
  'our action, with its inputs and outputs': steps(`      - id: bot
        uses: ferrybot/ferrybot@${COMMIT}
        with: {mode: chat}
        env: {KEY: "k"}
      - run: echo "> \${{ steps.bot.outputs.result }}"
      - uses: ferrybot/ferrybot@${COMMIT}
        with: {mode: break, shift-minutes: 5}
`),
  'a workflow that calls ours': `on: workflow_dispatch
jobs:
  go:
    uses: ferrybot/ferrybot/.github/workflows/inner.yml@${COMMIT}
    with: {lane: daily}
    secrets: {KEY: "\${{ secrets.WEBHOOK }}"}
  after: {needs: go, runs-on: ubuntu-latest, steps: [{run: "echo '> \${{ needs.go.outputs.made }}'"}]}
`,
};

describeWith('act', 'our runner and act', () => {
  let lab: RealLab;
  let folder: string;
  beforeAll(async () => {
    lab = await startRealLab(ACTION);
    folder = await mkdtemp(join(tmpdir(), 'ferrybot-act-'));
    await lab.push(Object.fromEntries(Object.values(PROBES).map((text, at) => [`.github/workflows/p${at}.yml`, text])));
    await lab.actions.tick();
  });
  afterAll(async () => {
    await lab[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  });

  /** The result on our runner. A called job has its own key, as in act. */
  const byUs = async (file: string): Promise<ActReport> => {
    const id = await lab.dispatch(file);
    await lab.actions.tick();
    await lab.actions.idle();
    const jobs = lab.jobs(id).filter(({ conclusion }) => conclusion !== 'skipped');
    const lines = jobs.flatMap((job) => lab.log(job.id).split('\n')).map((line) => line.replace(/^\S+Z /, ''));
    return {
      ...detailsOfOurRunner(jobs, lab.world.state.runPlans[id]),
      jobs: Object.fromEntries(jobs.map(({ key, conclusion }) => [key.split('/').at(-1), String(conclusion)])),
      lines,
      summary: jobs.map(({ summary }) => summary).join(''),
    };
  };

  /** The lines that the probes print, without those of the runners. */
  const comparable = ({ jobs, lines, summary }: ActReport): Pick<ActReport, 'jobs' | 'lines' | 'summary'> => ({
    jobs,
    lines: lines.filter((line) => line.startsWith('> ')),
    summary,
  });

  it.each(Object.keys(PROBES))('give the same result for %s', async (name) => {
    const at = Object.keys(PROBES).indexOf(name);
    const text = PROBES[name] ?? '';
    const ours = comparable(await byUs(`p${at}.yml`));
    const theirs = await runAct(folder, {
      files: { [`.github/workflows/p${at}.yml`]: text },
      workflow: `.github/workflows/p${at}.yml`,
      event: 'workflow_dispatch',
      payload: { inputs: {} },
      secrets: SECRETS,
      vars: VARS,
      env: {},
      standIns: { 'ferrybot/ferrybot': join(lab.folder, 'action') },
      commits: [COMMIT],
    });
    expect(ours.lines.length + ours.summary.length).toBeGreaterThan(0);
    expect(comparable(theirs)).toEqual(ours);
  });
});
