/** Stores the state in one JSON file, so that a killed playground continues with everything that it acknowledged. */

import { open, readFile, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import * as z from 'zod';
import { ifThere } from './if-there.ts';
import { emptyState, type State } from './state.ts';

export type StateFile = {
  /**
   * Null when there is no file yet. Throws on a file that is not a state of this version; the message says what to do.
   */
  readonly load: () => Promise<State | null>;
  /**
   * Resolves when the state at the time of the call, or a later one, is on disk. Calls during a write share the next
   * write.
   */
  readonly save: (state: State) => Promise<void>;
};

const header = z.looseObject({ version: z.literal(1), repos: z.looseObject({}) });

/** The directory must exist. */
export function createStateFile(path: string): StateFile {
  let running: Promise<void> | null = null;
  let next: Promise<void> | null = null;
  const start = (state: State): Promise<void> => {
    const write = writeAtomically(path, JSON.stringify(state)).finally(() => {
      running = null;
    });
    running = write;
    return write;
  };
  return {
    load: () => load(path),
    save: (state) => {
      if (running === null) return start(state);
      // Serialize only when the write starts, so that it includes the changes of all waiting calls.
      const again = (): Promise<void> => {
        next = null;
        return start(state);
      };
      next ??= running.then(again, again);
      return next;
    },
  };
}

async function load(path: string): Promise<State | null> {
  const text = await ifThere(readFile(path, 'utf8'));
  if (text === null) return null;
  const read: unknown = JSON.parse(text);
  const checked = header.safeParse(read);
  if (!checked.success) {
    throw new Error(`${path} holds no state of this playground; move it away to start anew`, { cause: checked.error });
  }
  // Trust boundary: the playground's own file, with a checked version. Tables added since then start empty.
  const state = { ...emptyState(), ...(checked.data as unknown as State) };
  return { ...state, settings: { ...emptyState().settings, ...state.settings } };
}

/**
 * Writes a temporary file, flushes it, renames it, and flushes the directory. After a crash the file has either the old
 * text or the new one.
 */
async function writeAtomically(path: string, text: string): Promise<void> {
  const temporaryPath = `${path}.new`;
  // The file contains all tokens.
  const file = await open(temporaryPath, 'w', 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(temporaryPath, path);
  const directory = await open(dirname(path), 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}
