/** One trigger queue per repository, opened on demand. */

import { z } from 'zod';
import type { ReconcileRequest } from '../../domain/reconcile-request.ts';
import type { Log } from '../lab.ts';
import type { WorkQueue } from '../work-queue.ts';
import type { Discovery, Installed } from './discovery.ts';

export type Queues = {
  /** Pushes the trigger of a webhook; ignores payloads without repository and installation. */
  readonly trigger: (payload: unknown, trigger: ReconcileRequest | null) => void;
  /** Pushes a sweep to every repository. */
  readonly sweep: () => Promise<void>;
  /** Lists the installations again and pushes a sweep that is not skipped. */
  readonly sweepAnew: () => Promise<void>;
  /** Resolves when all queues are idle. */
  readonly idle: () => Promise<void>;
};

type QueuesPorts = {
  readonly installed: Discovery;
  readonly open: (where: Installed) => Promise<WorkQueue>;
  readonly log: Log;
};

const payloadSchema = z.object({
  repository: z.object({ full_name: z.string(), default_branch: z.string() }),
  installation: z.object({ id: z.number().int() }),
});

/** A reinstalled repository gets a new queue, because the old installation's tokens are invalid. */
export function createQueues({ installed, open, log }: QueuesPorts): Queues {
  const queues = new Map<string, Promise<WorkQueue | null>>();
  const queueOf = (where: Installed): Promise<WorkQueue | null> => {
    const key = `${where.installation} ${where.repository}`;
    const found = queues.get(key);
    if (found !== undefined) return found;
    const made = open(where).catch((error: unknown) => {
      queues.delete(key);
      log(`no queue for ${where.repository}: ${error instanceof Error ? error.message : String(error)}`);
      return null;
    });
    queues.set(key, made);
    return made;
  };
  // A failing repository must not affect the others.
  const push = async (where: Installed, trigger: ReconcileRequest): Promise<void> => {
    try {
      (await queueOf(where))?.push(trigger);
    } catch (error) {
      log(`a trigger for ${where.repository} was lost until the next sweep: ${String(error)}`);
    }
  };
  return {
    trigger: (payload, trigger) => {
      const parsed = payloadSchema.safeParse(payload);
      if (trigger === null || !parsed.success) return;
      const { repository, installation } = parsed.data;
      const { full_name, default_branch: branch } = repository;
      void push({ repository: full_name, branch, installation: installation.id }, trigger);
    },
    sweep: async () => {
      for (const where of await installed()) await push(where, { kind: 'sweep' });
    },
    sweepAnew: async () => {
      for (const where of await installed(true)) await push(where, { kind: 'sweep', isOwed: true });
    },
    idle: async () => {
      for (const queue of queues.values()) await (await queue)?.idle();
    },
  };
}
