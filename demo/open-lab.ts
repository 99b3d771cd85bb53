/** Opens a rehearsal lab: GitHub, git, pages, Actions with their runners, and the App's server, on one port. */

import { join } from 'node:path';
import { type Actions, createActions } from '../packages/playground/actions/actions.ts';
import type { Runner } from '../packages/playground/actions/runner/runner-types.ts';
import { createProgramStore } from '../packages/playground/git/store/program-store.ts';
import { clockOffsetKey } from '../packages/playground/http/control.ts';
import { createGitDoor } from '../packages/playground/http/git-door.ts';
import { createOffsetClock, type OffsetClock } from '../packages/playground/http/offset-clock.ts';
import { type Listening, listen } from '../packages/playground/http/server.ts';
import { pagesOptionsFromWorld } from '../packages/playground/pages/from-world.ts';
import { createPages } from '../packages/playground/pages/pages.ts';
import type { PagesOptions } from '../packages/playground/pages/visit.ts';
import { startWebhooks } from '../packages/playground/webhooks/webhooks.ts';
import { createWorld } from '../packages/playground/world/create-world.ts';
import { createStateFile } from '../packages/playground/world/state-file.ts';
import type { World } from '../packages/playground/world/world.ts';
import { writeAction } from '../scripts/bundle/write-bundle.ts';
import { FERRYBOT, PROJECT } from './beside.ts';
import { claimFolder } from './claim-folder.ts';
import { type LabKeys, labKeys } from './keys.ts';
import type { LabFolder } from './lab-folder.ts';
import { labProcesses } from './lab-processes.ts';
import type { StartOptions } from './options.ts';
import { type ServerProcess, startServer } from './server-process.ts';

/** Options for opening a lab, for the example lab and for a user's own. */
export type OpenOptions = Pick<StartOptions, 'port' | 'webhooks' | 'server'> & {
  /** A folder with third-party actions. */
  readonly actions?: string | null;
};

/** The source of a lab: its repository, the contents of a new world, and the machines that its workflows require. */
export type LabSource = {
  readonly repository: { readonly owner: string; readonly name: string };
  readonly defaultBranch: string;
  readonly runners: readonly Runner[];
  /** Fills an empty world; called once per folder. */
  readonly seed: (world: World, keys: LabKeys) => Promise<void>;
  /** More settings for the page, available when the world exists. */
  readonly pages?: (world: World, keys: LabKeys) => Partial<PagesOptions>;
};

export type OpenedLab = Pick<Listening, 'origin' | 'secret' | 'signIn'> & {
  readonly world: World;
  readonly clock: OffsetClock;
  readonly actions: Actions;
  readonly folder: LabFolder;
  /** Resolves with a reason when a required part has ended. */
  readonly broken: Promise<string>;
  readonly close: () => Promise<void>;
};

export type OpenOutcome =
  | { readonly ok: true; readonly lab: OpenedLab }
  | { readonly ok: false; readonly code: string; readonly message: string };

/** In the example lab a job lasts a minute, so every interval is in seconds. */
const SWEEP_MS = 3_000;

/** Opens the lab in a folder, and continues from its contents. */
export async function openLab(options: OpenOptions, folder: LabFolder, source: LabSource): Promise<OpenOutcome> {
  const claim = await claimFolder(folder);
  if (!claim.ok) return claim;
  const opened = await openClaimed(options, folder, source);
  if (!opened.ok) {
    await claim.release();
    return opened;
  }
  const close = async (): Promise<void> => {
    await opened.lab.close();
    await claim.release();
  };
  return { ok: true, lab: { ...opened.lab, close } };
}

async function openClaimed(options: OpenOptions, folder: LabFolder, source: LabSource): Promise<OpenOutcome> {
  const file = createStateFile(folder.world);
  const state = await file.load();
  const kept = state === null ? undefined : Object.values(state.repos)[0];
  const { owner, name } = source.repository;
  if (kept !== undefined && (kept.owner !== owner || kept.name !== name))
    return {
      ok: false,
      code: 'other-lab',
      message: `${folder.root} keeps ${kept.owner}/${kept.name}, not ${owner}/${name}; choose another folder`,
    };
  const bound = await listen(options.port);
  if (!bound.ok)
    return {
      ok: false,
      code: bound.reason,
      message:
        bound.reason === 'port-in-use'
          ? `port ${options.port} is in use; choose another with --port`
          : `port ${options.port}: ${bound.reason}; choose another with --port`,
    };
  // The lab's workflows run the bundle of this checkout.
  await writeAction(PROJECT);
  const keys = await labKeys(folder.keys);
  const clock = createOffsetClock(Number(state?.extra[clockOffsetKey] ?? 0));
  const world = createWorld({
    clock,
    baseUrl: bound.origin,
    gitStores: (...of) =>
      createProgramStore({ directory: repositoryAt(folder, ...of), defaultBranch: source.defaultBranch }),
    ...(state === null ? {} : { state }),
    onChange: (changed) => file.save(changed),
  });
  if (state === null) await source.seed(world, keys);
  return { ok: true, lab: await assemble(options, folder, { bound, world, clock, keys, source }) };
}

/** The path of a bare repository. */
export function repositoryAt(folder: LabFolder, owner: string, name: string): string {
  return join(folder.repositories, owner, `${name}.git`);
}

type Parts = {
  readonly bound: Listening;
  readonly world: World;
  readonly clock: OffsetClock;
  readonly keys: LabKeys;
  readonly source: LabSource;
};

async function assemble(
  options: OpenOptions,
  folder: LabFolder,
  { bound, world, clock, keys, source }: Parts,
): Promise<OpenedLab> {
  let reportBroken: (reason: string) => void = () => undefined;
  const broken = new Promise<string>((resolve) => {
    reportBroken = resolve;
  });
  const { repository } = source;
  const webhooks = startWebhooks(world, (request) => fetch(request));
  const actions = createActions({
    world,
    runners: source.runners,
    executor: { kind: 'process' },
    actionDirectories: { 'ferrybot/ferrybot': PROJECT },
    actionBundles: options.actions ?? null,
    nodeProgram: process.execPath,
    workDirectory: folder.runners,
    serverUrl: bound.origin,
    onBroken: (error) => reportBroken(`the runner broke: ${error.message}`),
  });
  const git = createGitDoor(world, {
    directoryOf: (owner, repo) =>
      owner === repository.owner && repo === repository.name ? repositoryAt(folder, owner, repo) : null,
  });
  let server: ServerProcess | null = null;
  const settings = pagesOptionsFromWorld(world, `${repository.owner}/${repository.name}`, {
    clock,
    processes: () => labProcesses(world, { runners: source.runners, jobs: folder.jobs, server }),
  });
  const pages = createPages({ ...settings, ...source.pages?.(world, keys) });
  bound.serve({ world, clock, git, pages, onBug: (error) => reportBroken(`the playground broke: ${String(error)}`) });
  await setUp(world, options);
  server = options.server
    ? await startApp(options, folder, {
        bound,
        world,
        keys,
        onExit: (code) => reportBroken(`the server ended with ${code}`),
      })
    : null;
  actions.start();
  // The first tick registers the workflows: without it a dispatch finds none.
  await actions.tick();
  return {
    origin: bound.origin,
    secret: bound.secret,
    signIn: bound.signIn,
    world,
    clock,
    actions,
    folder,
    broken,
    close: async () => {
      await actions.stop();
      await server?.stop();
      await webhooks.close();
      await bound.close();
    },
  };
}

/**
 * Settings that can change when a kept lab starts: whether the server or the workflows answer, and whether events
 * arrive.
 */
async function setUp(world: World, options: OpenOptions): Promise<void> {
  world.state.settings.drop = options.webhooks ? 'none' : 'all';
  for (const [id, repo] of Object.entries(world.state.repos)) {
    world.state.repos[id] = {
      ...repo,
      variables: { ...repo.variables, FERRYBOT_SERVER: options.server ? 'on' : 'off' },
    };
  }
  await world.save();
}

async function startApp(
  options: OpenOptions,
  folder: LabFolder,
  parts: {
    readonly bound: Listening;
    readonly world: World;
    readonly keys: LabKeys;
    readonly onExit: (code: number | null) => void;
  },
): Promise<ServerProcess> {
  const { world, bound, keys, onExit } = parts;
  // GitHub's own Actions App has no key; the bot's App has one.
  const app = Object.values(world.state.apps).find((row) => row.publicKeyPem !== null);
  if (app === undefined) throw new Error('this world has no App');
  const server = await startServer({
    folder,
    keys,
    appId: app.id,
    origin: bound.origin,
    program: FERRYBOT,
    sweepMs: SWEEP_MS,
    onExit,
  });
  world.state.apps[app.id] = {
    ...app,
    webhook: options.webhooks ? { url: `${server.url}/api/github/webhooks`, secret: keys.webhookSecret } : null,
  };
  await world.save();
  return server;
}

/** Why the lab is broken; null while it is not. */
export function watchBroken(lab: Pick<OpenedLab, 'broken'>): () => string | null {
  let broken: string | null = null;
  lab.broken.then(
    (reason) => {
      broken = reason;
    },
    (error: unknown) => {
      broken = String(error);
    },
  );
  return () => broken;
}
