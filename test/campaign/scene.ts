// A lab of the campaign: a virtual lab with two approvers, a writer and an untrusted user, the rulesets of
// the README, and an engine that records its real input.

import type { World } from '../../packages/playground/world/world.ts';
import { propose } from '../support/play.ts';
import type { Random } from '../support/random.ts';
import { SHORT_FERRY } from '../support/talk.ts';
import { type Moment, openVirtualLab, type VirtualLab, type VirtualLabOptions } from '../support/virtual-lab.ts';
import { type Ask, type Cast, createAsker, createCast, protect, type Who } from './cast.ts';
import type { Deed } from './deeds.ts';
import { APPROVAL_AGE_HOURS } from './terms.ts';
import { recordStarts, type Start } from './witness.ts';

/** What a scenario needs of its lab; the seed decides the rest. */
export type Wants = {
  /** Whether a server decides, or the chat workflow. */
  readonly server: boolean;
  /** The number of required approvals. */
  readonly quorum: 1 | 2;
  /** Whether a job ends before a sweep could notice anything. */
  readonly job: 'short' | 'long';
};

export type Scene = Wants & {
  readonly seed: number;
  readonly random: Random;
  readonly lab: VirtualLab;
  readonly run: string;
  readonly pull: number;
  readonly issue: number;
  readonly branch: string;
  /** The requester of the run, if a person requested it: their approval does not count. */
  readonly askedBy: Who | null;
  /** The proposal as the bot made it. */
  readonly original: { readonly commit: string; readonly body: string; readonly issueBody: string };
  readonly ids: Readonly<Record<Who, number>>;
  readonly deeds: Deed[];
  /** Whether webhooks were ever lost: a sweep finds the comments of that time. */
  readonly webhooks: { wereLost: boolean };
  /** The launch runner: its delay after a dispatch, the longest delay so far, and its next start. */
  readonly launcher: { awayMs: number; longestAwayMs: number; startsAtMs: number | null };
  /** How many jobs the engine really started. */
  readonly engineStarts: () => number;
  readonly starts: Start[];
  readonly ask: Ask;
};

/** Opens a lab with a proposed ferry and a shown manifest. */
export async function openScene(seed: number, random: Random, wants: Partial<Wants>): Promise<Scene> {
  const launcher = planLauncherOutage(random, 0.5, 100);
  const server = wants.server ?? random.chance(0.8);
  const quorum = wants.quorum ?? (random.chance(0.85) ? 1 : 2);
  const job = wants.job ?? (random.chance(0.85) ? 'short' : 'long');
  const beginning = await beginOnce({ server, quorum, job });
  const lab: VirtualLab = await openVirtualLab({
    ...labOptions({ server, quorum, job }),
    from: { ...beginning.moment, seed },
    beforeJob: launcherReturns(launcher, () => lab),
  });
  const starts: Start[] = [];
  const { run, pull, issue, branch, original, cast } = beginning;
  recordStarts(lab, run, starts);
  return {
    seed,
    random,
    lab,
    run,
    pull,
    issue,
    branch,
    askedBy: null,
    original,
    server,
    quorum,
    job,
    ids: cast.ids,
    deeds: [],
    webhooks: { wereLost: false },
    launcher,
    engineStarts: () => lab.engine.startCount(),
    starts,
    ask: createAsker(lab, cast),
  };
}

type Beginning = Pick<Scene, 'run' | 'pull' | 'issue' | 'branch' | 'original'> & {
  readonly moment: Omit<Moment, 'seed'>;
  readonly cast: Cast;
};

const beginOnce = rememberMoment(beginScene);

/** The common beginning of all sequences, played once for each kind of lab. */
export function rememberMoment<Wanted extends readonly unknown[], Begun>(
  begin: (...wanted: Wanted) => Promise<Begun>,
): typeof begin {
  const begun = new Map<string, Promise<Begun>>();
  return (...wanted) => {
    const key = JSON.stringify(wanted);
    const known = begun.get(key) ?? begin(...wanted);
    begun.set(key, known);
    return known;
  };
}

/**
 * In some labs the launch runner is offline for a while, so that people can change their minds after an
 * order.
 */
export function planLauncherOutage(random: Random, chance: number, minutesMax: number): Scene['launcher'] {
  const awayMs = random.chance(chance) ? random.below(minutesMax * 60_000) : 0;
  return { awayMs, longestAwayMs: 0, startsAtMs: null };
}

/** The launch runner's delay before a job. */
export function launcherReturns(
  launcher: Scene['launcher'],
  labOf: () => VirtualLab,
): NonNullable<VirtualLabOptions['beforeJob']> {
  return async (mode) => {
    if (mode !== 'launch') return;
    const { clock } = labOf();
    launcher.startsAtMs = clock.now() + launcher.awayMs;
    launcher.longestAwayMs = Math.max(launcher.longestAwayMs, launcher.awayMs);
    await clock.sleep(launcher.awayMs);
  };
}

/** The config of a campaign lab: the approval age that the checker knows, and the quorum. */
export function campaignConfig(text: string, quorum = 1): string {
  return text
    .replace(/maxAgeHours: .*/, `maxAgeHours: ${APPROVAL_AGE_HOURS}`)
    .replace(/^ {2}quorum: .*/m, `  quorum: ${quorum}`);
}

function labOptions({ server, quorum, job }: Wants): VirtualLabOptions {
  return {
    ferry: { ...SHORT_FERRY, durationMs: (job === 'short' ? 12 : 240) * 60_000 },
    server,
    config: (text) => campaignConfig(text, quorum),
  };
}

async function beginScene(wants: Wants): Promise<Beginning> {
  const lab = await openVirtualLab(labOptions(wants));
  const cast = createCast(lab.world);
  protect(lab.world);
  const { run, pull, issue } = await propose(lab);
  await lab.clock.advance(90_000);
  const branch = `ferrybot/proposal/${run}`;
  const commit = (await lab.store.refs(`refs/heads/${branch}`)).get(`refs/heads/${branch}`) ?? '';
  const original = { commit, body: threadText(lab.world, pull), issueBody: threadText(lab.world, issue) };
  const moment = lab.keep();
  await lab.close();
  return { run, pull, issue, branch, original, cast, moment };
}

/** The text of an issue or pull request. */
export function threadText(world: World, number: number): string {
  return Object.values(world.state.issues).find((row) => row.number === number)?.body ?? '';
}
