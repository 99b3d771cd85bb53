/** The entries about an attempt, from its order to its end, told for people. */

import { isTerminal } from '../domain/engine.ts';
import type { EventOf, LogbookEvent } from '../domain/logbook/event.ts';
import { code, prose } from '../domain/logbook/plain-text.ts';

type Told = {
  readonly status: string;
  readonly evidence: string;
  readonly decision: string;
  readonly next: string;
};

type JobEvent = 'ordered' | 'dispatched' | 'claimed' | 'submitted' | 'observed' | 'stop-requested' | 'ended';

export const jobTellers: { readonly [Type in JobEvent]: (event: EventOf<Type>) => Told } = {
  ordered: ({ data }) => ({
    status: `attempt ${data.order.attempt} is ordered${data.order.parent === undefined ? '' : `, after attempt ${data.order.parent.attempt}`}${beginText(data.order)}`,
    evidence: `order ${code(data.orderDigest)}, manifest ${code(data.order.digest)}, commit ${code(data.order.commit)}`,
    decision: `submit as ${code(data.order.submissionId)} before ${data.order.expiresAt}`,
    next: 'the runner checks the order and claims it',
  }),
  dispatched: ({ data }) => ({
    status: `control started the ${data.workflow} workflow for ${code(data.subject)}`,
    evidence: `workflow run ${data.workflowRun}`,
    decision: 'only this workflow run counts as ours',
    next: 'the workflow does its work, or another run is started once it is over',
  }),
  claimed: ({ data }) => ({
    status: `the runner claimed the order of attempt ${data.attempt}`,
    evidence: `workflow run ${data.workflowRun}, engine session ${code(data.engineSession)}`,
    decision: 'submit once',
    next: 'the job is submitted, or the reason why not is recorded',
  }),
  submitted: ({ data }) => ({
    status: `job ${code(data.jobId)} ${data.adopted ? 'was found running and adopted' : 'was submitted'}`,
    evidence: `engine ${code(data.engine)} on ${code(data.cluster)}, commit ${code(data.commit)}${linksOf(data.urls)}`,
    decision: `watch attempt ${data.attempt}`,
    next: 'the watch reports what it sees',
  }),
  observed: ({ data }) => ({
    status: `${data.status}${progressOf(data.step, data.totalSteps, data.stepIsExact)}`,
    evidence: [
      ...paceOf(data),
      ...(data.loss === null ? [] : [`loss ${code(data.loss)}`]),
      ...Object.entries(data.evals).map(([name, value]) => `${code(name)} ${code(value)}`),
      ...(data.checkpointStep === null ? [] : [`checkpoint at step ${data.checkpointStep}`]),
      ...storeOf(data),
      ...(data.message === '' ? [] : [prose(data.message)]),
    ].join(', '),
    decision:
      data.signatures.length === 0
        ? isOver(data.status)
          ? 'the job is over'
          : 'keep watching'
        : `failure signatures: ${data.signatures.map(code).join(', ')}`,
    next: isOver(data.status)
      ? 'its end is recorded'
      : `next check within ${Math.round(data.cadenceMs / 1000)} s`,
  }),
  'stop-requested': (event) => ({
    status: `${personOf(event)} asked to stop`,
    evidence: `${event.data.surface} ${event.data.comment}`,
    decision: 'stop the job if there is one, launch nothing',
    next: 'the engine confirms the end',
  }),
  ended: ({ data }) => ({
    // Where its metrics are told at evals alone, the checks before it may have seen more.
    status: `${data.status}${progressOf(data.lastStep, data.totalSteps, true).replace('step', 'last exact step')}`,
    evidence: [
      ...Object.entries(data.metrics).map(([name, value]) => `${code(name)} ${code(value)}`),
      ...(data.exitCode === null ? [] : [`exit code ${data.exitCode}`]),
      ...(data.errorType === null ? [] : [code(data.errorType)]),
      ...Object.entries(data.engineDetails ?? {}).map(([name, value]) => `${code(name)} ${code(value)}`),
      ...(data.diagnosis === undefined ? [] : [`by its log: ${code(data.diagnosis.class)}`]),
      ...(data.message === '' ? [] : [prose(data.message)]),
    ].join(', '),
    decision: 'the engine says that the job is over',
    next:
      data.status === 'SUCCEEDED'
        ? 'a person seals'
        : 'another attempt, where the approval covers one that can help; otherwise a person decides',
  }),
};

/** Where an attempt begins that does not begin from nothing. */
function beginText({ checkpoint }: EventOf<'ordered'>['data']['order']): string {
  return checkpoint === undefined ? '' : `; it begins at step ${checkpoint.step}, ${code(checkpoint.path)}`;
}

function progressOf(step: number | null, total: number | null, isExact: boolean): string {
  if (step === null) return '';
  return `, step ${isExact ? '' : '~'}${step}${total === null ? '' : `/${total}`}`;
}

/** What lies there whole, which a line of the log does not prove. */
function storeOf({ store }: EventOf<'observed'>['data']): readonly string[] {
  if (store === undefined) return [];
  if (store.unread !== undefined) return [`store of the checkpoints not read: ${prose(store.unread)}`];
  const { newest = null, missing, readAt = store.askedAt } = store.last ?? {};
  const whole = newest === null ? 'no whole checkpoint' : `step ${newest.step} whole`;
  const lacking = missing === undefined ? '' : `, and not step ${missing.step}`;
  // It is listed less often than the job is looked at.
  return [`in the store ${whole}${lacking} as of ${readAt}`];
}

function paceOf({ pace }: EventOf<'observed'>['data']): readonly string[] {
  return [
    ...(pace?.secondsPerStep == null ? [] : [`${code(pace.secondsPerStep)} s a step`]),
    ...(pace?.tokensPerSecond == null ? [] : [`${code(pace.tokensPerSecond)} tokens/s`]),
  ];
}

function linksOf(urls: EventOf<'submitted'>['data']['urls']): string {
  return Object.entries(urls)
    .map(([name, url]) => `, ${prose(name)} ${code(url)}`)
    .join('');
}

/** A job that cannot be seen is not over. */
function isOver(status: EventOf<'observed'>['data']['status']): boolean {
  return status !== 'UNKNOWN' && isTerminal(status);
}

function personOf({ actor }: LogbookEvent): string {
  return actor === undefined ? 'nobody' : `@${prose(actor.login)} (${actor.id})`;
}
