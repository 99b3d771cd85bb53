/** Replays one recorded run under another config: gates, approvals, launch, verdict. */

import { approveLaunch } from '../../commands/approve-launch.ts';
import type { Manifest } from '../../domain/launch/manifest.ts';
import { type Launch, launchesOf } from '../../domain/launch/spending.ts';
import type { GateId, Verdict } from '../../domain/launch/verdict.ts';
import type { LogbookEvent } from '../../domain/logbook/event.ts';
import { foldOne } from '../../domain/logbook/fold.ts';
import {
  type Approval,
  commandKey,
  type IssuedOrder,
  type RunState,
  runsOfLane,
  type SeenCommand,
  standingApprovals,
} from '../../domain/logbook/run-state.ts';
import { readFacts } from '../../domain/payload.ts';
import type { ReplayedDecision, ReplayedRun } from '../../domain/replayed.ts';
import { fromRfc3339 } from '../../domain/time.ts';
import { changeGates } from '../../gates/run-gates.ts';
import { recordedApprovalVerdicts } from '../approval-facts.ts';
import type { LabConfig, LaneScopedConfig } from '../lane-scope.ts';
import { manifestText } from '../manifest-digest.ts';
import { approversIn } from '../manifest-of.ts';
import { configFor } from '../run-config.ts';
import { verdictOf } from '../verdict-of.ts';
import { type RecordedLook, recordedFacts } from './recorded-facts.ts';

type Replay = {
  readonly state: RunState;
  readonly decisions: readonly ReplayedDecision[];
  readonly gates: readonly ReplayedGate[];
  /** Whether each person's newest approval counts, by user id. `approval` null: it was refused. */
  readonly people: ReadonlyMap<number, Answer<'counts' | 'refused'> & { readonly approval: Approval | null }>;
};

/** `runs`: all recorded runs, newest first. Null for events that do not form a run. */
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
      const others = launchedBefore(event.at, state, runs);
      const gates = replayGates({ state, gate: state.gate, at, config, others });
      return { ...more(gates.map((gate) => gateDecision(gate, event))), gates };
    }
    case 'approval-dropped':
      return { people: without(before.people, event.data.users) };
    case 'command-answered': {
      const command = state.commands.get(commandKey(event.data));
      const counts = command?.name === 'approve-launch' ? replayApproval(state, command, config) : null;
      if (command === undefined || counts === null) return {};
      const { id, login } = command.actor;
      const isCounting = COUNTING.includes(event.data.code);
      const approval = isCounting ? (state.approvals.findLast(({ actor }) => actor.id === id) ?? null) : null;
      const people = new Map(before.people).set(id, { ...counts, approval });
      const from = isCounting ? 'counts' : 'refused';
      return { ...more([decisionOf('approval', login, event, from, counts)]), people };
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

/** Earlier launches of the lane's other runs. */
function launchedBefore(
  at: string,
  { run, proposal }: RunState,
  runs: readonly RunState[],
): readonly Launch[] {
  const isBefore = ({ claim }: IssuedOrder): boolean => claim !== null && claim.at < at;
  return runsOfLane(runs, proposal.lane).flatMap((other) => {
    if (other.run === run) return [];
    const order = other.order !== null && isBefore(other.order) ? other.order : null;
    return launchesOf({ ...other, order, attempts: other.attempts.filter((past) => isBefore(past.order)) });
  });
}

/** Answers after which an approval counts. */
const COUNTING: readonly string[] = ['approved', 'approved-waiting-for-more', 'already-approved'];
/** Refusals that depend on the config. */
const BY_CONFIG: readonly string[] = ['not-permitted', 'approval-by-author'];

/** The record lacks past permissions, so the result is known only if the config allows the same approvers. Null for other answers. */
function replayApproval(
  { gate }: RunState,
  { answer }: SeenCommand,
  config: LaneScopedConfig,
): Answer<'counts' | 'refused'> | null {
  const why = answer?.code ?? '';
  const isCounting = COUNTING.includes(why);
  if (!isCounting && why !== 'not-permitted' && !Object.hasOwn(approveLaunch.answers, why)) return null;
  const then = gate?.manifest?.policy ?? {};
  const isSame = Object.entries(approversIn(config)).every(([key, value]) => then[key] === value);
  if (!isSame && (isCounting || BY_CONFIG.includes(why))) return { to: 'unknown', why: 'other-approvers' };
  return { to: isCounting ? 'counts' : 'refused', why };
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

function quorumAnswer(
  { state, people }: Replay,
  config: LaneScopedConfig,
): Answer<'reached' | 'not-reached'> {
  const given = [...people.values()];
  const approvals = given.flatMap(({ to, approval }) =>
    to === 'counts' && approval !== null ? [approval] : [],
  );
  const verdict = recordedApprovalVerdicts({ ...state, approvals }, config)[0];
  const found = readFacts({ count: 'integer', needed: 'integer' }, verdict?.found ?? {});
  if (verdict === undefined || found === null) return { to: 'unknown', why: verdict?.code ?? '' };
  const why = `${found.count}-of-${found.needed}`;
  if (verdict.outcome === 'pass') return { to: 'reached', why };
  const open = given.filter(({ to }) => to === 'unknown').length;
  return { to: found.count + open < found.needed ? 'not-reached' : 'unknown', why };
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

/** An approved run without an order may have waited for more people or for a gate. */
function launchAtTheEnd(replay: Replay, config: LaneScopedConfig): readonly ReplayedDecision[] {
  const { state, people } = replay;
  // Without an approval, the run would have waited in any case.
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
  // A recorded pass with an unknown replay lacks a value that the new config needs.
  const to = why === 'pass' ? 'pass' : why === 'unknown' && from === 'pass' ? 'unknown' : 'no-pass';
  return [decisionOf('verdict', state.run, event, from, { to, why })];
}

function without<Value>(
  people: ReadonlyMap<number, Value>,
  users: readonly number[],
): ReadonlyMap<number, Value> {
  return new Map([...people].filter(([id]) => !users.includes(id)));
}

/** `why`: the gate's reason code. */
type ReplayedGate = {
  readonly gate: GateId;
  readonly from: Verdict['outcome'];
  readonly to: { readonly outcome: Verdict['outcome']; readonly why: string };
};

/** An unknown gate stays unknown; an evaluation without a manifest launched nothing. */
function replayGates(look: RecordedLook): readonly ReplayedGate[] {
  const { verdicts, manifest: then } = look.gate;
  const facts = then === null ? null : recordedFacts(look, then);
  // A manifest contains all settings that gates read.
  const isSame =
    then !== null &&
    facts?.manifest.kind === 'known' &&
    settingsIn(facts.manifest.value) === settingsIn(then);
  const gates = facts === null || isSame ? [] : changeGates(facts.own);
  return verdicts.map(({ gate, outcome, code }) => {
    const asked = gates.find(({ id, readsSettings }) => id === gate && readsSettings === true);
    const now =
      facts === null || asked === undefined || outcome === 'unknown'
        ? { outcome, code }
        : asked.evaluate(facts);
    return { gate, from: outcome, to: { outcome: now.outcome, why: now.code } };
  });
}

/** No change gate reads who may approve. */
function settingsIn({ policy, ...manifest }: Manifest): string {
  const kept = Object.entries(policy).filter(([key]) => !key.startsWith('approvals.'));
  return manifestText({ ...manifest, policy: Object.fromEntries(kept) });
}
