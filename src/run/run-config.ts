/** The config of a run. */

import { fitted } from '../config/engine-traits.ts';
import { compareDecimals } from '../domain/decimal.ts';
import type { Contract, PinnedSource } from '../domain/launch/contract.ts';
import { fixBranch, ownFix } from '../domain/launch/small-fix.ts';
import type { RunState } from '../domain/logbook/run-state.ts';
import { configOfRun, type LabConfig, type LaneScopedConfig } from './lane-scope.ts';

/** The run's config: its lane (even if removed since) with its contract or the cluster's description. */
export function configFor(config: LabConfig, state: RunState): LaneScopedConfig {
  const { proposal, submission, contract, description } = state;
  const { lane, kind = '', experiment, runName } = proposal;
  const cluster = submission?.cluster ?? null;
  const scoped = configOfRun(config, { lane, kind, experiment, runName, cluster });
  const { adopts } = scoped.kind;
  if (adopts !== undefined && description !== null)
    return {
      ...scoped,
      lane: adopts.settings(scoped.lane, description),
      pinned: sourceOf(state, adopts.source(description)),
    };
  return contract === null ? scoped : configWith(scoped, contract);
}

/** The fix's commit replaces the one that the job ran. */
function sourceOf(state: RunState, told: PinnedSource | null): PinnedSource | null {
  const fix = ownFix(state);
  return told === null || fix === null ? told : { commit: fix.commit, branch: fixBranch(state).name };
}

/** A lane's config with a contract applied. */
export function configWith(config: LaneScopedConfig, contract: Contract): LaneScopedConfig {
  const { kind, lane } = config;
  const { contracts } = kind;
  if (contracts === undefined) return config;
  const [settings, pinned] = [contracts.settings(lane, contract), contracts.source(contract)];
  const needs = contracts.machine?.(contract);
  const rented: Partial<ReturnType<typeof fitted>> =
    needs === undefined ? {} : fitted(config, settings.cluster, needs);
  const checkpoints = contracts.checkpoints?.(contract, settings) ?? null;
  const cost = dearer(
    rented.clusters ?? config.clusters,
    settings.cluster,
    contracts.cost?.(contract) ?? null,
  );
  return { ...config, ...rented, ...cost, lane: settings, contract, pinned, checkpoints };
}

/** A contract cannot lower the configured cost. */
function dearer(
  clusters: LaneScopedConfig['clusters'],
  name: string,
  hours: string | null,
): Partial<Pick<LaneScopedConfig, 'clusters' | 'costIsOfContract'>> {
  const cluster = Object.hasOwn(clusters, name) ? clusters[name] : undefined;
  if (cluster === undefined || hours === null) return {};
  if (compareDecimals(hours, cluster.acceleratorHoursPerRun) <= 0) return {};
  return {
    clusters: { ...clusters, [name]: { ...cluster, acceleratorHoursPerRun: hours } },
    costIsOfContract: true,
  };
}
