/** Which incidents need a person, and which also at night. */

import type { Incident, IncidentCode } from './incidents.ts';

/** `now`: a job may run unwatched, or the record is in doubt. `day`: waits for the end of quiet hours. */
export type Urgency = 'now' | 'day' | 'none';

const URGENCY: Readonly<Record<IncidentCode, Urgency>> = {
  'runner-refused': 'day',
  'submit-rejected': 'day',
  'submit-conflict': 'now',
  'submit-unknown': 'now',
  'dispatch-failed': 'day',
  'launch-failed': 'day',
  'launch-waiting': 'day',
  'order-expired': 'day',
  'launch-unreadable': 'day',
  'engine-state-lost': 'now',
  'engine-unreadable': 'now',
  'log-withheld': 'day',
  'stop-unconfirmed': 'now',
  'failure-signature': 'now',
  'run-degraded': 'now',
  'run-alarm': 'now',
  'monitor-stale': 'now',
  'cluster-missing': 'now',
  'cluster-back': 'none',
  'logbook-broken': 'now',
  'card-edited': 'day',
  'proposal-edited': 'day',
  'seal-failed': 'day',
  'artefacts-missing': 'day',
  'bad-node-unclear': 'day',
  'consent-unused': 'day',
  'start-refused': 'day',
  'relaunch-refused': 'day',
  'handoff-unanswered': 'day',
  'config-reduced': 'day',
  'rung-taken': 'none',
  'attempt-goes-on': 'none',
  'source-kept': 'none',
  'source-not-kept': 'day',
  'fix-made': 'day',
  'fix-not-made': 'none',
  'machine-idle': 'day',
  'machine-destroyed': 'none',
  'machine-still-there': 'now',
  'machine-lost': 'day',
  'account-unreadable': 'now',
  'budget-nearly-used': 'day',
  'balance-short': 'now',
};

/** An incident from another version of ferrybot counts as urgent. */
export function urgencyOf({ code }: Pick<Incident, 'code'>): Urgency {
  return code === null ? 'now' : URGENCY[code];
}
