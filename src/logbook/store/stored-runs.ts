/** The files of runs as a commit has them: listed by their ids, read by their ids, and by nothing else. */

import { GitError, type GitReader } from '../../domain/git.ts';
import type { Sha, TreeId } from '../../domain/ids.ts';
import { markdownPart, monthIn, placeAt } from '../segments.ts';

/** One file of events: its content, or why there is none. */
export type StoredFile = TreeId | 'missing' | 'unreadable';

/** A run's files. `events`: in their order, as far as they are numbered without a gap; none where there is no run. */
export type StoredRun = {
  readonly events: readonly StoredFile[];
  /** Numbers of files behind a gap. */
  readonly apart: readonly number[];
  readonly markdown: ReadonlyMap<number, TreeId>;
};

export const NOT_STORED: StoredRun = { events: [], apart: [], markdown: new Map() };

/** In the place of what nobody reads: a line that never verifies, as the file would not. */
const UNREADABLE = 'larger than any logbook\n';

/** A folder and its id; null where there is none, or where the id is not known. */
export type StoredFolder = { readonly folder: string; readonly tree: TreeId | null };

/** All runs that have a folder, and the first moment of the month in which it lies. */
export async function storedMonths(reader: GitReader, head: Sha): Promise<ReadonlyMap<string, string>> {
  let folders: readonly string[] = ['runs'];
  for (let level = 0; level < 3; level += 1) {
    const entries = await reader.entriesIn(head, folders);
    folders = entries.flatMap(({ type, path }) => (type === 'tree' ? [path] : []));
  }
  const months = folders.map((folder) => [folder, monthIn(folder)?.replace('/', '-')] as const);
  return new Map(
    months.flatMap(([folder, month]) =>
      month === undefined ? [] : [[folder.slice(folder.lastIndexOf('/') + 1), `${month}-01T00:00:00.000Z`]],
    ),
  );
}

/** The files in these folders of runs, in one question. */
export async function storedRuns(
  reader: GitReader,
  head: Sha,
  folders: readonly string[],
): Promise<ReadonlyMap<string, StoredRun>> {
  try {
    return await listed(reader, head, folders);
  } catch (error) {
    if (!(error instanceof GitError) || error.code !== 'unreadable') throw error;
    if (folders.length === 1)
      return new Map(folders.map((folder) => [folder, { ...NOT_STORED, events: ['unreadable'] as const }]));
  }
  // Somebody put more into one folder than can be listed: that is the trouble of one run.
  const found = new Map<string, StoredRun>();
  for (const folder of folders)
    for (const [name, stored] of await storedRuns(reader, head, [folder])) found.set(name, stored);
  return found;
}

async function listed(
  reader: GitReader,
  head: Sha,
  folders: readonly string[],
): Promise<ReadonlyMap<string, StoredRun>> {
  const events = new Map<string, Map<number, TreeId>>(folders.map((folder) => [folder, new Map()]));
  const markdown = new Map<string, Map<number, TreeId>>(folders.map((folder) => [folder, new Map()]));
  for (const { path, type, id } of await reader.entriesIn(head, folders)) {
    if (type !== 'blob') continue;
    const place = placeAt(path);
    if (place !== null) events.get(place.folder)?.set(place.part, id);
    const slash = path.lastIndexOf('/');
    const part = markdownPart(path.slice(slash + 1));
    if (part !== null) markdown.get(path.slice(0, slash))?.set(part, id);
  }
  return new Map(
    folders.map((folder) => [
      folder,
      { ...inOrder(events.get(folder) ?? new Map()), markdown: markdown.get(folder) ?? new Map() },
    ]),
  );
}

function inOrder(parts: ReadonlyMap<number, TreeId>): Pick<StoredRun, 'events' | 'apart'> {
  const events: StoredFile[] = [];
  for (let part = 1; events.length < parts.size; part += 1) {
    const id = parts.get(part);
    if (id === undefined)
      return { events: [...events, 'missing'], apart: [...parts.keys()].filter((one) => one > part) };
    events.push(id);
  }
  return { events, apart: [] };
}

/** The texts of files, whatever bytes somebody put there: what is no UTF-8 is replaced, what is too large is not read. */
export async function textsOf(
  reader: Pick<GitReader, 'readBlobs'>,
  files: readonly StoredFile[],
): Promise<ReadonlyMap<StoredFile, string>> {
  const ids = new Set(files.filter((file): file is TreeId => file !== 'missing' && file !== 'unreadable'));
  const texts = ids.size === 0 ? new Map<TreeId, string>() : await reader.readBlobs([...ids]);
  const found = new Map<StoredFile, string>([['missing', '']]);
  for (const file of files) if (!found.has(file)) found.set(file, texts.get(file as TreeId) ?? UNREADABLE);
  return found;
}

/** The texts of the files of events in a run's folder at any commit; none where it has no such run. */
export async function readEvents(reader: GitReader, commit: Sha, folder: string): Promise<readonly string[]> {
  const { events } = (await storedRuns(reader, commit, [folder])).get(folder) ?? NOT_STORED;
  const texts = await textsOf(reader, events);
  return events.map((file) => texts.get(file) ?? '');
}
