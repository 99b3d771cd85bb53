/** What the watch would have told people, and what would have been done first. */

import { FIRST_RESPONSE } from '../../domain/failure-class.ts';
import type { Instant } from '../../domain/ids.ts';
import { type Incident, readIncident } from '../../domain/incidents.ts';
import { responseTo } from '../../domain/launch/response.ts';
import { LOSS_NOT_FINITE } from '../../domain/launch/spoilt.ts';
import type { EventDraft } from '../../domain/logbook/event.ts';
import type { RunState } from '../../domain/logbook/run-state.ts';
import { toRfc3339 } from '../../domain/time.ts';
import { alarmWhy } from '../../render/failure-words.ts';
import { incidentWords } from '../../render/incident-words.ts';

export type Alarm = { readonly at: string; readonly detector: string; readonly why: string };
export type Action = { readonly at: string; readonly action: string; readonly why: string };

/** One alarm an incident. */
export function alarmsOf(drafts: readonly EventDraft[], at: Instant): readonly Alarm[] {
  return incidentsIn(drafts, at).map((incident) => ({ at: toRfc3339(at), ...saidOf(incident) }));
}

function incidentsIn(drafts: readonly EventDraft[], at: Instant): readonly Incident[] {
  const written = { role: 'watch', at: toRfc3339(at), seq: 0 } as const;
  return drafts.flatMap((draft) => (draft.type === 'incident' ? [readIncident(draft.data, written)] : []));
}

function saidOf(incident: Incident): Pick<Alarm, 'detector' | 'why'> {
  if (incident.code === 'run-alarm') {
    const { detector } = incident.detail;
    return { detector, why: alarmWhy(detector, incident.detail) };
  }
  if (incident.code === 'failure-signature') {
    const { signature, line, class: kind } = incident.detail;
    if (signature === LOSS_NOT_FINITE)
      return { detector: 'nan', why: `${alarmWhy('nan', { seen: 'nan' })}: ${line}` };
    return { detector: 'failure-signature', why: `${signature} (${kind}): ${line}` };
  }
  const { title, evidence } = incidentWords(incident, 'issue');
  return { detector: incident.code ?? 'unknown', why: `${title}: ${evidence}` };
}

/** People hear of an alarm; an end is answered as the record's own rule has it. `after`: with what this look recorded. */
export function actionsOf(after: RunState, drafts: readonly EventDraft[], now: Instant): readonly Action[] {
  const at = toRfc3339(now);
  const alerts = alarmsOf(drafts, now).map(({ detector }) => ({ at, action: 'alert', why: detector }));
  const ends = drafts.flatMap((draft) =>
    draft.type === 'ended' ? [{ at, ...answerTo(after, draft.data) }] : [],
  );
  return [...alerts, ...ends];
}

function answerTo(
  after: RunState,
  { status, diagnosis }: Extract<EventDraft, { readonly type: 'ended' }>['data'],
): Pick<Action, 'action' | 'why'> {
  if (status === 'SUCCEEDED') return { action: 'report', why: 'the engine says SUCCEEDED' };
  if (after.stop !== null) return { action: 'none', why: 'a known person stopped it' };
  const failure = status === 'STOPPED' ? 'stopped, by nobody who is known' : (diagnosis?.class ?? 'unknown');
  const response = responseTo(after);
  if (response?.kind === 'relaunch') return { action: 'relaunch', why: failure };
  const first = FIRST_RESPONSE[diagnosis?.class ?? 'unknown'];
  if (first === 'small-fix' || first === 'replace-node') return { action: first, why: failure };
  const reason = response?.kind === 'ask' ? `${failure}; ${response.why.reason}` : failure;
  return { action: 'escalate', why: reason };
}
