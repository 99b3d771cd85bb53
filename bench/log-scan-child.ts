/** Scans one file as the watch does, chunk by chunk, in a process of its own, and prints what that took. */

import { closeSync, openSync, readSync } from 'node:fs';
import { limits } from '../src/domain/limits.ts';
import { completeUtf8Length } from '../src/host/files.ts';
import { finishLog, NO_LOG_FACTS, readLogBytes } from '../src/watch/log-facts.ts';

// As grep reads it: whoever waits for a thread of a pool measures the machine.
const file = openSync(process.argv[2] ?? '', 'r');
const buffer = Buffer.alloc(limits.logChunkBytesMax);
let facts = NO_LOG_FACTS;
for (let kept = 0; ; ) {
  const bytesRead = readSync(file, buffer, kept, buffer.length - kept, null);
  if (bytesRead === 0) break;
  const chunk = buffer.subarray(0, kept + bytesRead);
  const whole = completeUtf8Length(chunk);
  facts = readLogBytes(facts, chunk.subarray(0, whole));
  kept = chunk.length - whole;
  buffer.copyWithin(0, whole, chunk.length);
}
const { lines } = finishLog(facts);
closeSync(file);
const { user, system } = process.cpuUsage();
const cpuMs = (user + system) / 1_000;
console.log(JSON.stringify({ cpuMs, maxRssKb: process.resourceUsage().maxRSS, lines }));
