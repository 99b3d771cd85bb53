/** Timeline events of a thread, recorded from its webhooks. */

import { actingAppId } from '../identity/identity.ts';
import type { Caller, User } from '../identity/state-people.ts';
import type { Json } from '../world/json.ts';
import { nextId, type World } from '../world/world.ts';
import { type Issue, type ThreadEvent, threadEventNames } from './state-threads.ts';

/** The caller and the world. */
type EventContext = { readonly world: World; readonly caller: Caller; readonly actor: User };

/**
 * Records the event of a webhook's action. Most actions (`opened`, `labeled`, …) are recorded in other tables or not at
 * all.
 */
export function recordThreadEvent(
  act: EventContext,
  issue: Issue,
  action: string,
  extra: Readonly<Record<string, Json>>,
): void {
  const from = readTextAt(extra, 'changes', 'title', 'from');
  if (action === 'edited' && from !== null) storeEvent(act, issue, 'renamed', { titles: [from, issue.title] });
  const event = threadEventNames.find((name) => name === action);
  if (event === undefined) return;
  if (event === 'closed' && issue.pull?.mergeCommitSha != null)
    storeEvent(act, issue, 'merged', { commitSha: issue.pull.mergeCommitSha });
  const subject = readPath(extra, 'assignee', 'id') ?? readPath(extra, 'requested_reviewer', 'id');
  const title = readTextAt(extra, 'milestone', 'title');
  storeEvent(act, issue, event, {
    subjectId: typeof subject === 'number' ? subject : null,
    titles: title === null ? [] : [title],
  });
}

function storeEvent(act: EventContext, issue: Issue, event: ThreadEvent['event'], more: Partial<ThreadEvent>): void {
  const id = nextId(act.world, 'threadEvents');
  act.world.state.threadEvents[id] = {
    id,
    repoId: issue.repoId,
    number: issue.number,
    actorId: act.actor.id,
    event,
    atMs: act.world.clock.now(),
    subjectId: null,
    titles: [],
    commitSha: null,
    viaAppId: actingAppId(act.caller),
    ...more,
  };
}

/** The events of one thread, oldest first. */
export function listThreadEvents({ world }: Pick<EventContext, 'world'>, issue: Issue): readonly ThreadEvent[] {
  return Object.values(world.state.threadEvents).filter(
    (one) => one.repoId === issue.repoId && one.number === issue.number,
  );
}

function readPath(value: Json, ...path: readonly string[]): Json {
  let here = value;
  for (const step of path) {
    if (typeof here !== 'object' || here === null || Array.isArray(here)) return null;
    here = Object(here)[step] ?? null;
  }
  return here;
}

function readTextAt(value: Json, ...path: readonly string[]): string | null {
  const found = readPath(value, ...path);
  return typeof found === 'string' ? found : null;
}
