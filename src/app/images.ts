/** Queries the config's container registries for images. */

import type { LabConfig } from '../config/schema.ts';
import { type ImageObservation, type ImageReference, imageName } from '../domain/launch/contract.ts';
import { type Observed, unknown } from '../domain/values.ts';
import { findWantedImage } from '../run/contract.ts';
import type { LaneScopedConfig } from '../run/lane.ts';
import { inspectImage, type RegistryHost } from '../stores/images/registry.ts';

export type ImageReader = (
  config: Pick<LabConfig, 'containers'>,
  image: ImageReference,
) => Promise<Observed<ImageObservation>>;

/** Queries only registries that the config lists, each with its own key. */
export function createImages(
  environment: Readonly<Record<string, string | undefined>>,
  host: RegistryHost,
): ImageReader {
  return async ({ containers: { registries } }, image) => {
    const { registry } = image;
    const settings = Object.hasOwn(registries, registry) ? registries[registry] : undefined;
    if (settings === undefined) return unknown(`the config names no registry ${registry}`);
    const { address, alsoHosts, user, keyFrom } = settings;
    const key = keyFrom === null ? null : (environment[keyFrom] ?? '');
    if (key === '') return unknown(`this process was not given ${keyFrom}`);
    const place = { address: address ?? registryAddress(registry), alsoHosts, user, key };
    return inspectImage(host, place, image);
  };
}

/** The image of the run's contract. */
export async function readContainerImage(
  images: ImageReader,
  config: LaneScopedConfig,
  ask: <Value>(key: string, read: () => Promise<Value>) => Promise<Value>,
): Promise<Observed<ImageObservation>> {
  const image = findWantedImage(config);
  if (image === null) return unknown('its contract names no image that can be asked about');
  return ask(`image ${imageName(image)}`, () => images(config, image));
}

function registryAddress(registry: string): string {
  return `https://${registry === 'docker.io' ? 'registry-1.docker.io' : registry}`;
}
