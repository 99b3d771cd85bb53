/** `ferrybot check-pr`: evaluates every launch gate on a local branch. */

import { GitError } from '../../../domain/git.ts';
import { type GateId, unknownReason, type Verdict } from '../../../domain/launch/verdict.ts';
import type { EventDataByType } from '../../../domain/logbook/define.ts';
import {
  brandAs,
  compactDate,
  isDigest,
  isInstant,
  isRunId,
  known,
  type Observed,
  type RunId,
  type Sha,
  unknown,
  utcDate,
} from '../../../domain/values.ts';
import { type Checkout, openCheckout } from '../../../host/git/checkout.ts';
import { sha256Hex } from '../../../host/keys.ts';
import { readPythonVersion } from '../../../host/python-child.ts';
import { remedyActorName } from '../../../render/card-gates.ts';
import { gateWords } from '../../../render/gate-words.ts';
import { type GateReading, gateRun } from '../../../run/gate-run.ts';
import { allLanes, firstLane, type LabConfig, type LaneScopedConfig } from '../../../run/lane.ts';
import { buildProposed } from '../../../run/proposals.ts';
import { CONFIG_PATH, readLabConfig } from '../../config-source.ts';
import { createExperimentReader, gatherChangeFacts, NEEDS_GITHUB } from '../../control/change-facts.ts';
import { readBody } from '../../control/shown-facts.ts';
import { EXIT, forTerminal, pathEnv, readArgument, reply, usageError, type VerbIo } from '../verb-io.ts';

type Options = {
  readonly base?: string | undefined;
  readonly head: string;
  readonly lane?: string | undefined;
  readonly body?: string | undefined;
};

/** Placeholder name; the checkout may belong to no repository on GitHub. */
const REPOSITORY = 'local/checkout';
const NO_BODY = unknown('no text was given: --body FILE has what the pull request would say');
const EXPECTED: readonly string[] = [NEEDS_GITHUB.why, NO_BODY.why];

/** Exit 0 if no gate fails, 1 otherwise. Facts that need GitHub are unknown. */
export async function checkPrVerb(io: VerbIo, options: Options): Promise<number> {
  const body = options.body === undefined ? null : await readArgument(io, options.body);
  if (body?.ok === false) return usageError(io, body.error);
  try {
    const checkout = await openCheckout(io.cwd, pathEnv(io));
    if (checkout === null) return usageError(io, `${io.cwd} is in no git checkout`);
    const head = await checkout.commitOf(options.head);
    if (head === null) return usageError(io, `${options.head} names no commit`);
    const found = await findBase(checkout, options, head);
    if (found.kind === 'unknown') return usageError(io, found.why);
    const { base } = found.value;
    const branch = { ...found.value, head, body: body?.value ?? null, path: io.environment['PATH'] ?? '' };
    const verdicts = await judgeBranch(checkout, branch);
    const failing = verdicts.filter(({ outcome }) => outcome === 'fail');
    const open = verdicts.filter(({ outcome }) => outcome === 'unknown');
    const ok = failing.length === 0 && open.every(({ found: { why } }) => EXPECTED.includes(String(why)));
    const gateIds = (some: readonly Verdict[]): readonly GateId[] => some.map(({ gate }) => gate);
    const value = { ok, base, head, failing: gateIds(failing), unknown: gateIds(open) };
    reply(io, { ...value, verdicts: verdicts.map(verdictAsJson) }, verdicts.map(formatVerdict).join(''));
    return ok ? EXIT.yes : EXIT.no;
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    return usageError(io, error.message);
  }
}

type BranchToCheck = {
  readonly base: Sha;
  readonly head: Sha;
  readonly config: LaneScopedConfig;
  readonly body: string | null;
  readonly path: string;
};

/** Evaluates the gates for `head`, with the config of the base. */
async function judgeBranch(checkout: Checkout, branch: BranchToCheck): Promise<readonly Verdict[]> {
  const { config } = branch;
  const now = brandAs(Date.now(), isInstant);
  const date = utcDate(now);
  const run = brandAs(`${config.kind.name}-${config.laneName}-${compactDate(date)}`, isRunId);
  const { verdicts, approvals } = gateRun({
    run,
    proposal: buildProposal(config, run, date),
    holds: [],
    approvals: NEEDS_GITHUB,
    approved: null,
    config,
    repository: REPOSITORY,
    now,
    facts: await gatherGateReading(checkout, branch),
    digestOf,
  });
  return [...verdicts, ...approvals];
}

const digestOf = (text: string) => brandAs(`sha256:${sha256Hex(text)}`, isDigest);

/** The base's config decides, so a branch cannot change the rules for itself. Default base: the target branch as fetched from origin. */
async function findBase(
  checkout: Checkout,
  { base: given, lane: named }: Options,
  head: Sha,
): Promise<Observed<{ readonly base: Sha; readonly config: LaneScopedConfig }>> {
  const tried = given === undefined ? ['origin/HEAD', 'origin/main', 'main', 'master'] : [given];
  for (const name of tried) {
    const commit = await checkout.commitOf(name);
    if (commit === null) continue;
    const text = await checkout.git.readText(commit, CONFIG_PATH);
    if (text === null) return unknown(`${name} has no ${CONFIG_PATH}`);
    const reading = readLabConfig(text);
    if (reading.kind !== 'valid') return unknown(`${CONFIG_PATH} of ${name} is not valid: see check-config`);
    const config = await chooseLane(checkout, reading.config, named, { base: commit, head });
    if (config.kind === 'unknown') return config;
    const target = given === undefined ? await findTargetCommit(checkout, config.value) : null;
    return known({ base: target ?? commit, config: config.value });
  }
  return unknown(`no commit to compare with: ${tried.join(', ')} are not here; --base names one`);
}

/** The lane that was named, the only lane, or the only lane with a changed experiment file. */
async function chooseLane(
  { git }: Checkout,
  config: LabConfig,
  named: string | undefined,
  { base, head }: { readonly base: Sha; readonly head: Sha },
): Promise<Observed<LaneScopedConfig>> {
  const lanes = allLanes(config);
  const names = lanes.map(({ laneName }) => laneName).join(', ');
  if (named !== undefined) {
    const lane = lanes.find(({ laneName }) => laneName === named);
    return lane === undefined ? unknown(`there is no lane ${named}; there are ${names}`) : known(lane);
  }
  if (lanes.length === 1) return known(firstLane(config));
  const from = (await git.mergeBase(base, head)) ?? base;
  const changed = await git.changedPaths(from, head);
  const [only, second] = lanes.filter(({ kind, lane }) => changed.includes(kind.proposals?.change?.file(lane) ?? ''));
  return only === undefined || second !== undefined
    ? unknown(`which of the lanes ${names} it is for cannot be told from the files that it changes; --lane says it`)
    : known(only);
}

async function findTargetCommit(checkout: Checkout, { lane }: LaneScopedConfig): Promise<Sha | null> {
  const { targetBranch } = lane;
  return (await checkout.commitOf(`origin/${targetBranch}`)) ?? (await checkout.commitOf(targetBranch));
}

async function gatherGateReading(
  checkout: Checkout,
  { base, head, config, body, path }: BranchToCheck,
): Promise<GateReading> {
  const git = { ...checkout.git, resolve: async () => base };
  const lab = {
    readExperiment: createExperimentReader(path),
    pythonVersion: (python: string) => readPythonVersion(python, path),
    client: null,
  };
  const change = await gatherChangeFacts({ lab, git, config }, head, null);
  return {
    pull: NEEDS_GITHUB,
    issue: NEEDS_GITHUB,
    comments: NEEDS_GITHUB,
    change,
    branchWork: NEEDS_GITHUB,
    body: body === null ? NO_BODY : readBody({ lab: { digestOf }, config }, body, change, null),
    checks: NEEDS_GITHUB,
    configHealth: NEEDS_GITHUB,
    recordedRuns: NEEDS_GITHUB,
    journalHolds: NEEDS_GITHUB,
    searchedRoots: NEEDS_GITHUB,
    containerImage: NEEDS_GITHUB,
  };
}

/** The proposal that control would record for this branch today, as far as it is known locally. */
function buildProposal(config: LaneScopedConfig, run: RunId, date: string): EventDataByType['proposed'] {
  const recorded = {
    experiment: config.kind.proposals?.change?.file(config.lane) ?? '',
    objective: { kind: 'integration', text: '' },
    interval: { sinceCommit: null, sinceDate: date, fallback: true, lastRun: null },
    candidate: null,
  } as const;
  const place = { config, repository: REPOSITORY };
  const known = buildProposed(place, { run, date, recorded, knobs: [] }, null, { headBranch: '' });
  return { ...known, issue: 0, pull: 0, author: { id: 0, login: '' } };
}

/** The verdict as recorded, with its text and the people who can resolve it. */
function verdictAsJson(verdict: Verdict): object {
  const { found: says, remedy } = gateWords(verdict);
  const todo = remedy === null ? null : forTerminal(remedy);
  return { ...verdict, says: forTerminal(says), remedy: todo, who: remedyActorName(verdict.remedyBy) };
}

function formatVerdict(verdict: Verdict): string {
  // The card's text for an unknown fact promises a retry, but this command does not retry.
  const { found, remedy } =
    verdict.outcome === 'unknown' ? { found: unknownReason(verdict), remedy: null } : gateWords(verdict);
  const todo = remedy === null ? '' : `; ${remedy} (${remedyActorName(verdict.remedyBy)})`;
  return forTerminal(`${verdict.outcome.padEnd(8)}${verdict.gate}: ${found}${todo}\n`);
}
