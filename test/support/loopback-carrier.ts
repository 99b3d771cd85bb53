/**
 * The carrier of a virtual lab with real HTTP on loopback, the git program on both sides and a bare
 * repository on disk.
 */

import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { answer } from '../../packages/playground/api/api.ts';
import { answerWithFaults } from '../../packages/playground/faults/request-faults.ts';
import type { GitStore } from '../../packages/playground/git/store/git-store.ts';
import { createGitDoor } from '../../packages/playground/http/git-door.ts';
import { sendResponse, toFetchRequest } from '../../packages/playground/http/node-request.ts';
import { listen } from '../../packages/playground/http/server.ts';
import type { World } from '../../packages/playground/world/world.ts';
import type { GitIdentity, LabGit } from '../../src/app/lab.ts';
import { shipTree } from '../../src/app/runner/ship-job.ts';
import { createGitProgram } from '../../src/host/git/git-program.ts';
import type { InFlight } from './in-flight.ts';
import type { Carrier, RepositoryOptions } from './virtual-lab-carrier.ts';
import { diskRepository } from './virtual-lab-repository.ts';

/**
 * Every request, git exchange and webhook is counted while it runs, so that the lab's clock waits for it.
 * `close` removes every file and throws the errors of the playground's server.
 */
export async function loopbackCarrier({ config, beforeMs }: RepositoryOptions, inFlight: InFlight): Promise<Carrier> {
  const root = await mkdtemp(join(tmpdir(), 'ferrybot-loopback-'));
  const repository = join(root, 'ferries.git');
  const bound = await listen(0);
  if (!bound.ok) throw new Error(`no port: ${bound.reason}`);
  const hooks = await listenForHooks();
  const bugs: unknown[] = [];
  let mirrors = 0;
  return {
    origin: bound.origin,
    hookUrl: `${hooks.origin}/hook`,
    store: tracked(inFlight, await diskRepository(repository, config, beforeMs)),
    stateDirectory: join(root, 'state'),
    join: ({ world, receive, onTransport }) => {
      bound.serve({
        world: atTheDoor(world, inFlight),
        clock: null,
        git: createGitDoor(world, { directoryOf: () => repository }),
        onBug: (error) => bugs.push(error),
      });
      hooks.serve(receive, (error) => bugs.push(error));
      return {
        fetch: (request) => inFlight.track(`${request.method} ${request.url}`, () => wholly(request)),
        deliver: (request) => inFlight.track('a webhook', () => wholly(request)),
        gitOf: (token) => {
          mirrors += 1;
          const gitAs = createGitProgram({
            directory: join(root, `mirror-${mirrors}.git`),
            remoteUrl: `${bound.origin}/lab/ferries.git`,
            token,
            environment: { PATH: process.env['PATH'] ?? '' },
          });
          return (identity: GitIdentity) => trackedGit(inFlight, gitAs(identity), onTransport);
        },
        shipTree,
      };
    },
    close: async () => {
      await bound.close();
      await hooks.close();
      await rm(root, { recursive: true, force: true });
      if (bugs.length > 0) throw new AggregateError(bugs, 'the playground broke');
    },
  };
}

/**
 * The world behind HTTP: a slow response waits for the virtual clock, which must not wait for the response.
 */
function atTheDoor(world: World, inFlight: InFlight): World {
  const door: World = {
    ...world,
    clock: {
      now: world.clock.now,
      sleep: (durationMs, signal) => inFlight.park(() => world.clock.sleep(durationMs, signal)),
    },
    fetch: (request) => answerWithFaults(door, request, (asked) => answer(world, asked)),
  };
  return door;
}

/** One exchange to its last byte; afterwards it needs no more real time. */
async function wholly(request: Request): Promise<Response> {
  const { status, headers, body } = await fetch(request).then(async (response) => ({
    status: response.status,
    headers: response.headers,
    body: await response.arrayBuffer(),
  }));
  return new Response(status === 204 || status === 304 ? null : body, { status, headers });
}

/** The same methods, each counted while it runs. */
function tracked(inFlight: InFlight, store: GitStore): GitStore {
  const counted =
    <Input extends readonly unknown[], Output>(
      name: string,
      method: (...input: Input) => Promise<Output>,
    ): ((...input: Input) => Promise<Output>) =>
    (...input) =>
      inFlight.track(`the store's ${name}`, () => method(...input));
  return {
    refs: counted('refs', store.refs),
    updateRef: counted('updateRef', store.updateRef),
    writeBlob: counted('writeBlob', store.writeBlob),
    writeTree: counted('writeTree', store.writeTree),
    writeCommit: counted('writeCommit', store.writeCommit),
    writeTag: counted('writeTag', store.writeTag),
    readBlob: counted('readBlob', store.readBlob),
    blobSizes: counted('blobSizes', store.blobSizes),
    readTree: counted('readTree', store.readTree),
    readCommit: counted('readCommit', store.readCommit),
    readTag: counted('readTag', store.readTag),
    log: counted('log', store.log),
    mergeBase: counted('mergeBase', store.mergeBase),
    isAncestor: counted('isAncestor', store.isAncestor),
    diff: counted('diff', store.diff),
  };
}

function trackedGit(inFlight: InFlight, git: LabGit, onTransport: () => void): LabGit {
  const here = <T>(name: string, work: () => Promise<T>): Promise<T> => inFlight.track(`git ${name}`, work);
  const away = <T>(name: string, work: () => Promise<T>): Promise<T> => {
    onTransport();
    return here(name, work);
  };
  return {
    fetch: (request) => away('fetch', () => git.fetch(request)),
    commitAndPush: (request) => away(`push ${request.ref}`, () => git.commitAndPush(request)),
    pushTag: (request) => away(`tag ${request.name}`, () => git.pushTag(request)),
    deleteTags: (names) => away('delete tags', () => git.deleteTags(names)),
    resolve: (ref) => here(`resolve ${ref}`, () => git.resolve(ref)),
    readText: (commit, path) => here(`read ${path}`, () => git.readText(commit, path)),
    listFiles: (commit, folder) => here(`list ${folder}`, () => git.listFiles(commit, folder)),
    entriesIn: (commit, folders) => here(`entries of ${folders.length}`, () => git.entriesIn(commit, folders)),
    treeId: (commit, path) => here(`tree of ${path}`, () => git.treeId(commit, path)),
    log: (query) => here('log', () => git.log(query)),
    mergeBase: (a, b) => here('merge base', () => git.mergeBase(a, b)),
    isOnBranch: (commit) => here('branches of a commit', () => git.isOnBranch(commit)),
    changedPaths: (from, to) => here('changed paths', () => git.changedPaths(from, to)),
    tagTexts: (prefixes) => here('tags', () => git.tagTexts(prefixes)),
    versions: (query) => here('versions', () => git.versions(query)),
    readBlobs: (ids) => here('blobs', () => git.readBlobs(ids)),
    beginningsOf: git.beginningsOf,
    blobIdOf: git.blobIdOf,
    exportTree: (commit, paths, directory) => away('export', () => git.exportTree(commit, paths, directory)),
  };
}

type HookServer = {
  readonly origin: string;
  readonly serve: (receive: (request: Request) => Promise<Response>, onBug: (error: unknown) => void) => void;
  readonly close: () => Promise<void>;
};

/** The App's own port. */
async function listenForHooks(): Promise<HookServer> {
  let serve: Parameters<HookServer['serve']> | null = null;
  let origin = '';
  const server: Server = createServer((incoming, outgoing) => {
    const [receive, onBug] = serve ?? [];
    const answered = async (): Promise<void> => {
      const request = await toFetchRequest(incoming, origin);
      await sendResponse(
        outgoing,
        request === null || receive === undefined ? new Response(null, { status: 503 }) : await receive(request),
      );
    };
    answered().catch((error: unknown) => {
      onBug?.(error);
      outgoing.destroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  origin = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
  return {
    origin,
    serve: (...ends) => {
      serve = ends;
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve, reject) =>
        server.close((error) => (error === undefined ? resolve() : reject(error))),
      );
    },
  };
}
