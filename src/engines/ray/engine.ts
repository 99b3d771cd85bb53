/** The `ray` engine: submits through the lab's scripts where there are any, looks through the Jobs API wherever there is a dashboard. */

import { spendCapability } from '../../domain/actions/capability.ts';
import type { Engine } from '../../domain/engine.ts';
import { stopStep, submitStep } from '../../domain/engine.ts';
import { unknown } from '../../domain/observed.ts';
import { leftOutOfPackage } from '../package-files.ts';
import { RAY } from './rest/ship-package.ts';
import { leftOutByScript } from './scripts/left-out.ts';
import { describeByScript, observeByScript } from './scripts/observe.ts';
import { readLogByScript } from './scripts/read-log.ts';
import type { ScriptSettings } from './scripts/settings.ts';
import { stopByScript } from './scripts/stop.ts';
import { submitByScript } from './scripts/submit.ts';
import type { Tunnel } from './tunnel.ts';

export type RayEngineOptions = {
  /** The Jobs API; null where no dashboard is known. */
  readonly rest: Engine | null;
  /** The scripts; null where the Jobs API submits. */
  readonly scripts: ScriptSettings | null;
  readonly tunnel: Tunnel | null;
  /** Address of the dashboard for people, without a slash at its end; null where there is none. */
  readonly dashboard: string | null;
};

/**
 * `rest` is preferred for looking, because the scripts print nothing with exit code 0 for *tunnel down*, *job unknown*
 * and *no line* alike. Every call waits for the one tunnel; while that is down, every answer is `unknown` with the reason.
 */
export function createRayEngine({ rest, scripts, tunnel, dashboard }: RayEngineOptions): Engine {
  const { looking, submit } = transports(rest, scripts, dashboard);
  const behind = async <Answer>(
    call: () => Promise<Answer>,
  ): Promise<Answer | { readonly kind: 'unknown'; readonly message: string }> => {
    const down = tunnel === null ? null : await tunnel.ensure();
    return down === null ? call() : { kind: 'unknown', message: down };
  };
  const { observeMany, live, forgetsWithSession } = looking;
  return {
    name: 'ray',
    ...(forgetsWithSession === undefined ? {} : { forgetsWithSession }),
    session: () => behind(() => looking.session()),
    leftOut: (spec) =>
      scripts === null ? leftOutOfPackage(spec, RAY) : leftOutByScript(scripts.templates, spec),
    submit: (spec, permit) => behind(() => submit(spec, permit)),
    observe: (jobId, lastSession) => behind(() => looking.observe(jobId, lastSession)),
    ...(live === undefined
      ? {}
      : {
          live: async () => {
            const seen = await behind(live);
            return 'message' in seen ? unknown(seen.message) : seen;
          },
        }),
    describe: (jobId) => behind(() => looking.describe(jobId)),
    readLog: (jobId, offset) => behind(() => looking.readLog(jobId, offset)),
    stop: (jobId, permit) => behind(() => looking.stop(jobId, permit)),
    ...(observeMany === undefined
      ? {}
      : {
          observeMany: async (asked) => {
            const seen = await behind(() => observeMany(asked));
            return 'kind' in seen ? asked.map(() => seen) : seen;
          },
        }),
  };
}

type Looking = Omit<Engine, 'submit' | 'name'>;
type Transports = { readonly looking: Looking; readonly submit: Engine['submit'] };

function transports(
  rest: Engine | null,
  scripts: ScriptSettings | null,
  dashboard: string | null,
): Transports {
  if (scripts === null) {
    if (rest === null) throw new Error('a Ray cluster has neither a dashboard nor scripts');
    return { looking: rest, submit: rest.submit };
  }
  const looking = rest ?? lookingByScript(scripts);
  const look = {
    observe: (jobId: string) => looking.observe(jobId, null),
    mayBeEmpty: rest === null,
    urlOf: (jobId: string) => (dashboard === null ? '' : `${dashboard}/#/jobs/${jobId}`),
  };
  const submit: Engine['submit'] = async (spec, permit) => {
    spendCapability(permit, submitStep(spec));
    return submitByScript(scripts, look, spec);
  };
  return { looking, submit };
}

function lookingByScript(scripts: ScriptSettings): Looking {
  const observe = (jobId: string): ReturnType<Engine['observe']> => observeByScript(scripts, jobId, null);
  return {
    session: async () => ({ kind: 'unknown', message: 'the scripts tell no session of the head' }),
    observe: (jobId, lastSession) => observeByScript(scripts, jobId, lastSession),
    describe: (jobId) => describeByScript(scripts, jobId, null),
    readLog: (jobId, offset) => readLogByScript(scripts, jobId, offset),
    stop: async (jobId, permit) => {
      spendCapability(permit, stopStep(jobId));
      return stopByScript(scripts, observe, jobId);
    },
  };
}
