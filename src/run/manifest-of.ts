/** Builds a run's manifest from facts. Control and runner use the same function, so they compute the same digest. */

import { fillLane, traitsFor } from '../config/lane-of-file.ts';
import type { LaneConfig } from '../config/lane-schema.ts';
import type { BodyFacts, ChangeFacts } from '../domain/facts.ts';
import { FAILURES, type Failure, isTransient } from '../domain/failure-class.ts';
import { type BaseFacts, type Delta, newDelta } from '../domain/launch/change-facts.ts';
import type { Manifest, ManifestChange } from '../domain/launch/manifest.ts';
import type { EventDataByType } from '../domain/logbook/define.ts';
import { assertNever, known, type Observed, type RunId, unknown } from '../domain/values.ts';
import type { LaneScopedConfig } from './lane.ts';

/** Policy key of the minor Python version that parsed the experiment. */
export const PYTHON_POLICY = 'lane.python';

type ManifestFacts = {
  readonly run: RunId;
  readonly repository: string;
  readonly proposal: EventDataByType['proposed'];
  readonly config: LaneScopedConfig;
  readonly change: ChangeFacts;
  readonly body: BodyFacts;
  readonly rolledBackAttempt?: number | null;
  /** The checkpoint to start from; null or absent: from scratch. */
  readonly start?: { readonly path: string; readonly step: number } | null;
};

/** The manifest. Unknown if a tree is missing, the delta cannot be counted, or the cluster is not configured. */
export function buildManifestFrom(facts: ManifestFacts): Observed<Manifest> {
  const lane = facts.config.lane;
  const cluster = facts.config.clusters[lane.cluster];
  if (cluster === undefined) return unknown(`the cluster ${lane.cluster} is not configured`);
  const missing = lane.ships.filter((path) => (facts.change.trees[path] ?? null) === null);
  if (missing.length > 0) return unknown(`the proposed commit has no ${missing.join(', ')}`);
  const roots = facts.config.checkpoints?.roots ?? [];
  const { delta, base } = facts.change;
  for (const { kind } of [delta, newDelta(facts.change)])
    if (kind === 'structural' || kind === 'unparsable') return unknown(`the config delta is ${kind}`);
  const { runName, outputRoot, command, environment } = fillLane(lane, { run: facts.run, date: facts.proposal.date });
  return known({
    v: 1,
    lane: facts.proposal.lane,
    runName,
    repository: facts.repository,
    trees: Object.fromEntries(lane.ships.map((path) => [path, facts.change.trees[path] ?? ''])),
    delta: toManifestChanges(delta),
    ...toManifestBase(base),
    preconditions: lane.checklist.preconditions.map((text) => ({ text, checked: isTicked(facts.body, text) })),
    cluster: lane.cluster,
    command: [...Object.entries(environment).map(([name, value]) => `${name}=${value}`), ...command],
    outputRoot,
    tracker: { kind: lane.tracker.kind, entity: lane.tracker.entity, project: lane.tracker.project, runId: runName },
    resume: {
      policy: lane.resume.policy,
      // rule HR-12
      initializeFrom: facts.start?.path ?? null,
      ...(facts.start == null ? {} : { initializeStep: facts.start.step }),
      ...(facts.rolledBackAttempt == null ? {} : { rolledBackAttempt: facts.rolledBackAttempt }),
      ...(roots.length === 0 ? {} : { roots }),
    },
    retention: lane.retention,
    cost: {
      acceleratorHours: cluster.acceleratorHoursPerRun,
      source: facts.config.costIsOfContract === true ? 'contract' : 'config',
    },
    envelope: {
      restarts: lane.restartsMax,
      ...(lane.preemptionsMax === null ? {} : { preemptions: lane.preemptionsMax }),
      restartAfter: listRestartFailures(facts.config),
      fixes: [...(facts.config.kind.fixes?.(lane).preApproved ?? [])],
      reductions: [...listReductions(facts.config)],
      ...listRepairs(facts.config),
      ...rentalTermsFor(facts.config),
    },
    policy: manifestPolicy(facts.config, facts.change),
  });
}

function rentalTermsFor(config: LaneScopedConfig): Pick<Manifest['envelope'], 'rental'> {
  const rental = traitsFor(config, config.lane.cluster)?.rental;
  return rental === undefined ? {} : { rental };
}

/** Pre-approved reductions, in order. */
function listReductions({ kind, lane }: LaneScopedConfig): readonly string[] {
  return kind.contracts?.reductions?.(lane) ?? [];
}

function listRepairs({ kind, lane }: LaneScopedConfig): Pick<Manifest['envelope'], 'repairs'> {
  const repairs = kind.contracts?.repairs?.(lane) ?? [];
  return repairs.length === 0 ? {} : { repairs: [...repairs] };
}

function listRestartFailures(config: LaneScopedConfig): readonly Failure[] {
  const { responses } = config.kind;
  return FAILURES.filter((failure) => {
    if (failure === 'unknown' && config.lane.unknownFailure === 'restart-once') return true;
    switch (responses[failure]) {
      case 'retry-bounded':
        return isTransient(failure);
      case 'other-machine':
        return true;
      case 'reduce':
        return listReductions(config).length > 0;
      case 'repair':
        return listRepairs(config).repairs !== undefined;
      case 'propose-node':
      case 'ask':
        return false;
      default:
        return assertNever(responses[failure]);
    }
  });
}

function toManifestChanges(delta: Delta): readonly ManifestChange[] {
  if (delta.kind !== 'knobs') return [];
  return delta.changes.map(({ knob, path, before, after, bucket }) => ({ knob, path, before, after, bucket }));
}

function toManifestBase(base: BaseFacts | null): Pick<Manifest, 'base'> {
  if (base === null) return {};
  const { run, commit, delta, notTaken } = base;
  const overruled = notTaken.map(({ path, ran, target, why }) => ({ path, ran, target, why }));
  return { base: { run, commit, changes: toManifestChanges(delta), notTaken: overruled } };
}

function isTicked(body: BodyFacts, text: string): boolean {
  const boxes = body.boxes.filter((box) => box.text === text);
  return boxes.length > 0 && boxes.every((box) => box.checked);
}

/** Policy keys that gates and the runner read; a changed value changes the manifest. */
function manifestPolicy(config: LaneScopedConfig, { python }: ChangeFacts): Manifest['policy'] {
  const lane = config.lane;
  const cluster = config.clusters[lane.cluster];
  const launcher = traitsFor(config, lane.cluster)?.launcher ?? null;
  return {
    ...approverPolicy(config),
    'approvals.quorum': String(config.approvals.quorum),
    'approvals.quorumByCost': config.approvals.quorumByCost
      .map((row) => `${row.fromAcceleratorHours} ${row.people}`)
      .join(','),
    ...config.kind.policy(lane),
    'lane.targetBranch': lane.targetBranch,
    'lane.costBudget': formatBudget(lane.costBudget),
    'lane.freshnessHours': String(lane.freshnessHours),
    'lane.requiredChecks': lane.requiredChecks === 'all' ? 'all' : JSON.stringify(lane.requiredChecks),
    'lane.engine': cluster?.engine ?? '',
    ...(launcher === null ? {} : { 'lane.launcher': launcher }),
    'lane.finalStep': lane.finalStep === null ? 'from the log' : String(lane.finalStep),
    [PYTHON_POLICY]: python,
    'lane.passSecrets': lane.passSecrets.join(','),
    ...contractPolicy(config),
  };
}

/** The policy keys that decide who may approve. */
export function approverPolicy({ approvals }: LaneScopedConfig): Manifest['policy'] {
  return {
    'approvals.permission': approvals.permission,
    'approvals.users': approvals.users.map(({ written }) => written).join(','),
    'approvals.onePersonIsEnough': String(approvals.onePersonIsEnough),
  };
}

/** The whole contract is approved, including values that no setting uses. */
function contractPolicy({ contract }: LaneScopedConfig): Manifest['policy'] {
  return Object.fromEntries(
    Object.entries(contract ?? {}).map(([name, { value, source }]) => [`contract.${name}`, `${source}: ${value}`]),
  );
}

/** The budget as text. Without periods it has no suffix. */
function formatBudget(budget: LaneConfig['costBudget']): string {
  if (budget === null) return '';
  const { maxAcceleratorHours, perWeek, perMonth, enforce } = budget;
  const periods = [perWeek === null ? [] : [`week ${perWeek}`], perMonth === null ? [] : [`month ${perMonth}`]];
  return [maxAcceleratorHours, enforce, ...periods.flat()].join(' ');
}

/** Read by uv, pip, build backends, version managers and Python before the job's own code runs. */
const NAMES =
  /^(?:(?:pyproject|hatch|cargo)\.toml|uv\.(?:lock|toml)|setup\.(?:py|cfg)|manifest\.in|(?:hatch|pdm)_build\.py|(?:pdm|poetry|pixi)\.(?:toml|lock)|pipfile(?:\.lock)?|pip\.conf|conda\.yaml|environment\.yml|build\.rs|cmakelists\.txt|meson\.build|pyvenv\.cfg|\.python-versions?|\.tool-versions|\.?mise\.toml|rust-toolchain(?:\.toml)?|\.env(?:rc)?|\.gitmodules|\.marin\.yaml|(?:site|user)customize\.py|(?:requirements|constraints)[\w.-]*\.(?:txt|in))$/;

/** Virtual environments, installed packages, and tool settings that name programs. */
const FOLDERS: ReadonlySet<string> = new Set(['.venv', 'venv', 'site-packages', '.cargo', '.mise']);

/** Whether a tool reads this file during the setup. Case-insensitive, as some file systems are. */
export function isBuildFile(path: string): boolean {
  const parts = path.toLowerCase().split('/');
  const name = parts.at(-1) ?? '';
  return (
    NAMES.test(name) ||
    name.endsWith('.pth') ||
    parts.slice(0, -1).some((folder) => FOLDERS.has(folder) || /\.(egg-info|dist-info)$/.test(folder))
  );
}
