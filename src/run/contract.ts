/** Reads and records contracts. */

import { traitsFor } from '../config/lane-of-file.ts';
import type { LabConfig } from '../config/schema.ts';
import type { IssueFacts, PullFacts, RunFacts } from '../domain/facts.ts';
import {
  type ContainerFacts,
  type Contract,
  type ImageReference,
  imageName,
  isSameContract,
  readImageReference,
} from '../domain/launch/contract.ts';
import { isFixPushed } from '../domain/launch/next-attempt.ts';
import type { EventDataByType } from '../domain/logbook/define.ts';
import type { RunState } from '../domain/logbook/run-state.ts';
import { isNotAsked, request } from '../domain/reconcile-request.ts';
import { known, type Observed } from '../domain/values.ts';
import type { Kind } from './kind.ts';
import type { LaneScopedConfig } from './lane.ts';
import { append, type Step } from './step.ts';

type ContractThreads = { readonly pull: Observed<PullFacts>; readonly issue: Observed<IssueFacts> };

/** The issue's current contract, read with the lane's own settings. Null for kinds without contracts and for a removed lane. */
export function readContract(
  { kind: { contracts }, lanes, laneName }: LaneScopedConfig,
  { pull, issue }: ContractThreads,
  { request }: Pick<EventDataByType['proposed'], 'request'>,
): Observed<Contract> | null {
  const lane = lanes[laneName];
  if (contracts === undefined || lane === undefined) return null;
  if (issue.kind === 'unknown') return issue;
  if (pull.kind === 'unknown') return pull;
  const { title, body } = issue.value;
  const asked = request?.knobs ?? [];
  return known(contracts.read({ title, body, author: pull.value.author, requestedValues: asked }, lane));
}

/** Records a changed contract before the launch, and after a failed attempt if it names another commit. */
export function decideContract(state: RunState, facts: ContractThreads, config: LaneScopedConfig): Step | null {
  const now = readContract(config, facts, state.proposal);
  if (now === null || now.kind === 'unknown' || state.contract === null) return null;
  if (isSameContract(now.value, state.contract) || state.order?.status === 'claimed') return null;
  const source = config.kind.contracts?.source(now.value) ?? null;
  const isFix = source !== null && isFixPushed(state, source.commit);
  if (state.submission !== null && !isFix) return null;
  return append({ type: 'contracted', role: 'control', data: { contract: now.value } });
}

type ContainerSource = {
  readonly kind: Pick<Kind, 'contracts'>;
  readonly contract: Contract | null;
  readonly containers: LabConfig['containers'];
};

/** The image to read from its registry; null if none is named or its registry is not configured. */
export function findWantedImage({ kind, contract, containers }: ContainerSource): ImageReference | null {
  const said = statedContainer({ kind, contract });
  const image = said === null ? null : readImageReference(said);
  return image !== null && Object.hasOwn(containers.registries, image.registry) ? image : null;
}

/** Requests the image only when gates are about to run. */
export function decideImage(config: ContainerSource, facts: Pick<RunFacts, 'change' | 'containerImage'>): Step | null {
  const isJudged = facts.change.kind === 'known';
  const isOpen = isNotAsked(facts.containerImage);
  return isJudged && isOpen && findWantedImage(config) !== null ? request('containerImage') : null;
}

/** The contract's container as gate facts; absent if the contract names none. */
export function containerFacts(
  config: ContainerSource & Pick<LaneScopedConfig, 'clusters' | 'lane'>,
  found: RunFacts['containerImage'],
): { readonly container?: ContainerFacts } {
  const said = statedContainer(config);
  if (said === null) return {};
  const image = readImageReference(said);
  const asked = image === null ? 'no-image' : 'no-registry';
  return {
    container: {
      written: said,
      runsIn: traitsFor(config, config.lane.cluster)?.image ?? null,
      image: image === null || findWantedImage(config) === null ? asked : { image: imageName(image), found },
    },
  };
}

function statedContainer({ kind, contract }: Pick<ContainerSource, 'kind' | 'contract'>): string | null {
  return contract === null ? null : (kind.contracts?.container?.(contract) ?? null);
}
