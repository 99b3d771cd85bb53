import { describe, expect, it } from 'vitest';
import { ANSWERS, type AnswerCode } from '../../src/commands/decision.ts';
import { COMMAND_DEFINITIONS } from '../../src/commands/registry.ts';
import { type Detail, type Fields, INCIDENT_CODES, INCIDENTS, toRecordedFacts } from '../../src/domain/incidents.ts';
import { REFUSALS } from '../../src/domain/launch/verdict.ts';
import { DROP_REASONS } from '../../src/domain/logbook/events/launch-events.ts';
import type { RunState } from '../../src/domain/logbook/run-state.ts';
import { readMarker } from '../../src/domain/marker.ts';
import { known } from '../../src/domain/values.ts';
import { renderJournalAnswer } from '../../src/render/answer.ts';
import { type PublicationView, renderPublication } from '../../src/render/publication.ts';
import { recordedApprovalVerdicts } from '../../src/run/approvals.ts';
import { judgeRun } from '../../src/run/kind.ts';
import { createPastReader } from '../../src/run/lane.ts';
import { listPublications } from '../../src/run/publications.ts';
import { aRun, type RunBuilder } from '../support/run-builder.ts';
import { alice, bob, type CommandInput } from '../support/run-drafts.ts';
import { aConfig } from '../support/run-parts.ts';
import { listElements, renderToTree, treeText } from './html-of.ts';

const ANSWER_CODES = Object.keys(ANSWERS) as readonly AnswerCode[];

const config = aConfig();

function say(state: RunState, kind: PublicationView['kind'], key?: string): string {
  const owed = listPublications(state).filter((one) => one.kind === kind && (key === undefined || one.key === key));
  const [publication] = owed;
  if (publication === undefined) throw new Error(`${kind} is not owed`);
  const verdict = state.end === null ? null : judgeRun(state.end, config.lane, []);
  return renderPublication(publication, {
    state,
    config,
    verdict,
    approvals: recordedApprovalVerdicts(state, config),
    past: createPastReader(known([state]), config.lanes),
  });
}

const gated = aRun().gated();
const submitted = gated.approved(bob).ordered().submitted();
const training = submitted.observed({ evals: { 'eval/loss': '4.1' } });
const ended = training.ended();

const UNDECIDED = {
  type: 'notified',
  role: 'control',
  data: { reason: 'undecided', about: '8-1', people: [102] },
} as const;
const UPDATE = { type: 'notified', role: 'control', data: { reason: 'update', about: '8-1' } } as const;
const PAGE = { type: 'notified', role: 'watch', data: { reason: 'incident', about: '9-1', people: [102] } } as const;
const UNSEALED = {
  outcome: 'unsealed',
  reason: 'nobody sealed or closed it within 72 h of its end',
  closurePull: 40,
} as const;

describe('the moments of a run', () => {
  // rule HR-24
  it.each([
    ['launch', submitted],
    ['tracker', training],
    ['first-eval', training],
    ['ended', ended],
    ['sealed', ended.sealed(bob)],
    ['closed', training.ended({ status: 'FAILED' }).closed()],
    ['notice', ended.add({ type: 'notified', role: 'control', data: { reason: 'lane-blocked', about: '2026-11-22' } })],
    ['notice', training.incident('engine-state-lost', { message: 'restarted' }).add(PAGE)],
    ['notice', ended.add(UNDECIDED)],
    ['notice', training.later(24 * 3_600_000).add(UPDATE)],
    ['notice', submitted.later(24 * 3_600_000).add(UPDATE)],
    ['notice', submitted.ended({ status: 'FAILED' }).add(UNDECIDED)],
    ['closed', ended.add({ type: 'closed', role: 'control', data: UNSEALED })],
  ] as const)('%s', (kind, run: RunBuilder) => {
    const body = say(run.state, kind);
    expect(body).toMatchSnapshot();
    expect(body.split('\n')[1]).toMatch(/^🤖 /u);
    expect(readMarker(body)).toMatchObject({ run: run.state.run, kind });
  });

  it('end with the same six lines, in order', () => {
    const lines = say(ended.state, 'ended').split('\n');
    const from = lines.findIndex((line) => line.startsWith('Final status'));
    expect(lines.slice(from, from + 6).map((line) => line.slice(0, line.indexOf(':')))).toEqual([
      'Final status',
      'Job',
      'W&B link',
      'Final eval summary',
      'Experiment link',
      'Recommendation',
    ]);
    expect(lines[from]).toBe('Final status: SUCCEEDED');
    expect(lines[from + 2]).toBe('W&B link: https://wandb.example/lab/ferries/runs/abc123');
  });

  // rules DF-29, DF-30, DF-32
  it('end with the verdict, the key metrics, and the recommendation for the next day', () => {
    const good = say(ended.state, 'ended');
    const bad = say(training.ended({ status: 'FAILED' }).state, 'ended');
    expect(good).toMatch(/^Verdict: ✅ pass\.$/m);
    expect(bad).toMatch(/^Verdict: ❌ fail\.$/m);
    expect(good).toMatch(/^Final eval summary: eval\/loss \d\.\d+/m);
    expect(good).toMatch(/^Recommendation: seal the run; the next ferry starts from this configuration\.$/m);
    expect(bad).toMatch(/^Recommendation: find the cause .*before the next ferry/m);
  });

  // rule DF-31
  it('end with the failures that occurred, each with the name of its signature', () => {
    const owner = { signature: 'owner-died', class: 'infra-cluster', response: 'escalate', line: 'OwnerDiedError' };
    const seen = training.incident('failure-signature', owner);
    const body = say(seen.ended({ status: 'FAILED' }).state, 'ended');
    expect(body).toMatch(/^Notable failures and fixes:\n\n- .+ `owner-died`$/m);
  });

  // rule DF-24
  it('post what the policy requires at a launch', () => {
    const body = say(submitted.state, 'launch');
    for (const part of [
      'ferrybot-ferry-daily-20261121-a1',
      '`local`',
      'https://cluster.example/jobs/',
      '2026-11-21 09:04:00 UTC',
      'FERRY_DATE=2026-11-21 python3 experiments/ferries/daily.py',
      submitted.state.submission?.commit ?? 'none',
      'Approved by bob.',
    ])
      expect(body).toContain(part);
  });
});

/** Facts of these fields: a text is the name of its fact. Without the optional ones where `isWhole` is false. */
function sampleFacts(fields: Fields, isWhole: boolean): Detail {
  const facts = Object.entries(fields).flatMap(([name, field]): (readonly [string, unknown])[] => {
    if (!isWhole && typeof field === 'string' && field.endsWith('?')) return [];
    if (field === 'list') return isWhole ? [[name, [`${name} <1>`, `${name} <2>`]]] : [];
    if (typeof field !== 'string') return [[name, field.at(isWhole ? 0 : -1)]];
    return [[name, field.startsWith('integer') ? (isWhole ? 1 : 2) : `the <${name}>`]];
  });
  return toRecordedFacts(Object.fromEntries(facts));
}

function answered(code: string, change: Partial<CommandInput> = {}): string {
  const name = code === 'not-understood' ? 'approve-lunch' : 'approve-launch';
  const run = gated.commanded({ by: alice, name, code, ...change });
  return say(run.state, 'answer');
}

describe('the answers', () => {
  it.each([
    { attempt: 2, left: 0 },
    { attempt: 2, left: 0, missing: 1 },
    { attempt: 2, left: 0, missing: 2 },
  ])('to a relaunch beyond the restarts: %j', (detail) => {
    expect(answered('relaunch-asked', { detail })).toMatchSnapshot();
  });

  it.each([
    ['approval-line-needed', { why: 'other-digest', about: '028e72ff16b3', lines: 'approve-launch 028e72ff' }],
    ['approval-line-needed', { why: 'other-commit', about: '', lines: 'approve-launch 028e72ff' }],
    ['approval-line-needed', { why: 'too-old', about: '24', lines: 'approve 028e72ff' }],
    ['approval-line-needed', { why: 'restarts-used', about: '1', lines: 'relaunch 028e72ff' }],
    ['relaunch-never', { attempt: 1, why: '800' }],
    ['relaunch-never', { attempt: 2, why: 'other-steps' }],
  ])('to what each person does next: %s %j', (code, detail) => {
    expect(answered(code, { detail })).toMatchSnapshot();
  });

  it.each(ANSWER_CODES)('%s', (code) => {
    for (const isWhole of [true, false])
      expect(answered(code, { detail: sampleFacts(ANSWERS[code], isWhole) })).toMatchSnapshot();
  });

  it.each([
    ['seal-already', {}],
    ['held', { reason: 'no reason', dropped: 'two <b>' }],
    ['constructor', { why: 'no own code' }],
  ])('of another version are shown unchanged: %s', (code, detail) => {
    expect(answered(code, { name: 'hold', detail })).toMatchSnapshot();
  });

  it('differ from each other, so that no answer is mistaken for another', () => {
    const bodies = ANSWER_CODES.map((code) => answered(code, { detail: sampleFacts(ANSWERS[code], true) }));
    expect(new Set(bodies).size).toBe(ANSWER_CODES.length);
  });

  it('name a stop that cannot reach its cluster, and a hold that blocks no run', () => {
    const missing = { by: 'alice', missingCluster: 'us-east1' };
    const stopped = answered('stop-requested', { name: 'stop', detail: missing });
    expect(stopped).toMatchSnapshot();
    expect(stopped).not.toContain('within a minute');
    const stray = { issue: 0, stray1: '/unhold lane=canary', stray2: '/unhold lane=sparrow date=2026-11-21' };
    expect(answered('lane-shown', { name: 'status', detail: stray })).toMatchSnapshot();
  });

  it('suggest the intended command for an unknown word', () => {
    const detail = { code: 'unknown-command', word: '/hodl', line: 2, column: 1, suggest: '/hold' };
    expect(answered('not-understood', { name: 'hodl', detail })).toContain(
      '🤖 `/hodl` (line 2) was not understood and nothing was done: there is no such command. Did you mean `/hold`?',
    );
  });

  it('explain the accepted values of an argument after a wrong one', () => {
    const takes = 'name: at most 40 letters, and no blanks';
    const detail = { code: 'bad-value', word: '/seal-milestone', line: 1, column: 1, expected: takes };
    expect(answered('not-understood', { name: 'seal', detail })).toContain(
      `nothing was done: it does not take this value (${takes}).`,
    );
  });

  it('show the parsed command as data and not as Markdown', () => {
    const body = answered('sealed', { name: 'seal', detail: { tag: 'x' }, args: { accept: '`x` **b** @alice <b>' } });
    const names = listElements(renderToTree(body)).map((element) => element.tagName);
    expect(treeText(renderToTree(body))).toContain('/seal accept="`x` **b** @alice <b>" by alice: sealed');
    expect(names).not.toContain('b');
    expect(names).not.toContain('strong');
  });

  it('are one comment for all commands of a comment', () => {
    const run = gated
      .commanded({ by: alice, name: 'status', code: 'status-shown', comment: 42, index: 0 })
      .commanded({ by: alice, name: 'help', code: 'help-shown', detail: { command: '' }, comment: 42, index: 1 });
    expect(listPublications(run.state).filter((one) => one.kind === 'answer')).toHaveLength(1);
    expect(say(run.state, 'answer')).toMatchSnapshot();
  });

  it('list at most eight commands of /help openly, for the moment of the run, and fold the others', () => {
    const detail = { command: '' };
    const asked = (run: RunBuilder): string => {
      const { state } = run.commanded({ by: alice, name: 'help', code: 'help-shown', detail, comment: 42 });
      return say(state, 'answer', 'comment-42');
    };
    const open = (text: string): readonly string[] =>
      [...(text.split('<details>')[0] ?? '').matchAll(/^\| `(\/[a-z-]+)/gm)].map(([, name = '']) => name);
    const before = asked(gated);
    expect(open(before)).toContain('/approve-launch');
    const running = asked(submitted);
    expect(open(running)).toContain('/stop');
    expect(open(running)).not.toContain('/keep');
    expect(open(asked(submitted.ended()))).toContain('/seal');
    for (const text of [before, running]) {
      expect(open(text).length).toBeLessThanOrEqual(8);
      for (const { name } of COMMAND_DEFINITIONS) expect(text).toContain(`/${name}`);
      expect(text).toContain('`/help COMMAND`');
    }
  });

  it('omit a command that was answered only by a reaction', () => {
    const run = gated
      .commanded({
        by: alice,
        name: 'seal',
        code: 'not-permitted',
        detail: { needs: 'maintain', quiet: 1 },
        comment: 42,
        index: 0,
      })
      .commanded({ by: alice, name: 'status', code: 'status-shown', comment: 42, index: 1 });
    expect(say(run.state, 'answer')).not.toContain('/seal');
  });

  it('have the same text on a thread without a run', () => {
    const seen = [
      ...gated.commanded({ by: alice, name: 'stop', code: 'no-run-here', comment: 7 }).state.commands.values(),
    ];
    const help = [
      ...gated
        .commanded({ by: alice, name: 'help', code: 'help-shown', detail: { command: 'seal' } })
        .state.commands.values(),
    ];
    const past = createPastReader(known([]), config.lanes);
    expect(renderJournalAnswer('comment-7', seen, past)).toMatchSnapshot();
    expect(renderJournalAnswer('comment-8', help, past)).toMatchSnapshot();
  });
});

describe('incidents and dropped approvals', () => {
  it.each(INCIDENT_CODES)('incident %s', (code) => {
    for (const isWhole of [true, false]) {
      const body = say(submitted.incident(code, sampleFacts(INCIDENTS[code], isWhole)).state, 'incident');
      expect(body).toMatchSnapshot();
      expect(body).not.toContain('another version');
    }
  });

  it('requires no action for a small fix that was approved beforehand', () => {
    const facts = { attempt: 1, commit: 'c'.repeat(40), base: 'b'.repeat(40), place: 'lib/a.py:5' };
    const own = { ...facts, diff: '+import math', beforehand: '0123456789ab' };
    expect(say(submitted.incident('fix-made', own).state, 'incident')).toMatchSnapshot();
  });

  it('names the fixer that made the fix', () => {
    const facts = { attempt: 1, commit: 'c'.repeat(40), base: 'b'.repeat(40), place: 'lib/a.py:5' };
    const own = { ...facts, diff: '+import math', by: 'fixer' };
    expect(say(submitted.incident('fix-made', own).state, 'incident')).toMatchSnapshot();
  });

  it.each(['fixer-late', 'fixer-failed', 'patch-unreadable', 'outside-scope'])(
    "gives the reason why a fixer's patch is not used: %s",
    (reason) => {
      const { state } = submitted.incident('fix-not-made', { attempt: 1, reason });
      expect(say(state, 'incident')).toMatchSnapshot();
    },
  );

  it.each([
    ['node-on-fire', { vm: 'ray-a' }],
    ['order-expired', { attempt: 'the <b>first</b>' }],
  ])('shows an incident of another version unchanged: %s', (code, detail) => {
    expect(say(submitted.incident(code, detail).state, 'incident')).toMatchSnapshot();
  });

  it.each(REFUSALS)('has a sentence for refusal %s', (reason) => {
    const body = say(gated.incident('runner-refused', { reason, why: 'x' }).state, 'incident');
    expect(body).not.toContain(`\`${reason}\``);
    expect(body).toMatch(/Evidence: [A-Z].*\./);
  });

  it.each(DROP_REASONS)('drop for %s', (reason) => {
    expect(say(gated.approved(bob).dropped(reason).state, 'drop')).toMatchSnapshot();
  });
});
