// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are GitHub's expressions, not templates
/** The input and the log of a step, checked with workflows as an outsider would write them: real processes. */

import { expect, it } from 'vitest';
import { startRealLab } from './real-lab.ts';

const dispatched = (name: string, text: string): Record<string, string> => ({
  [`.github/workflows/${name}.yml`]: `on: workflow_dispatch\njobs:\n${text}`,
});

it('gives a dispatched run its repository and sender, and a hosted runner no files of the previous job', async () => {
  await using lab = await startRealLab();
  await lab.push(
    dispatched(
      'w',
      `  a:
    runs-on: ubuntu-latest
    steps:
      - run: echo "> \${{ github.event.repository.full_name }} \${{ github.event.sender.login }} \${{ toJSON(github.event.inputs) }}"
      - run: echo "> $GITHUB_ACTION \${{ github.action }} \${{ strategy.job-total }} \${{ strategy.fail-fast }} \${{ toJSON(matrix) }}"
      - run: echo "> $([ \${{ job.check_run_id }} -gt 0 ] && echo a check run)"; echo mine > "$HOME/left"; echo mine > "$RUNNER_TOOL_CACHE/left"
  b: {needs: a, runs-on: ubuntu-latest, steps: [{run: 'echo "> $(ls -A "$HOME" "$RUNNER_TOOL_CACHE" | grep -c left) left"'}]}
`,
    ),
  );
  await lab.api('POST', '/actions/workflows/w.yml/dispatches', { ref: 'main' });
  await lab.actions.tick();
  await lab.actions.idle();
  const [run] = lab.runs();
  const printed = lab.jobs(run?.id ?? 0).flatMap(({ id }) => lab.log(id).match(/(?<=Z )> .*/g) ?? []);
  expect(printed).toEqual(['> lab/model mira null', '> __run_2 __run_2 1 true null', '> a check run', '> 0 left']);
});

it('logs scripts, inputs and environment of a step, including an unmasked secret that GITHUB_ENV received', async () => {
  await using lab = await startRealLab();
  await lab.push(
    dispatched(
      'w',
      `  a:
    runs-on: ubuntu-latest
    env: {HOOK: "\${{ secrets.WEBHOOK }}"}
    steps:
      - run: echo KEY=unmasked-key >> "$GITHUB_ENV"
      - {run: "print('> second')\\nprint('> line')", shell: python, env: {LANE: daily}}
      - {uses: actions/checkout@v4, with: {fetch-depth: 2}}
`,
    ),
  );
  await lab.dispatch('w.yml');
  await lab.actions.idle();
  const log = lab.lastLog();
  expect(log).toContain(
    [
      "##[group]Run print('> second')",
      "print('> second')",
      "print('> line')",
      'shell: python3 {0}',
      'env:',
      '  HOOK: ***',
      '  KEY: unmasked-key',
      '  LANE: daily',
      '##[endgroup]',
    ].join('\n'),
  );
  expect(log).toMatch(/##\[group\]Run actions\/checkout@v4\nwith:\n {2}fetch-depth: 2\nenv:\n {2}HOOK: \*\*\*\n/);
});

it('fails a step with an invalid command file, names the file, and still applies the other files', async () => {
  await using lab = await startRealLab();
  await lab.push(
    dispatched(
      'w',
      `  a:
    runs-on: ubuntu-latest
    steps:
      - {id: s, continue-on-error: true, run: "echo no-separator >> $GITHUB_OUTPUT; echo GOOD=yes >> $GITHUB_ENV"}
      - run: echo "> \${{ steps.s.outcome }} \${{ steps.s.conclusion }} $GOOD"
`,
    ),
  );
  const id = await lab.dispatch('w.yml');
  await lab.actions.idle();
  expect(lab.lastLog()).toContain(
    "##[error]Unable to process file command 'output' successfully.\n##[error]Invalid format 'no-separator'",
  );
  expect(lab.lastLog()).toContain('\n> failure success yes');
  const check = lab.world.state.checkRuns[lab.jobs(id)[0]?.checkRunId ?? 0];
  expect(check?.annotations.map(({ message }) => message)).toEqual([
    "Unable to process file command 'output' successfully.",
    "Invalid format 'no-separator'",
  ]);
});

it('limits the outputs of a job to one megabyte in UTF-16 (docs: passing information between jobs)', async () => {
  await using lab = await startRealLab();
  const made = (characters: number): string =>
    `    runs-on: ubuntu-latest
    outputs: {text: "\${{ steps.s.outputs.text }}"}
    steps: [{id: s, run: "printf 'text=%0${characters}d' 1 >> $GITHUB_OUTPUT"}]
`;
  await lab.push(dispatched('w', `  fits:\n${made(524_000)}  not:\n${made(525_000)}`));
  const id = await lab.dispatch('w.yml');
  await lab.actions.idle();
  expect(lab.jobs(id).map(({ key, conclusion }) => [key, conclusion])).toEqual([
    ['fits', 'success'],
    ['not', 'failure'],
  ]);
});
