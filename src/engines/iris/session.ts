/** Which process of the controller answers: another one may have come up from a checkpoint that knows fewer jobs. */

import type { EngineSession } from '../../domain/engine.ts';
import { processAnswer } from './answers.ts';
import { ask } from './ask.ts';
import { irisLimits } from './limits.ts';
import type { IrisSettings } from './settings.ts';

export type IrisProcess = {
  readonly kind: 'process';
  /** Host, pid and the minute of the beginning: in a container each controller has the same pid. */
  readonly id: string;
  readonly who: string;
  readonly beganAtMs: number;
};

/** The process that answers now. */
export async function readProcess(
  settings: IrisSettings,
): Promise<IrisProcess | { readonly kind: 'unknown'; readonly message: string }> {
  const answer = await ask(settings, 'process', { maxLogLines: 1 }, processAnswer);
  if (answer.kind !== 'said') return { kind: 'unknown', message: answer.message };
  const { hostname, pid, uptimeMs } = answer.value.processInfo;
  const beganAtMs = settings.now() - uptimeMs;
  const who = `${hostname}:${pid}`;
  return {
    kind: 'process',
    id: `${who}:${Math.round(beganAtMs / irisLimits.sessionMinuteMs)}`,
    who,
    beganAtMs,
  };
}

/** Whether both are one process of the controller. */
export function isSameProcess(a: IrisProcess, b: IrisProcess): boolean {
  return a.who === b.who && Math.abs(a.beganAtMs - b.beganAtMs) <= irisLimits.uptimeSlackMs;
}

/** The same for the engine's interface; Iris says no version. */
export async function readIrisSession(settings: IrisSettings): Promise<EngineSession> {
  const process = await readProcess(settings);
  return process.kind === 'unknown' ? process : { kind: 'session', id: process.id, version: '' };
}
