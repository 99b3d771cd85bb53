/** What Slurm itself wrote about a job beside its log, such as why it was ended. */

import { cutText } from '../../domain/cut-text.ts';
import { openPlainFile } from '../../host/plain-file.ts';
import { codeOf } from '../../host/publish-once.ts';

/** The end of the file is enough: the sentence about the end stands last. */
const READ_BYTES = 4_096;
const CHARACTERS_MAX = 300;

/** The last line of Slurm or of the wrapper; empty where there is none. */
export async function lastWordsOf(path: string): Promise<string> {
  try {
    await using file = await openPlainFile(path);
    const { size } = await file.stat();
    const from = Math.max(0, size - READ_BYTES);
    const { bytesRead, buffer } = await file.read(Buffer.alloc(READ_BYTES), 0, READ_BYTES, from);
    const lines = buffer.subarray(0, bytesRead).toString('utf8').split('\n');
    return cutText(lines.findLast((line) => /^(slurmstepd|ferrybot)\b/.test(line)) ?? '', CHARACTERS_MAX);
  } catch (error) {
    if (codeOf(error) === undefined) throw error;
    return '';
  }
}
