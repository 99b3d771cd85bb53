/** One call of the lab's submit script: filled in, in a private home, in its own process group, without uv only where uv cannot start. */

import { lstat } from 'node:fs/promises';
import { delimiter, dirname, isAbsolute, join } from 'node:path';
import { codeOf, isFolder } from '../../../host/files.ts';
import { couldNotStart, type ProgramResult, runProgram } from '../../../host/process.ts';
import type { RayCluster } from '../definition.ts';
import { openPrivateHome, TOKEN_FILE } from '../private-home.ts';

/** What a script of the lab may write in one call. */
const SCRIPT_OUTPUT_BYTES_MAX = 64 * 1024 * 1024;

export type ScriptCall = {
  readonly fill: Fill;
  readonly cwd: string;
  /** Variables of this call alone. */
  readonly env: Readonly<Record<string, string>>;
  /** What a script learns that asks git for the commit of its working directory; null: nothing. */
  readonly commit: string | null;
};

/**
 * Runs it. `uv run` is the rule (policy AG-02); `pythonWithoutUv` takes its place only where the
 * program did not start at all: whatever has started may have submitted, and a second start would be a second submit.
 */
export async function runScript(settings: ScriptSettings, call: ScriptCall): Promise<ProgramResult> {
  const checkout = await settings.checkout();
  const { cwd, fill } = call;
  if (!(await isFolder(cwd))) return notStarted('ENOENT');
  const { templates, cluster } = settings;
  const { submit, pythonWithoutUv } = templates;
  const clusterFile = join(checkout, templates.clusterFile.replaceAll('{cluster}', cluster));
  // Where it is missing, a script may take the path for a name and look for that elsewhere.
  if (submit.some((part) => part.includes('{clusterFile}')) && !(await isFile(clusterFile)))
    return notStarted(`there is no ${clusterFile.slice(checkout.length + 1)}`);
  const texts = { cluster, clusterFile, checkout, ...fill.texts };
  const withPython = (template: readonly string[]): readonly string[] =>
    fillTemplate(submit, {
      texts,
      lists: { ...fill.lists, python: fillTemplate(template, { texts, lists: {} }) },
    });
  const repository = repositoryAt(call.commit);
  const home = await openPrivateHome(settings.temporaryDirectory, { ...settings.homeFiles, ...repository });
  const start = async ([program = '', ...args]: readonly string[]): Promise<ProgramResult> =>
    runProgram(program, args, {
      isGroup: true,
      env: {
        ...settings.env,
        ...call.env,
        PATH: searchPath(program, settings.env['PATH'] ?? ''),
        HOME: home.path,
        ...(Object.hasOwn(settings.homeFiles, TOKEN_FILE)
          ? { RAY_AUTH_TOKEN_PATH: join(home.path, TOKEN_FILE) }
          : {}),
        // What was approved is what is shipped, also where a .gitignore in it names it.
        RAY_RUNTIME_ENV_IGNORE_GITIGNORE: '1',
        // A shipped tree is no repository; a script that asks for its commit must not be told another's.
        GIT_CEILING_DIRECTORIES: dirname(cwd),
        ...(Object.keys(repository).length === 0 ? {} : { GIT_DIR: join(home.path, REPOSITORY) }),
      },
      cwd,
      timeoutMs: templates.timeoutMs,
      outputBytesMax: SCRIPT_OUTPUT_BYTES_MAX,
    });
  try {
    const first = await start(withPython(templates.python));
    const mayTakeOther = submit[0] === '{python}' && pythonWithoutUv !== null && couldNotStart(first);
    return mayTakeOther ? await start(withPython(pythonWithoutUv)) : first;
  } finally {
    await home.close();
  }
}

/**
 * Marin's scripts start `ray` and `uv` by name (marin-community/marin, scripts/ray/cluster.py and
 * fray/v1/cluster/ray/deps.py): those beside the chosen program are meant. A relative folder of the runner's own PATH
 * would be one of the shipped files, in which the script is started with the cluster's token.
 */
function searchPath(program: string, path: string): string {
  const folders = path.split(delimiter).filter((folder) => isAbsolute(folder));
  return [...(isAbsolute(program) ? [dirname(program)] : []), ...folders].join(delimiter);
}

const REPOSITORY = 'commit.git';

/**
 * The files of a repository that knows its commit and nothing else. Marin's ray_run.py puts whatever `git rev-parse HEAD`
 * prints over the job's GIT_COMMIT (marin-community/marin, lib/marin/src/marin/run/ray_run.py), in a folder without
 * history its complaint. It is bare, so that git lists no files in it and a script that ships what git lists ships the
 * whole folder, as it does where there is no git (docs/decisions/0135-ask-ray-by-rest-and-submit-by-script.md).
 */
function repositoryAt(commit: string | null): Readonly<Record<string, string>> {
  if (commit === null || !/^[0-9a-f]{40}$/.test(commit)) return {};
  return {
    [`${REPOSITORY}/HEAD`]: `${commit}\n`,
    [`${REPOSITORY}/config`]: '[core]\n\tbare = true\n\trepositoryformatversion = 0\n',
    // Git takes a folder for a repository when both of these are folders.
    [`${REPOSITORY}/objects/none`]: '',
    [`${REPOSITORY}/refs/none`]: '',
  };
}

function notStarted(code: string): ProgramResult {
  const nothing = { exitCode: null, signal: null, stdout: '', stderr: '' };
  return { kind: 'not-started', ok: false, code, timedOut: false, ...nothing };
}

async function isFile(path: string): Promise<boolean> {
  try {
    return (await lstat(path)).isFile();
    // rules AG-09, AG-10
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return false;
    throw error;
  }
}

export type Fill = {
  /** `{name}` anywhere in an argument. */
  readonly texts: Readonly<Record<string, string>>;
  /** `{name}` alone in its place, which becomes these arguments. */
  readonly lists: Readonly<Record<string, readonly string[]>>;
};

/**
 * What is filled in is never looked at again, so a value with braces stays as it is. Whether every placeholder is
 * known was checked with the config (src/config/rules/ray-rules.ts); one that is not is a bug.
 */
export function fillTemplate(template: readonly string[], { texts, lists }: Fill): readonly string[] {
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

/** Argument arrays with placeholders and what else the config says of the scripts. */
export type ScriptTemplates = {
  readonly [Key in Exclude<keyof ScriptConfig, 'checkout'>]: Frozen<ScriptConfig[Key]>;
};
type ScriptConfig = NonNullable<RayCluster['scripts']>;
type Frozen<Value> = Value extends readonly string[] ? readonly string[] : Value;

export type ScriptSettings = {
  readonly cluster: string;
  readonly templates: ScriptTemplates;
  /** The folder with the default branch's files: launcher scripts are never those of the change that they launch. */
  readonly checkout: () => Promise<string>;
  /** Everything that a script gets beside HOME and what the job itself is given; no token of GitHub's. */
  readonly env: Readonly<Record<string, string>>;
  /** Contents of files of the private home, by their path in it. */
  readonly homeFiles: Readonly<Record<string, string>>;
  /** Where private homes are made, each for one call. */
  readonly temporaryDirectory: string;
  /** Values that no message may carry, beside those that a job is given. */
  readonly secrets: readonly string[];
  /** Between two looks at a job that was just submitted. */
  readonly sleep: (durationMs: number) => Promise<unknown>;
};
