/** `ferrybot init`: sets up a lab's checkout and repository. Can be run again, and overwrites nothing without asking. */

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import manifest from '../../../../package.json' with { type: 'json' };
import { readKnobs } from '../../../delta/config-delta.ts';
import { brandAs, fail, isInstant, ok, type Result } from '../../../domain/values.ts';
import { readRepository } from '../../../github/settings.ts';
import { readTextIfThere } from '../../../host/files.ts';
import { runProgram } from '../../../host/process.ts';
import type { LabConfig } from '../../../run/lane.ts';
import { readSigningKeys } from '../../compose-lab.ts';
import { CONFIG_PATH, readLabConfig } from '../../config-source.ts';
import { createExperimentReader } from '../../control/change-facts.ts';
import { listConfigSecrets } from '../../secret-registry.ts';
import { KEY_VARIABLES } from '../../signers.ts';
import { registerApp } from '../init/app.ts';
import {
  type AppFile,
  listMissingSecrets,
  listSettingChanges,
  listSteps,
  type SettingChange,
  type SettingFacts,
} from '../init/changes.ts';
import * as checkouts from '../init/checkout.ts';
import { detectLab, type LabFiles } from '../init/detect.ts';
import { type Dialog, openDialog } from '../init/dialog.ts';
import { findPin, type Pin, type PlannedFile, renderConfig, renderWorkflows } from '../init/lab-files.ts';
import { type Flag, type Given, nextQuestion, readAnswers } from '../init/questions.ts';
import { makeSettingCall, readSettingFacts } from '../init/repository.ts';
import { connectRepository, readRepositoryName } from '../repository-client.ts';
import { EXIT, pathEnv, refuse, reply, usageError, type VerbIo } from '../verb-io.ts';

export type InitOptions = { readonly [F in Flag as F extends 'one-person' ? 'onePerson' : F]?: string | undefined } & {
  readonly name?: string | undefined;
  readonly email?: string | undefined;
  readonly pin?: string | undefined;
  readonly keys?: string | undefined;
  readonly stateDir: string;
  readonly apply?: true | undefined;
  /** The address of the server that the App calls. */
  readonly app?: string | undefined;
  readonly upgrade?: true | undefined;
  readonly yes?: true | undefined;
};

type Place = {
  readonly io: VerbIo;
  readonly options: InitOptions;
  readonly dialog: Dialog;
  readonly root: string;
  readonly env: Readonly<Record<string, string>>;
  readonly templates: checkouts.Templates;
  readonly keyFolder: string;
  /** `--json` without `--yes` prints the plan and changes nothing. */
  readonly isDryRun: boolean;
};

/** Exit 0 if everything that was asked for is done, 1 if a part was declined or refused. */
export async function initVerb(io: VerbIo, options: InitOptions): Promise<number> {
  const env = { ...pathEnv(io), HOME: io.environment['HOME'] ?? '' };
  const root = await checkouts.findCheckout(io.cwd, env);
  if (root === null) return usageError(io, 'init runs in a checkout of the lab: `git init` makes one');
  const dialog = openDialog(io, options.yes === true);
  try {
    const name = (await readRepositoryName(io)) ?? 'lab';
    const home = io.environment['XDG_CONFIG_HOME'] ?? join(env.HOME, '.config');
    const keyFolder = options.keys ?? join(home, 'ferrybot', name.replace('/', '-'));
    const isDryRun = io.json && options.yes !== true;
    const templates = await checkouts.readTemplates();
    return await setUp({ io, options, dialog, root, env, templates, keyFolder, isDryRun });
  } finally {
    dialog.close();
  }
}

async function setUp(place: Place): Promise<number> {
  const { io, root, options, templates, isDryRun, stateDir } = { ...place, stateDir: place.options.stateDir };
  const pin = await readPin(place);
  if (!pin.ok) return usageError(io, pin.error);
  const written = await readTextIfThere(join(root, CONFIG_PATH));
  const made = written === null ? await makeConfig(place) : ok({ path: CONFIG_PATH, text: written });
  if (!made.ok) return usageError(io, made.error);
  const reading = readLabConfig(made.value.text);
  if (reading.kind !== 'valid') {
    const [first] = reading.problems;
    const message = `${CONFIG_PATH}:${first?.line ?? 1}: ${first?.path ?? ''}: ${first?.message ?? 'not valid'}`;
    return refuse(io, { code: 'config', message, problems: reading.problems });
  }
  const { config } = reading;
  const files = await writeFiles(place, [made.value, ...renderWorkflows(templates.workflows, config, pin.value)]);
  const lab = { config, configText: made.value.text };
  const applied = options.apply === true ? await applySettings(place, lab) : ok(null);
  if (!applied.ok) return refuse(io, { code: 'repository', message: applied.error });
  const app = await registerLabApp(place);
  if (!app.ok) return refuse(io, { code: 'app', message: app.error });
  const hasNewFiles = await hasUncommittedFiles(place);
  const steps = listSteps({ config, hasNewFiles, applied: applied.value, app: app.value, stateDirectory: stateDir });
  const changes = applied.value?.changes ?? [];
  const isDone = changes.every(({ state }) => state === 'done') && files.every(({ state }) => state !== 'kept');
  const answer = { ok: isDone || isDryRun, repository: await readRepositoryName(io), files, changes, steps };
  reply(io, answer, formatAnswer(answer));
  return answer.ok ? EXIT.yes : EXIT.no;
}

type FileOutcome = { readonly path: string; readonly state: 'new' | 'same' | 'differs' | 'upgraded' | 'kept' };
type ChangeOutcome = { readonly what: string; readonly state: 'done' | 'open' | 'failed'; readonly why: string };

function formatAnswer(answer: {
  readonly files: readonly FileOutcome[];
  readonly changes: readonly ChangeOutcome[];
  readonly steps: readonly string[];
}): string {
  const words = {
    new: 'written',
    same: 'unchanged',
    differs: 'differs from the release; `init --upgrade` shows how',
    upgraded: 'replaced by the file of the release',
    kept: 'kept as it is',
  };
  return [
    ...answer.files.map(({ path, state }) => `${path}: ${words[state]}`),
    ...answer.changes.map(({ what, state, why }) => `${state}: ${what}${why === '' ? '' : ` (${why})`}`),
    '',
    'What is left for you:',
    ...answer.steps.map((step, index) => `${String(index + 1).padStart(2)}. ${step}`),
    '',
  ].join('\n');
}

/** The release's commit: given, in the lab's workflows unless they are upgraded, or asked of the project's repository. */
async function readPin({ options, env, root }: Place): Promise<Result<Pin, string>> {
  const { version } = manifest;
  const given = options.pin;
  if (given !== undefined)
    return /^[0-9a-f]{40}$/.test(given) ? ok({ commit: given, version }) : fail(`--pin ${given} is no full commit id`);
  const chat = await readTextIfThere(join(root, '.github/workflows/ferrybot-chat.yml'));
  const before = options.upgrade === true ? null : findPin(chat ?? '');
  if (before !== null) return ok(before);
  const url = manifest.repository.url.replace(/^git\+/, '');
  const branch = `refs/heads/release/v${version}`;
  const asked = await runProgram('git', ['ls-remote', url, branch], { env, cwd: root, timeoutMs: 30_000 });
  const [commit = ''] = asked.stdout.split('\t');
  return /^[0-9a-f]{40}$/.test(commit)
    ? ok({ commit, version })
    : fail(`--pin is missing: the commit of release v${version} cannot be read from ${url}`);
}

/** A new config by the answers. Creates the key pairs, whose public halves it lists. */
async function makeConfig(place: Place): Promise<Result<PlannedFile, string>> {
  const { io, options, root, env, templates, keyFolder } = place;
  const files = await checkouts.readLabFiles(root, env);
  const detected = detectLab(files);
  const answers = readAnswers(detected, files, await askAll(place, files));
  if (!answers.ok) return answers;
  const name = options.name ?? (await checkouts.readGitSetting(root, env, 'user.name'));
  const email = options.email ?? (await checkouts.readGitSetting(root, env, 'user.email'));
  if (name === null || email === null) return fail('--name and --email are missing: who commits to the record');
  const pairs = await checkouts.openKeyFolder(keyFolder, root, place.isDryRun ? 'pretend' : 'create');
  if (!pairs.ok) return pairs;
  const keys = pairs.value;
  if (keys === null) throw new Error('the key folder has no keys after they were created');
  const { experiment } = answers.value;
  const read = createExperimentReader(io.environment['PATH'] ?? '');
  const reading = await read(Buffer.from(files.get(experiment) ?? ''), { path: experiment, python: 'python3' });
  const config = renderConfig(templates.config, {
    answers: answers.value,
    detected,
    knobs: reading.kind === 'unparsable' ? [] : readKnobs(reading),
    git: { name, email },
    keys: { control: keys.control.public, runner: keys.runner.public, watch: keys.watch.public },
    now: brandAs(Date.now(), isInstant),
    version: manifest.version,
  });
  return ok(config);
}

/** The flags, and at a terminal the answers to the other questions. */
async function askAll({ options, dialog }: Place, files: LabFiles): Promise<Given> {
  const { engine, cluster, hours, experiment, command, metric, secrets, onePerson } = options;
  const all = { engine, cluster, hours, experiment, command, metric, secrets, 'one-person': onePerson };
  let given: Given = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
  if (!dialog.isTerminal) return given;
  const detected = detectLab(files);
  for (let question = nextQuestion(detected, files, given); question !== null; ) {
    const { flag, text, guess, refuse: refuseAnswer } = question;
    const typed = (await dialog.ask(`${text}${guess === null ? '' : ` [${guess}]`} `)) || (guess ?? '');
    const why = refuseAnswer(typed);
    if (why === null) given = { ...given, [flag]: typed };
    else if ((await dialog.ask(`${why}. Try again? [y/n] `)) !== 'y') return given;
    question = nextQuestion(detected, files, given);
  }
  return given;
}

/** Writes new files. A file that differs is replaced only with `--upgrade`, after its diff was shown and accepted. */
async function writeFiles(place: Place, planned: readonly PlannedFile[]): Promise<readonly FileOutcome[]> {
  const { io, root, options, dialog, isDryRun } = place;
  const outcomes: FileOutcome[] = [];
  for (const { path, text } of planned) {
    const before = await readTextIfThere(join(root, path));
    if (before === text) outcomes.push({ path, state: 'same' });
    else if (before === null) {
      if (!isDryRun) await checkouts.writeLabFile(root, path, text);
      outcomes.push({ path, state: 'new' });
    } else if (options.upgrade !== true) outcomes.push({ path, state: 'differs' });
    else {
      io.stderr.write(await diffFile(place, path, text));
      const isAccepted = !isDryRun && (await dialog.confirm(`Replace ${path}`));
      if (isAccepted) await checkouts.writeLabFile(root, path, text);
      outcomes.push({ path, state: isAccepted ? 'upgraded' : 'kept' });
    }
  }
  return outcomes;
}

async function diffFile({ root, env }: Place, path: string, text: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'ferrybot-init-'));
  try {
    await writeFile(join(folder, 'release'), text);
    const args = ['diff', '--no-index', '--no-color', '--', path, join(folder, 'release')];
    return (await runProgram('git', args, { env, cwd: root })).stdout;
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function hasUncommittedFiles({ root, env }: Place): Promise<boolean> {
  const asked = await runProgram('git', ['status', '--porcelain', '--', '.github'], { env, cwd: root });
  return asked.stdout !== '';
}

const KEY_NAMES: readonly string[] = Object.values(KEY_VARIABLES);

type Applied = {
  readonly facts: SettingFacts;
  readonly changes: readonly ChangeOutcome[];
  readonly missing: ReturnType<typeof listMissingSecrets>;
  readonly open: number;
};

/** Shows each change, makes the accepted ones, and reads the settings again. */
async function applySettings(
  place: Place,
  lab: { readonly config: LabConfig; readonly configText: string },
): Promise<Result<Applied, string>> {
  const { io, options, root, dialog, keyFolder, templates, isDryRun } = place;
  const connected = await connectRepository(io, 'init --apply');
  if (!connected.ok) return connected;
  const client = connected.value;
  const repository = await readRepository(client);
  if (repository.kind === 'unknown') return fail(repository.why);
  const pairs = await checkouts.openKeyFolder(keyFolder, root, 'none');
  if (!pairs.ok) return pairs;
  const values = listSecretValues(io, lab.config, pairs.value);
  const here = { cwd: root, signingKeys: readSigningKeys({}), now: brandAs(Date.now(), isInstant) };
  const wishes = { rulesets: templates.rulesets, values: [...values.keys()], stateDirectory: options.stateDir };
  const before = await readSettingFacts(client, repository.value, lab, here);
  const changes: ChangeOutcome[] = [];
  for (const change of listSettingChanges(before, wishes)) {
    if (isDryRun || !(await dialog.confirm(change.what))) changes.push({ what: change.what, state: 'open', why: '' });
    else changes.push(await makeChange(change));
  }
  const facts = changes.length === 0 ? before : await readSettingFacts(client, repository.value, lab, here);
  const missing = listMissingSecrets(facts.doctor);
  const needsKeys = missing.some(({ name }) => KEY_NAMES.includes(name));
  if (pairs.value !== null && !needsKeys && !isDryRun) {
    const what = `Delete the private keys in ${keyFolder}, which the repository now has as secrets`;
    const isAccepted = await dialog.confirm(what);
    if (isAccepted) await checkouts.deleteKeys(keyFolder);
    changes.push({ what, state: isAccepted ? 'done' : 'open', why: '' });
  }
  return ok({ facts, changes, missing, open: listSettingChanges(facts, wishes).length });

  async function makeChange({ what, calls }: SettingChange): Promise<ChangeOutcome> {
    for (const wanted of calls) {
      const made = await makeSettingCall(client, wanted, values);
      if (!made.ok) return { what, state: 'failed', why: made.error };
    }
    return { what, state: 'done', why: '' };
  }
}

/** Registers the App for `--app`. Its keys are for the server, so they go into a file: a secret of GitHub cannot be read again. */
async function registerLabApp({
  io,
  options,
  root,
  keyFolder,
  templates,
  isDryRun,
}: Place): Promise<Result<AppFile | null, string>> {
  if (options.app === undefined || isDryRun) return ok(null);
  if (!/^https?:$/.test(URL.parse(options.app)?.protocol ?? ''))
    return fail(`--app ${options.app} is no address of a server`);
  const client = await connectRepository(io, 'init --app');
  if (!client.ok) return client;
  const folder = await checkouts.openKeyFolder(keyFolder, root, 'none');
  if (!folder.ok) return folder;
  const file = join(keyFolder, 'app.env');
  if ((await readTextIfThere(file)) !== null) return fail(`${file} has the keys of an App already`);
  const show = (address: string) =>
    io.stderr.write(`Open ${address} in a browser on this machine, and create the App\n`);
  const registered = await registerApp(client.value, { manifest: templates.app, server: options.app, show });
  if (!registered.ok) return registered;
  await checkouts.writePrivateFile(file, registered.value.environment);
  const { slug, installAddress } = registered.value;
  return ok({ slug, installAddress, file });
}

/** Secrets that this process knows: key files whose public half the config lists, and variables of its environment. */
function listSecretValues(
  io: VerbIo,
  config: LabConfig,
  pairs: checkouts.KeyPairs | null,
): ReadonlyMap<string, string> {
  const keys = Object.entries(pairs ?? {})
    .filter(([role, pair]) => config.keys.some((key) => key.role === role && key.public === pair.public))
    .map(([role, pair]) => [KEY_VARIABLES[role as keyof checkouts.KeyPairs], pair.pem] as const);
  const passed = listConfigSecrets(config).flatMap(({ secret }) => {
    const value = io.environment[secret] ?? '';
    return value === '' ? [] : [[secret, value] as const];
  });
  return new Map([...keys, ...passed]);
}
