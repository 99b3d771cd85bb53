/** The files that a path of the command line means: one file, a run's folder, or a checkout of the branch. */

import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { limits } from '../../../domain/limits.ts';
import { fail, ok, type Result } from '../../../domain/result.ts';
import { type AppendOnlyHistory, readAppendOnlyHistory } from '../../../host/git/history.ts';
import { JOURNAL } from '../../../logbook/rules.ts';

/** One `events.jsonl`, with what its place says about it. */
export type LogbookFile = {
  /** As a person would open it from where the verb was called. */
  readonly path: string;
  readonly text: string;
  readonly undecodableLine: number | null;
  /** The run that its folder is of; null where the place says nothing. */
  readonly run: string | null;
  /** Versions that its branch's history has and that it must continue; null: it is in no history. */
  readonly versions: readonly string[] | null;
};

const FILE_NAME = 'events.jsonl';

/** Reads what `path` (absolute) names. The error says, for a person, why there is nothing to verify. */
export async function findLogbookFiles(
  path: string,
  cwd: string,
  environment: Readonly<Record<string, string>>,
): Promise<Result<readonly LogbookFile[], string>> {
  try {
    return await readFiles(path, cwd, environment);
  } catch (error) {
    // A folder of that name, or one that this person may not read: the system says which.
    if (!(error instanceof Error && 'syscall' in error)) throw error;
    return fail(`${path} cannot be read: ${error.message}`);
  }
}

async function readFiles(
  path: string,
  cwd: string,
  environment: Readonly<Record<string, string>>,
): Promise<Result<readonly LogbookFile[], string>> {
  const found = await statOf(path);
  if (found === null) return fail(`there is nothing at ${path}`);
  const folder = found.isDirectory() ? path : dirname(path);
  const history = await readAppendOnlyHistory(folder, FILE_NAME, environment);
  if (history.kind === 'unreadable')
    return fail(`the history around ${path} cannot be read: ${history.message}`);
  const names = found.isDirectory() ? await namesIn(path, history) : [basename(path)];
  if (names.length === 0) return fail(`${path} has no ${FILE_NAME} and no runs/*/${FILE_NAME}`);
  const files: LogbookFile[] = [];
  for (const name of names) {
    const read = await readOne(
      join(folder, name),
      cwd,
      history.kind === 'none' ? null : (history.versions.get(name) ?? null),
    );
    if (!read.ok) return read;
    files.push(read.value);
  }
  return ok(files);
}

async function readOne(
  path: string,
  cwd: string,
  versions: readonly string[] | null,
): Promise<Result<LogbookFile, string>> {
  const found = await statOf(path);
  if (found !== null && found.size > limits.logbookFileBytesMax)
    return fail(`${path} is larger than a logbook may be`);
  // A file that the history has and the folder lacks is an empty one: verification says what is missing.
  const bytes = found === null ? new Uint8Array() : await readFile(path);
  const place = dirname(path);
  const isRunFolder = basename(dirname(place)) === 'runs';
  const run = basename(place) === JOURNAL ? JOURNAL : isRunFolder ? basename(place) : null;
  return ok({ path: relative(cwd, path) || path, ...decoded(bytes), run, versions });
}

/** The names under a folder: its own file, or those of a checkout; also such as only the history still has. */
async function namesIn(folder: string, history: AppendOnlyHistory): Promise<readonly string[]> {
  const known = history.kind === 'history' ? [...history.versions.keys()] : [];
  if (known.includes(FILE_NAME) || (await statOf(join(folder, FILE_NAME))) !== null) return [FILE_NAME];
  const runs = (await namesOf(join(folder, 'runs'))).map((run) => `runs/${run}/${FILE_NAME}`);
  const candidates = new Set([...runs, `${JOURNAL}/${FILE_NAME}`, ...known.filter(isPlaceOfALogbook)]);
  const names: string[] = [];
  for (const name of [...candidates].sort()) {
    if (known.includes(name) || (await statOf(join(folder, name))) !== null) names.push(name);
  }
  return names;
}

function isPlaceOfALogbook(path: string): boolean {
  return path === `${JOURNAL}/${FILE_NAME}` || /^runs\/[^/]+\/events\.jsonl$/.test(path);
}

/** Text, and the first line that is no UTF-8: decoding would replace its bytes and hide what was changed. */
function decoded(bytes: Uint8Array): Pick<LogbookFile, 'text' | 'undecodableLine'> {
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
  const again = Buffer.from(text, 'utf8');
  if (again.equals(bytes)) return { text, undecodableLine: null };
  const lines = Buffer.from(bytes).toString('latin1').split('\n');
  const bad = lines.findIndex(
    (line) =>
      !Buffer.from(Buffer.from(line, 'latin1').toString('utf8'), 'utf8').equals(Buffer.from(line, 'latin1')),
  );
  return { text, undecodableLine: bad + 1 };
}

async function statOf(path: string): Promise<Awaited<ReturnType<typeof stat>> | null> {
  try {
    return await stat(path);
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

async function namesOf(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR');
}
