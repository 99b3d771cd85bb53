/** The closed list of incident codes, with the facts that each one records. */

import { DETECTOR_IDS, FAILURE_CLASSES, FIRST_RESPONSES, RUNGS } from './failure-class.ts';
import { limits } from './limits.ts';
import type { EventDraft } from './logbook/define.ts';
import { TEAR_DOWN_REASONS } from './logbook/events/rental-events.ts';
import type { Role } from './logbook/parts.ts';

/** `?`: optional. `list`: texts recorded as `name1`, `name2` and so on. An array: one of these words. */
export type Field = 'text' | 'text?' | 'integer' | 'integer?' | 'list' | readonly string[];
export type Fields = { readonly [name: string]: Field };
export type Vocabulary = { readonly [code: string]: Fields };

/** Recorded facts, of any version. */
export type Detail = { readonly [name: string]: string | number };

type Value<F extends Field> = F extends 'list'
  ? readonly string[]
  : F extends readonly (infer Word)[]
    ? Word
    : F extends 'integer' | 'integer?'
      ? number
      : string;
type OptionalNames<F extends Fields> = { [Name in keyof F]: F[Name] extends `${string}?` ? Name : never }[keyof F];

export type Facts<F extends Fields> = {
  readonly [Name in Exclude<keyof F, OptionalNames<F>>]: Value<F[Name]>;
} & { readonly [Name in OptionalNames<F>]?: Value<F[Name]> | undefined };

export type CodeOf<V extends Vocabulary> = keyof V & string;

type Payload<V extends Vocabulary, Code extends CodeOf<V> = CodeOf<V>> = {
  readonly [C in Code]: { readonly code: C; readonly detail: Facts<V[C]> };
}[Code];

/** The facts parameter after a code; optional if no fact is required. */
export type FactsArgument<F extends Fields> =
  Record<never, never> extends Facts<F> ? [facts?: Facts<F>] : [facts: Facts<F>];

/** Converts facts to their recorded form. */
export function toRecordedFacts(facts: object): Detail {
  const detail: Record<string, string | number> = {};
  const values = facts as Readonly<Record<string, string | number | readonly string[] | undefined>>;
  for (const [name, value] of Object.entries(values))
    if (typeof value === 'object') for (const [at, one] of value.entries()) detail[`${name}${at + 1}`] = one;
    else if (value !== undefined) detail[name] = value;
  return detail;
}

/** Null if the recorded facts do not match the fields, for example from another version. */
export function readFacts<const F extends Fields>(fields: F, detail: Detail): Facts<F> | null {
  const read: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(fields)) {
    const value = detail[name];
    if (field === 'list') {
      const found: string[] = [];
      for (let one = detail[`${name}1`]; one !== undefined && found.length < limits.shownRowsMax; ) {
        found.push(String(one));
        one = detail[`${name}${found.length + 1}`];
      }
      read[name] = found;
      continue;
    }
    const isRight =
      typeof field !== 'string'
        ? field.includes(String(value))
        : value === undefined
          ? field.endsWith('?')
          : (typeof value === 'string') === field.startsWith('text');
    if (!isRight) return null;
    read[name] = value;
  }
  // Each value was checked above.
  return read as Facts<F>;
}

/** Null if this version does not know the code or its facts. */
export function readPayload<const V extends Vocabulary>(
  vocabulary: V,
  { code, detail }: { readonly code: string; readonly detail: Detail },
): Payload<V> | null {
  const fields = Object.hasOwn(vocabulary, code) ? vocabulary[code] : undefined;
  const facts = fields === undefined ? null : readFacts(fields, detail);
  // The code and its facts were checked above.
  return facts === null ? null : ({ code, detail: facts } as unknown as Payload<V>);
}

/** `reduce`: the next approved smaller config. */
const SIGNATURE_RESPONSES = [...FIRST_RESPONSES, 'reduce'] as const;

/** `attempt` is absent for the first attempt. Facts that only the fold or the writer of the next incident reads are optional. */
export const INCIDENTS = {
  'runner-refused': { orderDigest: 'text?', reason: 'text', why: 'text', url: 'text?' },
  'submit-rejected': { orderDigest: 'text?', why: 'text' },
  'submit-conflict': { orderDigest: 'text?', why: 'text' },
  'submit-unknown': { orderDigest: 'text?', why: 'text' },
  'dispatch-failed': { orderDigest: 'text?', attempt: 'integer?', message: 'text' },
  'launch-failed': { orderDigest: 'text', attempt: 'integer', url: 'text', why: 'text', left: 'integer' },
  'launch-waiting': { orderDigest: 'text', attempt: 'integer', url: 'text' },
  'order-expired': { orderDigest: 'text?', attempt: 'integer' },
  'launch-unreadable': { orderDigest: 'text?', why: 'text' },
  'engine-state-lost': { message: 'text', attempt: 'integer?' },
  'engine-unreadable': { message: 'text', since: 'text?', attempt: 'integer?' },
  'log-withheld': { secrets: 'text', workflows: 'text', attempt: 'integer?' },
  'stop-unconfirmed': { message: 'text', attempt: 'integer?' },
  'failure-signature': {
    signature: 'text',
    class: FAILURE_CLASSES,
    response: SIGNATURE_RESPONSES,
    line: 'text',
    again: 'text?',
    workers: 'text?',
    attempt: 'integer?',
  },
  'run-degraded': { since: 'text', observations: 'text', step: 'text', signatures: 'text', attempt: 'integer?' },
  'run-alarm': {
    detector: DETECTOR_IDS,
    since: 'text',
    seen: 'text',
    bound: 'text?',
    step: 'text?',
    minutes: 'integer?',
    attempt: 'integer?',
  },
  'monitor-stale': { since: 'integer?', why: 'text' },
  'cluster-missing': { cluster: 'text' },
  'cluster-back': { cluster: 'text' },
  'logbook-broken': { run: 'text?', fault: 'text', thread: 'integer?' },
  'card-edited': { how: 'text', thread: 'integer?', comment: 'integer?', by: 'text?' },
  'seal-failed': { code: 'text', message: 'text' },
  'artefacts-missing': { message: 'text' },
  'bad-node-unclear': { reason: 'text', why: 'text', signature: 'text', attempt: 'integer?' },
  'approval-unused': { consent: 'integer?', at: 'text', kind: 'text', target: 'text' },
  'handoff-unanswered': { login: 'text', until: 'text', owner: 'text?' },
  'start-refused': { why: 'text', path: 'text', dri: 'text', asked: 'text?' },
  'relaunch-refused': {
    reason: 'text',
    attempt: 'integer?',
    restarts: 'integer?',
    gate: 'text?',
    gateCode: 'text?',
    failure: 'text?',
    earlier: 'integer?',
    run: 'text?',
    rejectedStep: 'integer?',
    by: 'text?',
  },
  'rung-taken': { attempt: 'integer', rung: RUNGS, failure: 'text', with: 'text?', left: 'integer' },
  'attempt-goes-on': { attempt: 'integer', step: 'integer', earlier: 'integer', beyond: 'integer?' },
  'fix-made': {
    attempt: 'integer',
    commit: 'text',
    base: 'text',
    place: 'text',
    diff: 'text',
    beforehand: 'text?',
    by: 'text?',
  },
  'source-kept': { attempt: 'integer', commit: 'text', branch: 'text', tag: 'text' },
  'source-not-kept': { attempt: 'integer', commit: 'text', branch: 'text', message: 'text' },
  'fix-not-made': { attempt: 'integer', reason: 'text' },
  'machine-idle': { instance: 'integer', since: 'text', at: 'text' },
  'machine-destroyed': { instance: 'integer', reason: TEAR_DOWN_REASONS, dollars: 'text' },
  'machine-still-there': { instance: 'integer', reason: TEAR_DOWN_REASONS, since: 'text' },
  'machine-lost': { instance: 'integer', dollars: 'text' },
  'account-unreadable': { message: 'text', since: 'text' },
  'budget-nearly-used': { dollars: 'text', most: 'text' },
  'balance-short': { credit: 'text', needed: 'text', minutes: 'integer' },
} as const satisfies Vocabulary;
export type IncidentCode = keyof typeof INCIDENTS;
export type IncidentFacts<Code extends IncidentCode> = Facts<(typeof INCIDENTS)[Code]>;
export const INCIDENT_CODES = Object.keys(INCIDENTS) as readonly IncidentCode[];

/** Incidents that need no action by a person. */
export const QUIET_INCIDENTS: readonly IncidentCode[] = [
  ...(['cluster-back', 'rung-taken', 'attempt-goes-on', 'source-kept', 'fix-not-made'] as const),
  'machine-destroyed',
];

/** The author's role matters: the runner and the watch cannot post, so control posts for them. */
type Written = { readonly role: Role; readonly at: string; readonly seq: number };

export type IncidentOf<Code extends IncidentCode> = Written & Payload<typeof INCIDENTS, Code>;

/** `code` null: recorded by another version of ferrybot. */
export type Incident =
  | IncidentOf<IncidentCode>
  | (Written & { readonly code: null; readonly recorded: { readonly code: string; readonly detail: Detail } });

/** Parses a recorded incident. */
export function readIncident(recorded: { readonly code: string; readonly detail: Detail }, written: Written): Incident {
  const { code, detail } = recorded;
  const { role, at, seq } = written;
  const read = readPayload(INCIDENTS, { code, detail });
  return read === null ? { code: null, recorded: { code, detail }, role, at, seq } : { ...read, role, at, seq };
}

/** Oldest first. */
export function filterIncidents<Code extends IncidentCode>(
  incidents: readonly Incident[],
  code: Code,
): readonly IncidentOf<Code>[] {
  return incidents.filter((one): one is Incident & IncidentOf<Code> => one.code === code);
}

/** The draft that records an incident. */
export function incidentDraft<Code extends IncidentCode>(
  role: Role,
  code: Code,
  facts: IncidentFacts<Code>,
): Extract<EventDraft, { readonly type: 'incident' }> {
  return { type: 'incident', role, data: { code, detail: toRecordedFacts(facts) } };
}
