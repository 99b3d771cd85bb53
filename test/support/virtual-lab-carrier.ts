/**
 * How the bot reaches GitHub in a lab on virtual time: function calls and a store in memory, or HTTP and the
 * git program.
 */

import { answerResults, isResults } from '../../packages/playground/actions/results/results-door.ts';
import type { GitStore } from '../../packages/playground/git/store/git-store.ts';
import type { World } from '../../packages/playground/world/world.ts';
import type { Lab } from '../../src/app/lab.ts';
import type { ShipTree } from '../../src/app/runner/ship-job.ts';
import { type FullDisk, memoryGit } from './memory-git.ts';
import { copyOfStore, memoryRepository } from './virtual-lab-repository.ts';

/** Created before the world, which uses its addresses and repository. */
export type Carrier = {
  /** GitHub's address, without a trailing slash. */
  readonly origin: string;
  /** The App's address for webhooks. */
  readonly hookUrl: string;
  readonly store: GitStore;
  /** Shipped files outlive their job. */
  readonly stateDirectory: string;
  readonly join: (ends: Ends) => Wires;
  /** Called after the last request. */
  readonly close: () => Promise<void>;
};

type Ends = {
  readonly world: World;
  /** The App's response to a webhook. */
  readonly receive: (request: Request) => Promise<Response>;
  /** Called for each git exchange with the remote. */
  readonly onTransport: () => void;
};

export type Wires = {
  /** One request to GitHub, by any caller. */
  readonly fetch: (request: Request) => Promise<Response>;
  readonly deliver: (request: Request) => Promise<Response>;
  readonly gitOf: (token: () => Promise<string>) => Lab['gitAs'];
  readonly shipTree: ShipTree;
};

const ORIGIN = 'http://playground.test';

export type RepositoryOptions = {
  readonly config: (text: string) => string;
  /** The lab's first commits are older than this, in Unix ms. */
  readonly beforeMs: number;
  /** The address to use for GitHub; only the memory carrier can choose it. */
  readonly origin?: string;
  /** The repository to continue from, instead of the lab's first commits. */
  readonly from?: GitStore;
};

/** Everything in this process: nothing takes real time, and a thousand ferries take minutes. */
export async function memoryCarrier(
  { config, beforeMs, origin = ORIGIN, from }: RepositoryOptions,
  fullDisk?: () => FullDisk,
): Promise<Carrier> {
  const store = from === undefined ? await memoryRepository(config, beforeMs) : copyOfStore(from);
  return {
    origin,
    hookUrl: `${origin}/hook`,
    store,
    stateDirectory: '/nonexistent-state',
    join: ({ world, receive, onTransport }) => ({
      fetch: (request) =>
        isResults(new URL(request.url).pathname) ? answerResults(world, request) : world.fetch(request),
      deliver: receive,
      gitOf: (token) => memoryGit({ world, token, onTransport, ...(fullDisk === undefined ? {} : { fullDisk }) }),
      shipTree: async (_open, { order }) => ({
        kind: 'shipped',
        directory: `/state/trees/${order.submissionId}`,
        files: [],
        discard: async () => undefined,
      }),
    }),
    close: async () => undefined,
  };
}
