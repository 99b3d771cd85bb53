#!/usr/bin/env node
/** `ferrybot <verb>`: every capability of the core has a door here, so that a person can ask without a server. */

import { commandLine } from './command-line.ts';

/** A reader that closed early (`| head`) wants no more: nothing is written any more, and the exit code stays the answer's. */
function endsWithItsReader(stream: NodeJS.WriteStream): void {
  stream.on('error', (error) => {
    if (!('code' in error) || error.code !== 'EPIPE') throw error;
  });
}

endsWithItsReader(process.stdout);
endsWithItsReader(process.stderr);
process.exitCode = await commandLine(process.argv.slice(2), {
  stdout: process.stdout,
  stderr: process.stderr,
  stdin: process.stdin,
  cwd: process.cwd(),
  environment: process.env,
});
