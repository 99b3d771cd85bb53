/** One question to the controller (Connect, unary, JSON over POST) and its whole answer, or why there is none. */

import { z } from 'zod';
import { cutText } from '../../domain/cut-text.ts';
import { limits } from '../../domain/limits.ts';
import { redact } from '../../host/redactor.ts';
import { readWholeBody } from '../http.ts';
import { irisLimits } from './limits.ts';
import type { IrisSettings } from './settings.ts';

/**
 * All that is ever asked of Iris. Nothing here stops, starts or restarts a cluster, a controller or a worker:
 * `TerminateJob` with the exact id of one job is the only call that ends anything (test/engines/iris-methods.test.ts).
 */
export const METHODS = {
  launch: 'iris.cluster.ControllerService/LaunchJob',
  // rule HR-28
  status: 'iris.cluster.ControllerService/GetJobStatus',
  list: 'iris.cluster.ControllerService/ListJobs',
  tasks: 'iris.cluster.ControllerService/ListTasks',
  terminate: 'iris.cluster.ControllerService/TerminateJob',
  process: 'iris.cluster.ControllerService/GetProcessStatus',
  authentication: 'iris.cluster.ControllerService/GetAuthInfo',
  // rule HR-04
  logs: 'finelog.logging.LogService/FetchLogs',
} as const;

/**
 * `refused`: the controller said a certain no (4xx), or a 500 that repeating never helps. `unknown`: no answer, or one after
 * which nobody can tell what was done; `sent` is false where the request certainly reached nobody.
 */
export type Answer<Value> =
  | { readonly kind: 'said'; readonly value: Value }
  | { readonly kind: 'refused'; readonly status: number; readonly code: string; readonly message: string }
  | { readonly kind: 'unknown'; readonly message: string };

const complaint = z.object({ code: z.string(), message: z.string().default('') });

/** Iris says these with 500, as it says passing faults: nothing was done, and nothing else will be. */
const MALFORMED = /has no field named|must use canonical|Failed to (?:load|parse)/;

/** Asks once. Redirects are not followed: the key would go with them. */
export async function ask<Value>(
  settings: IrisSettings,
  method: keyof typeof METHODS,
  body: object,
  schema: z.ZodType<Value>,
): Promise<Answer<Value>> {
  const { requestTimeoutMs } = settings.cluster;
  const result = await settings.http({
    method: 'POST',
    url: new URL(METHODS[method], settings.address),
    headers: {
      'content-type': 'application/json',
      accept: 'application/json',
      ...(settings.token === null ? {} : { authorization: `Bearer ${settings.token}` }),
    },
    body: JSON.stringify(body),
    idleTimeoutMs: requestTimeoutMs,
    signal: AbortSignal.timeout(requestTimeoutMs * 2),
  });
  if (result.kind === 'failed') return unknown(settings, `the controller does not answer: ${result.message}`);
  const { answer } = result;
  const read = await readWholeBody(answer, irisLimits.answerBytesMax);
  if (read.kind === 'too-large') return unknown(settings, 'the answer is too large');
  if (read.kind === 'broken') return unknown(settings, `the answer broke off: ${read.message}`);
  return judge(settings, answer.status, read.text, schema);
}

function judge<Value>(
  settings: IrisSettings,
  status: number,
  text: string,
  schema: z.ZodType<Value>,
): Answer<Value> {
  const json = jsonOf(text);
  if (status === 200) {
    const parsed = schema.safeParse(json);
    return parsed.success
      ? { kind: 'said', value: parsed.data }
      : unknown(settings, `this is no answer of Iris that is known here: ${z.prettifyError(parsed.error)}`);
  }
  const said = complaint.safeParse(json).data;
  // Without a code of Connect's it is the word of something in between, or of another program.
  if (said === undefined) return unknown(settings, `something answers ${status}, and it is not Iris`);
  const { code } = said;
  const message = clean(settings, said.message);
  const isFinal = (status >= 400 && status < 500) || (status === 500 && MALFORMED.test(said.message));
  return isFinal
    ? { kind: 'refused', status, code, message }
    : unknown(settings, `${status} ${code}: ${message}`);
}

/** Without our key, and bounded. */
export function clean({ token }: Pick<IrisSettings, 'token'>, text: string): string {
  return cutText(redact(text, token === null ? [] : [token]), limits.messageCharactersMax);
}

function unknown(settings: IrisSettings, message: string): Extract<Answer<never>, { kind: 'unknown' }> {
  return { kind: 'unknown', message: clean(settings, message) };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
