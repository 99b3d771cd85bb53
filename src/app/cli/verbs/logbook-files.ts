/** Finds the runs at a path: one file, a run's folder, or a checkout of the branch. */

import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { GitError, type GitReader } from '../../../domain/git.ts';
import { limits } from '../../../domain/limits.ts';
import { fail, ok, type Result, type TreeId } from '../../../domain/values.ts';
import { openCheckout } from '../../../host/git/checkout.ts';
import { JOURNAL, splitLines } from '../../../logbook/chain.ts';
import { eventsName, eventsPart, monthOfFolder, parseRecordPath } from '../../../logbook/segments.ts';
import { pathEnv, type VerbIo, type VerbRefusal } from '../verb-io.ts';

/** The files of one run, with facts from their path and history. */
export type LogbookFile = {
  /** In order, with paths relative to the caller's folder. */
  readonly parts: readonly LogbookPart[];
  /** The line number counts across all parts. */
  readonly undecodableLine: number | null;
  /** The run and the month from the folder's path; null if the path contains neither. */
  readonly run: string | null;
  readonly month: string | null;
  /** Whether the run exists in the branch's history. */
  readonly isInHistory: boolean;
};

type LogbookPart = {
  readonly path: string;
  readonly text: string;
  /** Versions in the branch's history that are not prefixes of the text. */
  readonly versions: readonly string[];
};

const FIRST_NAME = eventsName(1);

/** All committed versions of each file, by path below the folder. Empty outside a checkout. */
type History = ReadonlyMap<string, ReadonlySet<TreeId>>;
type CommittedHistory = { readonly history: History; readonly git: GitReader | null };

/** Reads the files at `path`, relative to the caller's folder. */
export async function findLogbookFiles(io: VerbIo, path: string): Promise<Result<readonly LogbookFile[], VerbRefusal>> {
  const at = resolve(io.cwd, path);
  try {
    const found = await readFiles(at, io);
    return found.ok ? found : notFoundError(found.error);
  } catch (error) {
    if (error instanceof GitError) return notFoundError(`the history around ${at} cannot be read: ${error.message}`);
    if (!(error instanceof Error && 'syscall' in error)) throw error;
    return notFoundError(`${at} cannot be read: ${error.message}`);
  }
}

function notFoundError(message: string): Result<never, VerbRefusal> {
  return fail({ code: 'usage', message });
}

async function readFiles(path: string, io: VerbIo): Promise<Result<readonly LogbookFile[], string>> {
  const found = await statOrNull(path);
  if (found === null) return fail(`there is nothing at ${path}`);
  const folder = found.isDirectory() ? path : dirname(path);
  const committed = await readHistory(folder, pathEnv(io));
  const { history } = committed;
  const runs = found.isDirectory()
    ? await listRunFiles(path, history)
    : [eventsPart(basename(path)) === null ? [basename(path)] : await listParts(folder, '', history)];
  if (runs.length === 0) return fail(`${path} has no ${FIRST_NAME} and no runs/YYYY/MM/*/${FIRST_NAME}`);
  const files: LogbookFile[] = [];
  for (const names of runs) {
    const read = await readLogbookFile(folder, names, io.cwd, committed);
    if (!read.ok) return read;
    files.push(read.value);
  }
  return ok(files);
}

/** The checkout may be untrusted: start no program from it and fetch nothing. */
async function readHistory(folder: string, environment: Readonly<Record<string, string>>): Promise<CommittedHistory> {
  const checkout = await openCheckout(folder, environment);
  const head = (await checkout?.commitOf('HEAD')) ?? null;
  if (checkout === null || head === null) return { history: new Map(), git: null };
  const { git, prefix } = checkout;
  const found = await git.versions({ from: head, not: null, paths: [prefix === '' ? '.' : prefix] });
  const events = found.filter(({ path }) => eventsPart(basename(path)) !== null);
  const byPath = Map.groupBy(events, ({ path }) => path.slice(prefix.length));
  return { git, history: new Map([...byPath].map(([path, all]) => [path, new Set(all.map(({ blob }) => blob))])) };
}

/** Versions of a file that are not a prefix of `text`. */
async function findLostVersions(
  { history, git }: CommittedHistory,
  name: string,
  text: string,
): Promise<readonly string[]> {
  const ids = history.get(name);
  if (git === null || ids === undefined) return [];
  const kept = git.beginningsOf(text, ids);
  const lost = [...ids].filter((id) => !kept.has(id));
  const texts = await git.readBlobs(lost);
  if (texts.size < lost.length) throw new GitError('unreadable', `a version of ${name} is not there`);
  return [...texts.values()];
}

async function readLogbookFile(
  folder: string,
  names: readonly string[],
  cwd: string,
  committed: CommittedHistory,
): Promise<Result<LogbookFile, string>> {
  const parts: LogbookPart[] = [];
  let undecodableLine: number | null = null;
  let lines = 0;
  for (const name of names) {
    const path = join(folder, name);
    const found = await statOrNull(path);
    if (found !== null && found.size > limits.logbookFileBytesMax)
      return fail(`${path} is larger than a logbook may be`);
    // A file that exists only in the history counts as empty, so that verification reports the missing entries.
    const { text, badLine } = decodeUtf8(found === null ? new Uint8Array() : await readFile(path));
    if (badLine !== null) undecodableLine ??= lines + badLine;
    lines += splitLines(text).whole.length;
    const versions = await findLostVersions(committed, name, text);
    parts.push({ path: relative(cwd, path) || path, text, versions });
  }
  const place = dirname(join(folder, names[0] ?? ''));
  const month = monthOfFolder(place.replaceAll('\\', '/'));
  const run = basename(place) === JOURNAL || month !== null ? basename(place) : null;
  return ok({ parts, undecodableLine, run, month, isInHistory: names.some((name) => committed.history.has(name)) });
}

/** File names by run, of a run's folder or of a checkout. Includes files that exist only in the history. */
async function listRunFiles(folder: string, history: History): Promise<readonly (readonly string[])[]> {
  const own = await listParts(folder, '', history);
  if (own.length > 0) return [own];
  let runs: readonly string[] = ['runs/'];
  for (const level of [/^\d{4}$/, /^\d\d$/, /./]) {
    const found = runs.map(async (place) =>
      (await listNames(join(folder, place))).filter((name) => level.test(name)).map((name) => `${place}${name}/`),
    );
    runs = (await Promise.all(found)).flat();
  }
  const folders = new Set([...runs, `${JOURNAL}/`, ...[...history.keys()].flatMap(eventsFolderPath)]);
  const found: (readonly string[])[] = [];
  for (const one of [...folders].sort()) {
    const names = await listParts(folder, one, history);
    if (names.length > 0) found.push(names);
  }
  return found;
}

/** The files of one run in order, up to the first missing number. */
async function listParts(folder: string, place: string, history: History): Promise<readonly string[]> {
  const here = (await listNames(join(folder, place))).map((name) => `${place}${name}`);
  const parts = new Set(
    [...here, ...history.keys()]
      .filter((name) => name.startsWith(place))
      .map((name) => eventsPart(name.slice(place.length)))
      .filter((part) => part !== null),
  );
  const names: string[] = [];
  for (let part = 1; names.length < parts.size; part += 1) {
    names.push(`${place}${eventsName(part)}`);
    if (!parts.has(part)) break;
  }
  return names;
}

function eventsFolderPath(path: string): readonly string[] {
  const place = parseRecordPath(path);
  return place === null ? [] : [`${place.folder}/`];
}

/** The decoded text, and the first line that is not UTF-8, because decoding would hide changed bytes. */
function decodeUtf8(bytes: Uint8Array): { readonly text: string; readonly badLine: number | null } {
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
  const again = Buffer.from(text, 'utf8');
  if (again.equals(bytes)) return { text, badLine: null };
  const lines = Buffer.from(bytes).toString('latin1').split('\n');
  const bad = lines.findIndex(
    (line) => !Buffer.from(Buffer.from(line, 'latin1').toString('utf8'), 'utf8').equals(Buffer.from(line, 'latin1')),
  );
  return { text, badLine: bad + 1 };
}

async function statOrNull(path: string): Promise<Awaited<ReturnType<typeof stat>> | null> {
  try {
    return await stat(path);
  } catch (error) {
    if (isMissingFileError(error)) return null;
    throw error;
  }
}

async function listNames(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (isMissingFileError(error)) return [];
    throw error;
  }
}

function isMissingFileError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR');
}
