/** `actions/checkout`, implemented natively with real git: inputs, refs, credentials (actions/checkout v7, README). */

import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod';
import { WorkflowFault } from '../workflow/workflow-fault.ts';
import { type Git, gitIn } from './run-git.ts';
import type { StepHost } from './runner-types.ts';
import { findUnsafeCheckout } from './unsafe-checkout.ts';

export const CHECKOUT = 'actions/checkout';

const truth = z.enum(['true', 'false']).transform((text) => text === 'true');

/** The inputs that the playground supports. Any other input fails the step and is named in the error. */
const inputsSchema = z.strictObject({
  repository: z.string().optional(),
  ref: z.string().default(''),
  token: z.string().optional(),
  path: z.string().default('.'),
  clean: truth.default(true),
  filter: z.string().default(''),
  'fetch-depth': z.coerce.number().int().nonnegative().default(1),
  'fetch-tags': truth.default(false),
  'persist-credentials': truth.default(true),
  'show-progress': truth.default(true),
  'set-safe-directory': truth.default(true),
  'allow-unsafe-pr-checkout': truth.default(false),
});

type Inputs = z.output<typeof inputsSchema>;

/** Checks out the tree and returns the step's outputs. Throws WorkflowFault with the reason when it refuses. */
export async function checkout(
  raw: Readonly<Record<string, string>>,
  env: Readonly<Record<string, string>>,
  host: StepHost,
): Promise<{ readonly ref: string; readonly commit: string }> {
  const { work, places } = host;
  const inputs = readInputs(raw);
  const directory = path.resolve(places.workspace, inputs.path);
  if (directory !== places.workspace && !directory.startsWith(`${places.workspace}${path.sep}`)) {
    throw new WorkflowFault(`Repository path '${directory}' is not under '${places.workspace}'`);
  }
  const repository = inputs.repository ?? work.repository;
  const commit = /^[0-9a-f]{40}$/i.test(inputs.ref) ? inputs.ref : null;
  const unsafe = inputs['allow-unsafe-pr-checkout']
    ? null
    : findUnsafeCheckout(String(work.github['event_name'] ?? ''), work.payload, {
        repository,
        ref: inputs.ref,
        commit,
      });
  if (unsafe !== null) throw new WorkflowFault(unsafe);
  const url = `${work.serverUrl}/${repository}.git`;
  const token = inputs.token ?? work.token;
  await mkdir(directory, { recursive: true });
  const git = gitIn(directory, env, host);
  await initRepository(git, directory, url, inputs.clean);
  const credentials = credentialsFile(host, directory);
  await writeCredentials(host, credentials, token);
  await git('config', '--local', `includeIf.gitdir:${directory}/.git.path`, credentials);
  const same = repository.toLowerCase() === work.repository.toLowerCase();
  await fetchAndCheckOut(git, inputs, same ? readContext(host) : { ref: '', sha: '' });
  const head = (await git('log', '-1', '--format=%H')).trim();
  if (!inputs['persist-credentials']) await removeCredentials(host, directory, env);
  return { ref: inputs.ref || (same ? readContext(host).ref : ''), commit: head };
}

/** The post step: removes the token from the checked-out repository. */
export async function checkoutPost(
  raw: Readonly<Record<string, string>>,
  env: Readonly<Record<string, string>>,
  host: StepHost,
): Promise<void> {
  await removeCredentials(host, path.resolve(host.places.workspace, readInputs(raw).path), env);
}

function readInputs(raw: Readonly<Record<string, string>>): Inputs {
  const parsed = inputsSchema.safeParse(raw);
  if (parsed.success) return parsed.data;
  throw new WorkflowFault(`actions/checkout in the playground: ${z.prettifyError(parsed.error)}`);
}

function readContext(host: StepHost): { ref: string; sha: string } {
  return { ref: String(host.work.github['ref'] ?? ''), sha: String(host.work.github['sha'] ?? '') };
}

/** Reuses a clone of the same origin, as self-hosted runners do. Anything else in the directory is removed. */
async function initRepository(git: Git, directory: string, url: string, clean: boolean): Promise<void> {
  const there = await readdir(directory);
  if (there.includes('.git')) {
    const origin = (await git('config', '--get', '--default', '', 'remote.origin.url')).trim();
    if (origin === url) {
      if (clean) {
        await git('clean', '-ffdx');
        await git('reset', '--hard');
      }
      return;
    }
  }
  for (const name of there) await rm(path.join(directory, name), { recursive: true, force: true });
  await git('init', '--quiet', '--initial-branch=main', directory);
  await git('remote', 'add', 'origin', url);
  await git('config', '--local', 'gc.auto', '0');
}

async function fetchAndCheckOut(git: Git, inputs: Inputs, run: { ref: string; sha: string }): Promise<void> {
  const ref = inputs.ref || run.ref;
  const sha = inputs.ref === '' ? run.sha : '';
  const plan = checkoutPlan(ref, sha);
  const depth = inputs['fetch-depth'];
  const fetch = async (refspecs: readonly string[], prune: boolean): Promise<void> => {
    await git(
      'fetch',
      ...(prune ? ['--prune'] : []),
      '--no-recurse-submodules',
      ...(inputs['fetch-tags'] && depth > 0 ? ['--tags'] : ['--no-tags']),
      ...(inputs.filter === '' ? [] : [`--filter=${inputs.filter}`]),
      ...(depth > 0 ? [`--depth=${depth}`] : []),
      'origin',
      ...refspecs,
    );
  };
  if (depth > 0) await fetch(plan.refspecs, true);
  else {
    await fetch(['+refs/heads/*:refs/remotes/origin/*', '+refs/tags/*:refs/tags/*'], true);
    // The branch may have moved since the run started, and a commit or ref may be outside every branch.
    if (plan.exact.length > 0) await fetch(plan.exact, false);
  }
  for (const args of plan.checkout) {
    const found = args.requires === null || (await git('for-each-ref', args.requires)).trim() !== '';
    if (!found) continue;
    await git('checkout', '--progress', '--force', ...args.args);
    return;
  }
  throw new WorkflowFault(`A branch or tag with the name '${ref}' could not be found`);
}

type CheckoutPlan = {
  readonly refspecs: readonly string[];
  /** What `fetch-depth: 0` fetches after all branches and tags. */
  readonly exact: readonly string[];
  readonly checkout: readonly { readonly requires: string | null; readonly args: readonly string[] }[];
};

/** What to fetch and check out for a ref and, if the run has one, its commit. */
export function checkoutPlan(ref: string, sha: string): CheckoutPlan {
  if (/^[0-9a-f]{40}$/i.test(ref)) {
    return { refspecs: [ref], exact: [ref], checkout: [{ requires: null, args: [ref] }] };
  }
  if (ref.startsWith('refs/heads/') || ref === '') {
    const branch = ref === '' ? 'HEAD' : ref.slice('refs/heads/'.length);
    const target = `refs/remotes/origin/${branch}`;
    const spec = `+${sha || (ref === '' ? 'HEAD' : ref)}:${target}`;
    const args = ref === '' ? [target] : ['-B', branch, target];
    return { refspecs: [spec], exact: [spec], checkout: [{ requires: null, args }] };
  }
  if (ref.startsWith('refs/')) {
    const target = ref.startsWith('refs/tags/') ? ref : `refs/remotes/${ref.slice('refs/'.length)}`;
    const spec = `+${sha || ref}:${target}`;
    return { refspecs: [spec], exact: [spec], checkout: [{ requires: null, args: [target] }] };
  }
  const branch = `refs/remotes/origin/${ref}`;
  return {
    refspecs: [`+refs/heads/${ref}*:${branch}*`, `+refs/tags/${ref}*:refs/tags/${ref}*`],
    exact: [],
    checkout: [
      { requires: branch, args: ['-B', ref, branch] },
      { requires: `refs/tags/${ref}`, args: [`refs/tags/${ref}`] },
    ],
  };
}

function credentialsFile(host: StepHost, directory: string): string {
  const name = Buffer.from(directory).toString('base64url').slice(-40);
  return path.join(host.places.temp, `git-credentials-${name}.config`);
}

async function writeCredentials(host: StepHost, file: string, token: string): Promise<void> {
  const basic = Buffer.from(`x-access-token:${token}`).toString('base64');
  host.mask(basic);
  const section = `[http "${host.work.serverUrl}/"]\n\textraheader = AUTHORIZATION: basic ${basic}\n`;
  await writeFile(file, section, { mode: 0o600 });
}

async function removeCredentials(
  host: StepHost,
  directory: string,
  env: Readonly<Record<string, string>>,
): Promise<void> {
  await rm(credentialsFile(host, directory), { force: true });
  const key = `includeIf.gitdir:${directory}/.git.path`;
  const git = gitIn(directory, env, host);
  if ((await readdir(directory)).includes('.git')) {
    const known = await git('config', '--local', '--get', '--default', '', key);
    if (known.trim() !== '') await git('config', '--local', '--unset-all', key);
  }
}
