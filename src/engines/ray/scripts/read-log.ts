/** Reads a job's log through the lab's script, which prints nothing with exit code 0 for three different things. */

import type { LogRead } from '../../../domain/engine.ts';
import { limits } from '../../../domain/limits.ts';
import { isJobId } from '../rest/look-up.ts';
import { createLogWindow } from './log-window.ts';
import { runScript } from './run-script.ts';
import { reasonOf, scrubber } from './said.ts';
import type { ScriptSettings } from './settings.ts';

/** Lines that a script is asked for where the whole log is meant; a log with more cannot be read through it. */
const SCRIPT_LOG_LINES_MAX = 5_000_000;

/**
 * At most `limits.logChunkBytesMax` bytes from `offset` (bytes of the log). The script reads the log from its beginning
 * each time and ignores how the reading ended, so a shorter text than before is no other log but perhaps a torn answer:
 * unknown, never `rewound`, because what was classified once must not be classified again.
 */
export async function readLogByScript(
  settings: ScriptSettings,
  jobId: string,
  offset: number,
): Promise<LogRead> {
  // Never an argument that a script could take for an option.
  if (!isJobId(jobId)) return { kind: 'absent' };
  const window = createLogWindow(offset, limits.logChunkBytesMax);
  const end = await runScript(settings, {
    template: settings.templates.logs,
    fill: { texts: { jobId, lines: String(SCRIPT_LOG_LINES_MAX) }, lists: {} },
    cwd: null,
    env: {},
    onStdout: window.feed,
  });
  if (end.kind === 'not-started') return unknown(`could not be started: ${end.code}`);
  if (end.kind === 'cut') return unknown(`was cut: ${end.why}`);
  if (end.exitCode !== 0) return unknown(`failed: ${reasonOf(end, scrubber(settings.secrets))}`);
  const { bytes, sizeBytes, lines, nextOffset } = window.end();
  if (sizeBytes === 0) return unknown('printed nothing: no answer, no such job, or nothing in the log');
  if (lines >= SCRIPT_LOG_LINES_MAX)
    return unknown(`printed the last ${lines} lines, not the whole log: offsets mean nothing in it`);
  if (sizeBytes < offset) return unknown(`printed ${sizeBytes} bytes of a log of at least ${offset}`);
  return { kind: 'chunk', bytes, offset, nextOffset, atEnd: nextOffset >= sizeBytes };
}

function unknown(what: string): LogRead {
  return { kind: 'unknown', message: `the script for the log ${what}` };
}
