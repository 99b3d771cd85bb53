/** The libraries below actions/cache and actions/upload-artifact, in an action of the lab's repository. */

import { expectTrue, type Site } from './site.ts';

const ACTION = `name: kit
inputs: {js: {required: true}}
runs: {using: node24, main: main.mjs}
`;

/** An action whose input is what it does with the library; the log has what it answers, behind '> '. */
function mainOf(library: string): string {
  return `import * as kit from ${JSON.stringify(library)};
import * as fs from 'node:fs';
const Async = (async () => {}).constructor;
const told = await new Async('kit', 'fs', process.env.INPUT_JS)(kit, fs);
console.log('> ' + JSON.stringify(told));
`;
}

/** Files of a repository with an action that has this library (a path), and a workflow for each of the scripts. */
function kitFiles(library: string, scripts: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const workflow = (js: string): string => `on: workflow_dispatch
jobs:
  a:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - uses: ./kit
        with: {js: ${JSON.stringify(js)}}
`;
  return {
    'kit/action.yml': ACTION,
    'kit/main.mjs': mainOf(library),
    ...Object.fromEntries(Object.entries(scripts).map(([name, js]) => [`.github/workflows/${name}.yml`, workflow(js)])),
  };
}

/** Runs one of them on a branch; what it said, or its whole log where it said nothing. */
async function runKit({ lab }: Pick<Site, 'lab'>, name: string, branch = 'main'): Promise<string> {
  await lab.actions.tick();
  await lab.dispatch(`${name}.yml`, {}, branch);
  await lab.actions.idle();
  const log = lab.lastLog();
  return /^> (.*)$/m.exec(log)?.[1] ?? log;
}

const CACHE = 'node_modules/@actions/cache/lib/cache.js';
const ARTIFACT = 'node_modules/@actions/artifact/lib/artifact.js';
const SAVE = (key: string): string =>
  `fs.writeFileSync('kept', ${JSON.stringify(key)}); return (await kit.saveCache(['kept'], ${JSON.stringify(key)})) > 0;`;
const RESTORE = (key: string, more: readonly string[]): string =>
  `const hit = await kit.restoreCache(['kept'], ${JSON.stringify(key)}, ${JSON.stringify(more)});
return [hit ?? null, fs.existsSync('kept') ? fs.readFileSync('kept', 'utf8') : null];`;

export async function playCache(site: Site, home: string): Promise<readonly string[]> {
  const scripts = { save: SAVE('deps-1'), exact: RESTORE('deps-1', []), prefix: RESTORE('deps-2', ['deps-']) };
  await site.lab.push(kitFiles(`${home}/${CACHE}`, scripts));
  const saved = await runKit(site, 'save');
  expectTrue(saved === 'true', `the cache is saved: ${saved}`);
  for (const name of ['exact', 'prefix']) {
    const hit = await runKit(site, name);
    expectTrue(hit === '["deps-1","deps-1"]', `${name}: ${hit}`);
  }
  const listed = await site.lab.api('GET', '/actions/caches');
  expectTrue(JSON.stringify(listed.body).includes('"key":"deps-1"'), 'the cache is listed');
  return ['saved a cache', 'restored it by its key', 'by a prefix', 'was listed by the API'];
}

export async function playArtifact(site: Site, home: string): Promise<readonly string[]> {
  const client = 'const client = new kit.DefaultArtifactClient();';
  await site.lab.push(
    kitFiles(`${home}/${ARTIFACT}`, {
      all: `${client}
fs.writeFileSync('report.txt', 'all is well');
const made = await client.uploadArtifact('report', ['report.txt'], '.', {retentionDays: 5});
const raw = await client.uploadArtifact('x', ['report.txt'], '.', {skipArchive: true});
const listed = await client.listArtifacts();
await client.downloadArtifact(made.id, {path: 'down'});
await client.downloadArtifact(raw.id, {path: 'raw'});
const { artifact } = await client.getArtifact('report');
const told = [listed.artifacts.map(({name}) => name), artifact.id === made.id, fs.readFileSync('down/report.txt', 'utf8'), fs.readFileSync('raw/report.txt', 'utf8')];
await client.deleteArtifact('report.txt');
return told;`,
    }),
  );
  const said = await runKit(site, 'all');
  expectTrue(said === '[["report.txt","report"],true,"all is well","all is well"]', `the artifact: ${said}`);
  const { body } = await site.lab.api('GET', '/actions/artifacts');
  expectTrue(JSON.stringify(body).includes('"total_count":1'), 'one is left');
  return ['uploaded a zip', 'uploaded a file as it is', 'listed', 'found', 'downloaded both', 'deleted one'];
}
