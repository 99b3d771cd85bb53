/** Replays a trace through the watch, at the same cadence, with its own clock. */

import { DETECTORS } from '../../detectors/registry.ts';
import { CANNOT_DESCRIBE, type Engine, type FoundJob, type LogRead } from '../../domain/engine.ts';
import { FIRST_RESPONSE, LOSS_NOT_FINITE } from '../../domain/failure-class.ts';
import { type Incident, readIncident } from '../../domain/incidents.ts';
import { decideResponse } from '../../domain/launch/response.ts';
import { limits } from '../../domain/limits.ts';
import type { EventDraft, LogbookEvent } from '../../domain/logbook/define.ts';
import { foldEvent } from '../../domain/logbook/fold.ts';
import { currentJobState, type JobState } from '../../domain/logbook/job-state.ts';
import type { RunState } from '../../domain/logbook/run-state.ts';
import type { TrackerAnswer } from '../../domain/tracker.ts';
import { brandAs, type Instant, isInstant, known, toRfc3339, unknown } from '../../domain/values.ts';
import { completeUtf8Length } from '../../host/files.ts';
import { redact } from '../../host/redactor.ts';
import { describeAlarm } from '../../render/failure-words.ts';
import { describeIncident } from '../../render/incident-words.ts';
import { type Cadence, nextCheckAt, takeLease } from '../../watch/cadence.ts';
import { buildEvidence } from '../../watch/course.ts';
import { buildEvents } from '../../watch/observation.ts';
import { NO_WITNESSES, type Witnesses } from '../../watch/poll.ts';
import { isStoreReadDue } from '../../watch/tracker-and-stores.ts';
import { observeJob, type PollInput, type StoreReader, type TrackerReader } from '../watch/poll-job.ts';
import { createReplayRun, startNextAttempt, type Trace, type TraceHeader, type TraceRecord } from './trace.ts';

type Kinds = TraceRecord extends infer One ? (One extends unknown ? Exclude<keyof One, 'at'> : never) : never;
type RecordOfKind<Kind extends Kinds> = Extract<TraceRecord, { readonly [Key in Kind]: unknown }>;

/** The newest record of this kind; undefined if the trace has none so far. */
function newestRecord<Kind extends Kinds>(
  records: readonly TraceRecord[],
  kind: Kind,
  now: Instant,
): RecordOfKind<Kind> | undefined {
  return records.findLast((one): one is RecordOfKind<Kind> => kind in one && one.at <= now);
}

/** The tracker as recorded; null if the trace has no tracker record so far. */
function replayTracker(records: readonly TraceRecord[], now: Instant): TrackerReader | null {
  const said = newestRecord(records, 'tracker', now);
  if (said === undefined) return null;
  return {
    identityOf: (logged) => logged.at(-1) ?? (typeof said.tracker === 'string' ? '' : said.tracker.run),
    port: { describe: async () => toTrackerAnswer(said), logTail: async () => ({ kind: 'none' }) },
  };
}

function toTrackerAnswer({ at, tracker }: RecordOfKind<'tracker'>): TrackerAnswer {
  if (typeof tracker === 'string') return { kind: tracker, message: 'the tracker gave no answer' };
  const { run, name = run, state, globalStep, loss, heartbeatAt, rowAt = at } = tracker;
  const metrics = { ...(loss === null ? {} : { 'train/loss': loss }), ...tracker.metrics };
  return { kind: 'found', run: { identity: run, name, url: '', state, heartbeatAt, rowAt, step: globalStep, metrics } };
}

type Alarm = { readonly at: string; readonly detector: string; readonly why: string };
type Action = { readonly at: string; readonly action: string; readonly why: string };

function listAlarms(drafts: readonly EventDraft[], at: Instant): readonly Alarm[] {
  return listIncidents(drafts, at).map((incident) => ({ at: toRfc3339(at), ...incidentAsAlarm(incident) }));
}

function listIncidents(drafts: readonly EventDraft[], at: Instant): readonly Incident[] {
  const written = { role: 'watch', at: toRfc3339(at), seq: 0 } as const;
  return drafts.flatMap((draft) => (draft.type === 'incident' ? [readIncident(draft.data, written)] : []));
}

function incidentAsAlarm(incident: Incident): Pick<Alarm, 'detector' | 'why'> {
  if (incident.code === 'run-alarm') {
    const { detector } = incident.detail;
    return { detector, why: describeAlarm(detector, incident.detail) };
  }
  if (incident.code === 'failure-signature') {
    const { signature, line, class: kind } = incident.detail;
    if (signature === LOSS_NOT_FINITE)
      return { detector: 'nan', why: `${describeAlarm('nan', { seen: 'nan' })}: ${line}` };
    return { detector: 'failure-signature', why: `${signature} (${kind}): ${line}` };
  }
  const { title, evidence } = describeIncident(incident, 'issue');
  return { detector: incident.code ?? 'unknown', why: `${title}: ${evidence}` };
}

/** Alarms notify people; an end triggers the configured response. `after`: the run with the new entries. */
function listActions(after: RunState, drafts: readonly EventDraft[], now: Instant): readonly Action[] {
  const at = toRfc3339(now);
  const alerts = listAlarms(drafts, now).map(({ detector }) => ({ at, action: 'alert', why: detector }));
  const ends = drafts.flatMap((draft) => (draft.type === 'ended' ? [{ at, ...responseToEnd(after, draft.data) }] : []));
  return [...alerts, ...ends];
}

function responseToEnd(
  after: RunState,
  { status, diagnosis }: Extract<EventDraft, { readonly type: 'ended' }>['data'],
): Pick<Action, 'action' | 'why'> {
  if (status === 'SUCCEEDED') return { action: 'report', why: 'the engine says SUCCEEDED' };
  if (after.stop !== null) return { action: 'none', why: 'a known person stopped it' };
  const failure = status === 'STOPPED' ? 'stopped, by nobody who is known' : (diagnosis?.class ?? 'unknown');
  const response = decideResponse(after);
  if (response?.kind === 'relaunch') return { action: 'relaunch', why: failure };
  const first = FIRST_RESPONSE[diagnosis?.class ?? 'unknown'];
  if (first === 'small-fix-once' || first === 'propose-node') return { action: first, why: failure };
  const reason = response?.kind === 'ask' ? `${failure}; ${response.why.reason}` : failure;
  return { action: 'escalate', why: reason };
}

export type Replayed = {
  readonly alarms: readonly Alarm[];
  readonly actions: readonly Action[];
  readonly finalState: JobState;
  /** Detectors that lacked evidence at the last observation, and what they lacked. */
  readonly undecided: readonly { readonly detector: string; readonly missing: string }[];
  readonly observations: number;
};

/** Replays all attempts. If the trace ends before the job, adds one observation after its last record. */
export async function replay({ header, records }: Trace): Promise<Replayed> {
  const clock = { now: header.submittedAt };
  let state = createReplayRun(header);
  const [alarms, actions]: [Alarm[], Action[]] = [[], []];
  let [looks, cannotTell]: [number, Replayed['undecided']] = [0, []];
  for (const attempt of splitAttempts(records)) {
    const [first] = attempt;
    if (first !== undefined && 'attempt' in first) state = startNextAttempt(state, first.at, first.attempt);
    const engine = replayEngine(attempt, () => clock.now);
    const facts = attempt.filter((one) => !('log' in one));
    const lastAt = attempt.at(-1)?.at ?? header.submittedAt;
    for (let isLast = false; !isLast && state.end === null; ) {
      clock.now = nextObservationAt(state, header, facts, clock.now);
      isLast = clock.now > lastAt;
      const witnesses = readWitnessesAt(header, facts, clock.now);
      const tracker = replayTracker(facts, clock.now);
      const store = replayStore(facts, state, clock.now);
      const looked = await observeOnce(state, header, clock.now, { engine, witnesses, tracker, store });
      looks += 1;
      cannotTell = looked.cannotTell;
      if (facts.some((one) => 'stop' in one && one.at <= clock.now)) state = withStop(state, clock.now);
      for (const draft of looked.drafts) state = applyDraft(state, draft, clock.now);
      alarms.push(...listAlarms(looked.drafts, clock.now));
      actions.push(...listActions(state, looked.drafts, clock.now));
    }
  }
  return { alarms, actions, finalState: currentJobState(state), undecided: cannotTell, observations: looks };
}

function splitAttempts(records: readonly TraceRecord[]): readonly (readonly TraceRecord[])[] {
  const attempts: TraceRecord[][] = [[]];
  for (const one of records) {
    if ('attempt' in one) attempts.push([]);
    attempts.at(-1)?.push(one);
  }
  return attempts;
}

/** The time of the next observation. A requested stop is checked immediately. */
function nextObservationAt(
  state: RunState,
  header: TraceHeader,
  records: readonly TraceRecord[],
  now: Instant,
): Instant {
  const due = nextCheckAt({ ...state, stop: null }, readCadence(header), now);
  const stop = records.find((one) => 'stop' in one && one.at > now && one.at < due);
  return stop === undefined ? brandAs(Math.max(due, now), isInstant) : stop.at;
}

function readCadence({ startupSeconds, pollSeconds, alertSeconds }: TraceHeader): Cadence {
  return {
    startupMs: startupSeconds * 1_000,
    settleMs: null,
    settleObservations: 0,
    pollMs: pollSeconds * 1_000,
    alertMs: alertSeconds * 1_000,
  };
}

async function observeOnce(
  state: RunState,
  header: TraceHeader,
  now: Instant,
  { engine, witnesses, tracker, store }: Pick<PollInput, 'engine' | 'witnesses' | 'tracker' | 'store'>,
): Promise<{ readonly drafts: readonly EventDraft[]; readonly cannotTell: Replayed['undecided'] }> {
  const cadence = readCadence(header);
  const lease = takeLease(state, 'replay', now, cadence.pollMs);
  const { submission } = state;
  if (lease === null || submission === null) throw new Error('a replay has one watch and one job');
  const look = await observeJob({
    lab: { now: () => now },
    engine,
    listedJob: null,
    state,
    submission,
    lease,
    cadence,
    readMetrics: async () => ({}),
    redact: (text) => redact(text, []),
    ...(witnesses === undefined ? {} : { witnesses }),
    tracker: tracker ?? null,
    store: store ?? null,
  });
  const evidence = buildEvidence(state, look);
  const cannotTell = DETECTORS.flatMap(({ id, judge }) => {
    const found = judge(evidence);
    return found.kind === 'cannot-tell' ? [{ detector: id, missing: found.missing }] : [];
  });
  return { drafts: buildEvents(state, look), cannotTell };
}

function readWitnessesAt(header: TraceHeader, records: readonly TraceRecord[], now: Instant): Witnesses {
  const config = Object.entries(newestRecord(records, 'config', now)?.config ?? {});
  return {
    ...NO_WITNESSES,
    disk: newestRecord(records, 'disk', now)?.disk ?? null,
    lane: header.lane?.map((run) => run.map(([step, loss]) => ({ step, loss }))) ?? null,
    config: config.flatMap(([name, observed]) => {
      const launched = header.config[name];
      return launched === undefined ? [] : [{ name, launched, observed }];
    }),
    trackerIntended: header.trackerRun,
    artefacts: newestRecord(records, 'left', now)?.left ?? NO_WITNESSES.artefacts,
  };
}

function applyDraft(state: RunState, { type, role, data }: EventDraft, at: Instant): RunState {
  const head = { v: 1, run: state.run, seq: state.head.seq + 1, at: toRfc3339(at) };
  const chain = { prev: '', keyId: '', hash: '', sig: '' };
  const next = foldEvent(state, { ...head, type, role, data, ...chain } as unknown as LogbookEvent);
  if (!next.ok) throw new Error(`a replay broke the rule: ${next.error.rule}`);
  return next.value;
}

/** An engine that answers from the records of one attempt. `now`: the replay's current time. */
function replayEngine(records: readonly TraceRecord[], now: () => Instant): Engine {
  const lines = records.flatMap((one) => ('log' in one ? [one] : []));
  const answers = records.filter((one) => 'engine' in one);
  const log = Buffer.from(lines.map(({ log: line }) => `${line}\n`).join(''), 'utf8');
  const ends: number[] = [];
  for (const { log: line } of lines) ends.push((ends.at(-1) ?? 0) + Buffer.byteLength(line, 'utf8') + 1);
  let shown = 0;
  return {
    name: 'trace',
    session: async () => ({ kind: 'unknown', message: 'a trace has no session' }),
    describe: async () => CANNOT_DESCRIBE,
    submit: async () => ({ kind: 'unknown', message: 'a replay submits nothing' }),
    stop: async () => ({ kind: 'unknown', message: 'a replay stops nothing' }),
    observe: async () => recordedObservation(answers, now()),
    readLog: async (_job, offset): Promise<LogRead> => {
      if (newestRecord(answers, 'engine', now())?.engine === 'unreachable')
        return { kind: 'unknown', message: UNREACHABLE };
      while (shown < lines.length && (lines[shown]?.at ?? 0) <= now()) shown += 1;
      const size = ends[shown - 1] ?? 0;
      const piece = log.subarray(offset, Math.min(size, offset + limits.logChunkBytesMax));
      const bytes = Uint8Array.from(piece.subarray(0, completeUtf8Length(piece)));
      const nextOffset = offset + bytes.length;
      return { kind: 'chunk', bytes, offset, nextOffset, atEnd: nextOffset >= size };
    },
  };
}

const UNREACHABLE = 'the engine cannot be reached';

function recordedObservation(records: readonly TraceRecord[], now: Instant): Awaited<ReturnType<Engine['observe']>> {
  const said = newestRecord(records, 'engine', now)?.engine;
  if (said === undefined) return foundJob('PENDING', null);
  if (said === 'unreachable') return { kind: 'unknown', message: UNREACHABLE };
  if (said === 'absent') return { kind: 'absent', session: null };
  if (said === 'state-lost') return { kind: 'state-lost', session: 'another', message: 'the engine began anew' };
  const since = records.find((one) => 'engine' in one && one.engine === said)?.at ?? null;
  return { ...foundJob(said.status, since), ...said };
}

function foundJob(status: FoundJob['status'], since: Instant | null): FoundJob {
  const isOver = status !== 'PENDING' && status !== 'RUNNING';
  return {
    kind: 'found',
    status,
    message: '',
    errorType: null,
    exitCode: null,
    startedAtMs: null,
    endedAtMs: isOver ? since : null,
    metadata: null,
    session: null,
    details: {},
  };
}

/** The recorded checkpoint store; null if the trace has none yet or it is too early to ask. */
function replayStore(records: readonly TraceRecord[], state: RunState, now: Instant): StoreReader | null {
  const said = newestRecord(records, 'store', now);
  if (said === undefined || !isStoreReadDue(state, now)) return null;
  const { at, store } = said;
  if (store === 'unreadable') return async () => unknown('the store cannot be read');
  const { newest: stored, partial } = store;
  const whole = stored === null ? null : { step: stored.step, writtenAt: stored.writtenAt ?? at };
  return async () => known({ newest: whole, partial });
}

/** The run with a recorded stop by a person. */
function withStop(state: RunState, at: Instant): RunState {
  const stop = { actor: { id: 0, login: 'somebody' }, at: toRfc3339(at), comment: 0, seq: state.head.seq };
  return state.stop === null ? { ...state, stop } : state;
}
