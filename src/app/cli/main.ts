#!/usr/bin/env node
/** The `ferrybot` command. */

import { runCommandLine } from './command-line.ts';

/** If the reader closes early (`| head`), stop writing; the exit code stays correct. */
function exitWhenReaderCloses(stream: NodeJS.WriteStream): void {
  stream.on('error', (error) => {
    if (!('code' in error) || error.code !== 'EPIPE') throw error;
  });
}

exitWhenReaderCloses(process.stdout);
exitWhenReaderCloses(process.stderr);
process.exitCode = await runCommandLine(process.argv.slice(2), {
  stdout: process.stdout,
  stderr: process.stderr,
  stdin: process.stdin,
  cwd: process.cwd(),
  environment: process.env,
});
