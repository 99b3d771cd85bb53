/** Actions on virtual time, with functions as steps. */

import { afterEach } from 'vitest';
import { type Actions, createActions } from '../../actions/actions.ts';
import type { InProcessHandlers } from '../../actions/runner/in-process-executor.ts';
import type { Runner } from '../../actions/runner/runner-types.ts';
import type { State } from '../../world/state.ts';
import { createLab, type Lab, MORNING } from './lab.ts';
import { createVirtualClock, type VirtualClock } from './virtual-clock.ts';

export type Stage = Lab & {
  readonly clock: VirtualClock;
  readonly actions: Actions;
  /** Scripts and actions in the order in which they ran, with the relevant part of their environment. */
  readonly ran: { readonly what: string; readonly env: Readonly<Record<string, string>> }[];
};

const open: Actions[] = [];
afterEach(async () => {
  for (const actions of open.splice(0)) await actions.stop();
});

/** Scripts: `sleep N` waits N virtual seconds, `fail` fails, `out NAME=VALUE` sets an output, everything else succeeds. */
export function stage(
  options: {
    readonly state?: State;
    readonly store?: Lab['store'];
    /** `owner/name` to the folder that serves it. */
    readonly directories?: Readonly<Record<string, string>>;
    /** Machines in addition to the hosted ones and the launcher. */
    readonly runners?: readonly Runner[];
  } = {},
): Stage {
  const clock = createVirtualClock(MORNING);
  const { directories = {}, runners = [], ...rest } = options;
  const lab = createLab({ clock, ...rest });
  const ran: Stage['ran'] = [];
  const play: InProcessHandlers['run'] = async (script, { env, signal }) => {
    ran.push({ what: script, env });
    const seconds = /sleep (\d+)/.exec(script)?.[1];
    if (seconds !== undefined) await pause(clock, Number(seconds) * 1000, signal);
    const [, name, value] = /out (\w+)=(.*)/.exec(script) ?? [];
    return {
      conclusion: /^fail\b/.test(script) ? 'failure' : 'success',
      outputs: name === undefined || value === undefined ? {} : { [name]: value },
      log: `said ${script}`,
    };
  };
  const actions = createActions({
    world: lab.world,
    runners: [
      { name: 'hosted-1', labels: ['ubuntu-latest'] },
      { name: 'hosted-2', labels: ['ubuntu-latest'] },
      { name: 'launcher', labels: ['self-hosted', 'ferrybot-launch'] },
      ...runners,
    ],
    executor: {
      kind: 'inProcess',
      run: play,
      checkout: (inputs, request) => play(`checkout ${JSON.stringify(inputs)}`, request),
      action: (ref, inputs, env, payload, signal) =>
        play(`${ref} ${JSON.stringify(inputs)} on ${Object.keys(Object(payload)).join()}`, { env, signal }),
    },
    actionDirectories: directories,
    nodeProgram: '/nowhere/node',
    workDirectory: '/nowhere',
    serverUrl: 'http://127.0.0.1:9',
  });
  open.push(actions);
  return { ...lab, clock, actions, ran };
}

/** One workflow file to push. */
export const file = (name: string, text: string): Record<string, string> => ({
  [`.github/workflows/${name}.yml`]: text,
});
/** A job's YAML in flow style, on a hosted runner. */
export const job = (steps: string, more = ''): string => `runs-on: ubuntu-latest, ${more} steps: [${steps}]`;

/** Waits, or returns early when it is aborted. */
async function pause(clock: VirtualClock, durationMs: number, signal: AbortSignal): Promise<void> {
  try {
    await clock.sleep(durationMs, signal);
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
