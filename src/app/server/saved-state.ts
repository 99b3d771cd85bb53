/** What the server saves between restarts, in one SQLite file. It only saves requests, so it may be lost at any time. */

import { closeSync, openSync, rmSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import type { Log } from '../lab.ts';

/**
 * Maximum number of saved values: cached answers of 200 repositories with live runs, deliveries of three busy days (GitHub repeats none
 * that is older), and two facts of each repository.
 */
const SAVED_MAX = { answer: 10_000, delivery: 20_000, cursor: 5_000, unconfigured: 5_000 } as const;

/** Counting the values of a kind takes a millisecond, so only one write in a hundred does it. */
const WRITES_PER_PRUNING = 100;

export type SavedState = {
  readonly get: (kind: keyof typeof SAVED_MAX, key: string) => unknown;
  readonly set: (kind: keyof typeof SAVED_MAX, key: string, value: unknown) => void;
  readonly close: () => void;
};

/** The exclusive lock shows that no other server uses this directory, whose mirrors belong to one process. */
const SCHEMA = `
  PRAGMA locking_mode = EXCLUSIVE;
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = NORMAL;
  CREATE TABLE IF NOT EXISTS saved (kind TEXT NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL, UNIQUE (kind, key)) STRICT;
  CREATE INDEX IF NOT EXISTS saved_by_age ON saved (kind);
  BEGIN IMMEDIATE;
  COMMIT;`;
const GET = 'SELECT value FROM saved WHERE kind = ? AND key = ?';
const SET = 'INSERT OR REPLACE INTO saved (kind, key, value) VALUES (?, ?, ?)';
/** A replaced row gets a new rowid, so that rowids order the rows by age. */
const DROP_OLDEST =
  'DELETE FROM saved WHERE kind = ?1 AND rowid <= (SELECT rowid FROM saved WHERE kind = ?1 ORDER BY rowid DESC LIMIT 1 OFFSET ?2)';

/**
 * Opens the file. A broken file is replaced by an empty one. Throws if another process still uses the file after `lockMs`, for example a
 * server that is stopping.
 */
export async function openSavedState(file: string, lockMs: number, log: Log): Promise<SavedState> {
  // Older versions of Node, on which the other verbs run, do not have this module.
  const { DatabaseSync } = await import('node:sqlite');
  const opened = (path: string): DatabaseSync => {
    // Cached answers may be of private repositories; SQLite gives its other files the same mode.
    if (path === file) closeSync(openSync(path, 'a', 0o600));
    const database = new DatabaseSync(path, { timeout: lockMs });
    try {
      database.exec(SCHEMA);
      return database;
    } catch (error) {
      database.close();
      throw error;
    }
  };
  const rebuilt = (error: Error): DatabaseSync => {
    if ('errcode' in error && error.errcode === SQLITE_BUSY)
      throw new Error(`another process uses ${file}: each server needs its own directory`, { cause: error });
    log(`${file} cannot be used and is created again: ${error.message}`);
    try {
      for (const suffix of ['', '-wal', '-shm']) rmSync(`${file}${suffix}`, { force: true });
      return opened(file);
    } catch (cause) {
      // A full disk, for example. The server works without the file.
      log(`${file} cannot be created: ${String(cause)}`);
      return opened(':memory:');
    }
  };
  let writes = 0;
  let database = withDatabase(() => opened(file), rebuilt);
  const use = <Value>(work: () => Value): Value | undefined =>
    withDatabase<Value | undefined>(work, (error) => {
      database.close();
      database = rebuilt(error);
      return undefined;
    });
  return {
    get: (kind, key) =>
      use(() => {
        const row = database.prepare(GET).get(kind, key);
        return row === undefined ? undefined : JSON.parse(String(row['value']));
      }),
    set: (kind, key, value) =>
      void use(() => {
        database.prepare(SET).run(kind, key, JSON.stringify(value));
        if (writes % WRITES_PER_PRUNING === 0)
          for (const [one, max] of Object.entries(SAVED_MAX)) database.prepare(DROP_OLDEST).run(one, max);
        writes += 1;
      }),
    close: () => {
      database.close();
      // Work that the stop did not wait for may still read and write.
      database = opened(':memory:');
    },
  };
}

const SQLITE_BUSY = 5;

/** `repair` gets errors of SQLite, of the file, and of JSON that SQLite returned damaged. */
function withDatabase<Value>(work: () => Value, repair: (error: Error) => Value): Value {
  try {
    return work();
  } catch (error) {
    const isFile =
      error instanceof Error && 'code' in error && (error.code === 'ERR_SQLITE_ERROR' || 'syscall' in error);
    if (isFile || error instanceof SyntaxError) return repair(error);
    throw error;
  }
}
