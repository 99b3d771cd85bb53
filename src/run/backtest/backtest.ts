/** Replays runs under a changed config. */

import { readFacts } from '../../domain/incidents.ts';
import type { ChangeFacts, GatedFacts } from '../../domain/launch/change-facts.ts';
import type { Manifest } from '../../domain/launch/manifest.ts';
import type { GateId, Verdict } from '../../domain/launch/verdict.ts';
import type { LogbookEvent } from '../../domain/logbook/define.ts';
import { foldEvent, foldEvents } from '../../domain/logbook/fold.ts';
import {
  type Gate,
  type IssuedOrder,
  listCurrentApprovals,
  type RunState,
  runsInLane,
} from '../../domain/logbook/run-state.ts';
import {
  type Backtest,
  isChanged,
  isUnclear,
  type Launch,
  listLaunches,
  type ReplayedDecision,
  type ReplayedRun,
} from '../../domain/past-runs.ts';
import { fromRfc3339, type Instant, known, type Observed, unknown } from '../../domain/values.ts';
import type { GateFacts } from '../../gates/gate.ts';
import { orderChangeGates } from '../../gates/run-gates.ts';
import { recordedApprovalVerdicts } from '../approvals.ts';
import { configForRun, configOfLane, judgeSealedRun, type LabConfig, type LaneScopedConfig } from '../lane.ts';
import { approverPolicy, buildManifestFrom } from '../manifest-of.ts';

/** Larger changes are not recorded in full. */
const RECORDED_CHARS_MAX = 20_000;

/** The facts that `gated` records; empty if a fact is unknown or the facts are too large. */
export function factsToRecord({ pull, change, body, checks }: Pick<GateFacts, 'pull' | 'change' | 'body' | 'checks'>): {
  readonly facts?: GatedFacts;
} {
  if (pull.kind === 'unknown' || change.kind === 'unknown') return {};
  if (body.kind === 'unknown' || checks.kind === 'unknown') return {};
  const { number, state, merged, isDraft, baseBranch, headRepository } = pull.value;
  const { sinceAttempt: _, size, ...read } = change.value;
  const facts = {
    pull: { number, state, merged, isDraft, baseBranch, headRepository },
    change: {
      ...read,
      size: size?.kind === 'known' ? { ...size, parameters: String(size.parameters), flops: String(size.flops) } : size,
    },
    body: body.value,
    checks: checks.value,
  };
  return JSON.stringify(facts).length > RECORDED_CHARS_MAX ? {} : { facts };
}

/** `state`: the run just after the evaluation; `others`: earlier launches of the lane's other runs. */
type RecordedGate = {
  readonly state: RunState;
  readonly gate: Gate;
  readonly at: Instant;
  readonly config: LaneScopedConfig;
  readonly others: readonly Launch[];
};

/** The recorded facts under this config's settings; everything else is unknown. */
function toGateFacts({ state, gate, at, config, others }: RecordedGate, then: Manifest): GateFacts {
  const { proposal, run } = state;
  const { repository } = then;
  const { facts } = gate;
  const change = facts === undefined ? NOT_RECORDED : toChangeFacts(facts, then, config);
  return {
    repository,
    now: at,
    proposal,
    fixOf: gate.fix?.attempt ?? null,
    lane: config.lane,
    kindGates: config.kind.gates,
    onePersonIsEnough: config.approvals.onePersonIsEnough,
    pull: facts === undefined ? NOT_RECORDED : known(facts.pull),
    change,
    body: facts === undefined ? NOT_RECORDED : known(facts.body),
    checks: facts === undefined ? NOT_RECORDED : known(facts.checks),
    launches: known([...others, ...listLaunches(state)]),
    manifest:
      facts === undefined || change.kind === 'unknown'
        ? NOT_RECORDED
        : buildManifestFrom({
            ...{ run, repository, proposal, config, body: facts.body, change: change.value },
            ...startFromManifest(then),
          }),
    bound: NOT_RECORDED,
    approvals: NOT_RECORDED,
    approved: null,
    issue: NOT_RECORDED,
    authors: NOT_RECORDED,
    configHealth: NOT_RECORDED,
    issueChangedAt: NOT_RECORDED,
    liveRuns: NOT_RECORDED,
    rootHolder: NOT_RECORDED,
    trackerHolder: NOT_RECORDED,
    holds: NOT_RECORDED,
    sealedPasses: NOT_RECORDED,
  };
}

const NOT_RECORDED = unknown('not recorded');
/** Settings that decide which parts of a change are read. */
const READERS_OF_FACTS = ['lane.experiment', 'lane.scale', 'lane.targetBranch'] as const;

/** Unknown if this config reads another branch or other files. */
function toChangeFacts(
  { change }: GatedFacts,
  { policy, trees }: Manifest,
  { kind, lane }: LaneScopedConfig,
): Observed<ChangeFacts> {
  const now: Manifest['policy'] = { ...kind.policy(lane), 'lane.targetBranch': lane.targetBranch };
  const isSame =
    READERS_OF_FACTS.every((key) => policy[key] === now[key]) &&
    Object.keys(trees).length === lane.ships.length &&
    lane.ships.every((path) => Object.hasOwn(trees, path));
  if (!isSame) return NOT_RECORDED;
  const { size } = change;
  return known({
    ...change,
    size: size?.kind === 'known' ? { ...size, parameters: Number(size.parameters), flops: Number(size.flops) } : size,
    // No gate with `readsSettings` uses it.
    sinceAttempt: null,
  });
}

function startFromManifest({
  resume,
}: Manifest): Pick<Parameters<typeof buildManifestFrom>[0], 'start' | 'rolledBackAttempt'> {
  const { initializeFrom: path, initializeStep: step = 0, rolledBackAttempt = null } = resume;
  return { start: path === null ? null : { path, step }, rolledBackAttempt };
}

/** `runs`: all recorded runs, newest first. Null for events that do not form a run. */
function replayRun(events: readonly LogbookEvent[], lab: LabConfig, runs: readonly RunState[]): ReplayedRun | null {
  let state: RunState | null = null;
  let gates: readonly ReplayedGate[] = [];
  const decisions: ReplayedDecision[] = [];
  for (const event of events) {
    const folded = foldEvent(state, event);
    if (!folded.ok) return null;
    const before: RunState = state ?? folded.value;
    state = folded.value;
    const config = configForRun(lab, state);
    if (event.type === 'gated' && state.gate !== null) {
      const at = fromRfc3339(event.at);
      if (at === null) return null;
      const others = listLaunchesBefore(event.at, state, runs);
      gates = replayGates({ state, gate: state.gate, at, config, others });
      for (const { gate, from, to } of gates)
        decisions.push(buildDecision('gate', gate, event, { from, to: to.outcome, why: to.why }));
    }
    if (event.type === 'ordered') {
      const quorum = replayQuorum(before, config);
      decisions.push(
        buildDecision('quorum', state.run, event, { from: 'reached', ...quorum }),
        buildDecision('launch', state.run, event, { from: 'launched', ...replayLaunch(gates, quorum.to) }),
      );
    }
    if (event.type === 'sealed' || event.type === 'closed')
      decisions.push(...replayVerdicts(state, event, config, runs));
  }
  return state === null ? null : { run: state.run, date: state.proposal.date, decisions };
}

/** Earlier launches of the lane's other runs. */
function listLaunchesBefore(at: string, { run, proposal }: RunState, runs: readonly RunState[]): readonly Launch[] {
  const isBefore = ({ claim }: IssuedOrder): boolean => claim !== null && claim.at < at;
  return runsInLane(runs, proposal.lane).flatMap((other) => {
    if (other.run === run) return [];
    const order = other.order !== null && isBefore(other.order) ? other.order : null;
    return listLaunches({ ...other, order, attempts: other.attempts.filter((past) => isBefore(past.order)) });
  });
}

type At = Pick<LogbookEvent, 'seq' | 'at'>;

function buildDecision(
  decision: ReplayedDecision['decision'],
  subject: string,
  { seq, at }: At,
  { from, to, why }: Pick<ReplayedDecision, 'from' | 'to' | 'why'>,
): ReplayedDecision {
  return { decision, subject, seq, at, from, to, why };
}

type Answer<To extends string> = { readonly to: To | 'unknown'; readonly why: string };

/** The record lacks past permissions: approvals are known only if this config lets the same people approve. */
function replayQuorum(state: RunState, config: LaneScopedConfig): Answer<'reached' | 'not-reached'> {
  const then = state.gate?.manifest?.policy ?? {};
  const isSame = Object.entries(approverPolicy(config)).every(([key, value]) => then[key] === value);
  const verdict = recordedApprovalVerdicts(isSame ? state : { ...state, approvals: [] }, config)[0];
  const found = readFacts({ count: 'integer', needed: 'integer' }, verdict?.found ?? {});
  if (verdict === undefined || found === null) return { to: 'unknown', why: verdict?.code ?? '' };
  const why = `${found.count}-of-${found.needed}`;
  if (verdict.outcome === 'pass') return { to: 'reached', why };
  const open = isSame ? 0 : listCurrentApprovals(state).length;
  return { to: found.count + open < found.needed ? 'not-reached' : 'unknown', why };
}

function replayLaunch(
  gates: readonly ReplayedGate[],
  quorum: ReturnType<typeof replayQuorum>['to'],
): Answer<'launched' | 'not-launched'> {
  const failing = gates.find(({ to }) => to.outcome === 'fail');
  if (failing !== undefined) return { to: 'not-launched', why: failing.gate };
  if (quorum === 'not-reached') return { to: 'not-launched', why: 'quorum' };
  const unclear = gates.find(({ to }) => to.outcome === 'unknown');
  if (unclear !== undefined) return { to: 'unknown', why: unclear.gate };
  return quorum === 'unknown' ? { to: 'unknown', why: 'quorum' } : { to: 'launched', why: 'all-pass' };
}

function replayVerdicts(
  state: RunState,
  event: Extract<LogbookEvent, { readonly type: 'sealed' | 'closed' }>,
  config: LaneScopedConfig,
  runs: readonly RunState[],
): readonly ReplayedDecision[] {
  const why = state.end?.status === 'STOPPED' ? undefined : judgeSealedRun(state, config, runs)?.result;
  if (why === undefined) return [];
  const from = event.type === 'sealed' && event.data.verdict === 'pass' ? 'pass' : 'no-pass';
  // A recorded pass with an unknown replay lacks a value that the new config needs.
  const to = why === 'pass' ? 'pass' : why === 'unknown' && from === 'pass' ? 'unknown' : 'no-pass';
  return [buildDecision('verdict', state.run, event, { from, to, why })];
}

/** `why`: the gate's reason code. */
type ReplayedGate = {
  readonly gate: GateId;
  readonly from: Verdict['outcome'];
  readonly to: { readonly outcome: Verdict['outcome']; readonly why: string };
};

/** Evaluates recorded gates again. An unknown verdict stays unknown. An evaluation without a manifest launched nothing. */
function replayGates(look: RecordedGate): readonly ReplayedGate[] {
  const { verdicts, manifest: then } = look.gate;
  const facts = then === null ? null : toGateFacts(look, then);
  const gates = facts === null ? [] : orderChangeGates(facts.kindGates);
  return verdicts.map(({ gate, outcome, code }) => {
    const asked = gates.find(({ id, readsSettings }) => id === gate && readsSettings === true);
    const now =
      facts === null || asked === undefined || outcome === 'unknown' ? { outcome, code } : asked.evaluate(facts);
    return { gate, from: outcome, to: { outcome: now.outcome, why: now.code } };
  });
}

/**
 * Replays recorded runs under a changed config. `runs`: the verified events of each run, in any order. Skips runs of lanes that the config
 * no longer has.
 */
export function runBacktest(runs: readonly (readonly LogbookEvent[])[], config: LabConfig): Backtest {
  const inOrder = runs
    .filter((events) => events[0]?.type === 'proposed')
    .toSorted((a, b) => (a[0]?.at ?? '').localeCompare(b[0]?.at ?? ''));
  const states = inOrder.flatMap((events) => {
    const folded = foldEvents(events);
    return folded.ok && folded.value !== null ? [folded.value] : [];
  });
  const newestFirst = states.toReversed();
  const replayed = inOrder.flatMap((events) => {
    const [first] = events;
    if (first?.type !== 'proposed' || configOfLane(config, first.data.lane) === null) return [];
    return replayRun(events, config, newestFirst) ?? [];
  });
  const all = replayed.flatMap(({ decisions }) => decisions);
  return {
    runs: replayed,
    decisions: all.length,
    changed: all.filter(isChanged).length,
    unknown: all.filter(isUnclear).length,
  };
}
