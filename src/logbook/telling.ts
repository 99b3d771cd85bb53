/** One event as a person would tell it: status, evidence, decision and what comes next (policy HR-25). */

import type { Actor } from '../domain/actor.ts';
import { isIssueFirst } from '../domain/issue-first.ts';
import type { RecordedTarget } from '../domain/launch/hold.ts';
import { type Logins, personOf, type Telling } from '../domain/logbook/define.ts';
import { definitionOf, isDefined, type OtherType } from '../domain/logbook/definitions.ts';
import type { EventOf, LogbookEvent } from '../domain/logbook/event.ts';
import { code, prose } from '../domain/logbook/plain-text.ts';
import { jobTellers } from './job-telling.ts';

export type Told = { readonly event: LogbookEvent; readonly told: Telling & { readonly title: string } };

/** Tells the entries of a run from one on. */
export function tellAll(events: readonly LogbookEvent[], from = 0): readonly Told[] {
  const logins = new Map<number, string>();
  return events.flatMap((event, index) => {
    for (const { id, login } of peopleIn(event)) logins.set(id, login);
    return index < from ? [] : [{ event, told: tell(event, logins) }];
  });
}

/** Whom an entry calls by name. */
function peopleIn(event: LogbookEvent): readonly Actor[] {
  const { actor } = event;
  const own = actor === undefined ? [] : [actor];
  if (event.type === 'handoff') return [...own, event.data.to];
  if (event.type !== 'proposed') return own;
  const { author, requestedBy } = event.data;
  return [...own, author, ...(requestedBy == null ? [] : [requestedBy])];
}

/** Tells an event from its own data, and from what the entries before it call people, so that an old entry is told the same for ever. */
function tell(event: LogbookEvent, logins: Logins): Told['told'] {
  if (isDefined(event)) {
    const definition = definitionOf(event);
    return { title: definition.title, ...definition.tell(event, logins) };
  }
  // The table has one teller a type, and each is handed an event of its own type only.
  const teller = tellers[event.type] as (event: LogbookEvent, logins: Logins) => Telling;
  return { title: titles[event.type], ...teller(event, logins) };
}

const titles: { readonly [Type in OtherType]: string } = {
  proposed: 'proposed',
  contracted: 'contract read',
  gated: 'gates evaluated',
  shown: 'manifest shown',
  approved: 'approved',
  'approval-dropped': 'approval dropped',
  ordered: 'launch ordered',
  dispatched: 'workflow dispatched',
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
};

type Tellers = {
  readonly [Type in OtherType]: (event: EventOf<Type>, logins: Logins) => Telling;
};

const tellers: Tellers = {
  proposed: ({ data }) => ({
    status: `proposed as ${code(data.runName)} in lane ${code(data.lane)}`,
    evidence: isIssueFirst(data)
      ? `issue #${data.issue}, no pull request`
      : `issue #${data.issue}, pull request #${data.pull}, interval since ${intervalOf(data.interval)}`,
    decision: `${data.objective.kind} run: ${prose(data.objective.text)}${continuesText(data)}`,
    next: 'gates are evaluated',
  }),
  contracted: ({ data }) => {
    const values = Object.entries(data.contract);
    const inferred = values.filter(([, { source }]) => source === 'inferred');
    return {
      status: `${values.length} values of the contract are known`,
      evidence: inferred
        .map(
          ([name, { value, from }]) =>
            `${prose(wordsOf(name))} ${code(value)} is inferred from ${prose(from)}`,
        )
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
        open.length === 0
          ? 'it may run once it is approved'
          : open.map((v) => `${v.gate}: ${code(v.code)}`).join(', '),
      next: open.length === 0 ? 'people approve it, unless they have' : 'what is missing is supplied',
    };
  },
  shown: ({ data }) => ({
    status: 'the card shows the manifest',
    evidence: `comment ${data.comment} in #${data.thread}, read back from GitHub as of ${data.shownAt}`,
    decision: `manifest ${code(data.digest)} may be approved`,
    next: 'a person approves',
  }),
  approved: (event) => ({
    status: `approved by ${personOf(event.actor)}`,
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
  ...jobTellers,
  sealed: (event) => ({
    status: `sealed by ${personOf(event.actor)}: ${event.data.verdict}`,
    evidence: `tag ${code(event.data.tag)} on commit ${code(event.data.commit)}${event.data.closurePull === null ? '' : `, closure #${event.data.closurePull}`}${sealedCheckpoint(event.data)}${attested(event.data)}`,
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
    status: `${holdOf(event.data)} by ${personOf(event.actor)}`,
    evidence: prose(event.data.reason),
    decision: 'nothing is launched',
    next: 'a person lifts it',
  }),
  released: (event) => ({
    status: `${holdOf(event.data)} lifted by ${personOf(event.actor)}`,
    evidence: '',
    decision: 'launches are possible again',
    next: 'gates are evaluated',
  }),
  'command-seen': (event) => ({
    status: `${personOf(event.actor)} wrote ${code(`/${event.data.name}`)}`,
    evidence: `${event.data.surface} ${event.data.comment} on #${event.data.thread}`,
    decision:
      Object.entries(event.data.args)
        .map(([name, value]) => `${prose(name)} ${code(value)}`)
        .join(', ') || 'it says no more than that',
    next: 'it is answered once',
  }),
  'command-answered': ({ data }) => ({
    status: `answered ${code(data.code)}`,
    evidence: `${data.surface} ${data.comment} on #${data.thread}`,
    decision:
      Object.entries(data.detail)
        .map(([name, value]) => `${prose(name)} ${code(String(value))}`)
        .join(', ') || 'no more than that',
    next: 'the comment is owed nothing more',
  }),
};

function attested({ attests }: EventOf<'sealed'>['data']): string {
  if (attests === undefined) return '';
  const { manifest, order, submitted, ended } = attests;
  return `, manifest ${code(manifest)}, order ${code(order)}, job of entry ${submitted}, end of entry ${ended}`;
}

function sealedCheckpoint({ checkpoint }: EventOf<'sealed'>['data']): string {
  if (checkpoint === undefined) return '';
  const unseen =
    checkpoint.unseen.length === 0 ? '' : `; not looked at: ${prose(checkpoint.unseen.join(', '))}`;
  return `, final checkpoint ${code(checkpoint.path)} of step ${checkpoint.step}${unseen}`;
}

/** `finalStep` as people write it. */
function wordsOf(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

function intervalOf(interval: EventOf<'proposed'>['data']['interval']): string {
  return interval.sinceCommit === null
    ? `${prose(interval.sinceDate)} (date, no earlier ferry)`
    : code(interval.sinceCommit);
}

function holdOf({ scope, lane, date }: RecordedTarget): string {
  return ['hold on the', scope, date ?? '', lane === undefined ? '' : `of the lane ${lane}`]
    .filter((word) => word !== '')
    .join(' ');
}

/** Why there is a new identity, with both (policy HR-53); checkpoint, output and commit are the contract's and the launch's. */
function continuesText({ continues, runName }: EventOf<'proposed'>['data']): string {
  // rule HR-53
  if (continues === undefined) return '';
  return `; ${code(continues.run)} goes on as ${code(runName)}: ${prose(continues.reason)}`;
}
