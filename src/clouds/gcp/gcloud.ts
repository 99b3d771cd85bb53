/** Runs gcloud. Changes need a capability for exactly that call. */

import { z } from 'zod';
import type { ChangeStep } from '../../domain/actions/action.ts';
import { type Permit, spendCapability } from '../../domain/actions/capability.ts';
import {
  type DeleteOutcome,
  deleteStep,
  type TpuCloud,
  type TpuVm,
  type VmListing,
} from '../../domain/care/machines.ts';
import { parseJson } from '../../domain/values.ts';
import { failedToStart, type ProgramResult, type RunOptions } from '../../host/process.ts';

type RunProgram = (file: string, args: readonly string[], options: RunOptions) => Promise<ProgramResult>;

export type GcloudOptions = {
  readonly program: string;
  /** The complete environment: cloud credentials, no GitHub token. */
  readonly env: Readonly<Record<string, string>>;
  readonly run: RunProgram;
};

/** Verbs that change nothing; all others need a capability. */
const READ_COMMANDS = [['compute', 'tpus', 'tpu-vm', 'list']] as const;

/** Runs a reading call. Throws for other arguments. */
export function readWithGcloud(
  { program, env, run }: GcloudOptions,
  args: readonly string[],
  timeoutMs: number,
): Promise<ProgramResult> {
  if (!READ_COMMANDS.some((verb) => verb.every((word, index) => args[index] === word)))
    throw new Error(`gcloud ${args.slice(0, 4).join(' ')} is no reading`);
  return run(program, args, { env, timeoutMs });
}

/** Spends the step, then runs it. */
export function changeWithGcloud(
  { program, env, run }: GcloudOptions,
  step: ChangeStep,
  permit: Permit,
  timeoutMs: number,
): Promise<ProgramResult> {
  const [name, ...args] = step.command;
  if (name !== 'gcloud') throw new Error(`${name ?? 'nothing'} is not gcloud`);
  spendCapability(permit, step);
  return run(program, args, { env, timeoutMs });
}

/** Variables that gcloud needs to find itself and its credentials. */
const PASSED_VARIABLES = ['PATH', 'HOME', 'LANG', 'CLOUDSDK_CONFIG', 'GOOGLE_APPLICATION_CREDENTIALS'];

/** The environment, with prompts disabled. */
export function gcloudEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string>> {
  const passed = PASSED_VARIABLES.flatMap((name) => {
    const value = environment[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return { ...Object.fromEntries(passed), CLOUDSDK_CORE_DISABLE_PROMPTS: '1' };
}

/** Why a call failed, in one line. The caller redacts it. */
export function describeFailure({ kind, exitCode, code, stderr }: ProgramResult): string {
  const how = kind === 'exited' ? `exit code ${exitCode}` : kind === 'not-started' ? `${code}` : kind;
  const lines = stderr.trim().split('\n');
  const first = lines.findIndex((line) => line.startsWith('ERROR:'));
  const said = (first < 0 ? lines.slice(-3) : lines.slice(first, first + 3)).join(' ');
  return said === '' ? `gcloud: ${how}` : `gcloud: ${how}: ${said}`;
}

/** Spends the step, then runs it. Throws `CapabilityError` if the capability does not fit. */
export function changeWithScript(
  run: RunProgram,
  step: ChangeStep,
  permit: Permit,
  options: RunOptions,
): Promise<ProgramResult> {
  spendCapability(permit, step);
  return runScriptCommand(step, (file, args) => run(file, args, options));
}

/** `fallback`: the same call without uv, if there is one. */
type ScriptCommand = { readonly command: readonly string[]; readonly fallback?: readonly string[] };

/** Fills in a template of the config. */
export function scriptCommand(
  template: readonly string[],
  values: Readonly<Record<string, string>>,
  pythonWithoutUv: readonly string[] | null,
): ScriptCommand {
  const command = template.map((part) => part.replace(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole));
  const script = pythonWithoutUv === null ? null : splitUvRun(command);
  return script === null ? { command } : { command, fallback: [...(pythonWithoutUv ?? []), ...script] };
}

/** Runs the script. The fallback runs only if the first program did not start: a started one may have changed something. */
export async function runScriptCommand(
  { command, fallback }: ScriptCommand,
  run: (file: string, args: readonly string[]) => Promise<ProgramResult>,
): Promise<ProgramResult> {
  const [file = '', ...args] = command;
  const first = await run(file, args);
  if (fallback === undefined || !failedToStart(first)) return first;
  const [other = '', ...rest] = fallback;
  return run(other, rest);
}

/** The script that `uv run` starts; null if uv is not the program or has its own options. */
function splitUvRun([program, verb, ...rest]: readonly string[]): readonly string[] | null {
  if (program !== 'uv' || verb !== 'run') return null;
  if (rest[0] === 'python' || rest[0] === 'python3') return rest.slice(1);
  return rest[0]?.endsWith('.py') === true ? rest : null;
}

/** gcloud needs some seconds to start. */
const CLOUD_READ_TIMEOUT_MS = 2 * 60 * 1_000;
/** Per zone; the largest labs have some hundreds. */
const CLOUD_VMS_MAX = 2_000;

const endpoint = z.object({
  ipAddress: z.string().optional(),
  accessConfig: z.object({ externalIp: z.string().optional() }).optional(),
});

const node = z.object({
  // projects/P/locations/ZONE/nodes/NAME; commands use the name, so it is validated.
  name: z.string().regex(/^projects\/[^/]+\/locations\/[a-z0-9-]+\/nodes\/[a-z]([a-z0-9-]{0,61}[a-z0-9])?$/),
  state: z.string(),
  createTime: z.iso.datetime({ offset: true }),
  acceleratorType: z.string().default(''),
  labels: z.record(z.string(), z.string()).default({}),
  networkEndpoints: z.array(endpoint).default([]),
});

/** Lists all VMs. One invalid entry makes the list unknown, because it may be the wanted VM. */
export async function listVms(
  gcloud: GcloudOptions,
  place: { readonly project: string; readonly zones: readonly string[] },
): Promise<VmListing> {
  const vms: TpuVm[] = [];
  for (const zone of place.zones) {
    const args = ['--project', place.project, '--zone', zone, '--format=json'];
    const result = await readWithGcloud(gcloud, ['compute', 'tpus', 'tpu-vm', 'list', ...args], CLOUD_READ_TIMEOUT_MS);
    if (!result.ok) return { kind: 'unknown', message: `${zone}: ${describeFailure(result)}` };
    const read = readListing(result.stdout);
    if (read.kind === 'unknown') return { kind: 'unknown', message: `${zone}: ${read.message}` };
    vms.push(...read.vms);
  }
  return { kind: 'listed', vms };
}

/** Parses one list; unknown if the JSON does not fit. */
export function readListing(text: string): VmListing {
  const json = parseJson(text);
  if (json === undefined) return { kind: 'unknown', message: 'no JSON' };
  const parsed = z.array(node).max(CLOUD_VMS_MAX).safeParse(json);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return { kind: 'unknown', message: `another shape at ${issue?.path.join('.')}: ${issue?.message}` };
  }
  return { kind: 'listed', vms: parsed.data.map(toTpuVm) };
}

function toTpuVm(one: z.infer<typeof node>): TpuVm {
  const parts = one.name.split('/');
  return {
    name: parts[5] ?? '',
    zone: parts[3] ?? '',
    state: one.state,
    createdAt: one.createTime,
    acceleratorType: one.acceleratorType,
    rayCluster: one.labels['ray-cluster-name'] ?? '',
    rayNodeType: one.labels['ray-node-type'] ?? '',
    workers: one.networkEndpoints.map(({ ipAddress, accessConfig }) =>
      [ipAddress ?? '', accessConfig?.externalIp ?? ''].filter((address) => address !== ''),
    ),
  };
}

/** gcloud waits some minutes for a deletion. */
const CLOUD_DELETE_TIMEOUT_MS = 15 * 60 * 1_000;

/** `project` and `zones` come from the config's `gcp`. */
export function createTpuCloud(
  gcloud: GcloudOptions,
  place: { readonly project: string; readonly zones: readonly string[] },
): TpuCloud {
  return {
    list: () => listVms(gcloud, place),
    deleteVm: async (vm, permit) => {
      const step = deleteStep(place.project, vm);
      return toDeleteOutcome(await changeWithGcloud(gcloud, step, permit, CLOUD_DELETE_TIMEOUT_MS));
    },
  };
}

/** Only a program that did not start certainly changed nothing. */
function toDeleteOutcome(result: ProgramResult): DeleteOutcome {
  if (result.ok) return { kind: 'deleted' };
  const message = describeFailure(result);
  return result.kind === 'not-started' ? { kind: 'failed', message } : { kind: 'unknown', message };
}
