/** One recorded run under another config: its looks at the gates, its approvals, whether it would have launched, its verdict. */

import { type Launch, launchesOf } from '../../domain/launch/spending.ts';
import type { GateId, Verdict } from '../../domain/launch/verdict.ts';
import type { LogbookEvent } from '../../domain/logbook/event.ts';
import { foldOne } from '../../domain/logbook/fold.ts';
import {
  type Approval,
  commandKey,
  type RunState,
  runsOfLane,
  type SeenCommand,
  standingApprovals,
} from '../../domain/logbook/run-state.ts';
import { readFacts } from '../../domain/payload.ts';
import type { ReplayedDecision, ReplayedRun } from '../../domain/replayed.ts';
import { fromRfc3339 } from '../../domain/time.ts';
import { cannotTell, type Judgement, type PastAnswer } from '../../gates/gate.ts';
import { changeGates } from '../../gates/run-gates.ts';
import { recordedApprovalVerdicts } from '../approval-facts.ts';
import type { LabConfig, LaneScopedConfig } from '../lane-scope.ts';
import { configFor } from '../run-config.ts';
import { verdictOf } from '../verdict-of.ts';
import { type RecordedLook, recordedFacts } from './recorded-facts.ts';
import { type Counts, hasCounted, replayApproval } from './replay-approvals.ts';

/** What is known after the events so far. */
type Replay = {
  readonly state: RunState;
  readonly decisions: readonly ReplayedDecision[];
  /** The newest look under the other config. */
  readonly gates: readonly ReplayedGate[];
  /** What each person's newest approval counts for, by their id. */
  readonly people: ReadonlyMap<number, Counts & { readonly approval: Approval }>;
};

/** `runs`: those of the record, newest first, the run itself among them. Null for events that are no run. */
export function replayRun(
  events: readonly LogbookEvent[],
  config: LabConfig,
  runs: readonly RunState[],
): ReplayedRun | null {
  let replay: Replay | null = null;
  for (const event of events) {
    const folded = foldOne(replay?.state ?? null, event);
    if (!folded.ok) return null;
    const before: Replay = replay ?? { state: folded.value, decisions: [], gates: [], people: new Map() };
    const more = stepped({ before, state: folded.value, event, lab: config, runs });
    replay = { ...before, ...more, state: folded.value };
  }
  if (replay === null) return null;
  const { run, proposal } = replay.state;
  const atEnd = launchAtTheEnd(replay, configFor(config, replay.state));
  return { run, date: proposal.date, decisions: [...replay.decisions, ...atEnd] };
}

type Stepping = {
  readonly before: Replay;
  readonly state: RunState;
  readonly event: LogbookEvent;
  readonly lab: LabConfig;
  readonly runs: readonly RunState[];
};

function stepped({ before, state, event, lab, runs }: Stepping): Partial<Replay> {
  const config = configFor(lab, state);
  const more = (decisions: readonly ReplayedDecision[]): Pick<Replay, 'decisions'> => ({
    decisions: [...before.decisions, ...decisions],
  });
  switch (event.type) {
    case 'gated': {
      const at = fromRfc3339(event.at);
      if (state.gate === null || at === null) return {};
      const others = launchedBeside(state, config, runs);
      const gates = replayGates({ state, gate: state.gate, at, config, others });
      return { ...more(gates.map((gate) => gateDecision(gate, event))), gates };
    }
    case 'approval-dropped':
      return { people: without(before.people, event.data.users) };
    case 'command-answered': {
      const command = state.commands.get(commandKey(event.data));
      const counts = command?.name === 'approve-launch' ? replayApproval(state, command, config) : null;
      const approval = command === undefined || counts === null ? null : approvalBy(state, command);
      if (command === undefined || counts === null || approval === null) return {};
      const from = hasCounted(command) ? 'counts' : 'refused';
      const people = new Map(before.people).set(command.actor.id, { ...counts, approval });
      return { ...more([decisionOf('approval', command.actor.login, event, from, counts)]), people };
    }
    case 'ordered':
      return more([
        quorumDecision(before, config, 'reached', event),
        launchDecision(before, config, 'launched', event),
      ]);
    case 'sealed':
    case 'closed':
      return more(verdictDecisions(state, event, config, runs));
    default:
      return {};
  }
}

/** Only a budget looks at what the lane has launched otherwise. */
function launchedBeside(
  { run, proposal }: RunState,
  { lane }: LaneScopedConfig,
  runs: readonly RunState[],
): readonly Launch[] {
  if (lane.costBudget === null) return [];
  return runsOfLane(runs, proposal.lane).flatMap((other) => (other.run === run ? [] : launchesOf(other)));
}

/** As it is recorded; one that was refused as it would have been. Null without a manifest to approve. */
function approvalBy(state: RunState, command: SeenCommand): Approval | null {
  const { actor, at, seq, comment, surface, bodyDigest } = command;
  const recorded = state.approvals.findLast((one) => one.comment === comment && one.surface === surface);
  if (recorded !== undefined) return recorded;
  if (state.gate?.digest == null || surface === 'review-comment') return null;
  const { digest, body } = state.gate;
  return { actor, at, seq, digest, body, comment, surface, bodyDigest };
}

type At = Pick<LogbookEvent, 'seq' | 'at'>;

function decisionOf(
  decision: ReplayedDecision['decision'],
  subject: string,
  { seq, at }: At,
  from: string,
  { to, why }: Pick<ReplayedDecision, 'to' | 'why'>,
): ReplayedDecision {
  return { decision, subject, seq, at, from, to, why };
}

function gateDecision({ gate, from, to }: ReplayedGate, at: At): ReplayedDecision {
  return decisionOf('gate', gate, at, from, { to: to.outcome, why: to.why });
}

type Answer<To extends string> = { readonly to: To | 'unknown'; readonly why: string };

/** The gate over the approvals, with those that would have counted, and with those that may have. */
function quorumAnswer(
  { state, people }: Replay,
  config: LaneScopedConfig,
): Answer<'reached' | 'not-reached'> {
  const asked = (...counts: readonly Counts['to'][]): Answer<'reached' | 'not-reached'> => {
    const approvals = [...people.values()]
      .filter(({ to }) => counts.includes(to))
      .map(({ approval }) => approval);
    const verdict = recordedApprovalVerdicts({ ...state, approvals }, config)[0];
    const found = readFacts({ count: 'integer', needed: 'integer' }, verdict?.found ?? {});
    if (verdict === undefined || found === null) return { to: 'unknown', why: verdict?.code ?? '' };
    const why = `${found.count}-of-${found.needed}`;
    return { to: verdict.outcome === 'pass' ? 'reached' : 'not-reached', why };
  };
  const sure = asked('counts');
  return asked('counts', 'unknown').to === sure.to ? sure : { to: 'unknown', why: sure.why };
}

function quorumDecision(replay: Replay, config: LaneScopedConfig, from: string, at: At): ReplayedDecision {
  return decisionOf('quorum', replay.state.run, at, from, quorumAnswer(replay, config));
}

function launchDecision(replay: Replay, config: LaneScopedConfig, from: string, at: At): ReplayedDecision {
  return decisionOf('launch', replay.state.run, at, from, launchAnswer(replay, config));
}

function launchAnswer(replay: Replay, config: LaneScopedConfig): Answer<'launched' | 'not-launched'> {
  const failing = replay.gates.find(({ to }) => to.outcome === 'fail');
  if (failing !== undefined) return { to: 'not-launched', why: failing.gate };
  const quorum = quorumAnswer(replay, config).to;
  if (quorum === 'not-reached') return { to: 'not-launched', why: 'quorum' };
  const unclear = replay.gates.find(({ to }) => to.outcome === 'unknown');
  if (unclear !== undefined) return { to: 'unknown', why: unclear.gate };
  return quorum === 'unknown' ? { to: 'unknown', why: 'quorum' } : { to: 'launched', why: 'all-pass' };
}

/** A run that was approved by somebody and never ordered may have waited for more people, or for a gate. */
function launchAtTheEnd(replay: Replay, config: LaneScopedConfig): readonly ReplayedDecision[] {
  const { state, people } = replay;
  // Without a single approval nobody wanted it: whatever the gates said, it would have waited.
  if (state.order !== null || state.stop !== null || people.size === 0) return [];
  const wasReached =
    standingApprovals(state).length > 0 &&
    [...state.commands.values()].some(({ answer }) => answer?.code === 'approved');
  return [
    quorumDecision(replay, config, wasReached ? 'reached' : 'not-reached', state.head),
    launchDecision(replay, config, 'not-launched', state.head),
  ];
}

function verdictDecisions(
  state: RunState,
  event: Extract<LogbookEvent, { readonly type: 'sealed' | 'closed' }>,
  config: LaneScopedConfig,
  runs: readonly RunState[],
): readonly ReplayedDecision[] {
  const why = state.end?.status === 'STOPPED' ? undefined : verdictOf(state, config, runs)?.result;
  if (why === undefined) return [];
  const from = event.type === 'sealed' && event.data.verdict === 'pass' ? 'pass' : 'no-pass';
  // Unknown is no pass; where it was one, the record has no value for what is asked now.
  const to = why === 'pass' ? 'pass' : why === 'unknown' && from === 'pass' ? 'unknown' : 'no-pass';
  return [decisionOf('verdict', state.run, event, from, { to, why })];
}

function without<Value>(
  people: ReadonlyMap<number, Value>,
  users: readonly number[],
): ReadonlyMap<number, Value> {
  return new Map([...people].filter(([id]) => !users.includes(id)));
}

/** `why`: the reason code of the gate; where nobody can tell, the one that may stand against it. */
type ReplayedGate = {
  readonly gate: GateId;
  readonly from: Verdict['outcome'];
  readonly to: { readonly outcome: Verdict['outcome']; readonly why: string };
};

/** Every gate of the look. One that could not tell then cannot tell now, and a look without a manifest launched nothing. */
function replayGates(look: RecordedLook): readonly ReplayedGate[] {
  const { verdicts, manifest: then } = look.gate;
  const facts = then === null ? null : recordedFacts(look, then);
  return verdicts.map((verdict) => {
    const { gate, outcome } = verdict;
    const again = then === null || facts === null ? null : askedAgain({ verdict, then, facts });
    return { gate, from: outcome, to: again ?? { outcome, why: verdict.code } };
  });
}

/** Null: the config says nothing else of what the gate reads. */
function askedAgain(past: PastAnswer): ReplayedGate['to'] | null {
  const { verdict, then, facts } = past;
  const gate = changeGates(facts.own).find(({ id }) => id === verdict.gate);
  if (gate?.replay === undefined || verdict.outcome === 'unknown') return null;
  const { settings, worlds } = gate.replay;
  if (facts.manifest.kind === 'known' && isSame(settings(then), settings(facts.manifest.value))) return null;
  return agreed(worlds(past).map((world) => gate.evaluate(world)));
}

function isSame(then: unknown, now: unknown): boolean {
  return JSON.stringify(then) === JSON.stringify(now);
}

/** Where all let it through, or none does, the likeliest answer; else what may stand against it. */
function agreed(answers: readonly Judgement[]): ReplayedGate['to'] {
  const failing = answers.filter(({ outcome }) => outcome === 'fail' || outcome === 'unknown');
  const { outcome, code } = failing[0] ?? answers[0] ?? cannotTell('nothing of it is recorded');
  const isTold = failing.length === 0 || failing.length === answers.length;
  return { outcome: isTold ? outcome : 'unknown', why: code };
}
