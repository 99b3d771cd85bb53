/** One event as a person would tell it: status, evidence, decision and what comes next (policy HR-25). */

import { isIssueFirst } from '../domain/issue-first.ts';
import type { EventOf, EventType, LogbookEvent } from '../domain/logbook/event.ts';
import { mutationTellers } from './mutation-telling.ts';
import { code, prose } from './plain-text.ts';
import { watchTellers } from './watch-telling.ts';

/** The four lines of an entry of the policy's logbook, and its title; all are Markdown, escaped. */
export type Telling = {
  readonly title: string;
  readonly status: string;
  readonly evidence: string;
  readonly decision: string;
  readonly next: string;
};

/** Tells an event from its own data alone, so that an old entry is told the same for ever. */
export function tell(event: LogbookEvent): Telling {
  // The table has one teller a type, and each is handed an event of its own type only.
  const teller = tellers[event.type] as (event: LogbookEvent) => Omit<Telling, 'title'>;
  return { title: titles[event.type], ...teller(event) };
}

const titles: { readonly [Type in EventType]: string } = {
  proposed: 'proposed',
  contracted: 'contract read',
  gated: 'gates evaluated',
  shown: 'manifest shown',
  approved: 'approved',
  'approval-dropped': 'approval dropped',
  ordered: 'launch ordered',
  claimed: 'order claimed by the runner',
  submitted: 'launch',
  observed: 'check',
  'stop-requested': 'stop requested',
  ended: 'job ended',
  sealed: 'final seal',
  closed: 'closed',
  incident: 'incident',
  held: 'held',
  released: 'released',
  'command-seen': 'command received',
  'command-answered': 'command answered',
  'mutation-proposed': 'change of the cluster proposed',
  consented: 'change of the cluster consented to',
  'mutation-begun': 'change of the cluster begun',
  'mutation-ended': 'change of the cluster ended',
  'disk-scanned': 'disks of the workers scanned',
  notified: 'people notified',
  delivered: 'sent to a channel',
  'objective-asked': 'question about the objective',
  handoff: 'ownership of the watch',
  'watch-bounded': 'stopping point named',
  'watch-ended': 'watch ended',
  'watch-resumed': 'watch resumed',
  'checkpoint-rejected': 'checkpoint rejected',
};

type Tellers = { readonly [Type in EventType]: (event: EventOf<Type>) => Omit<Telling, 'title'> };

const tellers: Tellers = {
  proposed: ({ data }) => ({
    status: `proposed as ${code(data.runName)} in lane ${code(data.lane)}`,
    evidence: `issue #${data.issue}, ${isIssueFirst(data) ? 'no pull request' : `pull request #${data.pull}`}, interval since ${intervalOf(data.interval)}`,
    decision: `${data.objective.kind} run: ${prose(data.objective.text)}`,
    next: 'gates are evaluated',
  }),
  contracted: ({ data }) => {
    const values = Object.entries(data.contract);
    const inferred = values.filter(([, { source }]) => source === 'inferred');
    return {
      status: `${values.length} values of the contract are known`,
      evidence: inferred
        .map(([name, { value, from }]) => `${prose(name)} ${code(value)} is inferred from ${prose(from)}`)
        .join(', '),
      decision: 'the run is of this contract',
      next: 'gates are evaluated',
    };
  },
  gated: ({ data }) => {
    const open = data.verdicts.filter((v) => v.outcome === 'fail' || v.outcome === 'unknown');
    return {
      status:
        open.length === 0
          ? 'every gate lets the run through'
          : `${open.length} of ${data.verdicts.length} gates do not let the run through`,
      evidence: `manifest ${data.digest === null ? 'not known' : code(data.digest)} at commit ${code(data.commit)}`,
      decision:
        open.length === 0 ? 'may be approved' : open.map((v) => `${v.gate}: ${code(v.code)}`).join(', '),
      next: open.length === 0 ? 'a person approves' : 'what is missing is supplied',
    };
  },
  shown: ({ data }) => ({
    status: 'the card shows the manifest',
    evidence: `comment ${data.comment} in #${data.thread}, read back from GitHub as of ${data.shownAt}`,
    decision: `manifest ${code(data.digest)} may be approved`,
    next: 'a person approves',
  }),
  approved: (event) => ({
    status: `approved by ${personOf(event)}`,
    evidence: `${event.data.surface} ${event.data.comment}`,
    decision: `manifest ${code(event.data.digest)} may be launched`,
    next: 'an order is issued when enough people approved and every gate passes',
  }),
  'approval-dropped': ({ data }) => ({
    status: 'an approval no longer counts',
    evidence: `manifest ${code(data.digest)}, approved by user ${data.users.join(', ')}`,
    decision: `dropped: ${code(data.reason)}`,
    next: 'a person approves what is proposed now',
  }),
  ordered: ({ data }) => ({
    status: `attempt ${data.order.attempt} is ordered${data.order.parent === undefined ? '' : `, after attempt ${data.order.parent.attempt}`}`,
    evidence: `order ${code(data.orderDigest)}, manifest ${code(data.order.digest)}, commit ${code(data.order.commit)}`,
    decision: `submit as ${code(data.order.submissionId)} before ${data.order.expiresAt}`,
    next: 'the runner checks the order and claims it',
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
      ...(data.message === '' ? [] : [prose(data.message)]),
    ].join(', '),
    decision:
      data.signatures.length === 0
        ? 'keep watching'
        : `failure signatures: ${data.signatures.map(code).join(', ')}`,
    next: `next check within ${Math.round(data.cadenceMs / 1000)} s`,
  }),
  'stop-requested': (event) => ({
    status: `${personOf(event)} asked to stop`,
    evidence: `${event.data.surface} ${event.data.comment}`,
    decision: 'stop the job if there is one, launch nothing',
    next: 'the engine confirms the end',
  }),
  ended: ({ data }) => ({
    status: `${data.status}${progressOf(data.lastStep, data.totalSteps, true)}`,
    evidence: [
      ...Object.entries(data.metrics).map(([name, value]) => `${code(name)} ${code(value)}`),
      ...(data.exitCode === null ? [] : [`exit code ${data.exitCode}`]),
      ...(data.errorType === null ? [] : [code(data.errorType)]),
      ...Object.entries(data.engineDetails ?? {}).map(([name, value]) => `${code(name)} ${code(value)}`),
      ...(data.diagnosis === undefined ? [] : [`by its log: ${code(data.diagnosis.class)}`]),
      ...(data.message === '' ? [] : [prose(data.message)]),
    ].join(', '),
    decision: 'the engine says that the job is over',
    next: data.status === 'SUCCEEDED' ? 'a person seals' : 'a person acknowledges',
  }),
  sealed: (event) => ({
    status: `sealed by ${personOf(event)}: ${event.data.verdict}`,
    evidence: `tag ${code(event.data.tag)} on commit ${code(event.data.commit)}${event.data.closurePull === null ? '' : `, closure #${event.data.closurePull}`}`,
    decision: event.data.accept === null ? 'the record is complete' : `accepted: ${prose(event.data.accept)}`,
    next: 'nothing follows',
  }),
  closed: ({ data }) => ({
    status: `closed: ${data.outcome}`,
    evidence: data.closurePull === null ? '' : `closure #${data.closurePull}`,
    decision: prose(data.reason),
    next: 'nothing follows',
  }),
  incident: ({ data }) => ({
    status: `incident ${code(data.code)}`,
    evidence: Object.entries(data.detail)
      .map(([name, value]) => `${prose(name)} ${code(String(value))}`)
      .join(', '),
    decision: 'a person must see this',
    next: 'the cause is looked into',
  }),
  held: (event) => ({
    status: `${event.data.kind} on the ${event.data.scope}${dayOf(event.data.date)} by ${personOf(event)}`,
    evidence: prose(event.data.reason),
    decision: 'nothing is launched',
    next: 'a person lifts it',
  }),
  released: (event) => ({
    status: `${event.data.kind} on the ${event.data.scope}${dayOf(event.data.date)} lifted by ${personOf(event)}`,
    evidence: '',
    decision: 'launches are possible again',
    next: 'gates are evaluated',
  }),
  'command-seen': (event) => ({
    status: `${personOf(event)} wrote ${code(`/${event.data.name}`)}`,
    evidence: `${event.data.surface} ${event.data.comment} on #${event.data.thread}`,
    decision: Object.entries(event.data.args)
      .map(([name, value]) => `${prose(name)} ${code(value)}`)
      .join(', '),
    next: 'it is answered once',
  }),
  'command-answered': ({ data }) => ({
    status: `answered ${code(data.code)}`,
    evidence: `${data.surface} ${data.comment} on #${data.thread}`,
    decision: Object.entries(data.detail)
      .map(([name, value]) => `${prose(name)} ${code(String(value))}`)
      .join(', '),
    next: '',
  }),
  ...mutationTellers,
  'disk-scanned': ({ data }) => ({
    status: `${prose(data.cluster)}: ${data.reading === 'unreadable' ? 'the scan could not be read' : `${data.workers.length} worker disks are short`}`,
    evidence: data.workers
      .map(
        ({ tpu, worker, percentFree, finding }) =>
          `${code(`${tpu}/${worker}`)} ${percentFree}% free, ${finding}`,
      )
      .join('; '),
    decision: data.why === '' ? '' : prose(data.why),
    next: data.cleanup === 'not-seen' ? 'the cleanup job of the head was not seen' : '',
  }),
  notified: ({ data }) => ({
    status: `people are told: ${code(data.reason)}`,
    evidence: prose(data.about),
    decision: `it is said once${audienceOf(data)}`,
    next: 'somebody ends what the run waits for',
  }),
  delivered: ({ data }) => ({
    status: `channel ${code(data.channel)}: ${data.outcome}`,
    evidence: `notice of entry ${data.notice}`,
    decision: data.why === '' ? 'it is not sent again' : prose(data.why),
    next: '',
  }),
  'objective-asked': ({ data }) => ({
    status:
      data.state === 'open'
        ? `asked in #${data.issue} what the ${prose(data.lane)} run of ${data.date} is for`
        : `the question in #${data.issue} is over: ${data.state}`,
    evidence: '',
    decision: data.state === 'open' ? `answers are waited for until ${data.until}` : '',
    next: data.state === 'open' ? 'an answer, or the usual objective after that' : '',
  }),
  ...watchTellers,
  'checkpoint-rejected': (event) => ({
    status: `${personOf(event)} rejected step ${event.data.step}`,
    evidence: prose(event.data.reason),
    decision: 'this step and what was made from it are used for nothing',
    next: 'a run that goes on does so from an earlier one',
  }),
};

function audienceOf({ people = [], permission }: EventOf<'notified'>['data']): string {
  if (people.length > 0) return `, to user ${people.join(', ')}`;
  return permission === undefined ? '' : `, to everybody with ${permission} permission`;
}

function personOf(event: LogbookEvent): string {
  return event.actor === undefined ? 'nobody' : `@${prose(event.actor.login)} (${event.actor.id})`;
}

function intervalOf(interval: EventOf<'proposed'>['data']['interval']): string {
  return interval.sinceCommit === null
    ? `${prose(interval.sinceDate)} (date, no earlier ferry)`
    : code(interval.sinceCommit);
}

function progressOf(step: number | null, total: number | null, isExact: boolean): string {
  if (step === null) return '';
  return `, step ${isExact ? '' : '~'}${step}${total === null ? '' : `/${total}`}`;
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

function dayOf(date: string | null): string {
  return date === null ? '' : ` for ${date}`;
}
