/** Scans one file as the watch does, chunk by chunk, in a process of its own, and prints what that took. */

import { open } from 'node:fs/promises';
import { limits } from '../src/domain/limits.ts';
import { finishLog, NO_LOG_FACTS, readLogText } from '../src/watch/log-facts.ts';

const file = await open(process.argv[2] ?? '');
const buffer = Buffer.alloc(limits.logChunkBytesMax);
const decoder = new TextDecoder();
const since = performance.now();
let facts = NO_LOG_FACTS;
for (;;) {
  const { bytesRead } = await file.read(buffer, 0, buffer.length);
  if (bytesRead === 0) break;
  facts = readLogText(facts, decoder.decode(buffer.subarray(0, bytesRead), { stream: true }));
}
const { lines } = finishLog(facts);
await file.close();
console.log(
  JSON.stringify({ ms: performance.now() - since, maxRssKb: process.resourceUsage().maxRSS, lines }),
);
