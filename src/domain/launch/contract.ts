/** The contract: what an issue requests, for runs that start from one. The kind of run interprets the values. */

import * as z from 'zod';
import type { Actor } from '../actor.ts';
import type { StorePath } from '../checkpoint/stored.ts';
import { type Parsed, text } from '../logbook/parts.ts';
import { type Digest, isDigest, type Observed, type RunId, type Sha } from '../values.ts';
import type { Manifest, RentalTerms } from './manifest.ts';

const value = z.object({ value: text, source: z.enum(['given', 'inferred', 'unclear']), from: text });
/**
 * `given`: written in the issue. `inferred`: absent, and `from` names its origin. `unclear`: written but unusable, and `from` names the
 * expected form.
 */
export type ContractValue = Parsed<typeof value>;

export const contractSchema = z.record(text, value);
export type Contract = Parsed<typeof contractSchema>;

/** Login of the DRI, or null. */
export function contractDri(contract: Contract | null): string | null {
  return contractValue(contract, 'dri');
}

/** A given or inferred value, or null. */
export function contractValue(contract: Contract | null, name: string): string | null {
  const said = contract?.[name];
  return said === undefined || said.source === 'unclear' ? null : said.value;
}

/** GitHub logins are case-insensitive. */
export function isSameLogin(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

export type ContractIssue = {
  readonly title: string;
  readonly body: string;
  readonly author: Actor;
  /** Values from the command that requested the run, by contract name. */
  readonly requestedValues?: readonly { readonly path: string; readonly after: string }[];
};

/** The commit that a contract pins instead of a branch; `branch`: where it was pushed, if given. */
export type PinnedSource = { readonly commit: Sha; readonly branch: string | null };

/** Contract value for a checkpoint that no recorded run produced. */
export const OUTSIDE_SOURCE = 'outside the record';

/** Placeholder in the command or environment for the checkpoint to resume from. Without a checkpoint, the whole argument is removed. */
export const CHECKPOINT = '{checkpoint}';

/** Where a run starts, and where its checkpoints are stored. */
export type CheckpointPlan = {
  /** A checkpoint, or a root to take the newest checkpoint from; null: from scratch. `run`: the producing run, if given. */
  readonly from: { readonly path: StorePath; readonly run: RunId | typeof OUTSIDE_SOURCE | null } | null;
  /** The run's permanent and temporary roots; empty if only the job's machine can read them. */
  readonly roots: readonly StorePath[];
  /** The roots named in the contract; the others are the output root and the lane's roots. */
  readonly named: readonly StorePath[];
};

/** Whether the command names its checkpoint. Other jobs resume from the newest checkpoint they find, even if people chose another. */
export function startsFromCheckpoint({
  command,
  resume,
}: Pick<Manifest, 'command'> & { readonly resume: Pick<Manifest['resume'], 'roots'> }): boolean {
  return (resume.roots ?? []).length > 0 && command.some((part) => part.includes(CHECKPOINT));
}

/** Whether both readings are identical. */
export function isSameContract(one: Contract, other: Contract): boolean {
  const names = Object.keys(one);
  return (
    names.length === Object.keys(other).length &&
    names.every((name) => {
      const [a, b] = [one[name], other[name]];
      return a?.value === b?.value && a?.source === b?.source && a?.from === b?.from;
    })
  );
}

/** Absent values come from the cluster. Dollars and shares are decimal text. */
export type MachineNeeds = {
  readonly gpu?: string;
  readonly gpus?: number;
  readonly vramGb?: number;
  readonly ramGb?: number;
  readonly diskGb?: number;
  readonly reliability?: string;
  /** Pinned by its digest. */
  readonly image?: string;
  readonly dollarsPerHourMax?: string;
  readonly dollarsMax?: string;
  readonly hoursMax?: number;
  readonly endGraceMinutes?: number;
};

/** A cap of the lab that the request exceeds. */
export type BeyondCap = { readonly need: keyof MachineNeeds; readonly requested: string; readonly limit: string };

/** Whether the lab's limits allow such a machine, and on which terms; null: the cluster does not rent. */
export type MachineFit = { readonly terms: RentalTerms | null; readonly exceededCaps: readonly BeyondCap[] };

/** A reference is fixed if it has a `digest`; a `tag` can move. */
export type ImageReference = {
  /** As written, including the port. */
  readonly registry: string;
  readonly repository: string;
  readonly tag: string;
  readonly digest: Digest | null;
};

/** The image labels `org.opencontainers.image.revision` and `.source` of one platform. */
export type ImageLabels = { readonly revision: string | null; readonly source: string | null };

/** `built`: the image exists; one entry per platform. `absent`: the registry has no such image. */
export type ImageObservation =
  | { readonly kind: 'built'; readonly digest: Digest; readonly platforms: readonly ImageLabels[] }
  | { readonly kind: 'absent' };

export type ContainerFacts = {
  readonly written: string;
  /** The image that the cluster settings give every job, or null. */
  readonly runsIn: string | null;
  /** `no-image`: not an image name. `no-registry`: the lab's config does not list this registry. */
  readonly image: 'no-image' | 'no-registry' | { readonly image: string; readonly found: Observed<ImageObservation> };
};

const USUAL_REGISTRY = 'docker.io';
const REGISTRY = /^[a-z0-9][a-z0-9.-]{0,252}(?::\d{1,5})?$/;
const REPOSITORY_PART = /^[a-z0-9][a-z0-9._-]{0,127}$/;
const TAG = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,127}$/;

/** Null if the text is not an image name. */
export function readImageReference(said: string): ImageReference | null {
  const plain = said.trim().replace(/^(?:docker|oci):\/\//, '');
  const [named = '', pinned, ...more] = plain.split('@');
  if (more.length > 0 || (pinned !== undefined && !isDigest(pinned))) return null;
  const parts = named.split('/');
  const [first = ''] = parts;
  const hasRegistry = parts.length > 1 && (/[.:]/.test(first) || first === 'localhost');
  const registry = hasRegistry ? first : USUAL_REGISTRY;
  const [path = '', tag = null, ...rest] = parts
    .slice(hasRegistry ? 1 : 0)
    .join('/')
    .split(':');
  const folders = path.split('/');
  const repository = registry === USUAL_REGISTRY && folders.length === 1 ? `library/${path}` : path;
  // A single word such as "wheel" is not an image; a real reference has a tag, a digest or a path.
  const isNamed = hasRegistry || folders.length > 1 || tag !== null || pinned !== undefined;
  if (!isNamed || rest.length > 0 || folders.length > 12) return null;
  if (!REGISTRY.test(registry) || !folders.every((one) => REPOSITORY_PART.test(one))) return null;
  if (tag !== null && !TAG.test(tag)) return null;
  return { registry, repository, tag: tag ?? 'latest', digest: pinned ?? null };
}

/** The full reference. */
export function imageName({ registry, repository, tag, digest }: ImageReference): string {
  return `${registry}/${repository}${digest === null ? `:${tag}` : `@${digest}`}`;
}

/** Compares names only: a tag and a digest differ even if the tag currently points to the digest. */
export function isSameImage(one: string, other: string): boolean {
  return imageNameIn(one) === imageNameIn(other);
}

/** An image file has no registry; its path is its name. */
function imageNameIn(written: string): string {
  const image = readImageReference(written);
  return image === null ? written.trim() : imageName(image);
}
