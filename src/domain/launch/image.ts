/** The container image that a contract names, and the registry's answer. */

import { type Digest, isDigest } from '../ids.ts';
import type { Observed } from '../observed.ts';

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
export type ImageLook =
  | { readonly kind: 'built'; readonly digest: Digest; readonly platforms: readonly ImageLabels[] }
  | { readonly kind: 'absent' };

/** What is known about a contract's container. */
export type ContainerFacts = {
  readonly said: string;
  /** The image that the cluster settings give every job, or null. */
  readonly runsIn: string | null;
  /** `no-image`: not an image name. `no-registry`: the lab's config does not list this registry. */
  readonly look: 'no-image' | 'no-registry' | { readonly image: string; readonly found: Observed<ImageLook> };
};

/** Docker's default registry. */
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
  return nameIn(one) === nameIn(other);
}

/** An image file has no registry; its path is its name. */
function nameIn(written: string): string {
  const image = readImageReference(written);
  return image === null ? written.trim() : imageName(image);
}
