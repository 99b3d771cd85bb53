/** The container that a contract names, and what a registry says of how it was built. */

import { type Digest, isDigest } from '../ids.ts';
import type { Observed } from '../observed.ts';

/** A place in a registry; `digest` where it cannot be moved, `tag` where it can. */
export type ImageReference = {
  /** As people write it, with its port. */
  readonly registry: string;
  readonly repository: string;
  readonly tag: string;
  readonly digest: Digest | null;
};

/** What the builder wrote about one platform's image: `org.opencontainers.image.revision` and `.source`. */
export type ImageLabels = { readonly revision: string | null; readonly source: string | null };

/** `built`: the image that stands there, with the labels of each platform. `absent`: the registry shows none of that name. */
export type ImageLook =
  | { readonly kind: 'built'; readonly digest: Digest; readonly platforms: readonly ImageLabels[] }
  | { readonly kind: 'absent' };

/** What is known of a container that a contract names. */
export type ContainerFacts = {
  readonly said: string;
  /** The image that the settings of its cluster give to every job; null where they name none. */
  readonly runsIn: string | null;
  /** `no-image`: what is said is no image's name. `no-registry`: one of a registry that the lab's config does not name. */
  readonly look: 'no-image' | 'no-registry' | { readonly image: string; readonly found: Observed<ImageLook> };
};

/** Where Docker looks for a name without a registry. */
const USUAL_REGISTRY = 'docker.io';
const REGISTRY = /^[a-z0-9][a-z0-9.-]{0,252}(?::\d{1,5})?$/;
const REPOSITORY_PART = /^[a-z0-9][a-z0-9._-]{0,127}$/;
const TAG = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,127}$/;

/** Null where it is not the name of an image: then nobody knows where to look. */
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
  // One word alone, such as "wheel", is a word; people who mean an image give it a tag, a digest or a place.
  const isNamed = hasRegistry || folders.length > 1 || tag !== null || pinned !== undefined;
  if (!isNamed || rest.length > 0 || folders.length > 12) return null;
  if (!REGISTRY.test(registry) || !folders.every((one) => REPOSITORY_PART.test(one))) return null;
  if (tag !== null && !TAG.test(tag)) return null;
  return { registry, repository, tag: tag ?? 'latest', digest: pinned ?? null };
}

/** Its whole name, by which it is asked for. */
export function imageName({ registry, repository, tag, digest }: ImageReference): string {
  return `${registry}/${repository}${digest === null ? `:${tag}` : `@${digest}`}`;
}

/** Whether both are one name: a tag and a digest are two, although the tag may point there today. */
export function isSameImage(one: string, other: string): boolean {
  return nameIn(one) === nameIn(other);
}

/** A file of an image has no place in a registry: its path is its name. */
function nameIn(written: string): string {
  const image = readImageReference(written);
  return image === null ? written.trim() : imageName(image);
}
