/** GitHub Actions of the playground: registers workflows, opens runs, and runs their jobs on registered runners. */

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
  /** Real processes, or functions that play them on the world's clock. */
  readonly executor: { readonly kind: 'process' } | ({ readonly kind: 'inProcess' } & InProcessHandlers);
  /** `owner/repo` of a `uses:`, of an action or of a called workflow, to the directory that stands for it. */
  readonly actionDirectories: Readonly<Record<string, string>>;
  /** A folder with actions of other people, as `OWNER/NAME` or `OWNER/NAME@REF`. */
  readonly actionBundles?: string | null;
  /** The Node that runs JavaScript actions, an absolute path. */
  readonly nodeProgram: string;
  /** Where runners keep their workspaces, an absolute path. */
  readonly workDirectory: string;
  /** `http://127.0.0.1:PORT`: API, GraphQL and git lie below it. */
  readonly serverUrl: string;
  /** Told what broke in the background (a bug, a full disk); without it the error is thrown where nobody can miss it. */
  readonly onBroken?: (error: Error) => void;
  /** How often schedules are looked for at least; 2 s unless said otherwise, more where hours pass in a second. */
  readonly schedulePollMs?: number;
};

export type Actions = {
  /** Goes on by itself from here: after every event, and when schedules come due. */
  readonly start: () => void;
  /** Ends the jobs that run (as cancelled machines do: killed) and waits for them; queued jobs go on after a restart. */
  readonly stop: () => Promise<void>;
  /** Starts what can start now and fires due schedules; jobs go on when it resolves. */
  readonly tick: () => Promise<void>;
  /** Resolves when no job runs and none can start. */
  readonly idle: () => Promise<void>;
};

/** Events that can start a workflow; every other one is none of this room's business. */
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
 * Subscribes to the world at once, so that no event is missed. In a world that was restarted, the first thing done is
 * to fail the jobs whose runner is gone; whatever was queued goes on.
 */
export function createActions(options: ActionsOptions): Actions {
  const { world } = options;
  const stopped = new AbortController();
  const queue = createSerialQueue();
  const background = new Set<Promise<void>>();
  const engine = createEngine(options, queue.serially, stopped.signal);
  let recovered = false;
  let loop: Promise<void> | null = null;

  const look = (first: () => Promise<void>): Promise<void> =>
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
    // The queue itself makes these while it works; waiting for it here would be waiting for oneself.
    if (event.type === 'check_run' && event.byTokenKind === 'app') return;
    if (event.type === 'workflow_run') inBackground(look(() => openRuns(engine, event)));
    else if (STARTING.has(event.type)) await look(() => openRuns(engine, event));
  });
  const tick = (): Promise<void> => look(() => fireSchedules(engine));

  return {
    tick,
    start: () => {
      loop ??= goOn(world, tick, stopped.signal, options.schedulePollMs ?? limits.schedulePollMs).catch(
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
        ? createProcessExecutor({
            nodeProgram: options.nodeProgram,
            workDirectory: options.workDirectory,
          })
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

/** Looks again whenever a schedule comes due, and every little while, since a clock may be moved by hand. */
async function goOn(
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
