/** The jobs of a lab on virtual time: the bot's own code for a mode of the action, in this process. */

import type { InProcessHandlers } from '../../packages/playground/actions/runner/in-process-executor.ts';
import { type ActionParts, isMode } from '../../src/app/action/parts.ts';
import { runAction } from '../../src/app/action/run-action.ts';
import type { DiskPortOpener } from '../../src/app/disk-scan/disk-port.ts';
import type { TrackerLookup } from '../../src/app/engines.ts';
import type { RunFixer } from '../../src/app/fixer/fix-mode.ts';
import type { CloudLookup, Lab } from '../../src/app/lab.ts';
import { createSecretRegistry } from '../../src/app/secret-registry.ts';
import { hasCluster } from '../../src/config/lane-of-file.ts';
import type { StorePath } from '../../src/domain/checkpoint/stored.ts';
import type { Engine } from '../../src/domain/engine.ts';
import { known } from '../../src/domain/values.ts';
import { openStoreToDelete } from '../../src/stores/open.ts';
import { parseMetrics } from '../../src/trackers/metrics-file.ts';
import { Crash } from './crash.ts';
import type { InFlight } from './in-flight.ts';
import type { SimulatedEngine } from './simulated-engine.ts';
import type { VirtualClock } from './virtual-clock.ts';
import type { Wires } from './virtual-lab-carrier.ts';
import { virtualStores } from './virtual-lab-compose.ts';
import { readKeys } from './virtual-lab-keys.ts';

type JobsInput = {
  readonly clock: VirtualClock;
  readonly log: string[];
  readonly engine: SimulatedEngine;
  /** The engine that submits and watches. */
  readonly engineInUse: Engine;
  readonly compose: (process: string, token: () => Promise<string>, keys: Lab['signingKeys']) => Lab;
  readonly shipTree: Wires['shipTree'];
  readonly stateDirectory: string;
  readonly inFlight: InFlight;
  readonly cloudOf: CloudLookup;
  readonly disks: DiskPortOpener;
  readonly trackerOf: TrackerLookup;
  readonly beforeJob: (mode: string) => Promise<void>;
  readonly runFixer: RunFixer;
  /** Stores the artifact of a step with actions/upload-artifact. */
  readonly leave: (run: number, name: string, text: string) => Promise<void>;
};

/** Checkouts and other actions succeed without effect; ferrybot's action runs its real code. */
export function virtualJobs(input: JobsInput): InProcessHandlers {
  return {
    checkout: async () => ({ conclusion: 'success', outputs: {}, log: '' }),
    run: async () => ({ conclusion: 'success', outputs: {}, log: '' }),
    action: async (ref, inputs, env, payload) => {
      if (ref.startsWith('actions/upload-artifact@')) {
        await input.leave(Number(env['GITHUB_RUN_ID']), inputs['name'] ?? '', inputs['path'] ?? '');
        return { conclusion: 'success', outputs: {}, log: '' };
      }
      const mode = inputs['mode'] ?? '';
      if (!isMode(mode)) throw new Error(`mode ${mode}`);
      await input.beforeJob(mode);
      try {
        const { ok, result, detail, answerFile } = await runAction(partsOf(input, mode, inputs, env, payload));
        if (!ok) input.log.push(`${mode}: ${result}: ${detail}`);
        const outputs = { result, 'answer-file': answerFile ?? '' };
        return { conclusion: ok ? 'success' : 'failure', outputs, log: detail };
      } catch (error) {
        if (!(error instanceof Crash))
          input.log.push(`${mode} threw ${String(error)} ${error instanceof Error ? error.stack : ''}`);
        return { conclusion: 'failure', outputs: {}, log: String(error) };
      }
    },
  };
}

/**
 * A folder of this machine: the virtual clock waits during a deletion, so that a deletion never waits for the
 * clock.
 */
function storeToDelete({ clock, inFlight }: JobsInput, path: StorePath): ReturnType<ActionParts['storeOf']> {
  const opener = virtualStores(clock);
  const store = openStoreToDelete({ ...opener, host: { ...opener.host, sleep: async () => undefined } }, path);
  if (store.kind === 'unknown') return store;
  const { list, newest, measure, remove } = store.value;
  return known({
    list: (root) => inFlight.track('a listing', () => list(root)),
    newest: (root, wanted) => inFlight.track('a listing', () => newest(root, wanted)),
    measure: (one) => inFlight.track('a measure', () => measure(one)),
    remove: (...asked) => inFlight.track('a deletion', () => remove(...asked)),
  });
}

function partsOf(
  input: JobsInput,
  mode: ActionParts['mode'],
  inputs: Readonly<Record<string, string>>,
  env: Readonly<Record<string, string>>,
  payload: unknown,
): ActionParts {
  const { clock, engine, engineInUse, compose, shipTree, stateDirectory } = input;
  const { cloudOf, disks, trackerOf, runFixer } = input;
  return {
    lab: compose(mode, async () => inputs['token'] ?? '', readKeys(env)),
    mode,
    inputs: {
      run: inputs['run'] ?? '',
      order: inputs['order'] ?? '',
      action: inputs['action'] ?? '',
      failure: inputs['failure'] ?? '',
      cluster: inputs['cluster'] ?? '',
      stateDirectory,
      shiftMs: Number(inputs['shift-minutes'] || '1200') * 60_000,
    },
    event: {
      name: env['GITHUB_EVENT_NAME'] ?? '',
      payload,
      ref: env['GITHUB_REF'] ?? '',
      workflowRef: env['GITHUB_WORKFLOW_REF'] ?? '',
      runId: Number(env['GITHUB_RUN_ID']),
      runUrl: `${env['GITHUB_SERVER_URL']}/${env['GITHUB_REPOSITORY']}/actions/runs/${env['GITHUB_RUN_ID']}`,
      runAttempt: 1,
    },
    defaultBranch: 'main',
    engineOf: (config, cluster) => (hasCluster(config, cluster) ? engineInUse : null),
    cloudOf,
    disks,
    storeOf: (path) => storeToDelete(input, path),
    trackerOf,
    readMetrics: async (submission) => metricsOf(engine, submission.jobId),
    environment: env,
    secrets: createSecretRegistry(env, () => undefined),
    temporaryDirectory: '/nonexistent-temp',
    sleep: clock.sleep,
    saveMemory: () => undefined,
    shipTree,
    runFixer,
    keepAnswer: async (text) => text,
  };
}

function metricsOf(engine: SimulatedEngine, jobId: string): Readonly<Record<string, string>> {
  const text = engine.metricsOf(jobId);
  const read = text === null ? null : parseMetrics(text);
  return read?.kind === 'metrics' ? read.metrics : {};
}
