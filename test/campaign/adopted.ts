// The fifth scene: a job was launched by hand, its adoption was requested, and the cluster has described it.

import { JOB_ID, openAdoptingLab, runOf, startJobByHand, WATCH } from '../support/adopted-job.ts';
import { ferryScript } from '../support/ferry-script.ts';
import { readState, until } from '../support/play.ts';
import { createRandom } from '../support/random.ts';
import type { ByHand } from '../support/simulated-engine.ts';
import { pushFile, SHORT_FERRY } from '../support/talk.ts';
import type { Moment, VirtualLab, VirtualLabOptions } from '../support/virtual-lab.ts';
import { type Cast, createAsker, createCast, protect } from './cast.ts';
import {
  campaignConfig,
  launcherReturns,
  planLauncherOutage,
  rememberMoment,
  type Scene,
  threadText,
} from './scene.ts';
import { LOG_LINE } from './terms.ts';
import { recordStarts } from './witness.ts';

const MINUTE = 60_000;
const SWEEP = 'experiments/sweep.py';
const TEXT = 'import json\n\nprint(math.pi)\nprint(json)\n';

/** The users who request the adoption. */
export const ASKERS = ['ada', 'ada', 'noor'] as const;
export type Asker = (typeof ASKERS)[number];

/** How the job ends; null means that it keeps running. */
export const COURSES = {
  'runs on': { says: [], exitCode: null },
  'goes well': { says: ['done'], exitCode: 0, endAtMs: 40 * MINUTE },
  'a slip': {
    says: [
      'Traceback (most recent call last):',
      `  File "/home/ada/lab/${SWEEP}", line 3, in <module>`,
      '    print(math.pi)',
      "NameError: name 'math' is not defined. Did you forget to import 'math'?",
    ],
    exitCode: 1,
    endAtMs: 15 * MINUTE,
  },
  'a lost connection': {
    says: ['ConnectionResetError: [Errno 104] Connection reset by peer'],
    exitCode: 1,
    endAtMs: 15 * MINUTE,
  },
} as const satisfies Readonly<Record<string, Pick<ByHand, 'says' | 'exitCode' | 'endAtMs'>>>;
export type Course = keyof typeof COURSES;

/** The thread is an issue: there is no pull request, and `pull` is the issue too. */
export type AdoptedScene = Scene & {
  readonly course: Course;
  readonly asker: Asker;
  /** When the cluster had described the job. */
  readonly toldAtMs: number;
  /** Versions of the record, with their times. */
  readonly texts: { readonly atMs: number; readonly text: string }[];
};

/** What a test sets; the seed decides the rest. */
export type AdoptedOptions = {
  readonly asker?: Asker;
  readonly course?: Course;
  readonly server?: boolean;
  readonly moves?: readonly string[];
};

/** Opens a lab in which the described job can be accepted. */
export async function openAdoptedScene(seed: number, asked: AdoptedOptions = {}): Promise<AdoptedScene> {
  const random = createRandom(seed);
  const asker = asked.asker ?? random.pick(ASKERS);
  const course = asked.course ?? random.pick(Object.keys(COURSES) as Course[]);
  const server = asked.server ?? random.chance(0.85);
  const { moment, cast, issue, original } = await beginOnce(server, asker);
  const launcher = planLauncherOutage(random, 0.4, 50);
  const lab: VirtualLab = await openLab(server, {
    from: { ...moment, seed },
    beforeJob: launcherReturns(launcher, () => lab),
  });
  startJobByHand(lab, buildJob(original.commit, course));
  const starts: Scene['starts'] = [];
  const run = runOf(issue);
  recordStarts(lab, run, starts, { job: JOB_ID });
  return {
    ...{ seed, random, lab, run, issue, pull: issue, branch: `ferrybot/fix/${run}`, course, asker, server },
    ...{ askedBy: asker, quorum: 1, job: 'short', ids: cast.ids, deeds: [], webhooks: { wereLost: false } },
    ...{ launcher, original, starts, texts: [], toldAtMs: moment.atMs },
    engineStarts: () => lab.engine.startCount(),
    ask: createAsker(lab, cast),
  };
}

function buildJob(commit: string, course: Course): Partial<ByHand> {
  const { says, ...end } = COURSES[course];
  const origin = { submitter: 'ada', entrypoint: `python3 ${SWEEP}`, gitCommit: commit };
  return { origin, says: [LOG_LINE, ...says], ...end };
}

function openLab(server: boolean, options: VirtualLabOptions): Promise<VirtualLab> {
  const config = (text: string): string => campaignConfig(text).replace('\n  adopt: null\n', '\n  adopt: write\n');
  const script = () => ({ ...ferryScript(SHORT_FERRY), pendingMs: 30_000 });
  return openAdoptingLab({ server, config, script, ...options }, '    fixScope: [experiments]\n');
}

type Beginning = Pick<Scene, 'issue' | 'original'> & { readonly moment: Omit<Moment, 'seed'>; readonly cast: Cast };

const beginOnce = rememberMoment(beginScene);

async function beginScene(server: boolean, asker: Asker): Promise<Beginning> {
  const lab = await openLab(server, {});
  const cast = createCast(lab.world);
  protect(lab.world);
  await pushFile(lab, 'ada', 'main', SWEEP, TEXT);
  const main = 'refs/heads/main';
  const commit = (await lab.store.refs(main)).get(main) ?? '';
  startJobByHand(lab, buildJob(commit, 'runs on'));
  const ask = createAsker(lab, cast);
  const mine = { title: 'My sweep', body: 'It runs since this morning.', labels: ['experiment'] };
  const { json } = await ask(asker, 'POST', '/issues', mine);
  const issue = Number((json as { readonly number: number }).number);
  await ask(asker, 'POST', `/issues/${issue}/comments`, { body: WATCH });
  const isTold = async (): Promise<boolean> => (await readState(lab, runOf(issue)))?.description != null;
  await until(lab, 'what the job is', isTold, { limitMs: 3_600_000 });
  await lab.clock.advance(90_000);
  const text = threadText(lab.world, issue);
  const moment = lab.keep();
  await lab.close();
  return { issue, original: { commit, body: text, issueBody: text }, cast, moment };
}
