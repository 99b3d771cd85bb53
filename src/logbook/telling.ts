/** Entries as text: status, evidence, decision, next (policy HR-25). */

import type { Telling } from '../domain/logbook/define.ts';
import { definitionOf } from '../domain/logbook/definitions.ts';
import type { LogbookEvent } from '../domain/logbook/event.ts';
import { minuteOf } from '../domain/logbook/plain-text.ts';

export type Told = {
  readonly event: LogbookEvent;
  readonly told: Required<Telling> & { readonly title: string };
};

/** From entry `from` on. Uses only earlier logins, so that an old entry never changes. */
export function tellAll(events: readonly LogbookEvent[], from = 0): readonly Told[] {
  const logins = new Map<number, string>();
  const all: Told[] = [];
  for (const [index, event] of events.entries()) {
    if (event.actor !== undefined) logins.set(event.actor.id, event.actor.login);
    if (index < from) continue;
    const { title, tell } = definitionOf(event);
    all.push({
      event,
      told: { title, evidence: '', decision: '', next: '', ...tell(event, logins) },
    });
  }
  return all;
}

/** An event as plain text. */
export type ShownEvent = Pick<LogbookEvent, 'seq' | 'at' | 'type' | 'role'> &
  Required<Telling> & { readonly actor: string | null };

/** The data of `logbook show`: the projection's words without markup. */
export function showEvents(events: readonly LogbookEvent[]): readonly ShownEvent[] {
  return tellAll(events).map(({ event, told }) => ({
    seq: event.seq,
    at: event.at,
    type: event.type,
    role: event.role,
    actor: event.actor?.login ?? null,
    status: plain(told.status),
    evidence: plain(told.evidence),
    decision: plain(told.decision),
    next: plain(told.next),
  }));
}

/** One paragraph per event. */
export function showText(run: string, events: readonly LogbookEvent[]): string {
  const entries = showEvents(events).map((event) => {
    const details = [event.evidence, event.decision]
      .filter((text) => text !== '')
      .map((text) => `    ${text}\n`);
    return `${minuteOf(event.at)}  ${event.type}: ${event.status}\n${details.join('')}`;
  });
  const last = events.at(-1);
  const head = last === undefined ? 'no events' : `${events.length} events, head ${last.seq}:${last.hash}`;
  return `${run}: ${head}\n\n${entries.join('')}`;
}

/** Removes the projection's escapes; control characters are already gone. */
function plain(markdown: string): string {
  return markdown
    .replaceAll(/\\([\\`*_[\]~|#])/g, '$1')
    .replaceAll('`', '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
}
