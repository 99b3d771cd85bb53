/** Runs git's own CGI program, `git http-backend`, for one request. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { execa } from 'execa';
import { git as limits } from '../../limits/limits.ts';
import { type GitSetting, gitEnvironment } from '../store/git-environment.ts';
import { forwardCgiOutput } from './cgi-response.ts';
import type { GitRequest } from './git-request.ts';
import type { Barrier } from './push-policy.ts';

type CgiJob = {
  readonly asked: GitRequest;
  /** The bare repository. */
  readonly directory: string;
  readonly gitProgram: string;
  /** What a push may not do; an empty list needs no hook. */
  readonly policy: readonly Barrier[];
};

/**
 * Streams the request into the program and its answer into the response; the caller ends the response. Resolves when
 * the program has ended, even if the client disconnected before: a push is then completed, a fetch is cut short. Null,
 * or git's error message if it failed after it had started to answer; the answer then contains the error too, because
 * it is usually the client's. Throws when the program did not run or did not answer.
 */
export async function runHttpBackend(
  job: CgiJob,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<string | null> {
  const child = execa(job.gitProgram, ['http-backend'], {
    env: { ...cgiEnvironment(job, request) },
    extendEnv: false,
    encoding: 'buffer',
    stdin: 'pipe',
    buffer: { stdout: false, stderr: true },
    reject: false,
  });
  const leave = (): void => {
    if (job.asked.service === 'upload-pack') child.kill();
  };
  response.once('close', leave);
  request.setTimeout(limits.transferIdleMs, () => request.destroy());
  // Either side may stop early (the client disconnects, git refuses before it has read everything). Git's exit code
  // gives the outcome.
  const sending = pipeline(request, child.stdin).then(
    () => null,
    (cause: unknown) => cause,
  );
  const answered = await forwardCgiOutput(child.stdout, response);
  const [result, broken] = await Promise.all([child, sending]);
  response.off('close', leave);
  if (result.exitCode === 0 && answered) return null;
  const complaint = `${result.shortMessage ?? 'git http-backend'}: ${Buffer.from(result.stderr).toString('utf8').trim()}`;
  if (answered || response.destroyed) return complaint;
  throw new Error(complaint, { cause: broken ?? result.cause });
}

// The settings that GitHub uses for clients, regardless of the repository's own file.
const serverSettings: readonly GitSetting[] = [
  ['http.receivepack', 'true'],
  ['uploadpack.allowFilter', 'true'],
  ['uploadpack.allowAnySHA1InWant', 'true'],
  ['receive.denyNonFastForwards', 'false'],
  ['receive.denyDeletes', 'false'],
  ['receive.fsckObjects', 'true'],
  ['receive.hideRefs', 'refs/pull'],
  // A background repack would outlive its request.
  ['receive.autogc', 'false'],
];

// No CONTENT_LENGTH: git's http-backend loops endlessly when a client disconnects before it has sent that many bytes.
// Without it, git reads to the end of its input, which Node closes with the request.
function cgiEnvironment({ asked, directory, policy }: CgiJob, request: IncomingMessage): Record<string, string> {
  const service = `git-${asked.service}`;
  const { headers } = request;
  return {
    ...gitEnvironment([...serverSettings, ...(policy.length === 0 ? [] : [hooksPath])]),
    ...(policy.length === 0 ? {} : hookEnvironment(policy)),
    GIT_HTTP_EXPORT_ALL: '1',
    PATH_TRANSLATED: `${directory}/${asked.advertisement ? 'info/refs' : service}`,
    REQUEST_METHOD: request.method ?? '',
    QUERY_STRING: asked.advertisement ? `service=${service}` : '',
    REMOTE_ADDR: request.socket.remoteAddress ?? '',
    ...variable('CONTENT_TYPE', headers['content-type']),
    ...variable('HTTP_CONTENT_ENCODING', headers['content-encoding']),
    ...variable('GIT_PROTOCOL', headers['git-protocol']),
  };
}

const hooksPath: GitSetting = ['core.hooksPath', join(import.meta.dirname, 'hooks')];

function hookEnvironment(policy: readonly Barrier[]): Record<string, string> {
  return {
    PLAYGROUND_NODE: process.execPath,
    PLAYGROUND_HOOK: join(import.meta.dirname, 'update-hook.ts'),
    PLAYGROUND_POLICY: JSON.stringify(policy),
    ...(policy.every(({ forbids }) => forbids === 'workflows') ? { PLAYGROUND_WORKFLOWS_ALONE: '1' } : {}),
  };
}

function variable(name: string, value: string | readonly string[] | undefined): Record<string, string> {
  return typeof value === 'string' ? { [name]: value } : {};
}
