/** Entry point of the action: checks the event first and loads the full program only if needed. */

import { readFileSync } from 'node:fs';
import { takePrivateEnvironment } from '../../host/private-environment.ts';
import { isRelevantEvent } from './relevant-event.ts';

/** Reads the event file. If it is unreadable, the full program reports that. */
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
if (isRelevantEvent(mode, process.env['GITHUB_EVENT_NAME'] ?? '', event)) {
  // Take the private variables before any other program starts.
  const environment = takePrivateEnvironment();
  const { main } = await import('./full.ts');
  await main(event, environment);
} else {
  console.log('nothing for ferrybot in this event');
}
