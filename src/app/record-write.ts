/** What an append changes in the files of its runs: the last of the events, and the Markdown that tells of it. */

import type { GitReader } from '../domain/git.ts';
import type { LogbookEvent } from '../domain/logbook/event.ts';
import type { ComposedRun } from '../logbook/append.ts';
import { projectMonitoringState } from '../logbook/monitoring-state.ts';
import { projectLogbook } from '../logbook/projection.ts';
import { folderOf, type GoodFile, type GrownFile, grown, startOf, textOf } from '../logbook/segments.ts';
import type { RunWrite } from '../logbook/store/git-store.ts';
import { type StoredFile, textsOf } from '../logbook/store/stored-runs.ts';
import type { Held } from './record-reading.ts';

/** What is written of a run, and how it stands then. */
export type Written = { readonly write: RunWrite; readonly after: Held };

/** The files of these runs with what was composed; of the Markdown, what is needed of it is read first, in one question. */
export async function writesOf(
  git: GitReader,
  composed: readonly ComposedRun[],
  held: ReadonlyMap<string, Held>,
): Promise<readonly Written[]> {
  const drafts = composed.map((one) => draftOf(one, held.get(one.run)));
  const wanted = drafts.flatMap(({ before, parts }) =>
    parts.flatMap((part) => before?.markdown.get(part) ?? []),
  );
  const texts = await textsOf(git, wanted);
  return drafts.map((draft) => written(git, draft, texts));
}

type Draft = {
  readonly composed: ComposedRun;
  /** What new entries stand on. */
  readonly before: Held | undefined;
  readonly file: GoodFile;
  readonly files: readonly GrownFile[];
  /** Numbers of the files of Markdown that may change. */
  readonly parts: readonly number[];
};

function draftOf(composed: ComposedRun, before: Held | undefined): Draft {
  const { run, lines, appended } = composed;
  const { files, ends } = grown(before?.ends ?? [], before?.open ?? '', lines);
  const events: readonly LogbookEvent[] = [...(before?.events ?? []), ...appended];
  const file = { run, folder: folderOf(run, events[0]?.at ?? ''), events, ends };
  // The first tells of the whole run, and the one before a new one says where it goes on.
  const parts = new Set([
    1,
    ...files.flatMap(({ part, before: was }) => (was === '' ? [part - 1, part] : [part])),
  ]);
  return { composed, before, file, files, parts: [...parts].filter((part) => part > 0) };
}

/** Every file of a run, as if each were new. */
export function wholeFiles(file: GoodFile): readonly GrownFile[] {
  return file.ends.map((_, index) => ({ part: index + 1, before: '', text: textOf(file, index + 1) }));
}

function written(
  git: Pick<GitReader, 'blobIdOf'>,
  { composed, before, file, files, parts }: Draft,
  texts: ReadonlyMap<StoredFile, string>,
): Written {
  const { run, head, state } = composed;
  const changed = new Map<number, string>();
  const markdown = new Map(before?.markdown ?? []);
  for (const part of parts) {
    const known = markdown.get(part);
    const existing = known === undefined ? null : (texts.get(known) ?? null);
    const text = projectionOf(file, part, existing);
    if (text === existing) continue;
    changed.set(part, text);
    markdown.set(part, git.blobIdOf(text));
  }
  const open = files.at(-1)?.text ?? '';
  // As they will be listed: when somebody else has pushed, they are not read again.
  const contents = file.ends.map((_, index) => {
    const changed = files.find(({ part }) => part === index + 1);
    return changed === undefined ? (before?.files[index] ?? null) : git.blobIdOf(changed.text);
  });
  const isNew = before === undefined;
  const monitoring = projectMonitoringState(file.events);
  return {
    write: { run, folder: file.folder, events: files, markdown: changed, monitoring, head, isNew },
    after: { ...file, open, state, tree: null, files: contents, markdown },
  };
}

/** The Markdown beside one file of events, with what people wrote into it. */
export function projectionOf(file: GoodFile, part: number, existing: string | null): string {
  const from = startOf(file, part);
  const to = file.ends[part - 1] ?? file.events.length;
  return projectLogbook(file.events, existing, { part, from, to, isLast: part >= file.ends.length });
}
