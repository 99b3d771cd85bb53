/** Events as a person would tell them: status, evidence, decision and what comes next (policy HR-25). */

import type { Actor } from '../domain/actor.ts';
import type { Logins, Telling } from '../domain/logbook/define.ts';
import { definitionOf } from '../domain/logbook/definitions.ts';
import type { LogbookEvent } from '../domain/logbook/event.ts';
import { actorSchema } from '../domain/logbook/parts.ts';

export type Told = { readonly event: LogbookEvent; readonly told: Telling & { readonly title: string } };

/** Tells the entries of a run from one on. */
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

/** Tells an event from its own data, and from the logins in the entries before it: an old entry never reads differently. */
function tell(event: LogbookEvent, logins: Logins): Told['told'] {
  const definition = definitionOf(event);
  return { title: definition.title, ...definition.tell(event, logins) };
}
