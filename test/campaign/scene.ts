// One lab of the campaign: a virtual lab with two who may approve, a writer and a stranger, rulesets as the README asks
// for them, and an engine that tells what it was really given.

import { mintUserToken, mintWorkflowToken } from '../../playground/identity/tokens.ts';
import { addUser } from '../../playground/world/seed.ts';
import type { World } from '../../playground/world/world.ts';
import type { Permit } from '../../src/domain/actions/capability.ts';
import type { JobSpec } from '../../src/domain/engine.ts';
import { logbookText, propose } from '../support/play.ts';
import type { Random } from '../support/random.ts';
import { SHORT_FERRY } from '../support/talk.ts';
import {
  type Moment,
  openVirtualLab,
  type VirtualLab,
  type VirtualLabOptions,
} from '../support/virtual-lab.ts';
import type { Deed } from './deeds.ts';
import { APPROVAL_AGE_HOURS, secondOf } from './terms.ts';

/** mira and noor may approve, and noor cheats; ada may write; sol has an account. `workflow` is a workflow of ada's or noor's branch. */
export type Who = 'mira' | 'noor' | 'ada' | 'sol' | 'workflow';

/** A job as the engine was given it, and the world as it was at that moment. */
export type Start = {
  readonly atMs: number;
  readonly spec: JobSpec;
  readonly comments: World['state']['comments'];
  readonly reviews: World['state']['reviews'];
  /** Other jobs that ran or waited at that moment. */
  readonly beside: readonly string[];
  readonly issues: World['state']['issues'];
  readonly roles: Readonly<Record<string, string>>;
  /** The run's file, with that of a second run of the same proposal, and the journal as they stood on the branch. */
  readonly record: string;
  readonly journal: string;
};

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
  /** One request in somebody's name; the status, and the answer where there is one. */
  readonly ask: (who: Who, method: string, path: string, body?: object) => Promise<Answer>;
};

export type Answer = { readonly status: number; readonly json: unknown };

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
  const ask: Scene['ask'] = async (who, method, path, body) => {
    const response = await lab.world.fetch(
      new Request(`${lab.world.baseUrl}/api/v3/repos/lab/ferries${path}`, {
        method,
        headers: {
          authorization: `Bearer ${tokenOf(lab.world, cast, who)}`,
          'content-type': 'application/json',
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
    );
    // A server in trouble answers with a page.
    const isJson = response.headers.get('content-type')?.includes('json') === true;
    const json: unknown = isJson ? await response.json() : null;
    await lab.clock.settle();
    return { status: response.status, json };
  };
  return {
    seed,
    random,
    lab,
    run,
    pull,
    issue,
    branch,
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
    ask,
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

type Person = Exclude<Who, 'workflow'>;
type Cast = { readonly ids: Scene['ids']; readonly tokens: Readonly<Record<Person, string>> };

function castOf(world: World): Cast {
  const noor = addUser(world, 'noor', 'User', 'Noor Haddad');
  for (const [id, repo] of Object.entries(world.state.repos))
    world.state.repos[id] = { ...repo, collaborators: { ...repo.collaborators, [noor.id]: 'maintain' } };
  const idOf = (login: string): number =>
    Object.values(world.state.users).find((user) => user.login === login)?.id ?? 0;
  const tokenFor = (login: string): string => mintUserToken(world, idOf(login));
  return {
    ids: {
      mira: idOf('mira'),
      noor: noor.id,
      ada: idOf('ada'),
      sol: idOf('sol'),
      workflow: idOf('github-actions[bot]'),
    },
    tokens: {
      mira: tokenFor('mira'),
      noor: tokenFor('noor'),
      ada: tokenFor('ada'),
      sol: tokenFor('sol'),
    },
  };
}

function tokenOf(world: World, cast: Cast, who: Who): string {
  if (who !== 'workflow') return cast.tokens[who];
  const repoId = Object.values(world.state.repos)[0]?.id ?? 0;
  // A workflow of a branch, as anybody with write access may push one: everything that a job's token can be given.
  const run = { id: 999_999, repoId } as Parameters<typeof mintWorkflowToken>[1];
  const all = { contents: 'write', issues: 'write', 'pull-requests': 'write', actions: 'write' } as const;
  return mintWorkflowToken(world, run, permissionsIn(all)).token;
}

/** The playground writes permissions with underscores, as the API does. */
function permissionsIn(all: Readonly<Record<string, 'write'>>): Parameters<typeof mintWorkflowToken>[2] {
  return Object.fromEntries(Object.entries(all).map(([name, level]) => [name.replaceAll('-', '_'), level]));
}

/** The rulesets of the README: the logbook is only appended to, tags below `ferry/` are fixed, main is the lab's. */
function protect(world: World): void {
  const repoId = Object.values(world.state.repos)[0]?.id ?? 0;
  const base = {
    repoId,
    enforcement: 'active',
    exclude: [],
    bypass: [],
    createdAtMs: 0,
    updatedAtMs: 0,
  } as const;
  world.state.rulesets[901] = {
    ...base,
    id: 901,
    name: 'logbook',
    target: 'branch',
    include: ['refs/heads/ferrybot/logbook'],
    rules: [{ type: 'deletion' }, { type: 'non_fast_forward' }],
  };
  world.state.rulesets[902] = {
    ...base,
    id: 902,
    name: 'seals and marks',
    target: 'tag',
    include: ['refs/tags/ferry/**/*'],
    rules: [{ type: 'deletion' }, { type: 'update' }],
  };
}

/** Notes what the engine is given, before it is started. */
function witness(lab: VirtualLab, run: string, starts: Start[]): void {
  const { engine, world, clock } = lab;
  const submit = engine.submit.bind(engine);
  Object.assign(engine, {
    submit: async (spec: JobSpec, permit: Permit) => {
      const collaborators = Object.values(world.state.repos)[0]?.collaborators ?? {};
      starts.push({
        atMs: clock.now(),
        spec,
        comments: { ...world.state.comments },
        reviews: { ...world.state.reviews },
        beside: await liveAmong(engine, starts, spec),
        issues: { ...world.state.issues },
        roles: { ...collaborators },
        record: `${await logbookText(lab, run)}${await logbookText(lab, secondOf(run))}`,
        journal: await logbookText(lab, 'journal'),
      });
      return submit(spec, permit);
    },
  });
}

async function liveAmong(
  engine: VirtualLab['engine'],
  starts: readonly Start[],
  { submissionId }: JobSpec,
): Promise<readonly string[]> {
  const ids = new Set(starts.map(({ spec }) => spec.submissionId).filter((id) => id !== submissionId));
  const live: string[] = [];
  for (const id of ids) {
    const job = await engine.observe(id, null);
    if (job.kind === 'found' && ['RUNNING', 'PENDING'].includes(job.status)) live.push(id);
  }
  return live;
}
