// One night of one run as plain data: the record with its compare-and-set, jobs, comments, and every call
// with an effect.

import { spendCapability } from '../../src/domain/actions/capability.ts';
import {
  type Engine,
  type FoundJob,
  isTerminal,
  type JobSpec,
  type JobStatus,
  stopStep,
  submitStep,
} from '../../src/domain/engine.ts';
import type { CommentFacts } from '../../src/domain/facts.ts';
import type { Confidence, FailureClass } from '../../src/domain/failure-class.ts';
import type { Manifest } from '../../src/domain/launch/manifest.ts';
import { citationKey } from '../../src/domain/launch/order.ts';
import type { EventDraft, LogbookEvent } from '../../src/domain/logbook/define.ts';
import { foldEvent } from '../../src/domain/logbook/fold.ts';
import type { RunState } from '../../src/domain/logbook/run-state.ts';
import { brandAs, type Instant, isInstant, isRunId, toRfc3339 } from '../../src/domain/values.ts';
import { canonicalDigest } from '../../src/logbook/chain.ts';
import { aRun } from '../support/run-builder.ts';
import { bob, digestOf, shownDraft, toSha } from '../support/run-drafts.ts';
import { aComment } from '../support/run-facts.ts';
import { aManifest } from '../support/run-parts.ts';

export const RUN = brandAs('ferry-daily-20261121', isRunId);
export const MINUTE_MS = 60_000;

/** How a job ended, according to its log. */
export type Fate = {
  readonly status: 'FAILED' | 'STOPPED' | 'SUCCEEDED';
  readonly class: FailureClass;
  readonly where: string;
  readonly confidence: Confidence;
};

/**
 * A job on the cluster. `isLost`: its loss is not a number; `isOther`: its steps differ from the ones it
 * resumed from.
 */
export type NightJob = {
  readonly spec: JobSpec;
  readonly attempt: number;
  step: number;
  isLost: boolean;
  isOther: boolean;
  fate: Fate | null;
};

/** A call with an outside effect, with the record as pushed at that moment. */
export type Call = {
  readonly does: 'submit' | 'stop' | 'delete';
  /** The job's id, or the digest of the proposal. */
  readonly target: string;
  readonly command: readonly string[];
  readonly at: number;
  readonly recorded: readonly LogbookEvent[];
  /** Whether the consent comment was unchanged at that moment, and whether the config gave consent. */
  readonly consent: { readonly isStanding: boolean; readonly isConfigured: boolean };
};

/** The record at one head of the branch. */
export type Version = { readonly state: RunState; readonly events: readonly LogbookEvent[] };

/** A watch: it knows the version of the record that it read last; a new process has a new name. */
export type Watcher = { holder: string; view: Version };

export type Night = {
  now: Instant;
  record: Version;
  /** Which watch pushed an entry, by its number. */
  readonly writers: Map<number, string>;
  readonly watchers: readonly [Watcher, Watcher];
  /** The version that control read last. */
  control: Version;
  /** The previous run of the lane; null if there is none. */
  readonly earlier: RunState | null;
  readonly jobs: Map<string, NightJob>;
  readonly calls: Call[];
  readonly said: Map<string, CommentFacts>;
  isMaintainer: boolean;
  isPreApproved: boolean;
};

/** The limits of the approved manifest, and the end of the lane's previous run. */
export type Terms = {
  readonly restarts: number;
  readonly restartAfter: readonly string[];
  readonly reductions: readonly string[];
  readonly earlier: Fate | null;
};

/** Gated, shown and approved this morning; nothing is ordered yet. */
export function createNight({ restarts, restartAfter, reductions, earlier }: Terms): Night {
  const { events, state } = aRun();
  const record = { state, events };
  const night: Night = {
    now: brandAs(Date.parse(state.head.at) + MINUTE_MS, isInstant),
    record,
    writers: new Map(),
    watchers: [
      { holder: 'watch-1', view: record },
      { holder: 'watch-2', view: record },
    ],
    control: record,
    earlier: earlier === null ? null : endedRun(earlier),
    jobs: new Map(),
    calls: [],
    said: new Map(),
    isMaintainer: true,
    isPreApproved: false,
  };
  recordGates(night, { restarts, fixes: [], reductions, restartAfter });
  return night;
}

/** Records a passed gate, its card and bob's approval. `fix` changes the command, on a new commit. */
export function recordGates(night: Night, envelope: Manifest['envelope'], fix: Partial<Manifest> = {}): void {
  const command = ['python3', 'experiments/ferries/daily.py', '--batch-size', '32'];
  const manifest = aManifest({ command, envelope, ...fix });
  const digest = canonicalDigest(manifest, digestOf);
  const { gate: before } = aRun().gated().state;
  if (before === null) throw new Error('the sample run has a gate');
  const { verdicts, body } = before;
  const commit = Object.keys(fix).length === 0 ? before.commit : toSha(digest);
  const gated = { digest, manifest, commit, body, verdicts };
  if (push(night, night.record, [{ type: 'gated', role: 'control', data: gated }]) === null) return;
  passMinutes(night, 1);
  if (night.record.state.shown === null) push(night, night.record, [shownDraft(night.record.state)]);
}

/** A run of the day before with this end. */
function endedRun(fate: Fate): RunState {
  const { status, class: kind, where, confidence } = fate;
  const run = aRun({ date: '2026-11-20' }).gated();
  const { manifest } = run.state.gate ?? {};
  if (manifest == null) throw new Error('no manifest');
  const envelope = { ...manifest.envelope, restartAfter: [] };
  const changed = { ...manifest, envelope };
  return aRun({ date: '2026-11-20' })
    .gated({ manifest: changed, digest: canonicalDigest(changed, digestOf) })
    .approved(bob)
    .ordered()
    .submitted()
    .ended({ status, diagnosis: diagnosisOf(kind, where, confidence) }).state;
}

export function diagnosisOf(kind: FailureClass, where: string, confidence: Confidence) {
  const response = 'escalate' as const;
  return { class: kind, confidence, response, place: null, error: null, evidence: [`it said ${where}`] };
}

export function passMinutes(night: Night, minutes: number): void {
  night.now = brandAs(night.now + minutes * MINUTE_MS, isInstant);
}

/**
 * Appends if `seen` is the newest version: the numbers, or null after another push or if the record's rules
 * reject it.
 */
export function push(night: Night, seen: Version, drafts: readonly EventDraft[]): readonly number[] | null {
  if (seen !== night.record) return null;
  let { state } = seen;
  const events: LogbookEvent[] = [];
  for (const draft of drafts) {
    const seq = state.head.seq + 1;
    const frame = { v: 1, run: RUN, seq, at: toRfc3339(night.now), prev: '', keyId: '', hash: `h${seq}`, sig: '' };
    // A draft with its frame is an event of the same type; the compiler cannot see that through the union.
    const event = { ...frame, ...draft } as LogbookEvent;
    const next = foldEvent(state, event);
    if (!next.ok) return null;
    state = next.value;
    events.push(event);
  }
  night.record = { state, events: [...seen.events, ...events] };
  return events.map(({ seq }) => seq);
}

/** Adds a person's comment, which GitHub keeps unchanged. */
export function write(night: Night, id: number, body: string, change: Partial<CommentFacts> = {}): void {
  const comment = aComment(bob, body, { id, createdAt: night.now, ...change });
  night.said.set(citationKey({ surface: 'comment', comment: id }), comment);
}

/** The cluster: jobs by id, an optional lost response, and a note of each call. */
export function createEngine(night: Night, isAnswerLost: boolean): Engine {
  const lost = { kind: 'unknown', message: 'the answer was lost' } as const;
  return {
    name: 'local',
    session: async () => ({ kind: 'session', id: 'boot-1', version: '1' }),
    submit: async (spec, permit) => {
      spendCapability(permit, submitStep(spec));
      const { submissionId, metadata } = spec;
      recordCall(night, 'submit', submissionId, Object.entries(spec.env).flat().concat(spec.command));
      if (!night.jobs.has(submissionId)) {
        const { attempt } = metadata;
        night.jobs.set(submissionId, { spec, attempt, step: 0, isLost: false, isOther: false, fate: null });
      }
      if (isAnswerLost) return lost;
      const locator = { kind: 'dashboard', url: '' } as const;
      const job = { engine: 'local', jobId: submissionId, metadata, session: 'boot-1', locator };
      return { kind: 'submitted', job };
    },
    observe: async (jobId) => {
      const job = night.jobs.get(jobId);
      return job === undefined ? { kind: 'absent', session: 'boot-1' } : toFoundJob(job);
    },
    describe: async () => ({ kind: 'cannot', why: 'nobody asks' }),
    readLog: async () => ({ kind: 'absent' }),
    stop: async (jobId, permit) => {
      spendCapability(permit, stopStep(jobId));
      recordCall(night, 'stop', jobId, []);
      const job = night.jobs.get(jobId);
      if (job !== undefined && job.fate === null)
        job.fate = { status: 'STOPPED', class: 'unknown', where: '', confidence: 'high' };
      return isAnswerLost ? lost : { kind: 'stopped' };
    },
  };
}

function toFoundJob({ spec, fate }: NightJob): FoundJob {
  const status: JobStatus = fate?.status ?? 'RUNNING';
  return {
    kind: 'found',
    status,
    message: '',
    errorType: null,
    exitCode: isTerminal(status) ? 1 : null,
    startedAtMs: 0,
    endedAtMs: null,
    metadata: spec.metadata,
    session: 'boot-1',
    details: {},
  };
}

/** Notes a call with the record as pushed at that moment. */
export function recordCall(
  night: Night,
  does: Call['does'],
  target: string,
  command: readonly string[],
  isStanding = false,
): void {
  const consent = { isStanding, isConfigured: night.isPreApproved };
  night.calls.push({ does, target, command, at: night.now, recorded: night.record.events, consent });
}
