/** A lab's own checkout as a lab to open: its branches in a store of the playground, with ferrybot installed. */

import { access, rm } from 'node:fs/promises';
import { parseDocument } from 'yaml';
import * as z from 'zod';
import type { GitStore } from '../../packages/playground/git/store/git-store.ts';
import { commitFiles } from '../../packages/playground/git/store/memory-remote.ts';
import { createProgramStore } from '../../packages/playground/git/store/program-store.ts';
import { ifThere } from '../../packages/playground/world/if-there.ts';
import { seedWorld } from '../../packages/playground/world/seed.ts';
import type { World } from '../../packages/playground/world/world.ts';
import { installedLab } from '../installed-lab.ts';
import { type LabKeys, labKeys } from '../keys.ts';
import type { LabFolder } from '../lab-folder.ts';
import { type LabSource, repositoryAt } from '../open-lab.ts';
import type { Checkout } from './checkout.ts';
import { cloneCheckout } from './clone-checkout.ts';
import { CONFIG_PATH, type ConfigReport, checkConfig } from './config-report.ts';
import { exampleFiles } from './example-files.ts';
import { branchTip, readTextAt, readWorkflowsAt } from './own-files.ts';
import type { OwnOptions } from './own-options.ts';
import { ownRunners } from './own-runners.ts';
import { rehearsalConfig } from './rehearsal-config.ts';
import { listWorkflowProblems } from './workflow-problems.ts';

export type OwnLab = {
  readonly source: LabSource;
  /** The report on the checkout's own config, with lines and columns of the original file. */
  readonly report: ConfigReport;
  /** Unsupported parts of the workflow files, one line each. */
  readonly workflows: readonly string[];
  /** Clusters whose jobs run as processes of this machine, not on their own engine. */
  readonly localClusters: readonly string[];
};

const named = z.object({
  appSlug: z
    .string()
    .regex(/^[a-z0-9-]{1,34}$/)
    .catch('ferrybot')
    .default('ferrybot'),
  logbookBranch: z.string().catch('ferrybot/logbook').default('ferrybot/logbook'),
});

export type OwnLabOutcome =
  | { readonly ok: true; readonly own: OwnLab }
  | { readonly ok: false; readonly code: 'other-lab'; readonly message: string };

/**
 * Clones the checkout into the folder, unless the folder already contains its rehearsal; refuses a folder with another
 * one.
 */
export async function ownLab(
  checkout: Checkout,
  folder: LabFolder,
  { server, actions }: Pick<OwnOptions, 'server' | 'actions'>,
): Promise<OwnLabOutcome> {
  const { owner, name } = checkout.repository;
  const target = repositoryAt(folder, owner, name);
  const keys = await labKeys(folder.keys);
  const store = createProgramStore({ directory: target, defaultBranch: checkout.branch });
  const isKept = await exists(folder.world);
  if (!isKept) {
    // Leftovers of a start that was killed before its world was written.
    await rm(target, { recursive: true, force: true });
    await cloneCheckout(checkout, target);
  } else if (!(await exists(target)) || !(await store.refs()).has(`refs/heads/${checkout.branch}`)) {
    const wanted = `the branch ${checkout.branch} of ${owner}/${name}`;
    const message = `${folder.root} keeps a rehearsal that does not have ${wanted}; choose another folder`;
    return { ok: false, code: 'other-lab', message };
  }
  const before = await readTextAt(store, await branchTip(store, checkout.branch), CONFIG_PATH);
  const report = await checkConfig(before);
  const { appSlug, logbookBranch } = named.parse(parseOrUndefined(before ?? ''));
  if (!isKept) await store.updateRef({ ref: `refs/heads/${logbookBranch}`, sha: null });
  const localClusters =
    isKept || before === null || report.state !== 'valid' ? [] : await prepare(store, checkout, before, keys);
  const workflows = await readWorkflowsAt(store, await branchTip(store, checkout.branch));
  const namedTeams = (before ?? '').matchAll(new RegExp(`@${owner}/([\\w-]+)`, 'gi'));
  const teams = [...new Set([...namedTeams].map(([, team = '']) => team.toLowerCase()))];
  const installation = { server, stateDirectory: folder.jobs, slug: appSlug, clusterToken: null, teams };
  return {
    ok: true,
    own: {
      report,
      workflows: listWorkflowProblems(workflows, actions),
      localClusters,
      source: {
        repository: checkout.repository,
        defaultBranch: checkout.branch,
        runners: ownRunners([...workflows.values()]),
        seed: async (world) => {
          seedWorld(world, {
            ...installedLab(keys, installation),
            owner,
            repo: name,
            defaultBranch: checkout.branch,
            description: `A rehearsal of ${checkout.directory}, which stays as it is.`,
          });
        },
        pages: (world) => ({ labConfig: () => liveReport(world, store), exampleFiles: () => exampleFiles(keys) }),
      },
    },
  };
}

/** One commit on the default branch with the config of the rehearsal. */
async function prepare(store: GitStore, checkout: Checkout, config: string, keys: LabKeys): Promise<readonly string[]> {
  const changed = rehearsalConfig(config, keys);
  if (changed === null) return [];
  const engines =
    changed.localClusters.length === 0
      ? ''
      : ` Jobs of ${changed.localClusters.join(', ')} are processes of this machine.`;
  const { outcome } = await commitFiles(store, {
    ref: `refs/heads/${checkout.branch}`,
    expected: await branchTip(store, checkout.branch),
    files: { [CONFIG_PATH]: changed.text },
    message: `Rehearse on this machine\n\nThe keys of the rehearsal stand beside the lab's own.${engines}\n`,
    author: { name: 'Playground', email: 'playground@lab.example', atMs: Date.now() },
  });
  if (outcome !== 'updated') throw new Error(`the rehearsal's config was refused: ${outcome}`);
  return changed.localClusters;
}

/** The report on the current config of the default branch; updated only when its text has changed. */
async function liveReport(world: World, store: GitStore): Promise<ConfigReport> {
  const repo = Object.values(world.state.repos)[0];
  if (repo === undefined) throw new Error('the world has no repository');
  const text = await readTextAt(store, await branchTip(store, repo.defaultBranch), CONFIG_PATH);
  const known = reports.get(store);
  if (known !== undefined && known.text === text) return known.report;
  const report = checkConfig(text);
  reports.set(store, { text, report });
  return report;
}

const reports = new WeakMap<GitStore, { readonly text: string | null; readonly report: Promise<ConfigReport> }>();

/** The value of a YAML text, or undefined if it is invalid: the report describes the error. */
function parseOrUndefined(text: string): unknown {
  const document = parseDocument(text);
  const value: unknown = document.errors.length > 0 ? null : document.toJS({ maxAliasCount: 100 });
  return typeof value === 'object' && value !== null ? value : {};
}

async function exists(path: string): Promise<boolean> {
  return (await ifThere(access(path))) !== null;
}
