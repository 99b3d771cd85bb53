/** The action's entry: a look at the event first, and only if it is ours the rest of the program is loaded. */

import { readFileSync } from 'node:fs';
import { takePrivateEnvironment } from '../../host/private-environment.ts';
import { isOurs } from './first-look.ts';

/** Reads the event that the runner put into a file; an unreadable one is looked at by the full program, which says what is wrong. */
function readEvent(): unknown {
  const path = process.env['GITHUB_EVENT_PATH'];
  if (path === undefined) return null;
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    console.error(`the event at ${path} cannot be read: ${String(error)}`);
    return null;
  }
}

const event = readEvent();
const mode = process.env['INPUT_MODE'] ?? '';
if (isOurs(mode, process.env['GITHUB_EVENT_NAME'] ?? '', event)) {
  // Before anything else that takes time, and before any other program is started.
  const environment = takePrivateEnvironment();
  const { main } = await import('./full.ts');
  await main(event, environment);
} else {
  console.log('nothing for ferrybot in this event');
}
