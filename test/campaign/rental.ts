// The third scene: a rented machine was requested in an issue, with its job and cost on the card.

import { ferryScript, type JobScript } from '../support/ferry-script.ts';
import { until } from '../support/play.ts';
import { createRandom } from '../support/random.ts';
import { addRentalLane, openIssue, rentalRunName } from '../support/rental.ts';
import { type Machines, rentMachines } from '../support/rented-machines.ts';
import { SHORT_FERRY } from '../support/talk.ts';
import { type Moment, openVirtualLab, type VirtualLab, type VirtualLabOptions } from '../support/virtual-lab.ts';
import { type Cast, createAsker, createCast, protect } from './cast.ts';
import { findShownLine } from './honest.ts';
import {
  campaignConfig,
  launcherReturns,
  planLauncherOutage,
  rememberMoment,
  type Scene,
  threadText,
} from './scene.ts';
import { RENTED_DOLLARS, RENTED_HOURS } from './terms.ts';
import { recordStarts } from './witness.ts';

/** The requester of the machine: a writer, or one of the two approvers. */
export const RENTERS = ['ada', 'ada', 'noor'] as const;
export type Renter = (typeof RENTERS)[number];

/** How its jobs end, one attempt after the other; later ones succeed. */
export const COURSES = {
  well: [],
  'a short one': [],
  'a crash': ['ConnectionResetError: [Errno 104] Connection reset by peer'],
  'crash after crash': Array.from({ length: 6 }, () => 'ConnectionResetError: [Errno 104] Connection reset by peer'),
  'too little memory': ['torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.'],
} as const satisfies Readonly<Record<string, readonly string[]>>;
export type Course = keyof typeof COURSES;

/** The thread is an issue: there is no pull request, and `pull` is the issue too. */
export type RentalScene = Scene & { readonly course: Course; readonly machines: Machines };

/** What a test sets; the seed decides the rest. */
export type RentalOptions = {
  readonly renter?: Renter;
  readonly course?: Course;
  readonly server?: boolean;
  readonly moves?: readonly string[];
};

/** Opens a lab in which a rental waits for its approval. */
export async function openRentalScene(seed: number, asked: RentalOptions = {}): Promise<RentalScene> {
  const random = createRandom(seed);
  const renter = asked.renter ?? random.pick(RENTERS);
  const course = asked.course ?? random.pick(Object.keys(COURSES) as Course[]);
  const server = asked.server ?? random.chance(0.85);
  const { moment, cast, run, issue, ...begun } = await beginOnce(server, renter);
  const launcher = planLauncherOutage(random, 0.3, 80);
  const lab: VirtualLab = await openVirtualLab({
    ...labOptions(server),
    script: buildScript(course),
    from: { ...moment, seed },
    beforeJob: launcherReturns(launcher, () => lab),
  });
  const starts: Scene['starts'] = [];
  const machines = rentMachines(lab.engine, lab.clock.now);
  recordStarts(lab, run, starts);
  return {
    ...{ seed, random, lab, run, issue, pull: issue, branch: 'main', course, machines, server, starts },
    askedBy: renter,
    ...{ quorum: 1, job: 'short', ids: cast.ids, deeds: [], webhooks: { wereLost: false }, launcher },
    original: begun.original,
    engineStarts: () => lab.engine.startCount(),
    ask: createAsker(lab, cast),
  };
}

function buildScript(course: Course): NonNullable<VirtualLabOptions['script']> {
  let started = 0;
  return (): JobScript => {
    const line: string | undefined = COURSES[course][started];
    started += 1;
    const failAt = line === undefined ? null : { step: 100, line, exitCode: 1 };
    const minutes = course === 'a short one' ? 4 : 28;
    return {
      ...ferryScript({ ...SHORT_FERRY, runName: 'rental_2026-11-21', durationMs: minutes * 60_000, failAt }),
      pendingMs: 30_000,
    };
  };
}

type Beginning = Pick<Scene, 'run' | 'issue' | 'original'> & {
  readonly moment: Omit<Moment, 'seed'>;
  readonly cast: Cast;
};

const beginOnce = rememberMoment(beginScene);

function labOptions(server: boolean): VirtualLabOptions {
  return { server, config: (text) => addRentalLane(campaignConfig(text)) };
}

async function beginScene(server: boolean, renter: Renter): Promise<Beginning> {
  const lab = await openVirtualLab(labOptions(server));
  rentMachines(lab.engine, lab.clock.now);
  const cast = createCast(lab.world);
  protect(lab.world);
  const issue = await openIssue(lab, 'ada');
  const body = `/rent gpu="RTX 4090" hours=${RENTED_HOURS} cap="${RENTED_DOLLARS} USD" reason="does it still train?"`;
  await createAsker(lab, cast)(renter, 'POST', `/issues/${issue}/comments`, { body });
  await until(lab, 'a card', () => findShownLine({ lab, pull: issue }) !== null, { limitMs: 3_600_000 });
  await lab.clock.advance(90_000);
  const main = 'refs/heads/main';
  const commit = (await lab.store.refs(main)).get(main) ?? '';
  const text = threadText(lab.world, issue);
  const moment = lab.keep();
  const run = rentalRunName(lab, issue);
  await lab.close();
  return { run, issue, original: { commit, body: text, issueBody: text }, cast, moment };
}
