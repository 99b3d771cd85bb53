/** Reads the log of a job from an offset on, out of its last lines. */

import type { LogRead } from '../../domain/engine.ts';
import { limits } from '../../domain/limits.ts';
import { completeUtf8Length } from '../../host/utf8-boundary.ts';
import { utf8Only } from '../../host/utf8-only.ts';
import { isSubmissionId } from '../file-records.ts';
import { instancesOf } from './account.ts';
import { type LogTail, readLines, readTail } from './log.ts';
import { VAST, type VastSettings } from './settings.ts';

/** As many lines are asked for as reach back to the offset. */
export async function readLogOnVast(settings: VastSettings, jobId: string, offset: number): Promise<LogRead> {
  if (!isSubmissionId(jobId)) return { kind: 'absent' };
  const found = await instancesOf(settings, jobId);
  if (found.kind === 'unknown') return { kind: 'unknown', message: found.message };
  const [instance] = found.value;
  if (instance === undefined) return { kind: 'absent' };
  for (const count of VAST.logLines) {
    const read = await readLines(settings, instance.id, count);
    if (read.kind === 'unknown') return { kind: 'unknown', message: read.message };
    const tail = readTail(read.value, jobId);
    // A container that has not begun has no log.
    if (read.value === '') return cut({ ...tail, at: 0 }, offset);
    if (tail.at !== null && tail.at <= offset) return cut(tail, offset);
  }
  return {
    kind: 'unknown',
    message: `the last ${VAST.logLines.at(-1)} lines of the log do not reach back to byte ${offset}`,
  };
}

function cut({ text, at }: LogTail, offset: number): LogRead {
  const begin = at ?? 0;
  const sizeBytes = begin + text.length;
  if (offset > sizeBytes) return { kind: 'rewound', sizeBytes };
  const all = Buffer.from(text, 'latin1').subarray(offset - begin);
  const some = all.subarray(0, limits.logChunkBytesMax);
  const bytes = some.subarray(0, completeUtf8Length(some));
  return {
    kind: 'chunk',
    bytes: utf8Only(bytes),
    offset,
    nextOffset: offset + bytes.length,
    atEnd: some.length === all.length,
  };
}
