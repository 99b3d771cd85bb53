/** Reads the last lines of an instance's log, and their position in the whole log. */

import { z } from 'zod';
import { buildNoAnswer, call, fetchText, type NoAnswer, type Reply, VAST, type VastSettings } from './request.ts';

/** The parsed last lines of a log. */
export type LogTail = {
  /** The job's output without the wrapper's lines; Latin 1, so that its length is the number of bytes. */
  readonly text: string;
  /** Position of its first byte in the whole log; null if no line contains it. */
  readonly at: number | null;
  readonly end: { readonly startedMs: number; readonly endedMs: number; readonly code: number } | null;
};

/** Parses the wrapper's lines between the lines of a job. */
export function readTail(text: string, jobId: string): LogTail {
  const mark = `::ferrybot ${jobId} `;
  const kept: string[] = [];
  let at: number | null = null;
  let length = 0;
  let end: LogTail['end'] = null;
  for (const line of splitLines(text)) {
    if (!line.startsWith(mark)) {
      kept.push(line);
      length += line.length + 1;
      continue;
    }
    const said = line.slice(mark.length);
    const place = /^at (\d{1,15})::$/.exec(said)?.[1];
    if (place !== undefined) at ??= Number(place) - length;
    const over = /^end (\d{13}) (\d{13}) (\d{1,3})::$/.exec(said);
    if (over !== null) end = { startedMs: Number(over[1]), endedMs: Number(over[2]), code: Number(over[3]) };
  }
  return { text: kept.map((line) => `${line}\n`).join(''), at: at !== null && at >= 0 ? at : null, end };
}

function splitLines(text: string): readonly string[] {
  const lines = text.split('\n');
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
}

const resultAnswer = z.object({ result_url: z.url({ protocol: /^https?$/ }) });

/** The text is published as a job's log, so addresses in this machine's private network, such as cloud metadata, are refused. */
function isAllowedLogUrl({ origin, protocol, hostname }: URL, api: string): boolean {
  const isPublicName = /\.[a-z]{2,}$/i.test(hostname) && !/\.(local|internal|localhost)$/i.test(hostname);
  return origin === new URL(api).origin || (protocol === 'https:' && isPublicName);
}

/** Reads the last lines of an instance's log. */
export async function readLines(settings: VastSettings, id: number, count: number): Promise<Reply<string>> {
  const path = `/api/v0/instances/request_logs/${id}/`;
  const asked = await call(settings, { method: 'PUT', path, body: { tail: String(count) } }, resultAnswer);
  if (asked.kind === 'unknown') return asked;
  const url = new URL(asked.value.result_url);
  if (!isAllowedLogUrl(url, settings.cluster.api)) {
    const message = `the log is said to lie at ${url.protocol}//${url.hostname}, where no log of Vast.ai lies`;
    return buildNoAnswer('lost', null, message);
  }
  let last: NoAnswer | null = null;
  for (let poll = 0; poll < VAST.resultPolls; poll += 1) {
    const read = await fetchText(settings, url);
    if (read.kind === 'text' && read.status === 200) return { kind: 'said', value: read.text };
    if (read.kind === 'unknown') last = read;
    await settings.sleep(VAST.resultPollMs);
  }
  return last ?? buildNoAnswer('lost', null, 'the log did not come');
}
