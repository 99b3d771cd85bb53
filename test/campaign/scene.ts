// One lab of the campaign: a virtual lab with two who may approve, a writer and a stranger, rulesets as the README asks
// for them, and an engine that tells what it was really given.

import type { World } from '../../packages/playground/world/world.ts';
import { propose } from '../support/play.ts';
import type { Random } from '../support/random.ts';
import { SHORT_FERRY } from '../support/talk.ts';
import {
  type Moment,
  openVirtualLab,
  type VirtualLab,
  type VirtualLabOptions,
} from '../support/virtual-lab.ts';
import { type Ask, askingIn, type Cast, castOf, protect, type Who } from './cast.ts';
import type { Deed } from './deeds.ts';
import { APPROVAL_AGE_HOURS } from './terms.ts';
import { type Start, witness } from './witness.ts';

/** What a scenario needs of its lab; the seed decides the rest. */
export type Wants = {
  /** Whether a server decides, or the chat workflow. */
  readonly server: boolean;
  /** How many people have to approve. */
  readonly quorum: 1 | 2;
  /** Whether a job ends by itself before a sweep could have heard of anything. */
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
  /** Who asked for the run, where a person did: no approval of theirs counts. */
  readonly askedBy: Who | null;
  /** The proposal as the bot made it. */
  readonly original: { readonly commit: string; readonly body: string; readonly issueBody: string };
  readonly ids: Readonly<Record<Who, number>>;
  readonly deeds: Deed[];
  /** Whether GitHub's webhooks ever got lost: what was said then is heard by a sweep. */
  readonly webhooks: { wereLost: boolean };
  /** The machine that launches: how long it is away when a launch is dispatched, the longest that it ever was, and when it comes back to the newest. */
  readonly launcher: { awayMs: number; longestAwayMs: number; startsAtMs: number | null };
  /** How many jobs the engine really started. */
  readonly engineStarts: () => number;
  readonly starts: Start[];
  readonly ask: Ask;
};

/** Opens a lab with a proposed ferry whose manifest has been shown. */
export async function openScene(seed: number, random: Random, wants: Partial<Wants>): Promise<Scene> {
  // In some labs the launching runner is away for a while: what was ordered waits, and people change their minds.
  const launcher: Scene['launcher'] = {
    awayMs: random.chance(0.5) ? random.below(100 * 60_000) : 0,
    longestAwayMs: 0,
    startsAtMs: null,
  };
  const server = wants.server ?? random.chance(0.8);
  const quorum = wants.quorum ?? (random.chance(0.85) ? 1 : 2);
  const job = wants.job ?? (random.chance(0.85) ? 'short' : 'long');
  const beginning = await beginningOf({ server, quorum, job });
  let sleep = async (_ms: number): Promise<void> => undefined;
  const lab = await openVirtualLab({
    ...labOptions({ server, quorum, job }),
    from: { ...beginning.moment, seed },
    beforeJob: async (mode) => {
      if (mode !== 'launch') return;
      launcher.startsAtMs = lab.clock.now() + launcher.awayMs;
      launcher.longestAwayMs = Math.max(launcher.longestAwayMs, launcher.awayMs);
      await sleep(launcher.awayMs);
    },
  });
  sleep = lab.clock.sleep;
  const starts: Start[] = [];
  const { run, pull, issue, branch, original, cast } = beginning;
  witness(lab, run, starts);
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
    ask: askingIn(lab, cast),
  };
}

/** What all sequences begin with: played once for each kind of lab. */
type Beginning = Pick<Scene, 'run' | 'pull' | 'issue' | 'branch' | 'original'> & {
  readonly moment: Omit<Moment, 'seed'>;
  readonly cast: Cast;
};

const beginnings = new Map<string, Promise<Beginning>>();

function beginningOf(wants: Wants): Promise<Beginning> {
  const key = JSON.stringify(wants);
  const known = beginnings.get(key) ?? begin(wants);
  beginnings.set(key, known);
  return known;
}

function labOptions({ server, quorum, job }: Wants): VirtualLabOptions {
  return {
    ferry: { ...SHORT_FERRY, durationMs: (job === 'short' ? 12 : 240) * 60_000 },
    server,
    config: (text) =>
      text
        .replace(/maxAgeHours: .*/, `maxAgeHours: ${APPROVAL_AGE_HOURS}`)
        .replace(/^ {2}quorum: .*/m, `  quorum: ${quorum}`),
  };
}

async function begin(wants: Wants): Promise<Beginning> {
  const lab = await openVirtualLab(labOptions(wants));
  const cast = castOf(lab.world);
  protect(lab.world);
  const { run, pull, issue } = await propose(lab);
  await lab.clock.advance(90_000);
  const branch = `ferrybot/proposal/${run}`;
  const commit = (await lab.store.refs(`refs/heads/${branch}`)).get(`refs/heads/${branch}`) ?? '';
  const original = { commit, body: textOf(lab.world, pull), issueBody: textOf(lab.world, issue) };
  const moment = lab.keep();
  await lab.close();
  return { run, pull, issue, branch, original, cast, moment };
}

/** The text of an issue or pull request. */
export function textOf(world: World, number: number): string {
  return Object.values(world.state.issues).find((row) => row.number === number)?.body ?? '';
}
