/** GitHub Actions in the playground: registers workflows, opens runs, and runs their jobs on registered runners. */

import { actions as limits } from '../limits/limits.ts';
import type { World } from '../world/world.ts';
import type { ActiveJob, Engine } from './queue/engine.ts';
import { openRuns } from './queue/open-runs.ts';
import { recover } from './queue/recover.ts';
import { fireSchedules, nextScheduleMs } from './queue/schedules.ts';
import { createSerialQueue } from './queue/serial-queue.ts';
import { settle } from './queue/settle.ts';
import { createWorkflowFiles } from './queue/workflow-files.ts';
import { createInProcessExecutor, type InProcessHandlers } from './runner/in-process-executor.ts';
import { createProcessExecutor } from './runner/process-executor.ts';
import type { Runner } from './runner/runner-types.ts';

export type ActionsOptions = {
  readonly world: World;
  readonly runners: readonly Runner[];
  /** Real processes, or injected functions that simulate them on the world's clock. */
  readonly executor: { readonly kind: 'process' } | ({ readonly kind: 'inProcess' } & InProcessHandlers);
  /** Maps the `owner/repo` of a `uses:` (an action or a called workflow) to the directory that serves it. */
  readonly actionDirectories: Readonly<Record<string, string>>;
  /** A folder with third-party actions, as `OWNER/NAME` or `OWNER/NAME@REF`. */
  readonly actionBundles?: string | null;
  /** The Node that runs JavaScript actions, an absolute path. */
  readonly nodeProgram: string;
  /** Where runners keep their workspaces, an absolute path. */
  readonly workDirectory: string;
  /** `http://127.0.0.1:PORT`, the base address of the API, GraphQL and git. */
  readonly serverUrl: string;
  /**
   * Called with a background error (a bug, a full disk). Without this callback the error is thrown and ends the
   * process.
   */
  readonly onBroken?: (error: Error) => void;
  /**
   * How often schedules are checked, at least. The default is 2 s; use a longer interval where hours pass in a second.
   */
  readonly schedulePollMs?: number;
};

export type Actions = {
  /** From here on the queue runs by itself: after every event, and when schedules come due. */
  readonly start: () => void;
  /** Kills the running jobs, like a cancelled machine, and waits for them. Queued jobs continue after a restart. */
  readonly stop: () => Promise<void>;
  /** Starts what can start now and fires due schedules. Jobs may still be running when it resolves. */
  readonly tick: () => Promise<void>;
  /** Resolves when no job runs and none can start. */
  readonly idle: () => Promise<void>;
};

/** Events that can start a workflow. The queue ignores every other event. */
const STARTING: ReadonlySet<string> = new Set([
  'check_run',
  'issue_comment',
  'issues',
  'pull_request',
  'pull_request_review',
  'pull_request_review_comment',
  'push',
  'repository_dispatch',
  'workflow_dispatch',
]);

/**
 * Subscribes to the world immediately, so that no event is missed. After a restart, it first fails the jobs that lost
 * their runner; queued jobs continue.
 */
export function createActions(options: ActionsOptions): Actions {
  const { world } = options;
  const stopped = new AbortController();
  const queue = createSerialQueue();
  const background = new Set<Promise<void>>();
  const engine = createEngine(options, queue.serially, stopped.signal);
  let recovered = false;
  let loop: Promise<void> | null = null;

  const runPass = (first: () => Promise<void>): Promise<void> =>
    queue.serially(async () => {
      if (!recovered) {
        recovered = true;
        await recover(engine);
      }
      await first();
      await settle(engine);
    });
  const inBackground = (work: Promise<void>): void => {
    const task = work.catch(engine.broke).finally(() => background.delete(task));
    background.add(task);
  };
  const unsubscribe = world.bus.subscribe(async (event) => {
    if (stopped.signal.aborted) return;
    // The queue itself emits these events while it works. Waiting for the queue here would deadlock.
    if (event.type === 'check_run' && event.byTokenKind === 'app') return;
    if (event.type === 'workflow_run') inBackground(runPass(() => openRuns(engine, event)));
    else if (STARTING.has(event.type)) await runPass(() => openRuns(engine, event));
  });
  const tick = (): Promise<void> => runPass(() => fireSchedules(engine));

  return {
    tick,
    start: () => {
      loop ??= runSchedules(world, tick, stopped.signal, options.schedulePollMs ?? limits.schedulePollMs).catch(
        engine.broke,
      );
    },
    idle: async () => {
      while (engine.active.size > 0 || background.size > 0 || queue.busy()) {
        await Promise.all([...engine.active.values()].map((job) => job.done));
        await Promise.all(background);
        await queue.serially(async () => undefined);
      }
    },
    stop: async () => {
      stopped.abort();
      unsubscribe();
      const running = [...engine.active.values()];
      for (const job of running) job.force.abort();
      if (engine.executor.endsWhenTold) await Promise.all(running.map((job) => job.done));
      await Promise.all(background);
      await loop;
    },
  };
}

function createEngine(options: ActionsOptions, serially: Engine['serially'], stopped: AbortSignal): Engine {
  const { world, executor } = options;
  return {
    world,
    serially,
    stopped,
    runners: options.runners,
    executor:
      executor.kind === 'process'
        ? createProcessExecutor({ nodeProgram: options.nodeProgram, workDirectory: options.workDirectory })
        : createInProcessExecutor(executor, world.clock),
    files: createWorkflowFiles(world, options.actionDirectories),
    actionDirectories: options.actionDirectories,
    actionBundles: options.actionBundles ?? null,
    workDirectory: options.workDirectory,
    serverUrl: options.serverUrl,
    active: new Map<number, ActiveJob>(),
    broke:
      options.onBroken ??
      ((error) =>
        queueMicrotask(() => {
          throw error;
        })),
  };
}

/** Checks again when a schedule comes due, and at short intervals, because a person may move the clock. */
async function runSchedules(
  world: World,
  tick: () => Promise<void>,
  stopped: AbortSignal,
  pollMs: number,
): Promise<void> {
  while (!stopped.aborted) {
    await tick();
    const due = nextScheduleMs(world);
    const untilDueMs = due === null ? pollMs : due - world.clock.now();
    try {
      await world.clock.sleep(Math.max(1, Math.min(untilDueMs, pollMs)), stopped);
    } catch (error) {
      if (!stopped.aborted) throw error;
    }
  }
}
