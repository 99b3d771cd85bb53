/** Calls the lab's submit script once, in a private home and its own process group; without uv only if uv cannot start. */

import { lstat } from 'node:fs/promises';
import { delimiter, dirname, isAbsolute, join } from 'node:path';
import { errorCode, isFolder } from '../../../host/files.ts';
import { failedToStart, type ProgramResult, runProgram } from '../../../host/process.ts';
import type { RayCluster } from '../definition.ts';
import { openPrivateHome, TOKEN_FILE } from '../private-home.ts';

const SCRIPT_OUTPUT_BYTES_MAX = 64 * 1024 * 1024;

export type ScriptCall = {
  readonly values: TemplateValues;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** The commit that git reports to a script in its working directory; null: none. */
  readonly commit: string | null;
};

/** `uv run` is the rule (policy AG-02). `pythonWithoutUv` replaces it only if nothing started: a second start would submit again. */
export async function runScript(settings: ScriptSettings, call: ScriptCall): Promise<ProgramResult> {
  const checkout = await settings.checkout();
  const { cwd, values } = call;
  if (!(await isFolder(cwd))) return notStartedResult('ENOENT');
  const { templates, cluster } = settings;
  const { submit, pythonWithoutUv } = templates;
  const clusterFile = join(checkout, templates.clusterFile.replaceAll('{cluster}', cluster));
  // A script may take the path of a missing file for a name, and search for that name in other folders.
  if (submit.some((part) => part.includes('{clusterFile}')) && !(await isFile(clusterFile)))
    return notStartedResult(`there is no ${clusterFile.slice(checkout.length + 1)}`);
  const texts = { cluster, clusterFile, checkout, ...values.texts };
  const replacePython = (template: readonly string[]): readonly string[] =>
    fillTemplate(submit, { texts, lists: { ...values.lists, python: fillTemplate(template, { texts, lists: {} }) } });
  const repository = repositoryVariables(call.commit);
  const home = await openPrivateHome(settings.temporaryDirectory, { ...settings.homeFiles, ...repository });
  const start = async ([program = '', ...args]: readonly string[]): Promise<ProgramResult> =>
    runProgram(program, args, {
      isGroup: true,
      env: {
        ...settings.env,
        ...call.env,
        PATH: searchPath(program, settings.env['PATH'] ?? ''),
        HOME: home.path,
        ...(Object.hasOwn(settings.homeFiles, TOKEN_FILE) ? { RAY_AUTH_TOKEN_PATH: join(home.path, TOKEN_FILE) } : {}),
        // Ship every approved file, even one that a shipped .gitignore names.
        RAY_RUNTIME_ENV_IGNORE_GITIGNORE: '1',
        // A shipped tree is no repository. A script that asks for its commit must not get the commit of a parent folder.
        GIT_CEILING_DIRECTORIES: dirname(cwd),
        ...(Object.keys(repository).length === 0 ? {} : { GIT_DIR: join(home.path, REPOSITORY) }),
      },
      cwd,
      timeoutMs: templates.timeoutMs,
      outputBytesMax: SCRIPT_OUTPUT_BYTES_MAX,
    });
  try {
    const first = await start(replacePython(templates.python));
    const mayTakeOther = submit[0] === '{python}' && pythonWithoutUv !== null && failedToStart(first);
    return mayTakeOther ? await start(replacePython(pythonWithoutUv)) : first;
  } finally {
    await home.close();
  }
}

/**
 * Marin's scripts start `ray` and `uv` by name (marin-community/marin, scripts/ray/cluster.py and
 * fray/v1/cluster/ray/deps.py) and expect those next to the chosen program. A relative folder of the runner's PATH is
 * dropped: it would be a folder of the shipped files, in which the script runs with the cluster's token.
 */
function searchPath(program: string, path: string): string {
  const folders = path.split(delimiter).filter((folder) => isAbsolute(folder));
  return [...(isAbsolute(program) ? [dirname(program)] : []), ...folders].join(delimiter);
}

const REPOSITORY = 'commit.git';

/**
 * The files of a repository that has only a commit id. Marin's ray_run.py replaces the job's GIT_COMMIT by the output of
 * `git rev-parse HEAD` (marin-community/marin, lib/marin/src/marin/run/ray_run.py), which is an error message in a folder
 * without history. The repository is bare, so git lists no files. A script that ships what git lists then ships the whole
 * folder, as it does without git (docs/decisions/0135-ask-ray-by-rest-and-submit-by-script.md).
 */
function repositoryVariables(commit: string | null): Readonly<Record<string, string>> {
  if (commit === null || !/^[0-9a-f]{40}$/.test(commit)) return {};
  return {
    [`${REPOSITORY}/HEAD`]: `${commit}\n`,
    [`${REPOSITORY}/config`]: '[core]\n\tbare = true\n\trepositoryformatversion = 0\n',
    // Git recognizes a repository if both of these are folders.
    [`${REPOSITORY}/objects/none`]: '',
    [`${REPOSITORY}/refs/none`]: '',
  };
}

function notStartedResult(code: string): ProgramResult {
  const nothing = { exitCode: null, signal: null, stdout: '', stderr: '' };
  return { kind: 'not-started', ok: false, code, timedOut: false, ...nothing };
}

async function isFile(path: string): Promise<boolean> {
  try {
    return (await lstat(path)).isFile();
    // rules AG-09, AG-10
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') return false;
    throw error;
  }
}

export type TemplateValues = {
  /** `{name}` anywhere in an argument. */
  readonly texts: Readonly<Record<string, string>>;
  /** `{name}` as a whole argument; these arguments replace it. */
  readonly lists: Readonly<Record<string, readonly string[]>>;
};

/**
 * Inserted values are not expanded again, so a value with braces stays unchanged. The config check accepts only known
 * placeholders (src/engines/ray/definition.ts, templatesAreComplete); an unknown one here is a bug.
 */
export function fillTemplate(template: readonly string[], { texts, lists }: TemplateValues): readonly string[] {
  return template.flatMap((argument) => {
    const alone = /^\{(\w+)\}$/.exec(argument)?.[1];
    const list = alone !== undefined && Object.hasOwn(lists, alone) ? lists[alone] : undefined;
    if (list !== undefined) return list;
    return [
      argument.replace(/\{(\w+)\}/g, (_whole, name: string) => {
        const text = Object.hasOwn(texts, name) ? texts[name] : undefined;
        if (text === undefined) throw new Error(`nothing is known to fill in for {${name}}`);
        return text;
      }),
    ];
  });
}

/** Argument arrays with placeholders, and the other settings of the scripts in the config. */
export type ScriptTemplates = {
  readonly [Key in Exclude<keyof ScriptConfig, 'checkout'>]: Frozen<ScriptConfig[Key]>;
};
type ScriptConfig = NonNullable<RayCluster['scripts']>;
type Frozen<Value> = Value extends readonly string[] ? readonly string[] : Value;

export type ScriptSettings = {
  readonly cluster: string;
  readonly templates: ScriptTemplates;
  /** The folder with the default branch's files. Launcher scripts never come from the change that they launch. */
  readonly checkout: () => Promise<string>;
  /** Everything that a script gets, except HOME and the variables of the job; no GitHub token. */
  readonly env: Readonly<Record<string, string>>;
  /** File contents of the private home, by path. */
  readonly homeFiles: Readonly<Record<string, string>>;
  /** Parent folder of the private homes; each call gets its own home. */
  readonly temporaryDirectory: string;
  /** Values that no message may contain, in addition to the job's values. */
  readonly secrets: readonly string[];
  /** Pause between two checks of a job that was just submitted. */
  readonly sleep: (durationMs: number) => Promise<unknown>;
};
