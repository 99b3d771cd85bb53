/** Scans one file as the watch does, chunk by chunk, in a process of its own, and prints what that took. */

import { open } from 'node:fs/promises';
import { limits } from '../src/domain/limits.ts';
import { completeUtf8Length } from '../src/host/utf8-boundary.ts';
import { finishLog, NO_LOG_FACTS, readLogBytes } from '../src/watch/log-facts.ts';

const file = await open(process.argv[2] ?? '');
const buffer = Buffer.alloc(limits.logChunkBytesMax);
const since = performance.now();
let facts = NO_LOG_FACTS;
for (let kept = 0; ; ) {
  const { bytesRead } = await file.read(buffer, kept, buffer.length - kept);
  if (bytesRead === 0) break;
  const chunk = buffer.subarray(0, kept + bytesRead);
  const whole = completeUtf8Length(chunk);
  facts = readLogBytes(facts, chunk.subarray(0, whole));
  kept = chunk.length - whole;
  buffer.copyWithin(0, whole, chunk.length);
}
const { lines } = finishLog(facts);
await file.close();
console.log(
  JSON.stringify({ ms: performance.now() - since, maxRssKb: process.resourceUsage().maxRSS, lines }),
);
