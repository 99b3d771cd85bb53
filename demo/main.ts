/** `npm start`: a whole lab on this machine, with the real bot. A person uses it, or `--auto` plays the person. */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { openCluster } from './cluster.ts';
import { endJobs, livingJobs } from './end-jobs.ts';
import { waitForInterrupt } from './interrupted.ts';
import { openNamedFolder } from './lab-folder.ts';
import { type LabLane, openLane } from './lane.ts';
import { recordLeftRuns } from './leave-behind.ts';
import { readLogbook } from './logbook-events.ts';
import { type OpenedLab, openLab } from './open-lab.ts';
import { readOptions, type StartOptions, USAGE } from './options.ts';
import { asMaintainer } from './person.ts';
import { nextDay, playDay, proposeDay, type StageReport } from './play.ts';
import type { RehearsalCluster } from './rehearsal-cluster.ts';
import { SECOND_LANE } from './second-lane.ts';
import { exampleLab, REPOSITORY } from './seed-lab.ts';

/** The lab, and the cluster that its jobs run on. */
type RunningLab = OpenedLab & { readonly cluster: RehearsalCluster; readonly own: LabLane | null };

type Report = { readonly ok: boolean; readonly reason: string | null; readonly stages: readonly StageReport[] };

async function main(): Promise<number> {
  const parsed = readOptions(process.argv.slice(2));
  switch (parsed.kind) {
    case 'help':
      console.log(USAGE);
      return 0;
    case 'misused':
      console.error(`${parsed.message}\n\n${USAGE}`);
      if (parsed.json) console.log(JSON.stringify({ ...NOTHING, reason: 'usage' }));
      return 2;
    case 'options':
      return startLab(parsed.options);
  }
}

const LANES = { 1: ['daily'], 2: ['daily', SECOND_LANE] } as const;

const NOTHING = { ok: false, reason: null, stages: [], logbook: null, sealTags: [], runs: [] } as const;

async function startLab(options: StartOptions): Promise<number> {
  const named = await openNamedFolder(options.keep);
  const logbook = named.ok ? named.folder.logbook : null;
  const refuse = ({ code, message }: { readonly code: string; readonly message: string }): void => {
    console.error(message);
    if (options.json) console.log(JSON.stringify({ ...NOTHING, reason: code, logbook }));
  };
  if (!named.ok) {
    refuse(named);
    return 1;
  }
  const { folder } = named;
  const fresh = options.lane === null ? options.example && '--example' : '--lane';
  if (fresh !== null && existsSync(folder.world)) {
    const message = `${fresh} begins a lab of its own, and ${folder.root} keeps one already: choose another folder`;
    refuse({ code: 'other-lab', message });
    return 1;
  }
  const own = options.lane === null ? null : await openLane(options.lane, folder);
  const under =
    own === null ? await openCluster(options.engine, folder) : ({ ok: true, cluster: own.cluster } as const);
  if (!under.ok) {
    refuse(under);
    return under.exitCode;
  }
  const { cluster } = under;
  const opened = await openLab(options, folder, exampleLab(folder, options, cluster.seed, own ?? {}));
  if (!opened.ok) {
    refuse(opened);
    await cluster.close(options.keep !== null);
    return 1;
  }
  const lab = { ...opened.lab, cluster, own };
  const print = (line: string): void => (options.json ? console.error(line) : console.log(line));
  print(`the lab:   ${lab.signIn(`/${REPOSITORY.owner}/${REPOSITORY.name}`)}`);
  print(`its files: ${folder.root}`);
  return options.auto ? playAutomatically(lab, options, print) : waitUntilInterrupted(lab, options, print);
}

async function playAutomatically(
  lab: RunningLab,
  options: StartOptions,
  print: (line: string) => void,
): Promise<number> {
  const broken = Promise.race([lab.broken, waitForInterrupt().then(() => 'interrupted')]);
  const report = await playDays({ ...lab, broken }, options, print);
  const left = await recordLeftRuns(lab);
  await closeLab(lab, options, print);
  const answer = { ...report, logbook: lab.folder.logbook, sealTags: left.sealTags, runs: left.runs };
  if (options.json) console.log(JSON.stringify(answer));
  else
    print(
      report.ok
        ? `sealed: ${left.sealTags.join(', ')}\nthe logbook: ${lab.folder.logbook}`
        : `stopped: ${report.reason}`,
    );
  return report.ok ? 0 : 1;
}

/**
 * Ends everything that the start has started. Jobs of a kept lab continue, as they would in a real one, and are listed.
 */
async function closeLab(lab: RunningLab, options: StartOptions, print: (line: string) => void): Promise<void> {
  await lab.close();
  const left = await lab.cluster.close(options.keep !== null);
  if (left !== null) print(left);
  if (options.keep === null) return endJobs(lab.folder.jobs);
  for (const { jobId, supervisor, command } of await livingJobs(lab.folder.jobs))
    print(
      `the job ${jobId} goes on (process ${supervisor ?? command}); start again with --keep ${lab.folder.root} to see it end`,
    );
}

async function playDays(
  lab: Pick<RunningLab, 'own'> & OpenedLab,
  options: StartOptions,
  print: (line: string) => void,
): Promise<Report> {
  const stages: StageReport[] = [];
  const report = (stage: StageReport): void => {
    stages.push(stage);
    const { rest, graphql, git } = stage.requests;
    print(
      `day ${stage.day}  ${options.lanes === 1 ? '' : `${stage.lane.padEnd(7)} `}${stage.stage.padEnd(9)} ${stage.seconds.toFixed(1).padStart(6)} s   ${rest} REST, ${graphql} GraphQL, ${git} git, ${stage.contentWrites} content writes`,
    );
  };
  try {
    if (lab.own !== null) {
      const played = await lab.own.play(lab, report);
      return { ok: played.ok, reason: played.ok ? null : played.reason, stages };
    }
    for (let day = 1; day <= options.days; day += 1) {
      if (day > 1) nextDay(lab);
      const startedAt = lab.clock.now();
      await proposeDay(lab, LANES[options.lanes]);
      const played = await Promise.all(
        LANES[options.lanes].map((lane) => playDay(lab, { day, lane, begunAt: startedAt }, report)),
      );
      const failed = played.find(({ ok }) => !ok);
      if (failed?.ok === false) return { ok: false, reason: failed.reason, stages };
    }
  } catch (error) {
    // A bug of the playground: print the full error, and also give a reason in the last line.
    console.error(error);
    return { ok: false, reason: 'playground-broken', stages };
  }
  return { ok: true, reason: null, stages };
}

/** Runs until a person ends it. A lab without a proposal gets today's. */
async function waitUntilInterrupted(
  lab: RunningLab,
  options: StartOptions,
  print: (line: string) => void,
): Promise<number> {
  const stopped = waitForInterrupt();
  if (lab.own === null && (await readLogbook(lab.world)).size === 0)
    await asMaintainer(lab.world, 'POST', '/actions/workflows/ferrybot-daily.yml/dispatches', { ref: 'main' });
  print(
    lab.own?.hint ??
      "Today's ferry is being proposed. Open the page, read the pull request, and comment the /approve-launch line of its card as mira.",
  );
  print('Ctrl-C ends it.');
  const reason = await Promise.race([stopped, lab.broken]);
  if (reason !== null) console.error(`${reason}; see ${join(lab.folder.root, 'server.log')}`);
  await closeLab(lab, options, print);
  return reason === null ? 0 : 1;
}

try {
  process.exitCode = await main();
} catch (error) {
  // A bug of the playground: print the full error, and also give a reason in the last line. Started processes must not
  // keep the program alive.
  console.error(error);
  if (process.argv.includes('--json')) console.log(JSON.stringify({ ...NOTHING, reason: 'playground-broken' }));
  process.exit(1);
}
