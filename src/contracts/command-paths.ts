/** Finds paths in a command. */

import { type CommandLine, commandWords, readCommandLine } from './command-line.ts';

/** Every part that may be a path; splits lists and mappings. */
export function pathsIn(line: CommandLine): readonly string[] {
  return commandWords(line)
    .flatMap((word) => word.split(/[\s,;"'()[\]|=]+|:(?!\/\/)/))
    .filter((one) => one !== '');
}

const STEP = /(?:^|\/)(?:step|global_step|checkpoint|ckpt)[-_]?\d+(?:\/|$)/i;
const FOLDER = /\/(?:checkpoints?|ckpts?)(?:\/|$)|^(?:checkpoints?|ckpts?)\//i;
const WEIGHTS = /\/[^/]+\.(?:ckpt|pth?|safetensors)$/i;
const SCRIPT = /\.(?:py|sh)$/i;

/** `…/step-1200`, `…/checkpoints/…`, `…/model.safetensors`, but no scripts. */
export function looksLikeCheckpoint(path: string): boolean {
  return !SCRIPT.test(path) && (STEP.test(path) || FOLDER.test(path) || WEIGHTS.test(path));
}

/** A script in the command (`bash -c '…'`) that needs a shell or an interpreter; null if there is none. */
export function unreadScript({ command }: CommandLine): string | null {
  return (
    command.find(
      (part, index) => /^-[a-z]{0,3}c$/.test(command[index - 1] ?? '') && readCommandLine(part) === null,
    ) ?? null
  );
}
