import { describe, expect, it } from 'vitest';
import type { RunState } from '../../src/domain/logbook/run-state.ts';
import { readMarker } from '../../src/domain/marker.ts';
import { known } from '../../src/domain/values.ts';
import { renderCard } from '../../src/render/card.ts';
import { chooseConclusion, renderCheck } from '../../src/render/check.ts';
import { COMMENT_CHARACTERS_MAX } from '../../src/render/disk-issue.ts';
import type { RenderInput } from '../../src/render/input.ts';
import { renderLossChart } from '../../src/render/lane-history.ts';
import { recordedApprovalVerdicts } from '../../src/run/approvals.ts';
import { judgeRun } from '../../src/run/kind.ts';
import { createPastReader } from '../../src/run/lane.ts';
import { consentDraft, proposedDraft } from '../care/consent-parts.ts';
import { parseChart } from '../support/parse-chart.ts';
import { aRun } from '../support/run-builder.ts';
import { alice, bob } from '../support/run-drafts.ts';
import { aConfig, verdictsWith } from '../support/run-parts.ts';
import { listElements, renderToTree, treeText } from './html-of.ts';

const config = aConfig();
const HISTORY = [
  {
    run: aRun({ date: '2026-11-20' }).state.run,
    date: '2026-11-20',
    metrics: { 'eval/loss': '3.5', 'eval/paloma/macro_loss': '3.7' },
  },
];

function inputOf(state: RunState): RenderInput {
  const verdict = state.end === null ? null : judgeRun(state.end, config.lane, HISTORY);
  const past = createPastReader(known([state]), config.lanes);
  return { state, config, verdict, approvals: recordedApprovalVerdicts(state, config), past };
}

function cardOf(state: RunState): string {
  return renderCard({ ...inputOf(state), check: 'phase.commit.1' });
}

const proposed = aRun();
const heldBack = proposed.gated({
  verdicts: verdictsWith(
    proposed.state.proposal,
    {
      gate: 'preconditions',
      outcome: 'fail',
      code: 'box-open',
      found: { box: 'issue created/updated', line: 31 },
      remedyBy: 'author',
    },
    {
      gate: 'lane-free',
      outcome: 'unknown',
      code: 'unreadable',
      found: { why: 'the lane could not be read' },
      remedyBy: 'time',
    },
    { gate: 'budget', outcome: 'warn', code: 'over', found: { knobs: 3, most: 2 }, remedyBy: 'author' },
  ),
});
const gated = proposed.gated();
const approved = gated.approved(bob);
const ordered = approved.ordered();
const submitted = ordered.submitted();
const training = [
  { step: 100, loss: '9.1' },
  { step: 600, loss: '6.2' },
  { step: 4600, loss: '3.517' },
].reduce((run, look) => run.observed(look), submitted);
const degraded = training.observed({ status: 'UNKNOWN', message: 'no answer', signatures: ['owner-died'] });
const ended = training.ended();

const STATES = {
  proposed,
  'held back by gates': heldBack,
  'ready for approval': gated,
  approved,
  ordered,
  claimed: ordered.claimed(),
  'order failed': ordered.incident('runner-refused', {
    orderDigest: ordered.state.order?.digest ?? '',
    reason: 'manifest-changed',
    why: 'x',
  }),
  'stopped before the launch': ordered.stopRequested(alice),
  submitted,
  stepping: training,
  degraded,
  'ended well': ended,
  'ended with a regression': training.ended({ metrics: { 'eval/loss': '3.9' } }),
  'ended badly': training.ended({
    status: 'FAILED',
    errorType: 'JOB_ENTRYPOINT_COMMAND_ERROR',
    exitCode: 1,
    message: 'exit 1',
    signatures: ['hbm-exhausted'],
    metrics: {},
  }),
  'ended by a stop': training.stopRequested(alice).ended({ status: 'STOPPED', lastStep: 4600 }),
  sealed: ended.sealed(bob),
  closed: training.ended({ status: 'FAILED' }).closed(),
  withdrawn: gated.closed({
    outcome: 'withdrawn',
    reason: 'the pull request was closed before a launch',
    closurePull: null,
  }),
} as const;

describe('the status card', () => {
  it.each(Object.entries(STATES))('%s', async (name, { state }) => {
    await expect(cardOf(state)).toMatchFileSnapshot(`__snapshots__/card/${name.replaceAll(' ', '-')}.md`);
  });

  it.each(Object.entries(STATES))('%s: starts with the action that is wanted', (_, { state }) => {
    const [first] = listElements(renderToTree(cardOf(state))).filter((element) => element.tagName === 'p');
    expect(first === undefined ? '' : treeText(first)).toMatch(/^🤖 Wanted: ./);
  });

  it.each(Object.entries(STATES))('%s: has the same number of cells in every row of a table', (_, { state }) => {
    const tables = listElements(renderToTree(cardOf(state))).filter((element) => element.tagName === 'table');
    for (const table of tables) {
      const rows = listElements(table).filter((element) => element.tagName === 'tr');
      const widths = rows.map((row) => listElements(row).filter((cell) => /^t[hd]$/.test(cell.tagName)).length);
      expect(new Set(widths).size).toBe(1);
    }
  });

  it('renders the same bytes from the same record', () => {
    expect(cardOf(training.state)).toBe(cardOf(training.state));
  });

  it('contains the head of the record, the phase and the state of the check run', () => {
    const { head } = training.state;
    expect(readMarker(cardOf(training.state))).toEqual({
      run: 'ferry-daily-20261121',
      kind: 'card',
      key: 'card',
      fields: {
        head: `${head.seq}:${head.hash.slice(0, 12)}`,
        phase: 'stepping',
        check: 'phase.commit.1',
        manifest: training.state.gate?.digest,
        body: training.state.gate?.body,
      },
    });
  });

  it('asks for an approval by the shown digest, and names who may give it', () => {
    const digest = gated.state.gate?.digest?.slice(7, 39) ?? 'none';
    expect(cardOf(gated.state)).toContain(
      `**Wanted: an approval by a person with maintain permission who is not an author of this change: \`/approve-launch ${digest}\`.**`,
    );
  });

  it("shows the real cost from the job's times, and never an estimate as cost", () => {
    const cluster = { ...config.clusters['local'], engine: 'local' as const, jobs: 'jobs', links: {}, adoption: false };
    const eight: typeof config = {
      ...config,
      clusters: { local: { ...cluster, acceleratorHoursPerRun: '2.5', accelerators: 8 } },
    };
    const cardWith = (state: RunState, lab = eight) => renderCard({ ...inputOf(state), config: lab, check: 'x' });
    expect(cardWith(ended.state)).toContain(
      'Cost: **40 accelerator-hours** (5 h on 8 accelerators). Expected before the approval: 2.5.',
    );
    expect(cardWith(ended.state, config)).toContain('Cost: not known; the job ran 5 h,');
    expect(cardWith(training.ended({ startedAt: null }).state)).toContain('Cost: not known, the engine');
    expect(cardWith(training.state)).not.toContain('Cost:');
  });

  it('asks for a decision on the bad node of a failed run, and for nothing while it is replaced', () => {
    const failed = submitted.ended({ status: 'FAILED' });
    const { data } = proposedDraft();
    const facts = { ...data.evidence.facts, attempt: 1 };
    const asked = failed.add({
      type: 'action-proposed',
      role: 'watch',
      data: { ...data, evidence: { ...data.evidence, facts } },
    });
    expect(cardOf(failed.state)).toMatch(
      /\*\*Wanted: a review of the failure, then `\/relaunch [0-9a-f]{32}` by an approver, .* a fix on .*, which the card then shows for approval; or `\/ack`/,
    );
    expect(cardOf(asked.state)).toMatch(
      /\*\*Wanted: a decision on the bad node, in #12: `\/approve [0-9a-f]{32}`; or `\/ack`/,
    );
    const consent = consentDraft();
    const source = { ...consent.data.source, writtenAt: asked.state.head.at };
    const given = asked.add({ ...consent, data: { ...consent.data, source } });
    expect(cardOf(given.state)).toContain('**Wanted: nothing; the bad node is being replaced');
    expect(cardOf(given.stopRequested(bob).state)).toContain('**Wanted: a review of the failure, then `/ack`');
  });

  // rule ML-14
  it('never shows a rounded step as exact, nor an unknown total', () => {
    const unknown = submitted.observed({ step: 3000, totalSteps: null });
    expect(cardOf(unknown.state)).toContain('`~3000/unknown`');
    expect(cardOf(training.state)).toContain('`~4600/5155`');
  });

  it('renders no Markdown from outside text', () => {
    const evil = '</details> @alice [x](https://evil.example) **b** | <img src=x>';
    const state = submitted.observed({ loss: evil, evals: { [evil]: evil }, signatures: [evil] }).state;
    const names = listElements(renderToTree(cardOf(state))).map((element) => element.tagName);
    expect(names).not.toContain('img');
    expect(names.filter((name) => name === 'a')).toHaveLength(2);
    expect(cardOf(state)).not.toMatch(/^[^`]*@alice/m);
  });

  it("stays far below GitHub's length limit with a large record", () => {
    const long = 'x'.repeat(1_000);
    const evals = Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`eval/${n}/${long}`, long]));
    let run = submitted;
    for (let n = 0; n < 80; n += 1)
      run = run.observed({ step: n * 50, loss: String(9 - n / 20), evals, message: long });
    for (let n = 0; n < 30; n += 1) run = run.incident('failure-signature', { signature: `s${n}`, line: long });
    expect(cardOf(run.state).length).toBeLessThan(COMMENT_CHARACTERS_MAX / 2);
  });
});

describe('the check run', () => {
  it.each(Object.entries(STATES).filter(([name]) => name !== 'proposed'))(
    '%s: has a title, a conclusion and the first sentence of the card',
    (_, { state }) => {
      const { title, summary } = renderCheck(inputOf(state));
      expect({ title, conclusion: chooseConclusion(state) }).toMatchSnapshot();
      expect(cardOf(state)).toContain(summary.slice(0, summary.indexOf('\n')));
    },
  );

  it('has what is wanted, the state and the record in its summary', () => {
    expect(renderCheck(inputOf(STATES['held back by gates'].state)).summary).toMatchSnapshot();
  });

  it('fails on a failing gate and is neutral on an unknown gate', () => {
    const unknown = proposed.gated({
      verdicts: verdictsWith(proposed.state.proposal, {
        gate: 'scope',
        outcome: 'unknown',
        code: 'unreadable',
        found: { why: 'x' },
        remedyBy: 'time',
      }),
    });
    expect(chooseConclusion(heldBack.state)).toBe('failure');
    expect(chooseConclusion(unknown.state)).toBe('neutral');
    expect(chooseConclusion(gated.state)).toBe('action_required');
    expect(chooseConclusion(training.state)).toBe(null);
    expect(chooseConclusion(ended.state)).toBe('success');
  });
});

it.each([
  ['ray', 'Ray job `'],
  ['slurm', 'Slurm job `'],
  ['iris', 'Iris job `'],
  ['vast', 'Vast.ai job `'],
  ['local', 'local job `'],
])('names the engine %s with the id of the job', (engine, words) => {
  const { state } = submitted;
  if (state.submission === null) throw new Error('nothing was submitted');
  const run = { ...state, submission: { ...state.submission, engine } };
  expect(renderCard({ ...inputOf(run), check: 'x' })).toContain(`| Job | ${words}`);
});

it('draws the losses between two observations, and how far the job is', () => {
  const losses = Array.from({ length: 12 }, (_, at) => ({ step: 10 * at, loss: `${4 - at / 10}` }));
  const seen = submitted.observed({ step: 120, stepIsExact: true, totalSteps: 480, loss: '2.8', losses });
  const card = renderCard({ ...inputOf(seen.state), check: 'x' });
  expect(card).toContain('x-axis "step" 0 --> 120');
  expect(card).toContain('The chart joins 13 of the losses in the log by straight lines.');
  expect(card).toContain('█████░░░░░░░░░░░░░░░ 25 %, `~120/480`');
});

describe('the chart of the loss', () => {
  it('is valid Mermaid for any numbers', async () => {
    const trace = [
      { step: 1, loss: '1e-9' },
      { step: 2, loss: '-3' },
      { step: 300_000, loss: '1.5e60' },
    ];
    // The titles are constants, and Mermaid needs a browser to clean them.
    const source = (renderLossChart(trace) ?? '').replace(/```(?:mermaid)?/g, '').replace(/"[^"]*" /g, '');
    expect(await parseChart(source.trim())).toBe('xychart');
  });

  it('shows the pre-registered loss as a separate line within the axis range', async () => {
    const trace = [4, 3, 2].map((loss, step) => ({ step, loss: String(loss) }));
    const chart = renderLossChart(trace, 1.5) ?? '';
    expect(chart.match(/^ {2}line \[.*\]$/gm)?.[1]).toMatch(/^ {2}line \[1\.5000, .*1\.5000\]$/);
    expect(Number(/-->/.test(chart) ? /" (\S+) --> \S+\n {2}line/.exec(chart)?.[1] : 9)).toBeLessThan(1.5);
    const source = chart.replace(/```(?:mermaid)?/g, '').replace(/"[^"]*" /g, '');
    expect(await parseChart(source.trim())).toBe('xychart');
  });
});
