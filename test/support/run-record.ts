/** The entries of a run in the logbook of a kept folder, from all its files. */

import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';

export type RecordedEvent = { readonly type: string; readonly data: Readonly<Record<string, unknown>> };

/** Lines of `runs/YYYY/MM/RUN`, oldest first; many lines are split into several files. */
export async function recordLines(logbook: string, run: string): Promise<readonly string[]> {
  const paths = await readdir(join(logbook, 'runs'), { recursive: true });
  const folder = join(logbook, 'runs', paths.find((path) => basename(path) === run) ?? run);
  const files = (await readdir(folder)).filter((name) => /^events(?:-\d{4,})?\.jsonl$/.test(name));
  // `events.jsonl` would sort after `events-0002.jsonl`.
  const inOrder = files.map((name) => name.replace('.jsonl', '')).toSorted();
  const texts = await Promise.all(inOrder.map((name) => readFile(join(folder, `${name}.jsonl`), 'utf8')));
  return texts.flatMap((text) => text.split('\n').filter((line) => line !== ''));
}

export async function recordedEvents(logbook: string, run: string): Promise<readonly RecordedEvent[]> {
  return (await recordLines(logbook, run)).map((line): RecordedEvent => JSON.parse(line));
}
