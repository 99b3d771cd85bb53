/** How the bot reaches GitHub in a lab on virtual time: a function call and a store in memory, or HTTP and the git program. */

import { answerResults, isResults } from '../../packages/playground/actions/results/results-door.ts';
import type { GitStore } from '../../packages/playground/git/store/git-store.ts';
import type { World } from '../../packages/playground/world/world.ts';
import type { Lab } from '../../src/app/lab.ts';
import type { ShipTree } from '../../src/app/runner/ship-job.ts';
import { type FullDisk, memoryGit } from './memory-git.ts';
import { copyOfStore, memoryRepository } from './virtual-lab-repository.ts';

/** Made before the world, whose addresses and repository it gives. */
export type Carrier = {
  /** Where GitHub is, without a slash at the end. */
  readonly origin: string;
  /** Where the App waits for webhooks. */
  readonly hookUrl: string;
  readonly store: GitStore;
  /** What the launch ships outlives its job. */
  readonly stateDirectory: string;
  readonly join: (ends: Ends) => Wires;
  /** Called when nobody asks any more. */
  readonly close: () => Promise<void>;
};

type Ends = {
  readonly world: World;
  /** The App's answer to a webhook. */
  readonly receive: (request: Request) => Promise<Response>;
  /** Called for each exchange of git with the remote. */
  readonly onTransport: () => void;
};

export type Wires = {
  /** One request to GitHub, by whomever. */
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
  /** Where GitHub is said to be; only the memory carrier is free to say so. */
  readonly origin?: string;
  /** What the repository goes on from, instead of the lab's first commits. */
  readonly from?: GitStore;
};

/** Everything in this process: nothing takes time, and a thousand ferries take minutes. */
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
      gitOf: (token) =>
        memoryGit({ world, token, onTransport, ...(fullDisk === undefined ? {} : { fullDisk }) }),
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
