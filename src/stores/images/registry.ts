/**
 * How an image was built: its manifest (for an index, each platform's) and the labels in its config, over the OCI distribution API. Every
 * part is checked against its digest.
 */

import { z } from 'zod';
import { branded, type Digest, isDigest } from '../../domain/ids.ts';
import { jsonIn } from '../../domain/json.ts';
import type { ImageLabels, ImageLook, ImageReference } from '../../domain/launch/image.ts';
import { known, type Observed, unknown } from '../../domain/observed.ts';
import { cutText } from '../../domain/text.ts';
import { sha256Hex } from '../../host/hash.ts';
import { createRegistryAsk, type RegistryAsk, type RegistryHost, type RegistryPlace } from './ask.ts';

/** Builders create two or three; each costs two requests. */
const IMAGE_PLATFORMS_MAX = 12;
/** Enough for a commit and a repository URL. */
const IMAGE_LABEL_CHARS_MAX = 200;

const MANIFESTS = [
  'application/vnd.oci.image.index.v1+json',
  'application/vnd.oci.image.manifest.v1+json',
  'application/vnd.docker.distribution.manifest.list.v2+json',
  'application/vnd.docker.distribution.manifest.v2+json',
].join(', ');
const REVISION = 'org.opencontainers.image.revision';
const SOURCE = 'org.opencontainers.image.source';

const digest = z.string().refine(isDigest, 'a digest of SHA-256');
const words = z.record(z.string(), z.string()).nullish();
const manifestSchema = z.object({ config: z.object({ digest }), annotations: words });
const indexSchema = z.object({
  manifests: z.array(
    z.object({ digest, platform: z.object({ os: z.string() }).nullish(), annotations: words }),
  ),
  annotations: words,
});
const configSchema = z.object({ config: z.object({ Labels: words }).nullish() });

type Words = z.infer<typeof words>;
type Part = { readonly text: string; readonly digest: Digest };

/** Expected failures are values. */
export async function lookAtImage(
  host: RegistryHost,
  place: RegistryPlace,
  reference: ImageReference,
): Promise<Observed<ImageLook>> {
  const ask = createRegistryAsk(host, place, reference.repository);
  const top = await partOf(ask, `manifests/${reference.digest ?? reference.tag}`, reference.digest);
  if (top.kind === 'unknown') return top;
  if (top.value === null) return known({ kind: 'absent' });
  const platforms = await platformsOf(ask, top.value);
  return platforms.kind === 'unknown'
    ? platforms
    : known({ kind: 'built', digest: top.value.digest, platforms: platforms.value });
}

/** A single-platform image is treated as an index of one. */
async function platformsOf(ask: RegistryAsk, top: Part): Promise<Observed<readonly ImageLabels[]>> {
  const json = jsonIn(top.text);
  const index = indexSchema.safeParse(json);
  if (!index.success) {
    const one = await labelsOf(ask, json, null);
    return one.kind === 'unknown' ? one : known([one.value]);
  }
  // Attestations are stored as images without a platform.
  const images = index.data.manifests.filter(({ platform }) => platform?.os !== 'unknown');
  if (images.length === 0) return unknown('its index names no image');
  if (images.length > IMAGE_PLATFORMS_MAX)
    return unknown(`its index names more than ${IMAGE_PLATFORMS_MAX} images`);
  const all: ImageLabels[] = [];
  for (const { digest, annotations } of images) {
    const part = await partOf(ask, `manifests/${digest}`, digest);
    if (part.kind === 'unknown') return part;
    if (part.value === null) return unknown(`its index names ${digest}, which is not there`);
    const labels = await labelsOf(ask, jsonIn(part.value.text), {
      ...index.data.annotations,
      ...annotations,
    });
    if (labels.kind === 'unknown') return labels;
    all.push(labels.value);
  }
  return known(all);
}

/** The image's own labels take precedence, because they survive copying. */
async function labelsOf(ask: RegistryAsk, json: unknown, around: Words): Promise<Observed<ImageLabels>> {
  const manifest = manifestSchema.safeParse(json);
  if (!manifest.success) return unknown('what stands there is no image that is known here');
  const { config, annotations } = manifest.data;
  const blob = await partOf(ask, `blobs/${config.digest}`, config.digest);
  if (blob.kind === 'unknown') return blob;
  if (blob.value === null) return unknown(`its config ${config.digest} is not there`);
  const image = configSchema.safeParse(jsonIn(blob.value.text));
  if (!image.success) return unknown('its config is none that is known here');
  const said: Words = { ...around, ...annotations, ...image.data.config?.Labels };
  return known({ revision: wordOf(said[REVISION]), source: wordOf(said[SOURCE]) });
}

/** Null if missing; unknown if the digest differs. */
async function partOf(ask: RegistryAsk, path: string, wanted: Digest | null): Promise<Observed<Part | null>> {
  const answer = await ask(path, MANIFESTS);
  if (answer.kind === 'unknown') return answer;
  if (answer.value === null) return known(null);
  const text = answer.value;
  const digest = branded(`sha256:${sha256Hex(text)}`, isDigest);
  return wanted !== null && wanted !== digest
    ? unknown(`what it gave for ${wanted} is ${digest}`)
    : known({ text, digest });
}

/** Empty labels are null; long ones are cut. */
function wordOf(said: string | undefined): string | null {
  const word = cutText((said ?? '').trim(), IMAGE_LABEL_CHARS_MAX);
  return word === '' ? null : word;
}
