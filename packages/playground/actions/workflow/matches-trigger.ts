/** Whether an event starts a workflow: event name, activity type, branch, tag and path filters. */

import { matchesPatterns } from './filter-pattern.ts';
import { type ActivityEvent, DEFAULT_TYPES, type RefFilter, type Triggers } from './triggers.ts';

/** The values that filters match; the queue derives them from an event of the world. */
export type TriggerEvent = {
  readonly name: string;
  readonly action: string | null;
  /** push: the pushed ref; pull_request: the base branch; workflow_run: the head branch of that run. Full ref name. */
  readonly ref: string | null;
  /** Paths that the push or the pull request changes; null where path filters do not apply. */
  readonly changedPaths: readonly string[] | null;
  /** Name of the workflow that a `workflow_run` event reports. */
  readonly workflowName: string | null;
};

/**
 * True if the workflow's `on:` accepts the event. `workflow_dispatch` and `schedule` are decided where they are
 * created.
 */
export function matchesTrigger(triggers: Triggers, event: TriggerEvent): boolean {
  switch (event.name) {
    case 'push':
      return triggers.push !== null && matchesRef(triggers.push, event) && matchesPaths(triggers.push, event);
    case 'workflow_run': {
      const wanted = triggers.workflowRun;
      if (wanted === null || event.workflowName === null) return false;
      if (!matchesPatterns(wanted.workflows, event.workflowName)) return false;
      return matchesType(wanted.types, RUN_TYPES, event.action) && matchesRef(wanted, event);
    }
    default: {
      if (!isActivityEvent(event.name)) return false;
      const wanted = triggers.activities[event.name];
      if (wanted === null) return false;
      if (!matchesType(wanted.types, DEFAULT_TYPES[event.name], event.action)) return false;
      return matchesRef(wanted, event) && matchesPaths(wanted, event);
    }
  }
}

/** Other actions of this event are internal to the playground (such as a cancellation request) and start nothing. */
const RUN_TYPES = ['completed', 'requested', 'in_progress'] as const;

function isActivityEvent(name: string): name is ActivityEvent {
  return Object.hasOwn(DEFAULT_TYPES, name);
}

function matchesType(wanted: readonly string[], byDefault: readonly string[] | null, action: string | null): boolean {
  const types = wanted.length > 0 ? wanted : byDefault;
  return types === null || (action !== null && types.includes(action));
}

function matchesRef(filter: RefFilter, event: TriggerEvent): boolean {
  const { branches, 'branches-ignore': branchesIgnore, tags, 'tags-ignore': tagsIgnore } = filter;
  if ([branches, branchesIgnore, tags, tagsIgnore].every((patterns) => patterns.length === 0)) return true;
  if (event.ref === null) return true;
  const tag = event.ref.startsWith('refs/tags/');
  const name = event.ref.replace(/^refs\/(?:heads|tags)\//, '');
  const [only, never, other] = tag
    ? [tags, tagsIgnore, branches.length + branchesIgnore.length]
    : [branches, branchesIgnore, tags.length + tagsIgnore.length];
  if (only.length > 0) return matchesPatterns(only, name);
  if (never.length > 0) return !matchesPatterns(never, name);
  // If only the other kind of ref has a filter, this kind starts nothing.
  return other === 0;
}

function matchesPaths(filter: RefFilter, event: TriggerEvent): boolean {
  const changed = event.changedPaths;
  // Path filters do not apply to pushes of tags, and an unknown list of paths must not suppress a run.
  if (changed === null) return true;
  if (filter.paths.length > 0) return changed.some((path) => matchesPatterns(filter.paths, path));
  if (filter['paths-ignore'].length > 0) {
    return changed.some((path) => !matchesPatterns(filter['paths-ignore'], path));
  }
  return true;
}
