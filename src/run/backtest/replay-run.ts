/** One recorded run under another config: its looks at the gates, its approvals, whether it would have launched, its verdict. */

import type { LaneScopedConfig } from '../../config/lane-scope.ts';
import { peopleNeeded, quorumOf } from '../../config/quorum.ts';
import type { SealedMetrics } from '../../domain/facts.ts';
import type { LogbookEvent } from '../../domain/logbook/event.ts';
import { foldOne } from '../../domain/logbook/fold.ts';
import { commandKey, type RunState, standingApprovals } from '../../domain/logbook/run-state.ts';
import type { ReplayedDecision, ReplayedRun } from '../../domain/replayed.ts';
import { type Counts, replayApproval, replayRefusal } from './replay-approvals.ts';
import { type ReplayedGate, replayGates } from './replay-gates.ts';

/** What is known after the events so far. */
type Replay = {
  readonly state: RunState;
  readonly decisions: readonly ReplayedDecision[];
  /** The newest look under the other config. */
  readonly gates: readonly ReplayedGate[];
  /** People whose approval was given since the newest manifest, by id. */
  readonly people: ReadonlyMap<number, Counts>;
};

/** `history`: the sealed ferries before this one, newest first. Null for events that are no run. */
export function replayRun(
  events: readonly LogbookEvent[],
  config: LaneScopedConfig,
  history: readonly SealedMetrics[],
): ReplayedRun | null {
  let replay: Replay | null = null;
  for (const event of events) {
    const folded = foldOne(replay?.state ?? null, event);
    if (!folded.ok) return null;
    const before: Replay = replay ?? { state: folded.value, decisions: [], gates: [], people: new Map() };
    replay = stepped({ ...before, state: folded.value }, event, config, history);
  }
  if (replay === null) return null;
  const { run, proposal } = replay.state;
  return { run, date: proposal.date, decisions: [...replay.decisions, ...launchAtTheEnd(replay, config)] };
}

function stepped(
  replay: Replay,
  event: LogbookEvent,
  config: LaneScopedConfig,
  history: readonly SealedMetrics[],
): Replay {
  const { state } = replay;
  const more = (decisions: readonly ReplayedDecision[]): Replay => ({
    ...replay,
    decisions: [...replay.decisions, ...decisions],
  });
  switch (event.type) {
    case 'gated': {
      const gates = replayGates({ proposal: state.proposal, gated: event.data, at: event.at }, config);
      const isAnother =
        replay.people.size > 0 && !state.approvals.some((a) => a.digest === event.data.digest);
      return {
        ...more(gates.map((gate) => gateDecision(gate, event))),
        gates,
        people: isAnother ? new Map() : replay.people,
      };
    }
    case 'approved': {
      const counts = replayApproval(state, event, config);
      const people = new Map(replay.people).set(event.actor?.id ?? 0, counts);
      return { ...more([approvalDecision('counts', counts, event.actor?.login ?? '', event)]), people };
    }
    case 'approval-dropped':
      return { ...replay, people: without(replay.people, event.data.users) };
    case 'command-answered': {
      const command = state.commands.get(commandKey(event.data));
      const counts = command?.name === 'approve-launch' ? replayRefusal(state, command, config) : null;
      if (command === undefined || counts === null) return replay;
      const people = new Map(replay.people).set(command.actor.id, counts);
      return { ...more([approvalDecision('refused', counts, command.actor.login, event)]), people };
    }
    case 'ordered':
      return more([
        quorumDecision(replay, config, 'reached', event),
        launchDecision(replay, config, 'launched', event),
      ]);
    case 'sealed':
    case 'closed':
      return more(verdictDecisions(replay, event, config, history));
    default:
      return replay;
  }
}

type At = Pick<LogbookEvent, 'seq' | 'at'>;

function gateDecision({ gate, from, to }: ReplayedGate, { seq, at }: At): ReplayedDecision {
  return { decision: 'gate', subject: gate, seq, at, from, to: to.outcome, why: to.why };
}

function approvalDecision(
  from: 'counts' | 'refused',
  { to, why }: Counts,
  login: string,
  { seq, at }: At,
): ReplayedDecision {
  return { decision: 'approval', subject: login, seq, at, from, to, why };
}

/** How many people the run would have needed, against those whose approval would have counted. */
function quorumAnswer(
  { people }: Replay,
  config: LaneScopedConfig,
): { readonly to: 'reached' | 'not-reached' | 'unknown'; readonly why: string } {
  const needed = quorumOf(config);
  const counting = [...people.values()].filter(({ to }) => to === 'counts').length;
  const atMost = [...people.values()].filter(({ to }) => to !== 'refused').length;
  const why = `${counting}-of-${needed}`;
  if (counting >= needed) return { to: 'reached', why };
  return { to: atMost < needed ? 'not-reached' : 'unknown', why };
}

function quorumDecision(
  replay: Replay,
  config: LaneScopedConfig,
  from: string,
  { seq, at }: At,
): ReplayedDecision {
  return { decision: 'quorum', subject: replay.state.run, seq, at, from, ...quorumAnswer(replay, config) };
}

function launchDecision(
  replay: Replay,
  config: LaneScopedConfig,
  from: string,
  { seq, at }: At,
): ReplayedDecision {
  const answer = launchOf(replay, config);
  return { decision: 'launch', subject: replay.state.run, seq, at, from, to: answer.to, why: answer.why };
}

function launchOf(replay: Replay, config: LaneScopedConfig): { readonly to: string; readonly why: string } {
  const failing = replay.gates.find(({ to }) => to.outcome === 'fail');
  if (failing !== undefined) return { to: 'not-launched', why: failing.gate };
  const quorum = quorumAnswer(replay, config).to;
  if (quorum === 'not-reached') return { to: 'not-launched', why: 'quorum' };
  const notRecorded = replay.gates.find(({ to }) => to.outcome === 'unknown');
  if (notRecorded !== undefined) return { to: 'unknown', why: notRecorded.gate };
  return quorum === 'unknown' ? { to: 'unknown', why: 'quorum' } : { to: 'launched', why: 'all-pass' };
}

/** A run that was approved by somebody and never ordered may have waited for more people, or for a gate. */
function launchAtTheEnd(replay: Replay, config: LaneScopedConfig): readonly ReplayedDecision[] {
  const { state, people } = replay;
  const { seq, at } = state.head;
  // Without a single approval nobody wanted it: whatever the gates said, it would have waited.
  if (state.order !== null || state.stop !== null || people.size === 0) return [];
  return [
    quorumDecision(replay, config, recordedQuorum(state), { seq, at }),
    launchDecision(replay, config, 'not-launched', { seq, at }),
  ];
}

/** By the manifest, which carries the quorum of its time as text. */
function recordedQuorum(state: RunState): string {
  const manifest = state.gate?.manifest ?? null;
  const quorum = Number(manifest?.policy['approvals.quorum']);
  if (manifest === null || !Number.isInteger(quorum)) return 'not-reached';
  const quorumByCost = [
    ...(manifest.policy['approvals.quorumByCost'] ?? '').matchAll(/(?<![\d.])(\d+(?:\.\d+)?) (\d+)/g),
  ].map((row) => ({ fromAcceleratorHours: row[1] ?? '', people: Number(row[2]) }));
  const people = new Set(standingApprovals(state).map(({ actor }) => actor.id)).size;
  const needed = peopleNeeded({ quorum, quorumByCost }, manifest.cost.acceleratorHours);
  return people >= needed ? 'reached' : 'not-reached';
}

function verdictDecisions(
  { state }: Replay,
  event: Extract<LogbookEvent, { readonly type: 'sealed' | 'closed' }>,
  config: LaneScopedConfig,
  history: readonly SealedMetrics[],
): readonly ReplayedDecision[] {
  if (state.end === null || state.end.status === 'STOPPED') return [];
  const from = event.type === 'sealed' && event.data.verdict === 'pass' ? 'pass' : 'no-pass';
  const { result } = config.kind.judge(state.end, config.lane, history);
  // Unknown is no pass; where it was one, the record has no value for what is asked now.
  const to = result === 'pass' ? 'pass' : result === 'unknown' && from === 'pass' ? 'unknown' : 'no-pass';
  const { seq, at } = event;
  return [{ decision: 'verdict', subject: state.run, seq, at, from, to, why: result }];
}

function without(people: ReadonlyMap<number, Counts>, users: readonly number[]): ReadonlyMap<number, Counts> {
  return new Map([...people].filter(([id]) => !users.includes(id)));
}
