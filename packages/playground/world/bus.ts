/** Distributes every change of the world to the rest of the playground (webhooks, the runner, open pages). */

import type { Caller } from '../identity/state-people.ts';
import type { JsonObject } from './json.ts';

/** GitHub's event names that the playground emits (docs.github.com/webhooks/webhook-events-and-payloads). */
export type WorldEventType =
  | 'check_run'
  | 'check_suite'
  | 'create'
  | 'delete'
  | 'deployment'
  | 'deployment_status'
  | 'installation'
  | 'issue_comment'
  | 'issues'
  | 'label'
  | 'milestone'
  | 'ping'
  | 'pull_request'
  | 'pull_request_review'
  | 'pull_request_review_comment'
  | 'push'
  | 'reaction'
  | 'release'
  | 'repository_dispatch'
  | 'schedule'
  | 'status'
  | 'workflow_dispatch'
  | 'workflow_job'
  | 'workflow_run';

/**
 * One change. `payload` is the webhook's body without `installation`, which is added per App. `reaction` and `schedule`
 * are internal and are never sent as webhooks. The same holds for the actions `cancel_requested`, `rerun_requested` and
 * `approved` of `workflow_run`, which the API sends to the runner.
 */
export type WorldEvent = {
  readonly type: WorldEventType;
  readonly action: string | null;
  readonly repoId: number;
  readonly payload: JsonObject;
  readonly senderId: number;
  /** How the change was made: a change by a `workflow` token starts no workflow except a dispatch. */
  readonly byTokenKind: Caller['kind'];
  /** The workflow run that a `workflow_dispatch` created, or that a `workflow_run` concerns. */
  readonly runId: number | null;
  readonly atMs: number;
};

/** Whether GitHub sends a webhook for the change. */
export function isWebhook({ type, action }: Pick<WorldEvent, 'type' | 'action'>): boolean {
  if (type === 'reaction' || type === 'schedule') return false;
  return type !== 'workflow_run' || ['requested', 'in_progress', 'completed'].includes(action ?? '');
}

/**
 * A listener records what it must before it resolves, because the request waits for it. It does long work afterwards.
 */
export type Listener = (event: WorldEvent) => void | Promise<void>;

export type Bus = {
  /** Returns the function that ends the subscription. */
  readonly subscribe: (listener: Listener) => () => void;
  /** Calls the listeners one after another, in the order of their subscription. Their errors reach the caller. */
  readonly emit: (event: WorldEvent) => Promise<void>;
};

export function createBus(): Bus {
  const listeners = new Set<Listener>();
  return {
    subscribe: (listener) => {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
    emit: async (event) => {
      for (const listener of [...listeners]) await listener(event);
    },
  };
}
