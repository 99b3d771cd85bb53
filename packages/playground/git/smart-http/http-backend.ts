/** Git over HTTP as on GitHub: clone, fetch and push with the API's tokens, by git's own http-backend. */

import { type IncomingMessage, ServerResponse } from 'node:http';
import { createGitProgram } from '../store/git-program.ts';
import type { Sha } from '../store/git-store.ts';
import { readRefs } from '../store/program-refs.ts';
import { withRepositoryLock } from '../store/repository-lock.ts';
import { runHttpBackend } from './cgi-process.ts';
import { type GitRequest, type GitService, parseGitRequest, requestToken } from './git-request.ts';
import type { Barrier } from './push-policy.ts';

export type GitAuthorization = 'ok' | 'unauthorized' | 'forbidden' | 'not-found';

/** One ref that a push changed; null = it did not exist before, or was deleted. */
export type PushedRef = { readonly ref: string; readonly before: Sha | null; readonly after: Sha | null };

export type GitHttpOptions = {
  /** The bare repository of a name, null when there is none. Called only after `authorize` returned ok. */
  readonly directoryOf: (owner: string, repo: string) => string | null;
  readonly authorize: (asked: {
    readonly owner: string;
    readonly repo: string;
    readonly token: string | null;
    readonly service: GitService;
  }) => Promise<GitAuthorization>;
  /** What a push with this token may not do; called once for each push. */
  readonly pushPolicy?: (asked: {
    readonly owner: string;
    readonly repo: string;
    readonly token: string | null;
  }) => readonly Barrier[];
  /** Called once for each push: true = git performs it, but the answer is lost. */
  readonly losesAnswer?: (push: {
    readonly owner: string;
    readonly repo: string;
    readonly token: string | null;
  }) => boolean;
  /** Called once after each push that changed a ref, before the client's answer ends. The lock is free by then. */
  readonly onPush: (push: {
    readonly owner: string;
    readonly repo: string;
    readonly token: string | null;
    readonly updates: readonly PushedRef[];
  }) => Promise<void>;
  /** Receives git's error message when an exchange failed after it was answered (a broken or disconnected client). */
  readonly onComplaint?: (complaint: string) => void;
  readonly gitProgram?: string;
};

/** True when the request belongs to git, so that a server can route it. */
export function isGitRequest(request: Pick<IncomingMessage, 'method' | 'url'>): boolean {
  return parseGitRequest(request.method, request.url ?? '/') !== null;
}

/**
 * Answers one request of git's smart HTTP protocol under `/<owner>/<repo>.git/`. Sends 401 with a challenge until the
 * token is sufficient, as GitHub does (https://git-scm.com/docs/gitprotocol-http). Throws when git could not run, after
 * it has answered 500.
 */
export async function serveGit(
  request: IncomingMessage,
  response: ServerResponse,
  options: GitHttpOptions,
): Promise<void> {
  const parsed = parseGitRequest(request.method, request.url ?? '/');
  if (parsed === null) return refuseRequest(request, response, 404, 'Not a request of git.');
  const { owner, repo, service } = parsed;
  const token = requestToken(request);
  const verdict = await options.authorize({ owner, repo, token, service });
  switch (verdict) {
    case 'unauthorized':
      response.setHeader('www-authenticate', 'Basic realm="GitHub"');
      return refuseRequest(request, response, 401, 'Invalid username or token.');
    case 'forbidden':
      return refuseRequest(request, response, 403, `Permission to ${owner}/${repo}.git denied.`);
    case 'not-found':
      return refuseRequest(request, response, 404, 'Repository not found.');
    case 'ok':
      return serveExchange(parsed, token, request, response, options);
    default:
      throw new Error(`unexpected verdict: ${String(verdict satisfies never)}`);
  }
}

async function serveExchange(
  parsed: GitRequest,
  token: string | null,
  request: IncomingMessage,
  response: ServerResponse,
  options: GitHttpOptions,
): Promise<void> {
  const { owner, repo, service, advertisement } = parsed;
  const directory = options.directoryOf(owner, repo);
  if (directory === null) return refuseRequest(request, response, 404, 'Repository not found.');
  const gitProgram = options.gitProgram ?? 'git';
  const git = createGitProgram({ directory, gitProgram });
  const pushes = service === 'receive-pack' && !advertisement;
  const isLost = pushes && options.losesAnswer?.({ owner, repo, token }) === true;
  const policy = pushes ? (options.pushPolicy?.({ owner, repo, token }) ?? []) : [];
  const run = async (): Promise<void> => {
    // A lost answer is written to a response without a socket.
    const receiver = isLost ? new ServerResponse(request) : response;
    const complaint = await runHttpBackend({ asked: parsed, directory, gitProgram, policy }, request, receiver);
    if (complaint !== null) options.onComplaint?.(complaint);
  };
  try {
    if (pushes) {
      const { updates, failure } = await withRepositoryLock(directory, () => watchRefs(git, run));
      // Report the push even when the exchange broke afterwards.
      if (updates.length > 0) await options.onPush({ owner, repo, token, updates });
      if (failure !== null) throw failure.cause;
    } else await run();
  } catch (cause) {
    if (response.headersSent) response.destroy();
    else refuseRequest(request, response, 500, 'git failed on the server.');
    throw cause;
  }
  if (isLost) response.destroy();
  else response.end();
}

type WatchedPush = { readonly updates: readonly PushedRef[]; readonly failure: { readonly cause: unknown } | null };

/** Runs a push and returns the refs that changed, regardless of the outcome of the exchange. */
async function watchRefs(git: ReturnType<typeof createGitProgram>, push: () => Promise<void>): Promise<WatchedPush> {
  const before = await readRefs(git);
  const failure = await push().then(
    () => null,
    (cause: unknown) => ({ cause }),
  );
  const after = await readRefs(git);
  const updates = [...new Set([...before.keys(), ...after.keys()])]
    .map((ref) => ({ ref, before: before.get(ref) ?? null, after: after.get(ref) ?? null }))
    .filter((update) => update.before !== update.after);
  return { updates, failure };
}

function refuseRequest(request: IncomingMessage, response: ServerResponse, status: number, message: string): void {
  request.resume();
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' });
  response.end(`${message}\n`);
}
