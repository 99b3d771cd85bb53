/** Reads the logbook of the lab's repository for the panel: every run and the journal, with their chains. */

import { parseDocument } from 'yaml';
import * as z from 'zod';
import { readEventsText, runFolders } from '../../git/logbook-text.ts';
import type { GitStore, Sha } from '../../git/store/git-store.ts';
import { readPath } from '../../git/store/memory-remote.ts';
import type { World } from '../../world/world.ts';
import { type Chain, type ChainKeys, verifyChain } from './verify-chain.ts';

const config = z.object({
  logbookBranch: z.string().default('ferrybot/logbook'),
  keys: z.array(z.object({ id: z.string(), public: z.string() })).default([]),
});
const CONFIG_PATH = '.github/ferrybot.yml';

/** Newest run first, the journal last; empty before the first entry. Cached until the branch or the config changes. */
export async function readChains(world: World): Promise<readonly Chain[]> {
  const repo = Object.values(world.state.repos)[0];
  if (repo === undefined) return [];
  const store = world.gitOf(repo);
  const main = await branchTip(store, repo.defaultBranch);
  const { logbookBranch, keys } = await readSettings(store, main);
  const head = await branchTip(store, logbookBranch);
  if (head === null) return [];
  const known = verifiedChains.get(world);
  const at = `${main} ${head}`;
  if (known?.at === at) return known.chains;
  const chains = await verifyAll(store, head, new Map(keys.map((key) => [key.id, key.public])));
  verifiedChains.set(world, { at, chains });
  return chains;
}

const verifiedChains = new WeakMap<World, { readonly at: string; readonly chains: readonly Chain[] }>();

async function verifyAll(store: GitStore, head: Sha, keys: ChainKeys): Promise<readonly Chain[]> {
  const chains: Chain[] = [];
  for (const path of [...(await runFolders(store, head)).toReversed(), 'journal']) {
    const run = path.slice(path.lastIndexOf('/') + 1);
    const text = await readEventsText(store, head, path);
    if (text !== null) chains.push(verifyChain(run, text, keys));
  }
  return chains;
}

async function branchTip(store: GitStore, branch: string): Promise<Sha | null> {
  const ref = `refs/heads/${branch}`;
  return (await store.refs(ref)).get(ref) ?? null;
}

/** A config's logbook branch and keys. An unreadable config has no keys, so every chain counts as unsigned. */
async function readSettings(store: GitStore, main: Sha | null): Promise<z.output<typeof config>> {
  const bytes = main === null ? null : await readPath(store, main, CONFIG_PATH);
  const document = parseDocument(bytes === null ? '{}' : Buffer.from(bytes).toString('utf8'));
  const value: unknown = document.errors.length > 0 ? {} : document.toJS({ maxAliasCount: 100 });
  const parsed = config.safeParse(value);
  return parsed.success ? parsed.data : config.parse({});
}
