/** Reads and records contracts. */

import { traitsOf } from '../config/lane-of-file.ts';
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
import { isNotAsked, need } from '../domain/reconcile-request.ts';
import { known, type Observed } from '../domain/values.ts';
import type { Kind } from './kind.ts';
import type { LaneScopedConfig } from './lane.ts';
import { append, type Step } from './step.ts';

type Threads = { readonly pull: Observed<PullFacts>; readonly issue: Observed<IssueFacts> };

/** The issue's current contract, read with the lane's own settings. Null for kinds without contracts and for a removed lane. */
export function contractNow(
  { kind: { contracts }, lanes, laneName }: LaneScopedConfig,
  { pull, issue }: Threads,
  { request }: Pick<EventDataByType['proposed'], 'request'>,
): Observed<Contract> | null {
  const lane = lanes[laneName];
  if (contracts === undefined || lane === undefined) return null;
  if (issue.kind === 'unknown') return issue;
  if (pull.kind === 'unknown') return pull;
  const { title, body } = issue.value;
  const asked = request?.knobs ?? [];
  return known(contracts.read({ title, body, author: pull.value.author, asked }, lane));
}

/** Records a changed contract before the launch, and after a failed attempt if it names another commit. */
export function decideContract(state: RunState, facts: Threads, config: LaneScopedConfig): Step | null {
  const now = contractNow(config, facts, state.proposal);
  if (now === null || now.kind === 'unknown' || state.contract === null) return null;
  if (isSameContract(now.value, state.contract) || state.order?.status === 'claimed') return null;
  const source = config.kind.contracts?.source(now.value) ?? null;
  const isFix = source !== null && isFixPushed(state, source.commit);
  if (state.submission !== null && !isFix) return null;
  return append({ type: 'contracted', role: 'control', data: { contract: now.value } });
}

type Named = {
  readonly kind: Pick<Kind, 'contracts'>;
  readonly contract: Contract | null;
  readonly containers: LabConfig['containers'];
};

/** The image to read from its registry; null if none is named or its registry is not configured. */
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

/** The contract's container as gate facts; absent if the contract names none. */
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
