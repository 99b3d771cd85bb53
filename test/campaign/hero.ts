// The fourth scene: a hero run was requested in an issue; its jobs leave checkpoints in folders of this
// machine.

import { existsSync, mkdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JobSpec } from '../../src/domain/engine.ts';
import { ferryScript, type JobScript } from '../support/ferry-script.ts';
import { ANSWERS, HERO_LANE, openHeroLab, postHeroIssue } from '../support/hero-run.ts';
import { until } from '../support/play.ts';
import { createRandom } from '../support/random.ts';
import { SHORT_FERRY } from '../support/talk.ts';
import type { Moment, VirtualLab, VirtualLabOptions } from '../support/virtual-lab.ts';
import type { Call, CareDeed } from './care.ts';
import { type Cast, createAsker, createCast, protect } from './cast.ts';
import {
  campaignConfig,
  launcherReturns,
  planLauncherOutage,
  rememberMoment,
  type Scene,
  threadText,
} from './scene.ts';
import { HERO, HERO_NEXT } from './terms.ts';
import { recordStarts } from './witness.ts';

/** The requester of the run, and the DRI of its contract: another person must accept. */
export const ASKERS = { ada: ['ada', 'ada'], 'ada for noor': ['ada', 'noor'], noor: ['noor', 'noor'] } as const;
export type Asker = keyof typeof ASKERS;

const PREEMPTED = 'trainer Received a preemption notice: this TPU slice was preempted by the cloud';
const DIVERGED = 'FloatingPointError: loss is nan at step 900';

/** The errors of its jobs at step 900, one after the other; later jobs succeed. */
export const COURSES = {
  well: [],
  'a preemption': [PREEMPTED],
  'preempted again and again': [PREEMPTED, PREEMPTED, PREEMPTED, PREEMPTED],
  'a divergence': [DIVERGED],
  'a preemption, then a divergence': [PREEMPTED, DIVERGED],
} as const satisfies Readonly<Record<string, readonly string[]>>;
export type Course = keyof typeof COURSES;

/** A checkpoint and how it was written. */
export type Saved = { readonly path: string; readonly step: number; readonly atMs: number; readonly isWhole: boolean };

/** The thread is an issue: there is no pull request, and `pull` is the issue too. */
export type HeroScene = Scene & {
  readonly course: Course;
  readonly dri: 'ada' | 'noor';
  readonly saved: Saved[];
  /** Writes a complete or incomplete checkpoint. */
  readonly save: (step: number, isWhole: boolean) => void;
  /** Checkpoint lists, consents, and deletions. */
  readonly cleanUp: { readonly calls: Call[]; readonly deeds: CareDeed[]; readonly texts: string[] };
  readonly leave: () => Promise<void>;
};

/** What a test sets; the seed decides the rest. */
export type AskedHero = {
  readonly asker?: Asker;
  readonly course?: Course;
  readonly server?: boolean;
  /** Whether the lane has no limit of its own for restarts after preemptions. */
  readonly countsPreemptions?: boolean;
  readonly moves?: readonly string[];
};

/** Opens a lab in which a hero run waits for its approval. */
export async function openHeroScene(seed: number, asked: AskedHero = {}): Promise<HeroScene> {
  const random = createRandom(seed);
  const asker = asked.asker ?? random.pick(Object.keys(ASKERS) as Asker[]);
  const course = asked.course ?? random.pick(Object.keys(COURSES) as Course[]);
  const server = asked.server ?? random.chance(0.85);
  const isCounting = asked.countsPreemptions ?? seed % 2 === 0;
  const { moment, cast, issue, original, root } = await beginningOf(server, asker, isCounting);
  const launcher = planLauncherOutage(random, 0.4, 50);
  const disk = diskOf(join(root, 'checkpoints'), () => lab.clock.now());
  const cleanUp: HeroScene['cleanUp'] = { calls: [], deeds: [], texts: [] };
  const lab: VirtualLab = await openHeroLab({
    ...labOptions(server, isCounting),
    script: scriptOf(course, disk, () => lab),
    from: { ...moment, seed },
    beforeJob: launcherReturns(launcher, () => lab),
    atBoundary: (_, kind, when) => {
      if (kind !== 'delete-checkpoint' || when !== 'after') return;
      const { comments } = lab.world.state;
      for (const command of disk.gone())
        cleanUp.calls.push({ atMs: lab.clock.now(), command, comments: { ...comments } });
    },
  });
  const starts: Scene['starts'] = [];
  recordStarts(lab, HERO, starts, { next: HERO_NEXT });
  const [askedBy, dri] = ASKERS[asker];
  return {
    ...{ seed, random, lab, run: HERO, issue, pull: issue, branch: 'main', course, dri, server, starts },
    ...{ askedBy, quorum: 1, job: 'short', ids: cast.ids, deeds: [], webhooks: { wereLost: false }, launcher },
    ...{ original, saved: disk.saved, save: disk.save, cleanUp },
    engineStarts: () => lab.engine.startCount(),
    ask: createAsker(lab, cast),
    leave: async () => {
      await lab.close();
      disk.clear();
    },
  };
}

type Disk = {
  readonly saved: Saved[];
  readonly save: (step: number, isWhole: boolean) => void;
  /** Deletions since the last call, in the record's form. */
  readonly gone: () => readonly (readonly string[])[];
  readonly clear: () => void;
};

/** Synchronous: a job's files exist at their time, whichever process is working. */
function diskOf(root: string, now: () => number): Disk {
  const saved: Saved[] = [];
  const there = new Map<string, string>();
  return {
    saved,
    save: (step, isWhole) => {
      const path = join(root, `step-${step}`);
      mkdirSync(path, { recursive: true });
      writeFileSync(join(path, 'state.bin'), `state of step ${step}`);
      saved.push({ path, step, atMs: now(), isWhole });
      if (!isWhole) return;
      const timestamp = new Date(now()).toISOString().slice(0, -1);
      const file = join(path, 'metadata.json');
      writeFileSync(file, JSON.stringify({ step, timestamp, is_temporary: false }));
      utimesSync(file, now() / 1_000, now() / 1_000);
      const { ino, mtimeNs, size } = statSync(file, { bigint: true });
      there.set(path, `${ino}-${mtimeNs}-${size}`);
    },
    gone: () =>
      [...there].flatMap(([path, content]) => {
        if (existsSync(join(path, 'metadata.json'))) return [];
        there.delete(path);
        return [['delete-checkpoint', path, content]];
      }),
    clear: () => rmSync(root, { recursive: true, force: true }),
  };
}

const LAST_STEP = 900;

/** A job saves steps 400, 800 and its last, as far as they are beyond its start and it still runs. */
function scriptOf(course: Course, disk: Disk, labOf: () => VirtualLab): NonNullable<VirtualLabOptions['script']> {
  let started = 0;
  return (spec: JobSpec): JobScript => {
    const line: string | undefined = COURSES[course][started];
    started += 1;
    const failAt = line === undefined ? null : { step: LAST_STEP, line, exitCode: 1 };
    const from = Number(/--resume=\S*step-(\d+)$/.exec(spec.command.at(-1) ?? '')?.[1] ?? 0);
    const { compileMs, durationMs, steps } = SHORT_FERRY;
    const pendingMs = 30_000;
    for (const step of [400, 800, ...(failAt === null ? [1_200] : [])].filter((one) => one > from)) {
      const atMs = pendingMs + compileMs + (step * (durationMs - compileMs)) / steps - 5_000;
      void savedAt(labOf(), spec.submissionId, atMs, () => disk.save(step, true));
    }
    return { ...ferryScript({ ...SHORT_FERRY, failAt }), pendingMs };
  };
}

async function savedAt(lab: VirtualLab, job: string, inMs: number, save: () => void): Promise<void> {
  await lab.clock.sleep(inMs);
  const seen = await lab.engine.observe(job, null);
  if (seen.kind === 'found' && seen.status === 'RUNNING') save();
}

type Beginning = Pick<Scene, 'issue' | 'original'> & {
  readonly moment: Omit<Moment, 'seed'>;
  readonly cast: Cast;
  readonly root: string;
};

const beginningOf = rememberMoment(begin);

function labOptions(server: boolean, isCounting: boolean): VirtualLabOptions {
  const lane = isCounting ? `${HERO_LANE}    preemptionsMax: null\n` : HERO_LANE;
  return { server, config: (text) => `${campaignConfig(text).trimEnd()}\n${lane}` };
}

const COMMAND =
  'FERRY_DATE=hero LAB_OUTPUT_ROOT={outputRoot} python3 experiments/ferries/daily.py --resume={checkpoint}';

async function begin(server: boolean, asker: Asker, isCounting: boolean): Promise<Beginning> {
  const root = await mkdtemp(join(tmpdir(), 'ferrybot-heroes-'));
  process.once('exit', () => rmSync(root, { recursive: true, force: true }));
  const lab = await openHeroLab(labOptions(server, isCounting));
  const cast = createCast(lab.world);
  protect(lab.world);
  const [askedBy, dri] = ASKERS[asker];
  const answers = { ...ANSWERS, DRI: `@${dri}`, Command: COMMAND, 'Output root': root };
  const depth = { 'Checkpoints kept for rollback': '1' };
  const issueOf = { ...(await postHeroIssue(lab, { ...answers, ...depth })), labels: ['experiment', 'hero-run'] };
  const { json } = await createAsker(lab, cast)(askedBy, 'POST', '/issues', issueOf);
  const issue = Number((json as { readonly number: number }).number);
  const { comments } = lab.world.state;
  await until(lab, 'a card', () => Object.values(comments).some(({ body }) => body.includes('kind=card')), {
    limitMs: 3_600_000,
  });
  await lab.clock.advance(90_000);
  const main = 'refs/heads/main';
  const commit = (await lab.store.refs(main)).get(main) ?? '';
  const text = threadText(lab.world, issue);
  const moment = lab.keep();
  await lab.close();
  return { issue, original: { commit, body: text, issueBody: text }, cast, moment, root };
}
