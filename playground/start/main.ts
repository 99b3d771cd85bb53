/** `npm start`: a whole lab on this machine, with the real bot in it; a person looks on, or `--auto` plays the person. */

import { join } from 'node:path';
import { openLabFolder } from './lab-folder.ts';
import { leaveBehind } from './leave-behind.ts';
import { readLogbook } from './logbook-events.ts';
import { type OpenedLab, openLab } from './open-lab.ts';
import { readOptions, type StartOptions, USAGE } from './options.ts';
import { asMaintainer } from './person.ts';
import { nextDay, playDay, type StageReport } from './play.ts';
import { REPOSITORY } from './seed-lab.ts';

type Report = {
  readonly ok: boolean;
  readonly reason: string | null;
  readonly stages: readonly StageReport[];
};

async function main(): Promise<number> {
  const parsed = readOptions(process.argv.slice(2));
  if (!parsed.ok) {
    console.error(`${parsed.message}\n\n${USAGE}`);
    return 2;
  }
  const { options } = parsed;
  const folder = await openLabFolder(options.keep);
  const opened = await openLab(options, folder);
  if (!opened.ok) {
    console.error(opened.message);
    if (options.json)
      console.log(
        JSON.stringify({
          ok: false,
          reason: opened.code,
          stages: [],
          logbook: folder.logbook,
          sealTags: [],
          runs: [],
        }),
      );
    return 1;
  }
  const { lab } = opened;
  const say = (line: string): void => (options.json ? console.error(line) : console.log(line));
  say(`the lab:  ${lab.origin}/${REPOSITORY.owner}/${REPOSITORY.name}`);
  say(`its files: ${folder.root}`);
  return options.auto ? auto(lab, options, say) : stay(lab, say);
}

async function auto(lab: OpenedLab, options: StartOptions, say: (line: string) => void): Promise<number> {
  const report = await play(lab, options, say);
  const left = await leaveBehind(lab);
  await lab.close();
  const answer = { ...report, logbook: lab.folder.logbook, sealTags: left.sealTags, runs: left.runs };
  if (options.json) console.log(JSON.stringify(answer));
  else
    say(
      report.ok
        ? `sealed: ${left.sealTags.join(', ')}\nthe logbook: ${lab.folder.logbook}`
        : `stopped: ${report.reason}`,
    );
  return report.ok ? 0 : 1;
}

async function play(lab: OpenedLab, options: StartOptions, say: (line: string) => void): Promise<Report> {
  const stages: StageReport[] = [];
  for (let day = 1; day <= options.days; day += 1) {
    if (day > 1) nextDay(lab);
    const played = await playDay(lab, day, (stage) => {
      stages.push(stage);
      const { rest, graphql, git } = stage.requests;
      say(
        `day ${stage.day}  ${stage.stage.padEnd(9)} ${stage.seconds.toFixed(1).padStart(6)} s   ${rest} REST, ${graphql} GraphQL, ${git} git, ${stage.contentWrites} content writes`,
      );
    });
    if (!played.ok) return { ok: false, reason: played.reason, stages };
  }
  return { ok: true, reason: null, stages };
}

/** Stays until a person ends it; a lab without a proposal gets today's. */
async function stay(lab: OpenedLab, say: (line: string) => void): Promise<number> {
  if ((await readLogbook(lab.world)).size === 0)
    await asMaintainer(lab.world, 'POST', '/actions/workflows/ferrybot-daily.yml/dispatches', {
      ref: 'main',
    });
  say(
    "Today's ferry is being proposed. Open the page, read the pull request, and comment /approve-launch as mira.",
  );
  say('Ctrl-C ends it.');
  const stopped = new Promise<string | null>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve(null));
  });
  const reason = await Promise.race([stopped, lab.broken]);
  if (reason !== null) console.error(`${reason}; see ${join(lab.folder.root, 'server.log')}`);
  await lab.close();
  return reason === null ? 0 : 1;
}

process.exitCode = await main();
