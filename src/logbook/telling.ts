/** Entries as text: status, evidence, decision, next (policy HR-25). */

import type { Actor } from '../domain/actor.ts';
import type { Logins, Telling } from '../domain/logbook/define.ts';
import { definitionOf } from '../domain/logbook/definitions.ts';
import type { LogbookEvent } from '../domain/logbook/event.ts';
import { actorSchema } from '../domain/logbook/parts.ts';

export type Told = { readonly event: LogbookEvent; readonly told: Telling & { readonly title: string } };

/** From entry `from` on. */
export function tellAll(events: readonly LogbookEvent[], from = 0): readonly Told[] {
  const logins = new Map<number, string>();
  return events.flatMap((event, index) => {
    for (const { id, login } of peopleIn(event)) logins.set(id, login);
    return index < from ? [] : [{ event, told: tell(event, logins) }];
  });
}

/** The people that an entry names: who acted, and those in the fields of its data. */
function peopleIn({ actor, data }: LogbookEvent): readonly Actor[] {
  return [actor, ...Object.values(data)].flatMap((value) => actorSchema.safeParse(value).data ?? []);
}

/** Uses only earlier logins, so an old entry never changes. */
function tell(event: LogbookEvent, logins: Logins): Told['told'] {
  const definition = definitionOf(event);
  return { title: definition.title, ...definition.tell(event, logins) };
}
