/** Events about a job, from the first observation to its end. Decimals are text, as printed by the source. */

import * as z from 'zod';
import { SURFACES } from '../../actor.ts';
import { DISPATCHED_WORKFLOWS } from '../../effect.ts';
import { isTerminal, JOB_STATUSES } from '../../engine.ts';
import { CONFIDENCES, FAILURE_CLASSES, FIRST_RESPONSES } from '../../failure-class.ts';
import { canBeRelaunched } from '../../launch/response.ts';
import { TRACKER_SILENCES } from '../../tracker.ts';
import { formatDuration } from '../../values.ts';
import { actorText, byPerson, code, type DataOf, defineEvents, type EventOf, moment, prose } from '../define.ts';
import { applyObserved } from '../observed-state.ts';
import { integer, integerOrNull, text, texts } from '../parts.ts';
import { type RunState, voidOrder } from '../run-state.ts';

const tracker = z.object({ id: text, url: text });

const lease = z
  .object({ holder: text, fence: integer, until: text })
  .describe("the watch's claim to be the only one; a higher fence rejects late writes with a lower one");

const openLog = z
  .object({
    isEvalRunning: z.boolean().describe('an eval is in progress'),
    isLineSkipped: z.boolean().describe('the rest of an overlong line is skipped'),
    task: z
      .object({ worker: text, linesAgo: integer })
      .nullable()
      .describe('the worker with an open traceback, and its lines so far'),
  })
  .describe('unfinished parts of the log at its end, for the next observation');

const pace = z
  .object({
    secondsPerStep: text.nullable(),
    tokensPerSecond: text.nullable(),
    remainingSeconds: integerOrNull.describe("the trainer's own estimate"),
    usePercent: text.exactOptional().describe('use of the accelerators'),
    memory: text
      .exactOptional()
      .describe('in use, as it is shown: `93.9%` or `44.6GiB` of the accelerators, `ram:31%` of the machine'),
  })
  .describe('the median of the values in the log since the last observation');

const streak = z.object({ from: integerOrNull, to: integerOrNull, values: integer, peak: text });

const series = z.object({
  trend: text.nullable(),
  values: integer,
  spread: text.exactOptional(),
  lowest: text.exactOptional(),
  streak: streak.exactOptional(),
  lastStreak: z.object({ ...streak.shape, trend: text }).exactOptional(),
  notFinite: integer.exactOptional(),
});

const replayedStep = z.object({ step: integer, before: text, after: text });

const course = z
  .object({
    pendingSince: text.exactOptional(),
    runningSince: text.exactOptional(),
    steppingSince: text.exactOptional(),
    moved: z
      .object({ at: text, longestGapMs: integer, observations: integer })
      .exactOptional()
      .describe(
        'the newest observation in which the step advanced, the number of such observations, and the longest time between two of them',
      ),
    series: z.record(z.string(), series).exactOptional().describe('measures over steps or observations'),
    speed: series.exactOptional(),
    speedUnit: z.enum(['tokens', 'samples', 'steps']).exactOptional().describe('what the speed counts a second'),
    speedNoise: text
      .exactOptional()
      .describe('the relative deviation of the speed from line to line, or between observations'),
    preemptions: integer.exactOptional().describe('observations that saw a preemption inside the job'),
    logGrewAt: text.exactOptional().describe('the newest observation in which the log had grown'),
    evaluated: z
      .object({ at: text, longestGapMs: integer, observations: integer })
      .exactOptional()
      .describe('the newest observation with an evaluation, their number, and the longest time between two'),
    idle: integer.exactOptional().describe('consecutive observations with idle accelerators'),
    idleSince: text.exactOptional(),
    slowSince: text.exactOptional(),
    saved: z.object({ at: text, longestGapMs: integerOrNull }).exactOptional(),
    savingSince: text.exactOptional(),
    replayed: z
      .array(replayedStep)
      .exactOptional()
      .describe('the loss that a step had before the run went back, and after'),
    lastSteps: z
      .array(z.object({ step: integer, loss: text }))
      .exactOptional()
      .describe('steps before a failure, a stop or a return, thinned, to compare with the steps made again'),
    healthy: integer.exactOptional().describe('consecutive healthy observations'),
  })
  .describe('values to compare the next observation with; missing values were not observed');

const trackerSeen = z
  .object({
    run: text.describe('the requested run'),
    result: z.enum(['found', ...TRACKER_SILENCES]).describe('the newest result'),
    why: text.exactOptional().describe('why there was no answer'),
    last: z
      .object({
        identity: text,
        name: text,
        state: text,
        readAt: text,
        heartbeatAt: text.nullable(),
        rowAt: text.nullable(),
        step: integerOrNull,
        movedAt: text.nullable().describe('the newest observation in which the step of this attempt advanced'),
        loss: text.nullable(),
      })
      .exactOptional()
      .describe('the newest answer'),
  })
  .describe("the tracker's state of the run: only one witness, because trackers are often wrong about crashes");

const storeSeen = z
  .object({
    requestedAt: text.describe('may be from an earlier observation'),
    unread: text.exactOptional().describe('why the store could not be read'),
    last: z
      .object({
        readAt: text,
        newest: z
          .object({ step: integer, writtenAt: text })
          .nullable()
          .describe("the newest complete checkpoint of the run's lineage"),
        partial: z
          .object({ step: integer, since: text })
          .exactOptional()
          .describe('the newest later folder that is incomplete, and the first answer that contained it'),
        missing: z
          .object({ step: integer, since: text, answers: integer })
          .exactOptional()
          .describe('the save that the log reported one observation earlier, and how many consecutive answers lack it'),
      })
      .exactOptional()
      .describe('the newest answer'),
  })
  .describe('whether the save that the log reports is complete in the checkpoint stores');

const otherJob = z.object({ jobId: text, status: z.enum(JOB_STATUSES), since: text.nullable() });

const diagnosis = z
  .object({
    class: z.enum(FAILURE_CLASSES),
    confidence: z.enum(CONFIDENCES),
    response: z.enum(FIRST_RESPONSES),
    place: z
      .object({ file: text, line: integer })
      .nullable()
      .describe("the innermost line of the lab's own code in the traceback"),
    error: text.nullable(),
    evidence: z.array(text),
    logEnd: z.array(text).exactOptional().describe('the last lines of the log'),
  })
  .describe('why the job failed, by its log; missing if the log could not be read');

const data = {
  observed: z.object({
    attempt: integer,
    status: z.enum([...JOB_STATUSES, 'UNKNOWN']),
    message: text,
    step: integerOrNull,
    stepIsExact: z.boolean(),
    totalSteps: integerOrNull,
    loss: text.nullable(),
    firstStepCompleted: z.boolean(),
    trackers: z.array(tracker).describe('from their links in the log'),
    evals: texts,
    checkpointStep: integerOrNull,
    signatures: z.array(text),
    logOffset: integer,
    otherJobs: z.array(otherJob).exactOptional().describe('other jobs of the cluster that name the run, at most five'),
    openLog: openLog.exactOptional(),
    unread: z
      .object({ what: z.enum(['job', 'log']), since: text, why: text })
      .exactOptional()
      .describe('what has been unreadable since then, in every observation'),
    standstill: z
      .object({ since: text, observations: integer })
      .exactOptional()
      .describe('the step has not changed since then, for so many observations after the first with this step'),
    pace: pace.exactOptional(),
    losses: z
      .array(z.object({ step: integer, loss: text }))
      .exactOptional()
      .describe('losses at exact steps in the log lines since the recorded observation before, thinned'),
    course: course.exactOptional(),
    resumedFrom: text.exactOptional().describe('the checkpoint that the job reports to load'),
    alarms: z.array(text).exactOptional().describe('detectors that raised an alarm at this observation'),
    tracker: trackerSeen.exactOptional(),
    store: storeSeen.exactOptional(),
    cadenceMs: integer.describe('planned time until the next observation'),
    nextEntryMs: integer
      .exactOptional()
      .describe('longest time until the next entry, if not every observation becomes one'),
    lease,
  }),
  dispatched: z.object({
    workflow: z.enum(DISPATCHED_WORKFLOWS),
    subject: text.describe(
      'the purpose: the digest of the order, the action or the failure, the cluster, or the entry of the stop',
    ),
    workflowRun: integer.describe('the id that GitHub returned for the dispatch'),
  }),
  'stop-requested': z.object({ comment: integer, surface: z.enum(SURFACES) }),
  ended: z.object({
    attempt: integer,
    status: z.enum(['SUCCEEDED', 'FAILED', 'STOPPED']),
    message: text,
    errorType: text.nullable(),
    exitCode: integerOrNull,
    engineDetails: texts.exactOptional().describe("other details from the engine, such as the node of Ray's driver"),
    startedAt: text.nullable(),
    endedAt: text.nullable(),
    lastStep: integerOrNull,
    totalSteps: integerOrNull,
    metrics: texts,
    trackers: z.array(tracker),
    signatures: z.array(text),
    checkpointStep: integerOrNull,
    diagnosis: diagnosis.exactOptional(),
    fence: integer,
  }),
};

export type JobEventData = DataOf<typeof data>;
type Observed = JobEventData['observed'];
/** A run in the experiment tracker, as linked in the log. */
export type TrackerRun = Observed['trackers'][number];
/** Metric or eval name → decimal text as printed by the source. */
export type Metrics = JobEventData['ended']['metrics'];
export type Lease = Observed['lease'];
export type OpenLog = NonNullable<Observed['openLog']>;
export type Unread = NonNullable<Observed['unread']>;
export type Standstill = NonNullable<Observed['standstill']>;
export type Pace = NonNullable<Observed['pace']>;
export type Course = NonNullable<Observed['course']>;
export type RecordedSeries = NonNullable<Course['speed']>;
export type ReplayedStep = NonNullable<Course['replayed']>[number];
export type TrackerSeen = NonNullable<Observed['tracker']>;
export type StoreSeen = NonNullable<Observed['store']>;
export type OtherJob = NonNullable<Observed['otherJobs']>[number];
export type RecordedDiagnosis = NonNullable<JobEventData['ended']['diagnosis']>;

export const jobEvents = defineEvents(data, {
  observed: {
    title: 'check',
    meaning: 'One observation of the job.',
    writers: ['watch'],
    rule: checkWatchEvent,
    apply: applyObserved,
    describe: ({ data }) => ({
      status: `${data.status}${formatProgress(data.step, data.totalSteps, data.stepIsExact)}`,
      evidence: [
        ...describePace(data),
        ...(data.loss === null ? [] : [`loss ${code(data.loss)}`]),
        ...Object.entries(data.evals).map(([name, value]) => `${code(name)} ${code(value)}`),
        ...(data.checkpointStep === null ? [] : [`checkpoint at step ${data.checkpointStep}`]),
        ...describeStore(data),
        ...(data.message === '' ? [] : [prose(data.message)]),
      ].join(', '),
      decision:
        data.signatures.length === 0
          ? hasJobEnded(data.status)
            ? 'the job has ended'
            : 'keep watching'
          : `failure signatures: ${data.signatures.map(code).join(', ')}`,
      next: hasJobEnded(data.status)
        ? 'the watch records its end'
        : `next check within ${formatDuration(data.cadenceMs)}`,
    }),
  },
  dispatched: {
    title: 'workflow dispatched',
    meaning: 'Control dispatched a workflow of ferrybot. ferrybot reads only workflow runs with a recorded id.',
    writers: ['control'],
    isInJournal: true,
    apply: (state, event) => ({ ...state, dispatches: [...state.dispatches, { ...event.data, ...moment(event) }] }),
    describe: ({ data }) => ({
      status: `control started the ${data.workflow} workflow for ${code(data.subject)}`,
      evidence: `workflow run ${data.workflowRun}`,
      decision: 'ferrybot reads only this workflow run',
      next: 'if the workflow run ends without a result, control starts another one',
    }),
  },
  'stop-requested': {
    title: 'stop requested',
    meaning: 'A person requests that the job is stopped, or that nothing is launched.',
    writers: ['control'],
    isByPerson: true,
    isDecisive: true,
    rule: (state) => (state.end === null || canBeRelaunched(state) ? null : 'a stop after the end'),
    // A stop before the launch also removes the approvals.
    apply: (state, event) => ({
      ...voidOrder(state),
      stop: { ...byPerson(event), comment: event.data.comment },
      approvals: state.submission === null ? [] : state.approvals,
    }),
    describe: ({ data, actor }) => ({
      status: `${actorText(actor)} requested a stop`,
      evidence: `${data.surface} ${data.comment}`,
      decision: 'stop the job, if any, and launch nothing',
      next: 'the engine confirms the end',
    }),
  },
  ended: {
    title: 'job ended',
    meaning: 'The engine reports that the job has ended.',
    writers: ['watch'],
    isDecisive: true,
    rule: checkWatchEvent,
    apply: (state, event) => ({ ...state, end: { ...event.data, ...moment(event) }, fence: event.data.fence }),
    describe: ({ data }) => ({
      // Some jobs print metrics only at evals, so an earlier observation may have recorded a later step.
      status: `${data.status}${formatProgress(data.lastStep, data.totalSteps, true).replace('step', 'last exact step')}`,
      evidence: [
        ...Object.entries(data.metrics).map(([name, value]) => `${code(name)} ${code(value)}`),
        ...(data.exitCode === null ? [] : [`exit code ${data.exitCode}`]),
        ...(data.errorType === null ? [] : [code(data.errorType)]),
        ...Object.entries(data.engineDetails ?? {}).map(([name, value]) => `${code(name)} ${code(value)}`),
        ...(data.diagnosis === undefined ? [] : [`by its log: ${code(data.diagnosis.class)}`]),
        ...(data.message === '' ? [] : [prose(data.message)]),
      ].join(', '),
      decision: 'the engine reports that the job has ended',
      next:
        data.status === 'SUCCEEDED'
          ? 'a person seals'
          : 'another attempt if the approval covers one that can help; otherwise a person decides',
    }),
  },
});

function checkWatchEvent(state: RunState, event: EventOf<'observed' | 'ended'>): string | null {
  if (state.submission === null) return `${event.type} before the job was submitted`;
  if (state.end !== null) return `${event.type} after the end`;
  if (event.data.attempt !== state.submission.attempt) return `${event.type} another attempt`;
  const fence = event.type === 'observed' ? event.data.lease.fence : event.data.fence;
  if (fence < state.fence) return 'written under a lease that was taken over';
  const holder = state.observation?.lease;
  const sameFence = event.type === 'observed' && holder !== undefined && holder.fence === fence;
  return sameFence && event.data.lease.holder !== holder.holder ? 'two holders of one lease' : null;
}

function formatProgress(step: number | null, total: number | null, isExact: boolean): string {
  if (step === null) return '';
  return `, step ${isExact ? '' : '~'}${step}${total === null ? '' : `/${total}`}`;
}

/** Log lines do not prove that a checkpoint is complete in the store. */
function describeStore({ store }: Observed): readonly string[] {
  if (store === undefined) return [];
  if (store.unread !== undefined) return [`store of the checkpoints not read: ${prose(store.unread)}`];
  const { newest = null, missing, readAt = store.requestedAt } = store.last ?? {};
  const whole = newest === null ? 'no whole checkpoint' : `step ${newest.step} whole`;
  const lacking = missing === undefined ? '' : `, and not step ${missing.step}`;
  // The store is listed less often than the job is observed.
  return [`in the store ${whole}${lacking} as of ${readAt}`];
}

function describePace({ pace }: Observed): readonly string[] {
  return [
    ...(pace?.secondsPerStep == null ? [] : [`${code(pace.secondsPerStep)} s a step`]),
    ...(pace?.tokensPerSecond == null ? [] : [`${code(pace.tokensPerSecond)} tokens/s`]),
  ];
}

function hasJobEnded(status: Observed['status']): boolean {
  return status !== 'UNKNOWN' && isTerminal(status);
}
