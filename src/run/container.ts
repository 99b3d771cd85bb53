/** The container named in a contract. */

import { traitsOf } from '../config/engine-traits.ts';
import type { LabConfig } from '../config/schema.ts';
import type { RunFacts } from '../domain/facts.ts';
import type { Contract } from '../domain/launch/contract.ts';
import {
  type ContainerFacts,
  type ImageReference,
  imageName,
  readImageReference,
} from '../domain/launch/image.ts';
import { isNotAsked, need } from '../domain/need.ts';
import type { Kind } from './kind.ts';
import type { LaneScopedConfig } from './lane-scope.ts';
import type { Step } from './step.ts';

type Named = {
  readonly kind: Pick<Kind, 'contracts'>;
  readonly contract: Contract | null;
  readonly containers: LabConfig['containers'];
};

/** The image to look up; null if none is named or its registry is not configured. */
export function wantedImage({ kind, contract, containers }: Named): ImageReference | null {
  const said = saidOf({ kind, contract });
  const image = said === null ? null : readImageReference(said);
  return image !== null && Object.hasOwn(containers.registries, image.registry) ? image : null;
}

/** Requests the image only when gates are about to run. */
export function decideImage(config: Named, facts: Pick<RunFacts, 'change' | 'containerImage'>): Step | null {
  const isJudged = facts.change.kind === 'known';
  const isOpen = isNotAsked(facts.containerImage);
  return isJudged && isOpen && wantedImage(config) !== null ? need('containerImage') : null;
}

/** Absent if the contract names no container. */
export function containerOf(
  config: Named & Pick<LaneScopedConfig, 'clusters' | 'lane'>,
  found: RunFacts['containerImage'],
): { readonly container?: ContainerFacts } {
  const said = saidOf(config);
  if (said === null) return {};
  const image = readImageReference(said);
  const asked = image === null ? 'no-image' : 'no-registry';
  return {
    container: {
      said,
      runsIn: traitsOf(config, config.lane.cluster)?.image ?? null,
      look: image === null || wantedImage(config) === null ? asked : { image: imageName(image), found },
    },
  };
}

function saidOf({ kind, contract }: Pick<Named, 'kind' | 'contract'>): string | null {
  return contract === null ? null : (kind.contracts?.container?.(contract) ?? null);
}
