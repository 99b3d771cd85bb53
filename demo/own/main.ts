/** `ferrybot playground`: a lab's own checkout on a GitHub on this machine, until a person ends it. */

import { join } from 'node:path';
import { isFolder } from '../../packages/playground/actions/runner/action-bundles.ts';
import { endJobs, livingJobs } from '../end-jobs.ts';
import { waitForInterrupt } from '../interrupted.ts';
import { openNamedFolder } from '../lab-folder.ts';
import { type OpenedLab, openLab } from '../open-lab.ts';
import { type Checkout, readCheckout } from './checkout.ts';
import { CONFIG_PATH, problemLine } from './config-report.ts';
import { type OwnLab, ownLab } from './own-lab.ts';
import { OWN_USAGE, type OwnOptions, readOwnOptions } from './own-options.ts';

async function main(): Promise<number> {
  const parsed = readOwnOptions(process.argv.slice(2), process.cwd());
  switch (parsed.kind) {
    case 'help':
      console.log(OWN_USAGE);
      return 0;
    case 'misused':
      if (parsed.json) refuseOptions(parsed.json, 'usage', parsed.message);
      else console.error(`${parsed.message}\n\n${OWN_USAGE}`);
      return 2;
    case 'options':
      return serve(parsed.options);
  }
}

async function serve(options: OwnOptions): Promise<number> {
  const stopped = waitForInterrupt();
  if (options.actions !== null && !isFolder(options.actions))
    return refuseOptions(options.json, 'no-folder', `there is no folder ${options.actions}`);
  const reading = await readCheckout(options.repo, options.branch);
  if (!reading.ok) return refuseOptions(options.json, reading.code, reading.message);
  const { checkout } = reading;
  const named = await openNamedFolder(options.keep);
  if (!named.ok) return refuseOptions(options.json, named.code, named.message);
  const { folder } = named;
  const prepared = await ownLab(checkout, folder, options);
  if (!prepared.ok) return refuseOptions(options.json, prepared.code, prepared.message);
  const { own } = prepared;
  const opened = await openLab({ ...options, webhooks: true }, folder, own.source);
  if (!opened.ok) return refuseOptions(options.json, opened.code, opened.message);
  const { lab } = opened;
  if (options.json) console.log(JSON.stringify(buildAnswer(lab, checkout, own)));
  for (const line of reportLines(lab, checkout, own)) (options.json ? console.error : console.log)(line);
  const reason = await Promise.race([stopped, lab.broken]);
  if (reason !== null) console.error(`${reason}; see ${join(folder.root, 'server.log')}`);
  await lab.close();
  if (options.keep === null) await endJobs(folder.jobs);
  else
    for (const { jobId } of await livingJobs(folder.jobs))
      console.error(`the job ${jobId} goes on; start again with --keep ${folder.root} to see it end`);
  return reason === null ? 0 : 1;
}

function refuseOptions(json: boolean, code: string, message: string): 1 {
  if (json) console.log(JSON.stringify({ ok: false, error: { code, message } }));
  else console.error(message);
  return 1;
}

function buildAnswer(lab: OpenedLab, checkout: Checkout, { report, workflows, localClusters, source }: OwnLab): object {
  const { owner, name } = source.repository;
  return {
    ok: true,
    error: null,
    origin: lab.origin,
    repository: `${owner}/${name}`,
    page: lab.signIn(`/${owner}/${name}`),
    branch: checkout.branch,
    uncommitted: checkout.uncommitted,
    config: report,
    workflows,
    localClusters,
    folder: lab.folder.root,
  };
}

function reportLines(
  lab: OpenedLab,
  checkout: Checkout,
  { report, workflows, localClusters, source }: OwnLab,
): readonly string[] {
  const { owner, name } = source.repository;
  const { state, problems } = report;
  const words = {
    valid: `${CONFIG_PATH} is valid`,
    invalid: `${CONFIG_PATH} has problems; ferrybot obeys no config until they are mended`,
    missing: `there is no ${CONFIG_PATH}; the page offers the example`,
  };
  const { uncommitted } = checkout;
  return [
    `the lab:    ${lab.signIn(`/${owner}/${name}`)}`,
    `its branch: ${checkout.branch} of ${checkout.directory}, which is only read`,
    `its files:  ${lab.folder.root}`,
    `its config: ${words[state]}`,
    ...problems.map(problemLine),
    ...workflows.map((line) => `cannot be done here: ${line}`),
    ...(localClusters.length === 0
      ? []
      : [
          `jobs of ${localClusters.join(', ')} are processes of this machine here; no cluster is reached, and no secret is passed`,
        ]),
    ...(uncommitted === 0
      ? []
      : [`${uncommitted} files differ from the newest commit or are new; only what is committed is served`]),
    'Speak as mira (maintainer), ada (writer), ravi (reader) or sol (a stranger). Ctrl-C ends it.',
  ];
}

process.exitCode = await main();
